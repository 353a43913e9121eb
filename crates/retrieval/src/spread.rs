use loci_graph::VertexId;
use loci_index::{Hit, Item, Kind, Named};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::baseline::{MOST_FACTS, MOST_PASSAGES};
use crate::link::{Seeds, named_spans, nearest_facts};
use crate::network::{Flow, Network};
use crate::pagerank::{PageRank, Ranks};
use crate::thesis_paths::{FactPath, ThesisPaths, objects_of};
use crate::{Memory, Origin, Path, Query, Retrieved, ScoredFact, ScoredPassage, Seed, walk::Walk};

/// Seeds, spread and ranking of a retriever that runs personalised PageRank. One set of these is HippoRAG 2's,
/// another the mention graph's, and the shipped default's is found by measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub flow: Flow,
    /// Probability of walking on; 1 − damping returns to the seeds.
    pub damping: f32,
    /// Nearest triples whose objects become seeds, their weight, and the power of their scores.
    pub facts: f32,
    pub fact: f32,
    pub fact_power: f32,
    /// Weight of the objects, and of the passages, of the five best thesis paths.
    pub path: f32,
    pub path_passage: f32,
    /// Weight of objects, and of pages, that the question names.
    pub named_object: f32,
    pub named_page: f32,
    /// Nearest passages that become seeds, their weight, and the power of their scores.
    pub passages: f32,
    pub passage: f32,
    pub passage_power: f32,
    /// Weight of the best passages by BM25 as seeds.
    pub lexical: f32,
    /// Seeds are divided by the number of episodes of the object to this power.
    pub seed_rarity: f32,
    /// Weight in the final score, beside the rank, of the passage's cosine, its BM25, its best fact's cosine, and
    /// of the best path it lies on.
    pub blend_dense: f32,
    pub blend_lexical: f32,
    pub blend_fact: f32,
    pub blend_path: f32,
}

impl Spread {
    pub(crate) fn retrieve(&self, memory: Memory, query: &Query) -> Retrieved {
        self.retrieve_with(memory, query, &[])
    }

    /// With seeds beside its own.
    pub(crate) fn retrieve_with(&self, memory: Memory, query: &Query, more: &[Seed]) -> Retrieved {
        let walk = Walk::new(memory, query);
        let near = Near::search(memory, query);
        let facts = if self.fact > 0.0 || self.blend_fact > 0.0 {
            nearest_facts(memory, query, 100).into_iter().filter(|hit| walk.admits(hit.item)).collect()
        } else {
            Vec::new()
        };
        let paths = if self.path > 0.0 || self.path_passage > 0.0 || self.blend_path > 0.0 {
            ThesisPaths::default().search(walk, query)
        } else {
            Vec::new()
        };
        let found = Found { near, facts, paths };
        let seeds = self.seeds(memory, query, walk, &found, more);
        let network = Network::new(walk, self.flow);
        let page_rank = PageRank { damping: self.damping, tolerance: TOLERANCE };
        let ranks = page_rank.run(&seeds, |vertex, arcs| network.expand(vertex, arcs));
        let passages = self.rank_passages(walk, &found, &seeds, &ranks);
        let mut facts = facts_at(memory, query, walk, &seeds, &ranks);
        add_nearest(memory, query, walk, &mut facts);
        Retrieved { facts, passages }
    }

