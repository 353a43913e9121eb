use loci_graph::VertexId;
use loci_index::{Hit, Item, Kind, Named};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::baseline::{MOST_FACTS, MOST_PASSAGES};
use crate::link::{Seeds, named_spans, nearest_facts};
use crate::network::{Flow, Network};
use crate::pagerank::{PageRank, Ranks};
use crate::{Memory, Origin, Path, Query, Retrieved, ScoredFact, ScoredPassage, Seed, walk::Walk};

/// Seeds, spread and ranking of a retriever that runs personalised PageRank. One set of these is HippoRAG 2's,
/// another the mention graph's, and the shipped default's is found by measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub flow: Flow,
    pub page_rank: PageRank,
    /// Nearest triples whose objects become seeds, and their weight.
    pub facts: usize,
    pub fact: f32,
    /// Weight of objects, and of pages, that the question names.
    pub named_object: f32,
    pub named_page: f32,
    /// Nearest passages that become seeds, and their weight.
    pub passages: usize,
    pub passage: f32,
    /// Best passages by BM25 that become seeds, and their weight.
    pub lexical_passages: usize,
    pub lexical_passage: f32,
    /// Weight of the cosine, and of BM25, in the final score beside the rank.
    pub blend_dense: f32,
    pub blend_lexical: f32,
}

impl Spread {
    pub fn retrieve(&self, memory: Memory, query: &Query) -> Retrieved {
        let walk = Walk::new(memory, query);
        let near = Near::search(memory, query);
        let seeds = self.seeds(memory, query, walk, &near);
        let network = Network::new(walk, self.flow);
        let ranks = self.page_rank.run(&seeds, |vertex, arcs| network.expand(vertex, arcs));
        let passages = self.passages(walk, &near, &seeds, &ranks);
        let facts = facts(memory, query, walk, &seeds, &ranks);
        Retrieved { facts, passages }
    }

    fn seeds(&self, memory: Memory, query: &Query, walk: Walk, near: &Near) -> Vec<Seed> {
        let mut seeds = Seeds::default();
        let facts = if self.fact > 0.0 { nearest_facts(memory, query, self.facts) } else { Vec::new() };
        let best = facts.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
        for hit in facts {
            let Item::Triple(id) = hit.item else { continue };
            let Some(triple) = memory.graph.triple(id).filter(|_| walk.admits(hit.item)) else { continue };
            for vertex in [triple.subject, triple.object] {
                let Some(object) = memory.graph.object(vertex).filter(|_| walk.enters(vertex)) else {
                    continue;
                };
                let share = self.fact * hit.score / best / object.mentions.len().max(1) as f32;
                seeds.add(vertex, share, Origin::Dense(hit.item));
            }
        }
        for (span, rarity) in named_spans(memory, query.text) {
            let share = rarity / span.named.len() as f32;
            for named in span.named {
                match named {
                    Named::Object(object) if walk.enters(object) => {
                        seeds.add(object, self.named_object * share, Origin::Name(object));
                    }
                    Named::Object(_) => {}
                    Named::Page(page) => {
                        let episodes = memory.graph.page(page).map_or(&[][..], |page| &page.episodes);
                        for &episode in episodes.iter().filter(|&&episode| walk.admits(Item::Vertex(episode)))
                        {
                            let share = self.named_page * share / episodes.len() as f32;
                            seeds.add(episode, share, Origin::Name(episode));
                        }
                    }
                }
            }
        }
        let searches = [
            (&near.dense, self.passages, self.passage, Origin::Dense as fn(Item) -> Origin),
            (&near.lexical, self.lexical_passages, self.lexical_passage, Origin::Lexical),
        ];
        for (hits, most, weight, origin) in searches {
            for (hit, score) in hits.iter().zip(unit_range(hits)).take(most) {
                if let Item::Vertex(episode) = hit.item {
                    seeds.add(episode, weight * score, origin(hit.item));
                }
            }
        }
        seeds.into_vec()
    }

