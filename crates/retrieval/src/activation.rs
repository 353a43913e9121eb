use loci_graph::VertexId;
use loci_index::Item;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::hop::fact_of;
use crate::network::Flow;
use crate::spread::Spread;
use crate::thesis_paths::objects_of;
use crate::walk::Walk;
use crate::{Memory, Origin, Query, Retrieved, Retriever, Seed, link};

/// Activation over sentences after LinearRAG (arXiv 2510.10114): objects found in the question pass their activation
/// on through their best unused sentences (theses and triples here), then PageRank over objects and passages starts
/// from all that is active. One setting for every memory, unlike the paper's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activation {
    /// δ: an object passes on what it has while it has more than this.
    pub threshold: f32,
    /// k: sentences through which an object passes it on, per round.
    pub sentences: usize,
    pub rounds: usize,
}

impl Default for Activation {
    fn default() -> Self {
        Activation { threshold: 0.3, sentences: 3, rounds: 3 }
    }
}

/// PageRank over objects and passages, with λ × dense as part of the reset.
const FINISH: Spread = Spread {
    flow: Flow { member: 1.0, mention: 0.3, mentioned: 0.3, ..Flow::CLOSED },
    passages: 20.0,
    passage: 0.3,
    blend_dense: 0.2,
    ..Spread::NOTHING
};

impl Retriever for Activation {
    fn name(&self) -> String {
        "activation".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let walk = Walk::new(*memory, query);
        let active = self.activate(walk, query);
        FINISH.retrieve_with(*memory, query, &active)
    }
}

impl Activation {
    /// The active objects with their activation, each at most what its best incoming sentence gave it.
    fn activate(&self, walk: Walk, query: &Query) -> Vec<Seed> {
        const SEEDS: usize = 8;
        /// Of a hub's sentences no more than these are looked at.
        const AT_ONE: usize = 256;
        let seeds = link(walk.memory, query, SEEDS);
        let Some(vector) = query.prepared() else { return seeds };
        let strongest = seeds.first().map_or(1.0, |seed| seed.weight);
        let mut active: FxHashMap<VertexId, Seed> = FxHashMap::default();
        for seed in &seeds {
            active.insert(seed.vertex, Seed { weight: seed.weight / strongest, ..*seed });
        }
        let mut frontier: Vec<VertexId> = seeds.iter().map(|seed| seed.vertex).collect();
        let mut used: FxHashSet<Item> = FxHashSet::default();
        for _ in 0..self.rounds {
            let mut next = Vec::new();
            for object in frontier {
                let from = active[&object];
                if from.weight < self.threshold {
                    continue;
                }
                let mut sentences: Vec<(f32, Item)> = walk
                    .edges(object)
                    .take(AT_ONE)
                    .filter_map(|edge| fact_of(edge.via, edge.to))
                    .filter(|fact| !used.contains(fact))
                    .filter_map(|fact| walk.memory.indexes.cosine(fact, &vector).map(|cosine| (cosine, fact)))
                    .collect();
                sentences.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                sentences.dedup_by_key(|sentence| sentence.1);
                for &(cosine, fact) in sentences.iter().take(self.sentences) {
                    used.insert(fact);
                    let passed = from.weight * cosine;
                    for other in objects_of(walk.memory, fact).into_iter().filter(|&other| walk.enters(other))
                    {
                        let origin = Origin::Dense(fact);
                        let seed = active.entry(other).or_insert(Seed { vertex: other, weight: 0.0, origin });
                        if passed > seed.weight {
                            seed.weight = passed;
                            next.push(other);
                        }
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            frontier = next;
        }
        let mut active: Vec<Seed> = active.into_values().collect();
        active.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.vertex.cmp(&b.vertex)));
        active
    }
}
