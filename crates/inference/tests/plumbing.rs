//! The way of tokens, with a model whose content does not matter.

mod support;

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use loci_inference::{Cancel, DeviceChoice, InferenceError, LanguageModel, LocalModel, LocalOptions};
use loci_protocol::{
    AnswerEvent, AnswerPassage, AnswerRequest, EmbedKind, ExtractEpisode, ExtractEvent, ExtractRequest,
    ModelStatus, ProblemCode,
};

fn extract_request(texts: &[&str]) -> ExtractRequest {
    let episode = |(id, text): (usize, &&str)| ExtractEpisode {
        id: id as u32,
        headings: vec!["History".into()],
        text: (*text).into(),
    };
    ExtractRequest {
        title: "The Alden Bridge".into(),
        language: None,
        known_names: vec!["Karl Brandt".into()],
        episodes: texts.iter().enumerate().map(episode).collect(),
    }
}

fn answer_request(question: &str, texts: &[&str]) -> AnswerRequest {
    let passage = |text: &&str| AnswerPassage { title: "A page".into(), date: None, text: (*text).into() };
    AnswerRequest {
        question: question.into(),
        passages: texts.iter().map(passage).collect(),
        facts: Vec::new(),
        max_tokens: 24,
    }
}

/// Several texts that would break a careless grammar or prompt.
const AWKWARD: [&str; 4] = [
    "He said \"no\\yes\" — <|im_end|> and [1, \"2\"] to O'Brien & Sons.",
    "林岚说：“你好”，然后离开了。",
    "\u{1}\u{202e} 😀 👩‍👩‍👧 ... ,,, {}",
    "",
];

#[test]
fn extraction_has_its_form_whatever_the_text() {
    let mut events = Vec::new();
    support::smollm()
        .extract(&extract_request(&AWKWARD), &Cancel::new(), &mut |event| events.push(event))
        .expect("no text makes it fail");
    let (mut ids, mut sentences) = (Vec::new(), 0);
    let grounding = format!("The Alden Bridge\nHistory\nKarl Brandt\n{}", AWKWARD.join("\n"));
    for event in &events[..events.len() - 1] {
        match event {
            ExtractEvent::Progress { done, total } => {
                sentences += 1;
                assert_eq!(*done, sentences);
                assert!(done <= total);
            }
            ExtractEvent::Episode(episode) => {
                ids.push(episode.id);
                assert_eq!(episode.counts.ungrounded, 0, "the grammar lets no name be invented");
                for triple in &episode.triples {
                    assert!(!triple.relation.is_empty());
                    for name in [&triple.subject, &triple.object] {
                        assert!(!name.is_empty() && grounding.contains(name.as_str()), "{name:?}");
                        assert!(
                            episode.objects.iter().any(|object| object.name == *name),
                            "{name:?} has a kind"
                        );
                    }
                }
                for thesis in &episode.theses {
                    assert!(!thesis.objects.is_empty());
                    assert!(
                        thesis.objects.iter().all(|name| thesis.text.contains(name.as_str())),
                        "{thesis:?}"
                    );
                }
            }
            other => panic!("{other:?} in the middle"),
        }
    }
    assert_eq!(ids, [0, 1, 2, 3]);
    assert!(matches!(events.last(), Some(ExtractEvent::Done { .. })));
}

#[test]
fn the_fixed_prompt_is_read_once() {
    let request = extract_request(&["Karl Brandt designed the bridge."]);
    let usage = || {
        let mut usage = None;
        support::smollm()
            .extract(&request, &Cancel::new(), &mut |event| {
                if let ExtractEvent::Done { usage: spent } = event {
                    usage = Some(spent);
                }
            })
            .expect("it can be read");
        usage.expect("the stream ends in Done")
    };
    usage();
    let second = usage();
    assert!(second.reused_tokens > second.prompt_tokens * 4, "{second:?}");
}

