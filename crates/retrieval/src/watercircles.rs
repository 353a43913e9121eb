use std::collections::VecDeque;

use loci_graph::{Edge, VertexId};
use loci_index::Item;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::astar::facts_between;
use crate::hop::fact_of;
use crate::walk::Walk;
use crate::{By, Memory, Path, Query, Retrieved, Retriever, ScoredFact, ScoredPassage, Seed, Step, link};

/// Rings of breadth-first search around every linked vertex; where rings of different vertices meet, or a ring
/// touches another linked vertex, the chain between them is kept (PersonalAI, section 3.3). It compares no vectors
/// and is the fastest walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaterCircles {
    /// Rings around each linked vertex.
    pub depth: usize,
    /// Keeps only chains that touch more than one other linked vertex, where there are any.
    pub strict: bool,
    /// Chains per linked vertex, and theses and episodes in all, when one vertex is linked; fewer with more.
    pub chains: usize,
    pub theses: usize,
    pub episodes: usize,
}

impl Default for WaterCircles {
    fn default() -> Self {
        WaterCircles { depth: 1, strict: false, chains: 25, theses: 15, episodes: 15 }
    }
}

/// Linked vertices that rings are drawn around.
const SEEDS: usize = 8;
/// Vertices in the rings of one linked vertex.
const RING: usize = 12_000;

/// What one linked vertex reaches: each vertex with the edge that led there.
type Ring = FxHashMap<VertexId, Option<(VertexId, Edge)>>;

/// A way between linked vertices.
struct Chain {
    path: Path,
    /// The linked vertices it touches beside its own.
    touched: usize,
}

impl Retriever for WaterCircles {
    fn name(&self) -> String {
        if self.strict { "watercircles-strict".into() } else { "watercircles".into() }
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let seeds = link(*memory, query, SEEDS);
        self.from_seeds(*memory, query, &seeds)
    }
}

impl WaterCircles {
    /// The walk alone, from given vertices.
    pub fn from_seeds(&self, memory: Memory, query: &Query, seeds: &[Seed]) -> Retrieved {
        let walk = Walk::new(memory, query);
        let rings: Vec<Ring> = seeds.iter().map(|seed| ring(walk, seed.vertex, self.depth)).collect();
        // Published factors: ½ the chains for two linked vertices, 0.3 for more; ⅔ and ½ of the rest.
        let (chain_share, rest_share) = match seeds.len() {
            0 | 1 => (1.0, 1.0),
            2 => (0.5, 0.67),
            _ => (0.3, 0.5),
        };
        let cap = |most: usize, share: f32| ((most as f32 * share).ceil() as usize).max(1);
        let mut chains = Vec::new();
        for index in 0..seeds.len() {
            let mut own = self.chains_of(seeds, &rings, index);
            own.sort_by(|a, b| b.touched.cmp(&a.touched).then_with(|| a.path.steps.cmp(&b.path.steps)));
            own.truncate(cap(self.chains, chain_share));
            chains.extend(own);
        }
        chains.sort_by(|a, b| {
            let length = |chain: &Chain| chain.path.steps.len();
            b.touched.cmp(&a.touched).then(length(a).cmp(&length(b)))
        });
        let mut facts = facts_of(walk, &chains);
        let theses = self.touching(walk, seeds, &rings, By::Thesis, cap(self.theses, rest_share));
        let known: FxHashSet<Item> = facts.iter().map(|fact| fact.fact).collect();
        facts.extend(
            theses
                .into_iter()
                .map(|(vertex, score, path)| ScoredFact { fact: Item::Vertex(vertex), score, path })
                .filter(|fact| !known.contains(&fact.fact)),
        );
        if facts.is_empty() {
            facts = lone_facts(walk, seeds, self.chains);
        }
        facts.sort_by(|a, b| b.score.total_cmp(&a.score));
        let episodes = self.touching(walk, seeds, &rings, By::Episode, cap(self.episodes, rest_share));
        let passages = passages(walk, &facts, episodes);
        Retrieved { facts, passages }
    }

    fn chains_of(&self, seeds: &[Seed], rings: &[Ring], own: usize) -> Vec<Chain> {
        let mut chains = Vec::new();
        for &meeting in rings[own].keys().filter(|&&vertex| vertex != seeds[own].vertex) {
            let others: Vec<usize> = (0..seeds.len())
                .filter(|&other| other != own && rings[other].contains_key(&meeting))
                .collect();
            for &other in &others {
                // Each meeting is told once: by the earlier of the two.
                if own > other || meeting == seeds[own].vertex {
                    continue;
                }
                let mut steps = steps_to(&rings[own], meeting);
                steps.extend(steps_back(&rings[other], meeting));
                let path = Path { origin: seeds[own].origin, steps: with_start(seeds[own], steps) };
                chains.push(Chain { path, touched: others.len() });
            }
        }
        if self.strict && chains.iter().any(|chain| chain.touched > 1) {
            chains.retain(|chain| chain.touched > 1);
        }
        chains
    }

