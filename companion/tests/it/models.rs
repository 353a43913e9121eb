//! Real weights behind the real edge: structure, streaming and cancelling, never what a small model happens to say.

use std::time::Duration;

use loci_companion::{
    Models, Settings,
    loading::{self, Choice},
};
use loci_inference::DeviceChoice;
use loci_models::{Cache, FetchOptions, Profile, QWEN_0_5B, QWEN_1_5B, SMOLLM2};
use loci_protocol::{
    AnswerEvent, AnswerPassage, AnswerRequest, DIMENSIONS, EmbedKind, EmbedReply, EmbedRequest,
    ExtractEpisode, ExtractEvent, ExtractRequest, ModelStatus, ProblemCode, StatusReply,
};

use crate::{
    client::{Ask, Open},
    companion::Companion,
};

/// Longer than any single step of a small model on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

const TITLE: &str = "Lindqvist joins Nordwind";
const TEXT: &str = "Anna Lindqvist founded Nordwind in Oslo. The company builds sails for cargo ships.";

struct Real {
    companion: Companion,
    token: String,
}

impl Real {
    /// The port answers at once; this waits until both models are there.
    async fn start() -> Real {
        let fetching = FetchOptions::from_env();
        let options = fetching.clone();
        let smollm = tokio::task::spawn_blocking(move || loci_models::fetch(&SMOLLM2, &options, &mut |_| ()));
        let smollm =
            smollm.await.expect("no panic").unwrap_or_else(|error| panic!("{error}. {}", error.hint()));
        let models = Models { device: DeviceChoice::Cpu.describe(), ..Models::default() };
        let choice = Choice {
            profile: Profile::Tiny,
            model: Some(smollm.path),
            embedder: None,
            server: None,
            device: DeviceChoice::Cpu,
        };
        loading::start(&models, choice, fetching);
        let companion = Companion::start(Settings { models, ..Settings::default() }).await;
        let token = companion.pair(None).await.token;
        let real = Real { companion, token };
        real.until(|status| match (&status.embedder, &status.llm) {
            (ModelStatus::Failed { hint, .. }, _) | (_, ModelStatus::Failed { hint, .. }) => panic!("{hint}"),
            (ModelStatus::Ready { .. }, ModelStatus::Ready { .. }) => true,
            _ => false,
        })
        .await;
        real
    }

