use std::collections::HashSet;

use loci_index::{Item, QueryVector, embed_text};
use loci_retrieval::{Memory, Query, ScoredFact};

/// How many facts survive the filter (PersonalAI, section 3.4).
pub const FACTS_KEPT: usize = 50;

/// The best [`FACTS_KEPT`] of the facts found, each once, as sentences.
///
/// Ordered by similarity to the question where both have a vector; facts without one follow in the order in which they
/// were found. Two facts that read the same count as one.
pub fn filter(memory: Memory, query: &Query, found: &[ScoredFact]) -> Vec<(Item, String)> {
    let question = query.vector.and_then(|vector| QueryVector::new(vector).ok());
    let similarity = |item: Item| {
        question.as_ref().and_then(|question| memory.indexes.cosine(item, question)).unwrap_or(-1.0)
    };
    let mut facts: Vec<(f32, Item)> = found.iter().map(|fact| (similarity(fact.fact), fact.fact)).collect();
    facts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen = HashSet::new();
    facts
        .into_iter()
        .filter_map(|(_, item)| embed_text(memory.graph, item).map(|text| (item, text)))
        .filter(|(_, text)| seen.insert(loci_index::fold(text)))
        .take(FACTS_KEPT)
        .collect()
}