    /// Theses or episodes in the rings, by how many linked vertices' rings hold them.
    fn touching(
        &self,
        walk: Walk,
        seeds: &[Seed],
        rings: &[Ring],
        kind: By,
        most: usize,
    ) -> Vec<(VertexId, f32, Path)> {
        let mut counts: FxHashMap<VertexId, (usize, usize)> = FxHashMap::default();
        for (index, ring) in rings.iter().enumerate() {
            for (&vertex, from) in ring {
                if from.is_some_and(|(_, edge)| By::from(edge.via) == kind) {
                    counts.entry(vertex).or_insert((0, index)).0 += 1;
                }
            }
        }
        let graph = walk.memory.graph;
        let right = |vertex: VertexId| match kind {
            By::Thesis => graph.thesis(vertex).is_some(),
            _ => graph.episode(vertex).is_some(),
        };
        let mut counts: Vec<(VertexId, (usize, usize))> =
            counts.into_iter().filter(|&(vertex, _)| right(vertex)).collect();
        counts.sort_unstable_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(&b.0)));
        counts.truncate(most);
        let result = |(vertex, (count, index)): (VertexId, (usize, usize))| {
            let steps = with_start(seeds[index], steps_to(&rings[index], vertex));
            (vertex, count as f32 - 0.5, Path { origin: seeds[index].origin, steps })
        };
        counts.into_iter().map(result).collect()
    }
}

fn ring(walk: Walk, from: VertexId, depth: usize) -> Ring {
    let mut ring = Ring::default();
    ring.insert(from, None);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((at, distance)) = queue.pop_front() {
        if distance == depth || ring.len() > RING {
            continue;
        }
        for edge in walk.edges(at).take(RING) {
            ring.entry(edge.to).or_insert_with(|| {
                queue.push_back((edge.to, distance + 1));
                Some((at, edge))
            });
        }
    }
    ring
}

fn with_start(seed: Seed, steps: Vec<Step>) -> Vec<Step> {
    std::iter::once(Step { by: By::Seed, to: seed.vertex }).chain(steps).collect()
}

/// The steps from the middle of a ring outwards to a vertex.
fn steps_to(ring: &Ring, vertex: VertexId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = vertex;
    while let Some(Some((from, edge))) = ring.get(&at) {
        steps.push(Step { by: edge.via.into(), to: edge.to });
        at = *from;
    }
    steps.reverse();
    steps
}

/// The steps from a vertex inwards to the middle of the ring.
fn steps_back(ring: &Ring, vertex: VertexId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = vertex;
    while let Some(Some((from, edge))) = ring.get(&at) {
        steps.push(Step { by: By::from(edge.via).reversed(), to: *from });
        at = *from;
    }
    steps
}

/// Every fact between neighbours on the chains. A chain scores by how many linked vertices it touches and how short
/// it is.
fn facts_of(walk: Walk, chains: &[Chain]) -> Vec<ScoredFact> {
    let mut facts = Vec::new();
    let mut seen = FxHashSet::default();
    for chain in chains {
        let steps = &chain.path.steps;
        let score = chain.touched as f32 + 1.0 / steps.len() as f32;
        for (index, pair) in steps.windows(2).enumerate() {
            let (a, b) = (pair[0].to, pair[1].to);
            if walk.memory.graph.episode(a).is_some() || walk.memory.graph.episode(b).is_some() {
                continue;
            }
            for fact in facts_between(walk, a, b).into_iter().filter(|&fact| seen.insert(fact)) {
                let path = Path { origin: chain.path.origin, steps: steps[..index + 2].to_vec() };
                facts.push(ScoredFact { fact, score, path });
            }
        }
    }
    facts
}

/// Where nothing meets: the facts at the linked vertices themselves.
fn lone_facts(walk: Walk, seeds: &[Seed], most: usize) -> Vec<ScoredFact> {
    let mut seen = FxHashSet::default();
    let mut facts = Vec::new();
    for seed in seeds {
        for edge in walk.edges(seed.vertex).take(most) {
            if let Some(fact) = fact_of(edge.via, edge.to).filter(|&fact| seen.insert(fact)) {
                let steps = with_start(*seed, vec![Step { by: edge.via.into(), to: edge.to }]);
                facts.push(ScoredFact { fact, score: 0.0, path: Path { origin: seed.origin, steps } });
            }
        }
    }
    facts
}

/// Passages by the rings that hold them and the facts that they state. No vector is asked.
fn passages(walk: Walk, facts: &[ScoredFact], episodes: Vec<(VertexId, f32, Path)>) -> Vec<ScoredPassage> {
    let mut scores: FxHashMap<VertexId, (f32, Path)> =
        episodes.into_iter().map(|(episode, score, path)| (episode, (score, path))).collect();
    for (rank, fact) in facts.iter().enumerate() {
        for episode in walk.support(fact.fact) {
            let path = || fact.path.then(By::Episode, episode);
            scores.entry(episode).or_insert_with(|| (0.0, path())).0 += 1.0 / (1.0 + rank as f32);
        }
    }
    let mut passages: Vec<ScoredPassage> =
        scores.into_iter().map(|(episode, (score, path))| ScoredPassage { episode, score, path }).collect();
    passages.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.episode.cmp(&b.episode)));
    passages.truncate(crate::baseline::MOST_PASSAGES);
    passages
}
