use std::{collections::HashMap, sync::LazyLock};

use loci_graph::{Graph, ObjectKind, VertexId, is_cjk, normalize_name};

/// Whether the texts around two mentions of one name speak of two different things: people of different fields, or
/// places of different regions. Texts that say neither do not disagree.
pub(crate) fn contexts_disagree(graph: &Graph, object: VertexId, name: &str, episode: VertexId) -> bool {
    let (Some(known), Some(new)) = (graph.object(object), graph.episode(episode)) else { return false };
    let clue = clue(&new.text, name, known.kind);
    if clue.is_empty() {
        return false;
    }
    let mut said = false;
    for text in known.mentions.iter().filter_map(|id| graph.episode(*id)).take(MOST_MENTIONS) {
        let other =
            known.names().map(|name| self::clue(&text.text, name, known.kind)).find(|clue| !clue.is_empty());
        match other {
            Some(other) if other.iter().any(|part| clue.contains(part)) => return false,
            Some(_) => said = true,
            None => {}
        }
    }
    said
}

/// Mentions looked at; the first ones tell what a thing is.
const MOST_MENTIONS: usize = 16;

/// What the text says of the thing that tells it from namesakes.
fn clue(text: &str, name: &str, kind: ObjectKind) -> Vec<String> {
    match kind {
        ObjectKind::Place => region(text, name).into_iter().collect(),
        ObjectKind::Person | ObjectKind::Unknown => fields(text, name),
        _ => Vec::new(),
    }
}

/// "Illinois" of "Springfield, Illinois".
fn region(text: &str, name: &str) -> Option<String> {
    let after = text.split_once(name)?.1.strip_prefix(", ")?;
    let word: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
    word.starts_with(char::is_uppercase).then(|| word.to_lowercase())
}

/// The fields named in the sentence that names the person.
fn fields(text: &str, name: &str) -> Vec<String> {
    let name = normalize_name(name);
    let sentences = text.split_inclusive(['.', '!', '?', '。', '！', '？', '\n']);
    let sentence: String =
        sentences.map(normalize_name).filter(|sentence| sentence.contains(&name)).collect();
    let mut fields: Vec<String> = if sentence.chars().any(is_cjk) {
        let words = FIELDS.iter().filter(|(word, _)| word.chars().any(is_cjk) && sentence.contains(**word));
        words.map(|(_, field)| field.to_string()).collect()
    } else {
        sentence.split(' ').filter_map(|word| FIELDS.get(word)).map(ToString::to_string).collect()
    };
    fields.sort();
    fields.dedup();
    fields
}

static FIELDS: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let lines = include_str!("../data/fields.txt").lines().filter(|line| !line.starts_with('#'));
    lines.enumerate().flat_map(|(field, line)| line.split(' ').map(move |word| (word, field))).collect()
});
