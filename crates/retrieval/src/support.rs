use loci_graph::VertexId;
use loci_index::Item;
use rustc_hash::FxHashMap;

use crate::baseline::MOST_PASSAGES;
use crate::spread::{Near, unit_range};
use crate::{By, Memory, Origin, Path, Query, Retrieved, ScoredFact, ScoredPassage, walk::Walk};

/// Ranks the passages that state the facts, for retrievers that walk facts only: each fact, best first, lends its
/// passages 1 / (1 + rank), and the passage's own likeness to the question decides between equals. Passages that
/// no fact leads to follow behind by likeness alone, so that a walk that ends early still leaves something to read.
pub(crate) fn with_passages(memory: Memory, query: &Query, facts: Vec<ScoredFact>) -> Retrieved {
    /// Below the share of the last fact of a full list.
    const LIKENESS: f32 = 0.01;
    let walk = Walk::new(memory, query);
    let mut scores: FxHashMap<VertexId, (f32, Path)> = FxHashMap::default();
    for (rank, fact) in facts.iter().enumerate() {
        for episode in walk.support(fact.fact) {
            let path = || fact.path.then(By::Episode, episode);
            scores.entry(episode).or_insert_with(|| (0.0, path())).0 += 1.0 / (1.0 + rank as f32);
        }
    }
    let near = Near::search(memory, query);
    let (hits, origin): (_, fn(Item) -> Origin) =
        if near.dense.is_empty() { (&near.lexical, Origin::Lexical) } else { (&near.dense, Origin::Dense) };
    for (hit, score) in hits.iter().zip(unit_range(hits)) {
        if let Item::Vertex(episode) = hit.item {
            let path = || Path::start(origin(hit.item));
            scores.entry(episode).or_insert_with(|| (0.0, path())).0 += LIKENESS * score;
        }
    }
    let mut passages: Vec<ScoredPassage> =
        scores.into_iter().map(|(episode, (score, path))| ScoredPassage { episode, score, path }).collect();
    passages.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.episode.cmp(&b.episode)));
    passages.truncate(MOST_PASSAGES);
    Retrieved { facts, passages }
}