#[test]
fn an_answer_cites_only_passages_that_are_there() {
    for (question, texts) in [
        ("Who designed the Alden Bridge?", vec!["Karl Brandt designed it.", "Tovin is a port. <|im_end|>"]),
        ("桥是谁设计的？", vec!["周启明设计了云栖大桥。"]),
        ("Who?", vec![]),
    ] {
        let mut text = String::new();
        let mut citations = Vec::new();
        let mut done = None;
        support::smollm()
            .answer(&answer_request(question, &texts), &Cancel::new(), &mut |event| {
                assert!(done.is_none(), "nothing follows Done");
                match event {
                    AnswerEvent::Token { text: piece } => text += &piece,
                    AnswerEvent::Citation { passage } => citations.push(passage as usize),
                    AnswerEvent::Done(outcome) => done = Some(outcome),
                    AnswerEvent::Error { problem } => panic!("{problem:?}"),
                }
            })
            .expect("it answers");
        let done = done.expect("the stream ends in Done");
        assert!(citations.iter().all(|passage| (1..=texts.len()).contains(passage)), "{citations:?}");
        assert_eq!(done.no_answer, text.is_empty(), "{text:?}");
        assert_eq!(done.no_answer, citations.is_empty(), "every answer has a citation: {text:?}");
        assert!(!text.contains("<|") && !text.contains('['), "{text:?}");
        assert!(done.usage.output_tokens <= 24 + 8 * 16);
    }
}

#[test]
fn extraction_stops_when_cancelled() {
    let text = "Karl Brandt designed the bridge. ".repeat(40);
    let cancel = Cancel::new();
    let mut seen = 0;
    let outcome = support::smollm().extract(&extract_request(&[&text]), &cancel, &mut |_| {
        seen += 1;
        cancel.cancel();
    });
    assert!(matches!(outcome, Err(InferenceError::Cancelled)), "{outcome:?}");
    assert_eq!(seen, 1, "nothing is said after the switch was thrown");
}

#[test]
fn an_answer_stops_when_cancelled() {
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome =
        support::smollm().answer(&answer_request("Who?", &["Karl Brandt."]), &cancel, &mut |event| {
            panic!("{event:?} after the switch was thrown");
        });
    assert!(matches!(outcome, Err(InferenceError::Cancelled)), "{outcome:?}");
}

#[test]
fn a_query_overtakes_extraction() {
    let text = "Karl Brandt designed the bridge. ".repeat(12);
    let cancel = Cancel::new();
    let (started, start) = mpsc::channel();
    let sentences_done = AtomicUsize::new(0);
    let at_query = Mutex::new(None);
    support::smollm();
    support::embedder();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let outcome = support::smollm().extract(&extract_request(&[&text]), &cancel, &mut |_| {
                sentences_done.fetch_add(1, Ordering::SeqCst);
                // The receiver is gone once it has heard enough.
                let _ = started.send(());
            });
            assert!(matches!(outcome, Ok(()) | Err(InferenceError::Cancelled)), "{outcome:?}");
        });
        start.recv().expect("extraction begins");
        let before = sentences_done.load(Ordering::SeqCst);
        let vectors = support::embedder().embed(EmbedKind::Query, &["bridge".into()], &Cancel::new());
        assert_eq!(vectors.expect("it is embedded").len(), 1);
        *at_query.lock().expect("nobody panicked") = Some((before, sentences_done.load(Ordering::SeqCst)));
        cancel.cancel();
    });
    let (before, after) = at_query.into_inner().expect("nobody panicked").expect("it was written");
    assert!(after <= before + 1, "extraction went on for {} sentences", after - before);
    assert!(after < 12, "extraction was not over");
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let folder = std::env::temp_dir().join(format!("loci-inference-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let whole = std::fs::read(support::stored(&loci_models::SMOLLM2).path).expect("the model is there");
    for (name, bytes) in [
        ("empty.gguf", &b""[..]),
        ("text.gguf", b"GGUF but no more"),
        ("header.gguf", &whole[..100_000]),
        ("half.gguf", &whole[..whole.len() / 2]),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("the temporary folder can be written");
        let options = LocalOptions { device: DeviceChoice::Cpu, ..LocalOptions::default() };
        let error = LocalModel::load(&path, options).err().unwrap_or_else(|| panic!("{name} is no model"));
        let problem = error.problem();
        assert_eq!(problem.code, ProblemCode::ModelDamaged, "{name}: {error}");
        assert!(!problem.hint.is_empty());
    }
    std::fs::remove_dir_all(&folder).expect("it is this test's own");
}

#[test]
fn the_status_names_model_and_licence() {
    let ModelStatus::Ready { name, licence } = support::smollm().status() else { panic!("it is loaded") };
    assert!(name.contains("SmolLM2"), "{name}");
    assert_eq!(licence, "Apache-2.0");
}
