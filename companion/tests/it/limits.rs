//! How much one may ask for, and what is said when it is too much or cannot be read.

use loci_companion::{Models, Rate, Rates, Settings, Slot};
use loci_inference::{Embedder, LanguageModel};
use loci_protocol::{
    AnswerPassage, AnswerRequest, EmbedKind, EmbedRequest, ExtractEpisode, ExtractRequest, ModelStatus,
    Problem, ProblemCode, StatusReply,
};
use serde_json::json;

use crate::{
    client::Ask,
    companion::{CHROMIUM, Companion},
    scripted::scripted,
};

fn embed(number: usize, chars: usize) -> Ask {
    Ask::post(
        "/v1/embed",
        &EmbedRequest { kind: EmbedKind::Passage, texts: vec!["界".repeat(chars); number] },
    )
}

pub fn extraction(number: u32, chars: usize) -> ExtractRequest {
    let episode = |id| ExtractEpisode { id, headings: vec![], text: "界".repeat(chars) };
    ExtractRequest {
        title: "T".into(),
        language: None,
        known_names: vec![],
        episodes: (0..number).map(episode).collect(),
    }
}

pub fn question(text: &str) -> AnswerRequest {
    AnswerRequest { question: text.into(), passages: vec![], facts: vec![], max_tokens: 64 }
}

#[tokio::test]
async fn a_request_beyond_the_limits_is_refused_with_the_limit() {
    let (models, script) = scripted();
    let companion = Companion::start(Settings { models, ..Settings::default() }).await;
    let token = companion.pair(None).await.token;
    let extract = |request: &ExtractRequest| Ask::post("/v1/extract", request);
    let answer = |request: &AnswerRequest| Ask::post("/v1/answer", request);
    let passage = |chars: usize| AnswerPassage { title: "T".into(), date: None, text: "界".repeat(chars) };
    let headed = |chars: usize| {
        let mut request = extraction(1, 10);
        request.episodes[0].headings.push("界".repeat(chars));
        request
    };
    // `None`: within the limits, and stopped only by the missing embedder, or answered by the model.
    let cases: Vec<(&str, Ask, Option<&str>)> = vec![
        ("as many texts as allowed", embed(64, 10), None),
        ("too many texts", embed(65, 10), Some("64 texts")),
        ("a text as long as allowed", embed(1, 8_000), None),
        ("a text too long", embed(1, 8_001), Some("8000 characters")),
        ("as many episodes as allowed", extract(&extraction(32, 10)), None),
        ("too many episodes", extract(&extraction(33, 10)), Some("32 episodes")),
        ("an episode too long", extract(&extraction(1, 4_001)), Some("4000 characters")),
        ("headings too long", extract(&headed(3_991)), Some("4000 characters")),
        ("headings as long as allowed", extract(&headed(3_990)), None),
        ("a question as long as allowed", answer(&question(&"界".repeat(10_000))), None),
        ("a question too long", answer(&question(&"界".repeat(10_001))), Some("10000 characters")),
        (
            "too many passages",
            answer(&AnswerRequest { passages: vec![passage(1); 21], ..question("?") }),
            Some("20 passages"),
        ),
        (
            "a passage too long",
            answer(&AnswerRequest { passages: vec![passage(10_001)], ..question("?") }),
            Some("10000 characters"),
        ),
        (
            "an answer too long",
            answer(&AnswerRequest { max_tokens: 4_097, ..question("?") }),
            Some("4096 tokens"),
        ),
    ];
    for (name, ask, limit) in cases {
        script.release();
        let reply = ask.bearer(&token).send(companion.port).await;
        match limit {
            Some(limit) => {
                assert_eq!(reply.refusal(), ProblemCode::BadRequest, "{name}");
                assert!(reply.json::<Problem>().hint.contains(limit), "{name}: {}", reply.text());
            }
            None if reply.status == 200 => {
                assert!(reply.text().contains("\"done\""), "{name}: {}", reply.text())
            }
            None => assert_eq!(reply.refusal(), ProblemCode::ModelMissing, "{name}"),
        }
    }
}

