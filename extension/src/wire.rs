//! Domain types to wire types and back.
#![cfg_attr(
    not(target_arch = "wasm32"),
    expect(dead_code, reason = "only the browser talks to a companion; the tests run natively")
)]

use loci_engine::{Answer, AnswerItem, AnswerQuestion, Extraction, Purpose, ReadRequest, Usage, failure};
use loci_graph::ObjectKind;
use loci_memorize::Extracted;
use loci_messages::{ErrorKind, Failure, ModelState};
use loci_protocol::{
    AnswerEvent, AnswerPassage, AnswerRequest, EmbedKind, ExtractEpisode, ExtractEvent, ExtractRequest,
    ExtractedEpisode, ModelStatus, Problem, ProblemCode, limits,
};

/// What one line of a stream means.
#[derive(Debug, PartialEq)]
pub(crate) enum Line<T> {
    Item(T),
    /// Of no interest.
    Skip,
    /// The last item, or the end without one: the stream is whole.
    End(Option<T>),
    Failed(Failure),
}

pub(crate) fn embed_kind(purpose: Purpose) -> EmbedKind {
    match purpose {
        Purpose::Question => EmbedKind::Query,
        Purpose::Passage => EmbedKind::Passage,
    }
}

/// A request within the companion's limits: what is too long is cut.
pub(crate) fn extract_request(request: ReadRequest) -> ExtractRequest {
    let mut names = request.known_names;
    names.truncate(limits::EXTRACT_NAMES);
    ExtractRequest {
        title: cut(&request.title, limits::LINE_CHARS),
        language: request.language,
        known_names: names.iter().map(|name| cut(name, limits::LINE_CHARS)).collect(),
        episodes: request
            .episodes
            .into_iter()
            .map(|episode| {
                let headings: usize = episode.headings.iter().map(|heading| heading.chars().count()).sum();
                let room = limits::EXTRACT_CHARS.saturating_sub(headings);
                ExtractEpisode { id: episode.id, text: cut(&episode.text, room), headings: episode.headings }
            })
            .collect(),
    }
}

pub(crate) fn extract_line(event: ExtractEvent) -> Line<Extraction> {
    match event {
        ExtractEvent::Progress { .. } => Line::Skip,
        ExtractEvent::Episode(episode) => Line::Item(extraction(episode)),
        ExtractEvent::Done { .. } => Line::End(None),
        ExtractEvent::Error { problem } => Line::Failed(of_problem(&problem)),
    }
}

fn extraction(episode: ExtractedEpisode) -> Extraction {
    Extraction {
        id: episode.id,
        extracted: Extracted {
            objects: episode
                .objects
                .into_iter()
                .map(|object| (object.name, object_kind(&object.kind)))
                .collect(),
            triples: episode
                .triples
                .into_iter()
                .map(|triple| (triple.subject, triple.relation, triple.object))
                .collect(),
            theses: episode.theses.into_iter().map(|thesis| (thesis.text, thesis.objects)).collect(),
        },
        ungrounded: episode.counts.ungrounded,
        truncated: episode.counts.truncated,
    }
}

fn object_kind(name: &str) -> ObjectKind {
    match name {
        "person" => ObjectKind::Person,
        "organisation" => ObjectKind::Organisation,
        "place" => ObjectKind::Place,
        "work" => ObjectKind::Work,
        "product" => ObjectKind::Product,
        "event" => ObjectKind::Event,
        "concept" => ObjectKind::Concept,
        "value" => ObjectKind::Value,
        _ => ObjectKind::Unknown,
    }
}

pub(crate) fn answer_request(question: AnswerQuestion) -> AnswerRequest {
    let passages = question.passages.into_iter().take(limits::ANSWER_PASSAGES);
    AnswerRequest {
        question: cut(&question.question, limits::ANSWER_CHARS),
        passages: passages
            .map(|passage| AnswerPassage {
                title: cut(&passage.title, limits::LINE_CHARS),
                date: passage.date,
                text: cut(&passage.text, limits::ANSWER_CHARS),
            })
            .collect(),
        facts: question
            .facts
            .iter()
            .take(limits::ANSWER_FACTS)
            .map(|fact| cut(fact, limits::LINE_CHARS))
            .collect(),
        max_tokens: question.max_tokens.min(limits::ANSWER_TOKENS),
    }
}

pub(crate) fn answer_line(event: AnswerEvent) -> Line<AnswerItem> {
    match event {
        AnswerEvent::Token { text } => Line::Item(AnswerItem::Token(text)),
        AnswerEvent::Citation { passage } => Line::Item(AnswerItem::Cited(passage)),
        AnswerEvent::Done(done) => Line::End(Some(AnswerItem::Done(Answer {
            no_answer: done.no_answer,
            usage: Usage {
                calls: done.usage.calls,
                tokens: done.usage.prompt_tokens + done.usage.output_tokens,
            },
        }))),
        AnswerEvent::Error { problem } => Line::Failed(of_problem(&problem)),
    }
}

