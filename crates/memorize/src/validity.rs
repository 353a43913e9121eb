use loci_graph::{Graph, Timestamp, Validity, VertexId};
use unicode_segmentation::UnicodeSegmentation;

use crate::{time::dates, triple::date_of};

/// When an episode says that something about the two named things held: the date nearest to them in the sentence
/// that names both. A date that is itself one of the two says nothing of when.
pub(crate) fn validity(graph: &Graph, episode: VertexId, subject: &str, object: &str) -> Validity {
    let (Some(text), Some(written)) =
        (graph.episode(episode).map(|episode| episode.text.as_str()), date_of(graph, episode))
    else {
        return Validity::default();
    };
    sentences(text).find_map(|sentence| in_sentence(sentence, subject, object, written)).unwrap_or_default()
}

/// `None` when the sentence does not name both.
fn in_sentence(sentence: &str, subject: &str, object: &str, written: Timestamp) -> Option<Validity> {
    let lower = sentence.to_ascii_lowercase();
    let place = |name: &str| {
        let name = name.to_ascii_lowercase();
        lower.find(&name).map(|start| start..start + name.len())
    };
    let (subject, object) = (place(subject)?, place(object)?);
    let apart = |a: &std::ops::Range<usize>, b: &std::ops::Range<usize>| a.end <= b.start || b.end <= a.start;
    let free = dates(sentence, written).into_iter();
    let free = free.filter(|dated| apart(&dated.at, &subject) && apart(&dated.at, &object));
    let distance = |at: &std::ops::Range<usize>| {
        if at.start >= object.end { at.start - object.end } else { object.start.saturating_sub(at.end) }
    };
    Some(free.min_by_key(|dated| distance(&dated.at)).map(|dated| dated.valid).unwrap_or_default())
}

/// Sentences as Unicode cuts them; Chinese and English full stops alike.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_sentence_bounds()
}