    fn seeds(&self, memory: Memory, query: &Query, walk: Walk, found: &Found, more: &[Seed]) -> Vec<Seed> {
        let mut seeds = Seeds::default();
        more.iter().for_each(|seed| seeds.add(seed.vertex, seed.weight, seed.origin));
        let share = |object: VertexId| {
            let episodes = memory.graph.object(object).map_or(1, |object| object.mentions.len().max(1));
            (episodes as f32).powf(-self.seed_rarity)
        };
        let best = found.facts.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
        for hit in found.facts.iter().take(self.facts as usize) {
            for object in objects_of(memory, hit.item).into_iter().filter(|&object| walk.enters(object)) {
                let weight = self.fact * (hit.score / best).max(0.0).powf(self.fact_power);
                seeds.add(object, weight * share(object), Origin::Dense(hit.item));
            }
        }
        for path in found.paths.iter().take(BEST_PATHS) {
            for &fact in &path.facts {
                for object in objects_of(memory, fact).into_iter().filter(|&object| walk.enters(object)) {
                    seeds.add(object, self.path * share(object), path.path.origin);
                }
                for episode in walk.support(fact) {
                    seeds.add(episode, self.path_passage, path.path.origin);
                }
            }
        }
        for (span, rarity) in named_spans(memory, query.text) {
            let span_bearers = span.named.len() as f32;
            for named in span.named {
                match named {
                    Named::Object(object) if walk.enters(object) => {
                        let weight = self.named_object * rarity * share(object) / span_bearers;
                        seeds.add(object, weight, Origin::Name(object));
                    }
                    Named::Object(_) => {}
                    Named::Page(page) => {
                        let episodes = memory.graph.page(page).map_or(&[][..], |page| &page.episodes);
                        for &episode in episodes.iter().filter(|&&episode| walk.admits(Item::Vertex(episode)))
                        {
                            let weight = self.named_page * rarity / span_bearers / episodes.len() as f32;
                            seeds.add(episode, weight, Origin::Name(episode));
                        }
                    }
                }
            }
        }
        let searches = [
            (&found.near.dense, self.passages as usize, self.passage, Origin::Dense as fn(Item) -> Origin),
            (&found.near.lexical, LEXICAL_SEEDS, self.lexical, Origin::Lexical),
        ];
        for (hits, most, weight, origin) in searches {
            for (hit, score) in hits.iter().zip(unit_range(hits)).take(most) {
                if let Item::Vertex(episode) = hit.item {
                    seeds.add(episode, weight * score.powf(self.passage_power), origin(hit.item));
                }
            }
        }
        seeds.into_vec()
    }

    fn rank_passages(&self, walk: Walk, found: &Found, seeds: &[Seed], ranks: &Ranks) -> Vec<ScoredPassage> {
        let graph = walk.memory.graph;
        let near = &found.near;
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
        let by_fact = found.facts.iter().map(|hit| hit.item).zip(unit_range(&found.facts));
        add_best(
            &mut scores,
            self.blend_fact,
            by_fact.flat_map(|(fact, score)| walk.support(fact).map(move |episode| (episode, score))),
        );
        let paths = found.paths.iter().take(BEST_PATHS).enumerate();
        add_best(
            &mut scores,
            self.blend_path,
            paths.flat_map(|(rank, path)| {
                let score = 1.0 / (1.0 + rank as f32);
                path.facts
                    .iter()
                    .flat_map(move |&fact| walk.support(fact))
                    .map(move |episode| (episode, score))
            }),
        );
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

/// Mass too small to change the first ranks is not passed on.
const TOLERANCE: f32 = 1e-4;

/// Thesis paths that count.
const BEST_PATHS: usize = 5;

/// Passages by BM25 that become seeds.
const LEXICAL_SEEDS: usize = 10;

/// What the searches found before the walk.
struct Found {
    near: Near,
    facts: Vec<Hit>,
    paths: Vec<FactPath>,
}

/// Adds weight × the best score that each episode has in the list.
fn add_best(scores: &mut FxHashMap<VertexId, f32>, weight: f32, list: impl Iterator<Item = (VertexId, f32)>) {
    if weight <= 0.0 {
        return;
    }
    let mut best: FxHashMap<VertexId, f32> = FxHashMap::default();
    for (episode, score) in list {
        let entry = best.entry(episode).or_default();
        *entry = entry.max(score);
    }
    for (episode, score) in best {
        *scores.entry(episode).or_default() += weight * score;
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

/// Fills the list up with the facts nearest to the question, below those that the walk led to.
fn add_nearest(memory: Memory, query: &Query, walk: Walk, facts: &mut Vec<ScoredFact>) {
    let known: FxHashSet<Item> = facts.iter().map(|fact| fact.fact).collect();
    let lowest = facts.last().map_or(1.0, |fact| fact.score);
    let theses = query.vector.map(|vector| memory.indexes.search_dense(Kind::Thesis, vector, MOST_FACTS));
    let mut near = nearest_facts(memory, query, MOST_FACTS);
    near.extend(theses.unwrap_or_default());
    near.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
    let new = near.into_iter().filter(|hit| walk.admits(hit.item) && !known.contains(&hit.item));
    for (rank, hit) in new.take(MOST_FACTS.saturating_sub(facts.len())).enumerate() {
        let origin = if query.vector.is_some() { Origin::Dense(hit.item) } else { Origin::Lexical(hit.item) };
        facts.push(ScoredFact {
            fact: hit.item,
            score: lowest / (2.0 + rank as f32),
            path: Path::start(origin),
        });
    }
}

/// The triples and theses at the highest-ranked vertices: rank of the ends × likeness to the question.
fn facts_at(memory: Memory, query: &Query, walk: Walk, seeds: &[Seed], ranks: &Ranks) -> Vec<ScoredFact> {
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