#[tokio::test]
async fn each_route_bounds_its_body() {
    let companion = Companion::start(Settings::default()).await;
    let token = companion.pair(None).await.token;
    let post =
        |path: &str, bytes: usize| Ask::post(path, &json!(null)).body(vec![b' '; bytes]).bearer(&token);
    let get = |path: &str| Ask::get(path).bearer(&token);
    for (name, ask, fits) in [
        ("pair", post("/v1/pair", 4 << 10), true),
        ("pair", post("/v1/pair", (4 << 10) + 1), false),
        ("embed", post("/v1/embed", 4 << 20), true),
        ("embed", post("/v1/embed", (4 << 20) + 1), false),
        ("extract", post("/v1/extract", 2 << 20), true),
        ("extract", post("/v1/extract", (2 << 20) + 1), false),
        ("answer", post("/v1/answer", (2 << 20) + 1), false),
        ("status", get("/v1/status").body(vec![b' ']), false),
        ("hello", Ask::get("/v1/hello").body(vec![b' ']), false),
        ("unknown", post("/v1/unknown", 1), false),
    ] {
        for (form, ask) in [("declared", ask.clone()), ("chunked", ask.chunked())] {
            let code = ask.send(companion.port).await.refusal();
            let expected = if fits { ProblemCode::BadRequest } else { ProblemCode::TooLarge };
            assert_eq!(code, expected, "{name}, {form}");
        }
    }
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_not_quoted() {
    let companion = Companion::start(Settings::default()).await;
    let token = companion.pair(None).await.token;
    let whole = json!({ "kind": "query", "texts": ["PAGETEXT"] });
    let broken = |text: &str| Ask::post("/v1/embed", &whole).body(text.into());
    for (name, ask) in [
        ("no JSON", broken("PAGETEXT")),
        ("a value of another type", broken(r#"{"kind":"query","texts":"PAGETEXT"}"#)),
        ("an unknown kind", broken(r#"{"kind":"PAGETEXT","texts":[]}"#)),
        ("a missing field", broken(r#"{"texts":["PAGETEXT"]}"#)),
        ("half of it", broken(r#"{"kind":"query","texts":["PAGETEXT"#)),
        ("nothing", broken("")),
        ("not text", Ask::post("/v1/embed", &whole).body(vec![0xff, 0xfe])),
        ("cut short on the way", Ask::post("/v1/embed", &whole).cut_short()),
    ] {
        let reply = ask.bearer(&token).send(companion.port).await;
        assert_eq!(reply.refusal(), ProblemCode::BadRequest, "{name}");
        assert!(!reply.everything().contains("PAGETEXT"), "{name}: {}", reply.text());
    }
}

#[tokio::test]
async fn asking_too_often_is_refused_and_counted_apart() {
    let rates = Rates {
        hello: Rate { burst: 2.0, per_second: 1.0 },
        pair: Rate { burst: 3.0, per_second: 1.0 },
        profile: Rate { burst: 4.0, per_second: 1.0 },
    };
    let companion = Companion::start(Settings { rates, ..Settings::default() }).await;
    let first = companion.pair(Some(CHROMIUM)).await.token;
    let second = companion.pair(Some(CHROMIUM)).await.token;
    companion.clock.forward(std::time::Duration::from_secs(60));
    let hello = Ask::get(&format!("/v1/hello?nonce={}", "5a".repeat(32)));
    let pair = Ask::post("/v1/pair", &json!({ "code": "000000", "label": "x" }));
    let status = |token: &str| Ask::get("/v1/status").bearer(token);
    for (name, ask, granted) in [
        ("hello", hello, 2),
        ("pair", pair, 3),
        ("one profile", status(&first), 4),
        ("another", status(&second), 4),
    ] {
        for turn in 0..granted {
            let reply = ask.clone().send(companion.port).await;
            assert_ne!(reply.status, 429, "{name}, request {turn}");
        }
        let reply = ask.clone().send(companion.port).await;
        assert_eq!(reply.refusal(), ProblemCode::TooMany, "{name}");
        assert_eq!(reply.header("retry-after"), Some("1"), "{name}");
    }
    companion.clock.forward(std::time::Duration::from_secs(1));
    assert_eq!(status(&first).send(companion.port).await.status, 200);
}

/// The port answers before any model is there.
#[tokio::test]
async fn a_model_that_is_not_there_is_said_to_be_so() {
    let (embedder, llm) = (Slot::<Embedder>::default(), Slot::<dyn LanguageModel>::default());
    let models = Models { device: "cpu".into(), embedder: embedder.clone(), llm: llm.clone() };
    let companion = Companion::start(Settings { models, ..Settings::default() }).await;
    let token = companion.pair(None).await.token;
    let asks = || {
        [embed(1, 1), Ask::post("/v1/extract", &extraction(1, 1)), Ask::post("/v1/answer", &question("?"))]
    };
    type Change = fn(&Slot<Embedder>, &Slot<dyn LanguageModel>);
    let cases: [(Change, ProblemCode, ModelStatus, &str); 4] = [
        (|_, _| (), ProblemCode::ModelMissing, ModelStatus::Absent, "loci serve"),
        (
            |embedder, llm| {
                embedder.set_loading("m", Some(0.25));
                llm.set_loading("m", Some(0.25));
            },
            ProblemCode::ModelMissing,
            ModelStatus::Loading { name: "m".into(), fraction: Some(0.25) },
            "25 %",
        ),
        (
            |embedder, llm| {
                embedder.set_failed("m", "Fetch it again.", ProblemCode::ModelDamaged);
                llm.set_failed("m", "Fetch it again.", ProblemCode::ModelDamaged);
            },
            ProblemCode::ModelDamaged,
            ModelStatus::Failed { name: "m".into(), hint: "Fetch it again.".into() },
            "Fetch it again.",
        ),
        (
            |embedder, llm| {
                embedder.set_failed("m", "No network.", ProblemCode::ModelMissing);
                llm.set_failed("m", "No network.", ProblemCode::ModelMissing);
            },
            ProblemCode::ModelMissing,
            ModelStatus::Failed { name: "m".into(), hint: "No network.".into() },
            "No network.",
        ),
    ];
    for (change, code, state, hint) in cases {
        change(&embedder, &llm);
        let status: StatusReply = Ask::get("/v1/status").bearer(&token).send(companion.port).await.json();
        assert_eq!((&status.embedder, &status.llm), (&state, &state));
        for ask in asks() {
            let reply = ask.bearer(&token).send(companion.port).await;
            assert_eq!((reply.status, reply.refusal()), (503, code), "{state:?}");
            assert!(reply.json::<Problem>().hint.contains(hint), "{state:?}: {}", reply.text());
        }
    }
}
