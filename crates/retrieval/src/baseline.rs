//! Plain search without a graph: what every walk has to beat.

use loci_index::{Hit, Kind};

use crate::{Memory, Origin, Path, Query, Retrieved, Retriever, ScoredFact, ScoredPassage, walk::Walk};

/// The most passages and facts that a retriever returns.
pub(crate) const MOST_PASSAGES: usize = 50;
pub(crate) const MOST_FACTS: usize = 50;

/// Nearest passages and facts by cosine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dense;

/// Passages and facts that share the question's words, by BM25.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bm25;

impl Retriever for Dense {
    fn name(&self) -> String {
        "dense".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let vector = query.prepared();
        plain(*memory, query, Origin::Dense, |kind, k| {
            vector.as_ref().map(|vector| memory.indexes.nearest(kind, vector, k)).unwrap_or_default()
        })
    }
}

impl Retriever for Bm25 {
    fn name(&self) -> String {
        "bm25".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        plain(*memory, query, Origin::Lexical, |kind, k| memory.indexes.search_lexical(kind, query.text, k))
    }
}

fn plain(
    memory: Memory,
    query: &Query,
    origin: fn(loci_index::Item) -> Origin,
    search: impl Fn(Kind, usize) -> Vec<Hit>,
) -> Retrieved {
    let walk = Walk::new(memory, query);
    // Retired facts are filtered after the search, so it looks a little further.
    let admitted = |kind: Kind, most: usize| {
        search(kind, most * 2).into_iter().filter(|hit| walk.admits(hit.item)).take(most).collect::<Vec<_>>()
    };
    let fact =
        |hit: Hit| ScoredFact { fact: hit.item, score: hit.score, path: Path::start(origin(hit.item)) };
    let mut facts: Vec<ScoredFact> = [Kind::Triple, Kind::Thesis]
        .into_iter()
        .flat_map(|kind| admitted(kind, MOST_FACTS))
        .map(fact)
        .collect();
    facts.sort_by(|a, b| b.score.total_cmp(&a.score));
    facts.truncate(MOST_FACTS);
    let passages = admitted(Kind::Episode, MOST_PASSAGES).into_iter().filter_map(|hit| match hit.item {
        loci_index::Item::Vertex(episode) => {
            Some(ScoredPassage { episode, score: hit.score, path: Path::start(origin(hit.item)) })
        }
        loci_index::Item::Triple(_) => None,
    });
    Retrieved { facts, passages: passages.collect() }
}
