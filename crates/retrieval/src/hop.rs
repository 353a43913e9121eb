use loci_graph::{VertexId, Via};
use loci_index::Item;
use rustc_hash::FxHashMap;

use crate::baseline::MOST_FACTS;
use crate::{Memory, Query, Retrieved, Retriever, ScoredFact, link, support, walk::Walk};

/// Every fact at the linked vertices, by likeness to the question: the simplest walk there is.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneHop;

impl Retriever for OneHop {
    fn name(&self) -> String {
        "one-hop".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        const SEEDS: usize = 8;
        /// A hub's facts are looked at up to this many.
        const AT_ONE: usize = 2_000;
        let walk = Walk::new(*memory, query);
        let vector = query.prepared();
        let mut best: FxHashMap<Item, ScoredFact> = FxHashMap::default();
        for seed in link(*memory, query, SEEDS) {
            for edge in walk.edges(seed.vertex).take(AT_ONE) {
                let Some(fact) = fact_of(edge.via, edge.to) else { continue };
                let cosine = vector.as_ref().and_then(|vector| memory.indexes.cosine(fact, vector));
                let score = cosine.unwrap_or(0.0);
                let path = || seed.path().then(edge.via.into(), edge.to);
                best.entry(fact).or_insert_with(|| ScoredFact { fact, score, path: path() });
            }
        }
        let mut facts: Vec<ScoredFact> = best.into_values().collect();
        facts.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.fact.cmp(&b.fact)));
        facts.truncate(MOST_FACTS);
        support::with_passages(*memory, query, facts)
    }
}

/// The fact that an edge belongs to, if any: the triple, or the thesis it leads to.
pub(crate) fn fact_of(via: Via, to: VertexId) -> Option<Item> {
    match via {
        Via::Triple(id, _) => Some(Item::Triple(id)),
        Via::Thesis => Some(Item::Vertex(to)),
        Via::Episode => None,
    }
}