pub(crate) fn model_state(status: ModelStatus) -> ModelState {
    match status {
        ModelStatus::Loading { name, .. } => ModelState::Loading { name },
        ModelStatus::Ready { name, .. } => ModelState::Ready { name },
        ModelStatus::Failed { name, hint } => ModelState::Failed { name, hint },
        ModelStatus::Absent => ModelState::Absent,
    }
}

/// The companion's refusal for the screens.
pub(crate) fn of_problem(problem: &Problem) -> Failure {
    let kind = match problem.code {
        ProblemCode::Unpaired | ProblemCode::ForeignOrigin => ErrorKind::CompanionUnpaired,
        ProblemCode::WrongCode => ErrorKind::WrongCode,
        ProblemCode::PairingClosed => ErrorKind::PairingClosed,
        ProblemCode::TooLarge => ErrorKind::TooLarge,
        ProblemCode::TooMany | ProblemCode::Busy | ProblemCode::Cancelled => ErrorKind::CompanionBusy,
        ProblemCode::ModelMissing => ErrorKind::ModelMissing,
        ProblemCode::ModelDamaged => ErrorKind::ModelDamaged,
        ProblemCode::ModelFailed => ErrorKind::ModelFailed,
        ProblemCode::OtherVersion | ProblemCode::NotFound => ErrorKind::CompanionOtherVersion,
        ProblemCode::BadRequest => ErrorKind::BadRequest,
        ProblemCode::WrongHost
        | ProblemCode::MissingHeader
        | ProblemCode::WrongContentType
        | ProblemCode::Internal => ErrorKind::Internal,
    };
    let hint = if problem.hint.is_empty() { problem.title.clone() } else { problem.hint.clone() };
    failure(kind, hint)
}

fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

#[cfg(test)]
mod tests {
    use loci_engine::ReadEpisode;
    use loci_protocol::{AnswerDone, ExtractCounts, ExtractedObject};

    use super::*;

    #[test]
    fn requests_are_cut_to_the_companions_limits() {
        let long = "字".repeat(20_000);
        let request = extract_request(ReadRequest {
            title: long.clone(),
            language: None,
            known_names: vec![long.clone(); 600],
            episodes: vec![ReadEpisode { id: 7, headings: vec!["Heading".into()], text: long.clone() }],
        });
        assert_eq!(request.title.chars().count(), limits::LINE_CHARS);
        assert_eq!(request.known_names.len(), limits::EXTRACT_NAMES);
        let episode = &request.episodes[0];
        assert_eq!(episode.text.chars().count() + "Heading".len(), limits::EXTRACT_CHARS);
        let request = answer_request(AnswerQuestion {
            question: long,
            passages: Vec::new(),
            facts: vec!["fact".into(); 300],
            max_tokens: 1_000_000,
        });
        assert_eq!(request.question.chars().count(), limits::ANSWER_CHARS);
        assert_eq!((request.facts.len(), request.max_tokens), (limits::ANSWER_FACTS, limits::ANSWER_TOKENS));
    }

    #[test]
    fn lines_of_streams_are_told_apart() {
        let problem = || Problem::new(ProblemCode::ModelFailed, "");
        let failed = failure(ErrorKind::ModelFailed, "The model failed");
        assert_eq!(extract_line(ExtractEvent::Progress { done: 1, total: 2 }), Line::Skip);
        assert_eq!(extract_line(ExtractEvent::Done { usage: Default::default() }), Line::End(None));
        assert_eq!(extract_line(ExtractEvent::Error { problem: problem() }), Line::Failed(failed.clone()));
        assert_eq!(answer_line(AnswerEvent::Error { problem: problem() }), Line::Failed(failed));
        let done = AnswerDone { no_answer: true, truncated: false, usage: Default::default() };
        let expected = AnswerItem::Done(Answer { no_answer: true, usage: Usage::default() });
        assert_eq!(answer_line(AnswerEvent::Done(done)), Line::End(Some(expected)));
        let kinds =
            ["place", "dragon"].map(|kind| ExtractedObject { name: "Troy".into(), kind: kind.into() });
        let episode = ExtractedEpisode {
            id: 3,
            objects: kinds.into(),
            triples: Vec::new(),
            theses: Vec::new(),
            counts: ExtractCounts { ungrounded: 2, truncated: 1 },
        };
        let Line::Item(extraction) = extract_line(ExtractEvent::Episode(episode)) else { panic!("an item") };
        let kinds: Vec<ObjectKind> = extraction.extracted.objects.iter().map(|object| object.1).collect();
        assert_eq!(kinds, [ObjectKind::Place, ObjectKind::Unknown]);
        assert_eq!((extraction.ungrounded, extraction.truncated), (2, 1));
    }
}