    async fn until(&self, reached: impl Fn(&StatusReply) -> bool) {
        let asking = async {
            loop {
                // The clock that refills the rate limit is the test's own.
                self.companion.clock.forward(Duration::from_secs(1));
                let status = Ask::get("/v1/status").bearer(&self.token).send(self.companion.port).await;
                if reached(&status.json()) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asking).await.expect("the status becomes so in time");
    }

    async fn embed(&self, kind: EmbedKind, texts: &[&str]) -> EmbedReply {
        let texts = texts.iter().map(ToString::to_string).collect();
        let ask = Ask::post("/v1/embed", &EmbedRequest { kind, texts }).bearer(&self.token);
        ask.send(self.companion.port).await.json()
    }

    async fn extract(&self, episodes: u32) -> Open {
        let episode =
            |id| ExtractEpisode { id: id + 7, headings: vec!["Founders".into()], text: TEXT.into() };
        let request = ExtractRequest {
            title: TITLE.into(),
            language: Some("en".into()),
            known_names: vec!["Oslo Sailing Club".into()],
            episodes: (0..episodes).map(episode).collect(),
        };
        Ask::post("/v1/extract", &request).bearer(&self.token).open(self.companion.port).await
    }
}

#[tokio::test]
async fn vectors_come_over_the_wire_and_mean_something() {
    let real = Real::start().await;
    let passages = [
        "Paris is the capital and largest city of France.",
        "Photosynthesis turns light into chemical energy.",
        "巴黎是法国的首都。",
    ];
    let passages = real.embed(EmbedKind::Passage, &passages).await;
    let query = real.embed(EmbedKind::Query, &["What is the capital of France?"]).await;
    assert!(!query.model.is_empty() && query.model == passages.model);
    let decode = |reply: &EmbedReply| -> Vec<Vec<f32>> {
        reply.vectors.iter().map(|vector| vector.decode().expect("whole values")).collect()
    };
    let (passages, query) = (decode(&passages), decode(&query));
    for vector in passages.iter().chain(&query) {
        assert_eq!(vector.len(), DIMENSIONS);
        let norm: f32 = vector.iter().map(|value| value * value).sum();
        assert!((norm - 1.0).abs() < 1e-3, "{norm}");
    }
    let cosine = |passage: &[f32]| -> f32 { query[0].iter().zip(passage).map(|(a, b)| a * b).sum() };
    let [paris, light, paris_in_chinese] = [0, 1, 2].map(|place: usize| cosine(&passages[place]));
    assert!(paris > light && paris_in_chinese > light, "{paris} {paris_in_chinese} {light}");
    assert!(real.embed(EmbedKind::Query, &[]).await.vectors.is_empty());
}

#[tokio::test]
async fn an_extraction_streams_whole_and_invents_no_name() {
    let real = Real::start().await;
    let mut stream = real.extract(2).await;
    assert_eq!(stream.status, 200);
    let grounding = format!("{TITLE} Founders Oslo Sailing Club {TEXT}");
    let (mut ids, mut furthest, mut done) = (Vec::new(), 0, false);
    while let Some(event) = stream.event::<ExtractEvent>().await {
        assert!(!done, "nothing comes after the end");
        match event {
            ExtractEvent::Progress { done, total } => {
                assert!(done >= furthest && done <= total, "{done} of {total} after {furthest}");
                furthest = done;
            }
            ExtractEvent::Episode(episode) => {
                ids.push(episode.id);
                let objects = episode.objects.iter().map(|object| &object.name);
                let ends = episode.triples.iter().flat_map(|triple| [&triple.subject, &triple.object]);
                for name in objects.chain(ends) {
                    assert!(!name.is_empty() && grounding.contains(name.as_str()), "{name:?} is invented");
                }
            }
            ExtractEvent::Done { usage } => {
                assert!(usage.output_tokens > 0, "{usage:?}");
                done = true;
            }
            ExtractEvent::Error { problem } => panic!("{problem:?}"),
        }
    }
    assert!(done && ids == [7, 8], "{ids:?}");
}

#[tokio::test]
async fn leaving_and_stopping_reach_the_real_model() {
    let real = Real::start().await;
    // Far more than is computed before anybody leaves.
    let mut left = real.extract(32).await;
    assert!(left.event::<ExtractEvent>().await.is_some());
    drop(left);
    real.until(|status| status.queue.running == 0).await;

    let mut stopped = real.extract(32).await;
    assert!(stopped.event::<ExtractEvent>().await.is_some());
    real.companion.stop().await;
    let mut last = None;
    while let Some(event) = stopped.event::<ExtractEvent>().await {
        last = Some(event);
    }
    let Some(ExtractEvent::Error { problem }) = last else { panic!("{last:?} is no word at the end") };
    assert_eq!(problem.code, ProblemCode::Cancelled);
}

#[tokio::test]
async fn an_answer_streams_and_cites_what_it_was_given_while_an_extraction_runs() {
    let real = Real::start().await;
    let mut extraction = real.extract(32).await;
    assert!(extraction.event::<ExtractEvent>().await.is_some());
    let passage = |text: &str| AnswerPassage {
        title: TITLE.into(),
        date: Some("2024-05-01".into()),
        text: text.into(),
    };
    let request = AnswerRequest {
        question: "Who founded Nordwind?".into(),
        passages: vec![passage(TEXT), passage("Oslo lies on a fjord.")],
        facts: vec!["Anna Lindqvist founded Nordwind".into()],
        max_tokens: 48,
    };
    let mut stream = Ask::post("/v1/answer", &request).bearer(&real.token).open(real.companion.port).await;
    let (mut text, mut done) = (String::new(), None);
    while let Some(event) = stream.event::<AnswerEvent>().await {
        match event {
            AnswerEvent::Token { text: more } => text += &more,
            AnswerEvent::Citation { passage } => assert!((1..=2).contains(&passage), "{passage}"),
            AnswerEvent::Done(end) => done = Some(end),
            AnswerEvent::Error { problem } => panic!("{problem:?}"),
        }
    }
    let done = done.expect("the stream ends whole");
    assert_eq!(done.no_answer, text.is_empty(), "{text:?}");
    drop(extraction);
    real.until(|status| status.queue.running == 0).await;
}

/// Offline, with and without a (damaged) copy of the smallest model in the cache.
#[test]
fn a_model_that_cannot_be_had_is_replaced_by_the_smallest_or_reported() {
    for (cached, name, code) in [
        (true, QWEN_0_5B.name, ProblemCode::ModelDamaged),
        (false, QWEN_1_5B.name, ProblemCode::ModelMissing),
    ] {
        let dir = tempfile::TempDir::new().expect("a directory");
        let cache = Cache::at(dir.path());
        std::fs::create_dir_all(cache.models()).expect("writable");
        if cached {
            let file = QWEN_0_5B.wheels.as_ref().expect("it is in wheels").stored_as;
            std::fs::write(cache.models().join(file), "GGUF and nothing more").expect("writable");
        }
        let none = dir.path().join("none");
        let models = Models::default();
        let choice = Choice {
            profile: Profile::Cpu,
            model: None,
            embedder: Some(none),
            server: None,
            device: DeviceChoice::Cpu,
        };
        loading::start(&models, choice, FetchOptions { cache, hub: None, wheels: false });
        let failed = loop {
            match models.llm.status() {
                ModelStatus::Failed { name, hint } => break (name, hint),
                ModelStatus::Loading { .. } => std::thread::yield_now(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(failed.0, name);
        assert!(!failed.1.is_empty());
        let refusal = models.llm.get().err().expect("there is none");
        assert_eq!((refusal.problem.code, refusal.problem.hint), (code, failed.1));
    }
}
