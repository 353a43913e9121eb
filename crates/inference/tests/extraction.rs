//! One real extraction and one real answer, with the smallest model whose facts are worth keeping.

mod support;

use loci_inference::{Cancel, LanguageModel};
use loci_protocol::{
    AnswerEvent, AnswerPassage, AnswerRequest, ExtractEpisode, ExtractEvent, ExtractRequest, ExtractedEpisode,
};

fn extract(title: &str, text: &str) -> ExtractedEpisode {
    let request = ExtractRequest {
        title: title.into(),
        language: None,
        known_names: Vec::new(),
        episodes: vec![ExtractEpisode { id: 7, headings: Vec::new(), text: text.into() }],
    };
    let mut episode = None;
    support::qwen()
        .extract(&request, &Cancel::new(), &mut |event| {
            if let ExtractEvent::Episode(extracted) = event {
                episode = Some(extracted);
            }
        })
        .expect("it can be read");
    episode.expect("each episode ends in one")
}

/// Some of the pairs must be among the triples, in this direction or the other, and nothing may be invented.
fn check(title: &str, text: &str, pairs: &[(&str, &str)], kinds: &[(&str, &str)]) {
    let episode = extract(title, text);
    let has = |a: &str, b: &str| {
        episode.triples.iter().any(|triple| triple.subject.contains(a) && triple.object.contains(b))
    };
    let found = pairs.iter().filter(|(a, b)| has(a, b) || has(b, a)).count();
    assert!(found > 0, "none of {pairs:?} in {episode:#?}");
    let grounding = format!("{title}\n{text}");
    for object in &episode.objects {
        assert!(grounding.contains(&object.name), "{object:?} is invented");
    }
    let right = kinds.iter().filter(|(name, kind)| {
        episode.objects.iter().any(|object| object.name == *name && object.kind == *kind)
    });
    assert!(right.count() > 0, "none of {kinds:?} in {episode:#?}");
    assert!(!episode.theses.is_empty(), "{episode:#?}");
}

#[test]
fn english_facts_are_found() {
    check(
        "Vestrel Shipyards",
        "Vestrel Shipyards was founded by Henrik Aalto in Turku in 1934. It built the icebreaker Karhu for the Finnish navy.",
        &[
            ("Vestrel Shipyards", "Henrik Aalto"),
            ("Vestrel Shipyards", "Turku"),
            ("Vestrel Shipyards", "Karhu"),
        ],
        &[("Henrik Aalto", "person"), ("Turku", "place"), ("Vestrel Shipyards", "organisation")],
    );
}

#[test]
fn chinese_facts_are_found() {
    check(
        "沈若溪",
        "沈若溪出生于杭州，毕业于南京大学，是作家陆明远的妻子。",
        &[("沈若溪", "杭州"), ("沈若溪", "南京大学"), ("沈若溪", "陆明远")],
        &[("杭州", "place"), ("南京大学", "organisation"), ("沈若溪", "person"), ("陆明远", "person")],
    );
}

#[test]
fn a_question_is_answered_from_its_passage() {
    let passage =
        |title: &str, text: &str| AnswerPassage { title: title.into(), date: None, text: text.into() };
    let request = AnswerRequest {
        question: "Who founded Vestrel Shipyards?".into(),
        passages: vec![
            passage("Karhu", "The icebreaker Karhu keeps the harbours of the gulf open in winter."),
            passage("Vestrel Shipyards", "Vestrel Shipyards was founded by Henrik Aalto in Turku in 1934."),
        ],
        facts: Vec::new(),
        max_tokens: 48,
    };
    let (mut text, mut citations, mut no_answer) = (String::new(), Vec::new(), None);
    support::qwen()
        .answer(&request, &Cancel::new(), &mut |event| match event {
            AnswerEvent::Token { text: piece } => text += &piece,
            AnswerEvent::Citation { passage } => citations.push(passage),
            AnswerEvent::Done(done) => no_answer = Some(done.no_answer),
            AnswerEvent::Error { problem } => panic!("{problem:?}"),
        })
        .expect("it answers");
    assert_eq!(no_answer, Some(false));
    assert!(text.contains("Aalto"), "{text}");
    assert!(citations.contains(&2), "{citations:?} for {text}");
}