    fn passages(&self, walk: Walk, near: &Near, seeds: &[Seed], ranks: &Ranks) -> Vec<ScoredPassage> {
        let graph = walk.memory.graph;
        let mut scores: FxHashMap<VertexId, f32> = FxHashMap::default();
        scores.extend(ranks.iter().filter(|&(vertex, _)| graph.episode(vertex).is_some()));
        let best = scores.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        scores.values_mut().for_each(|rank| *rank /= best);
        for (hits, weight) in [(&near.dense, self.blend_dense), (&near.lexical, self.blend_lexical)] {
            for (hit, score) in hits.iter().zip(unit_range(hits)) {
                if let Item::Vertex(episode) = hit.item {
                    *scores.entry(episode).or_default() += weight * score;
                }
            }
        }
        let dense: FxHashSet<Item> = near.dense.iter().map(|hit| hit.item).collect();
        let mut scores: Vec<(VertexId, f32)> =
            scores.into_iter().filter(|&(episode, _)| walk.admits(Item::Vertex(episode))).collect();
        scores.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scores.truncate(MOST_PASSAGES);
        let path = |episode: VertexId| {
            let item = Item::Vertex(episode);
            let origin = if dense.contains(&item) { Origin::Dense(item) } else { Origin::Lexical(item) };
            ranks.path(episode, seeds).unwrap_or_else(|| Path::start(origin))
        };
        scores
            .into_iter()
            .map(|(episode, score)| ScoredPassage { episode, score, path: path(episode) })
            .collect()
    }
}

/// The passages nearest to the question, by vector and by words.
pub(crate) struct Near {
    pub dense: Vec<Hit>,
    pub lexical: Vec<Hit>,
}

impl Near {
    /// How far the two searches look.
    const PASSAGES: usize = 100;

    pub fn search(memory: Memory, query: &Query) -> Near {
        let walk = Walk::new(memory, query);
        let admitted =
            |hits: Vec<Hit>| hits.into_iter().filter(|hit| walk.admits(hit.item)).collect::<Vec<_>>();
        let dense = query
            .vector
            .map(|vector| memory.indexes.search_dense(Kind::Episode, vector, Self::PASSAGES))
            .unwrap_or_default();
        let lexical = memory.indexes.search_lexical(Kind::Episode, query.text, Self::PASSAGES);
        Near { dense: admitted(dense), lexical: admitted(lexical) }
    }
}

/// Scores stretched to [0, 1]; all 1 where they do not differ.
pub(crate) fn unit_range(hits: &[Hit]) -> Vec<f32> {
    let (low, high) = hits.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), hit| {
        (low.min(hit.score), high.max(hit.score))
    });
    let stretch = |hit: &Hit| if high > low { (hit.score - low) / (high - low) } else { 1.0 };
    hits.iter().map(stretch).collect()
}

/// The triples and theses at the highest-ranked vertices: rank of the ends × likeness to the question.
fn facts(memory: Memory, query: &Query, walk: Walk, seeds: &[Seed], ranks: &Ranks) -> Vec<ScoredFact> {
    const OBJECTS: usize = 32;
    /// A hub's facts are looked at up to this many.
    const AT_ONE: usize = 200;
    let vector = query.prepared();
    let mut objects: Vec<(VertexId, f32)> =
        ranks.iter().filter(|&(vertex, _)| memory.graph.object(vertex).is_some()).collect();
    objects.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut scored: FxHashMap<Item, (f32, VertexId, crate::Step)> = FxHashMap::default();
    for &(object, rank) in objects.iter().take(OBJECTS) {
        for edge in walk.edges(object).take(AT_ONE) {
            let fact = match edge.via {
                loci_graph::Via::Triple(id, _) => Item::Triple(id),
                loci_graph::Via::Thesis => Item::Vertex(edge.to),
                loci_graph::Via::Episode => continue,
            };
            let cosine =
                vector.as_ref().and_then(|vector| memory.indexes.cosine(fact, vector)).unwrap_or(0.0);
            let score = (rank + ranks.of(edge.to)) * (1.0 + cosine) / 2.0;
            let step = crate::Step { by: edge.via.into(), to: edge.to };
            scored.entry(fact).or_insert((score, object, step));
        }
    }
    let mut facts: Vec<(Item, (f32, VertexId, crate::Step))> = scored.into_iter().collect();
    facts.sort_unstable_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
    facts.truncate(MOST_FACTS);
    facts
        .into_iter()
        .filter_map(|(fact, (score, from, step))| {
            let path = ranks.path(from, seeds)?.then(step.by, step.to);
            Some(ScoredFact { fact, score, path })
        })
        .collect()
}
