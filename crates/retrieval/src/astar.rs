use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use loci_graph::{Edge, VertexId};
use loci_index::{Item, Kind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::baseline::MOST_FACTS;
use crate::hop::fact_of;
use crate::likeness::{Likeness, vector_of};
use crate::link::{link, nearest_facts};
use crate::thesis_paths::objects_of;
use crate::walk::Walk;
use crate::{Memory, Origin, Path, Query, Retrieved, Retriever, ScoredFact, Seed, Step, support};

/// What is expected of the rest of the way (PersonalAI, section 3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heuristic {
    /// 1 − cosine(vertex, goal).
    Ip,
    /// `Ip` × hops to the goal.
    Wsp,
    /// Mean of `Ip` over the path so far × hops to the goal. It depends on the path, so it is never cached by
    /// vertex.
    Awsp,
}

/// Shortest paths between every two linked vertices by A\*: f = hops so far + heuristic.
///
/// With one linked vertex the goal is what is nearest to the question. Where the goal is out of reach, the path to
/// the expanded vertex nearest to it by the heuristic is taken.
#[derive(Debug, Clone, Copy)]
pub struct AStar {
    pub heuristic: Heuristic,
    pub max_depth: usize,
    pub max_expanded: usize,
}

impl AStar {
    pub fn new(heuristic: Heuristic) -> AStar {
        AStar { heuristic, max_depth: 10, max_expanded: 500 }
    }
}

/// Of a hub's neighbours no more than these are looked at.
const AT_ONE: usize = 48;
/// Linked vertices; every pair is one search.
const SEEDS: usize = 4;

impl Retriever for AStar {
    fn name(&self) -> String {
        match self.heuristic {
            Heuristic::Ip => "astar-ip".into(),
            Heuristic::Wsp => "astar-wsp".into(),
            Heuristic::Awsp => "astar-awsp".into(),
        }
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let walk = Walk::new(*memory, query);
        let seeds = link(*memory, query, SEEDS);
        let mut pairs = Vec::new();
        for (index, from) in seeds.iter().enumerate() {
            pairs.extend(seeds[index + 1..].iter().map(|to| (*from, to.vertex)));
        }
        if let [only] = seeds[..] {
            pairs.extend(best_match(walk, query, only.vertex).map(|goal| (only, goal)));
        }
        let mut ways: FxHashMap<VertexId, Goal> = FxHashMap::default();
        let vector = query.prepared();
        let mut facts: Vec<ScoredFact> = Vec::new();
        let mut seen = FxHashSet::default();
        for (from, to) in pairs {
            let goal = ways.entry(to).or_insert_with(|| Goal::new(walk, to, self.max_depth));
            for fact in facts_on(walk, &self.search(walk, from, goal)) {
                if seen.insert(fact.fact) {
                    let cosine = vector.as_ref().and_then(|vector| memory.indexes.cosine(fact.fact, vector));
                    facts.push(ScoredFact { score: cosine.unwrap_or(0.0), ..fact });
                }
            }
        }
        facts.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.fact.cmp(&b.fact)));
        facts.truncate(MOST_FACTS);
        support::with_passages(*memory, query, facts)
    }
}

/// What a lone linked vertex is connected with: the nearest other object of the facts nearest to the question, else
/// the nearest thesis or passage.
fn best_match(walk: Walk, query: &Query, from: VertexId) -> Option<VertexId> {
    let facts = nearest_facts(walk.memory, query, 10);
    let objects = facts
        .into_iter()
        .filter(|hit| walk.admits(hit.item))
        .flat_map(|hit| objects_of(walk.memory, hit.item));
    let vertices = [Kind::Thesis, Kind::Episode].into_iter().flat_map(|kind| {
        let dense =
            query.vector.map(|vector| walk.memory.indexes.search_dense(kind, vector, 5)).unwrap_or_default();
        let hits =
            if dense.is_empty() { walk.memory.indexes.search_lexical(kind, query.text, 5) } else { dense };
        hits.into_iter().filter_map(|hit| match hit.item {
            Item::Vertex(vertex) => Some(vertex),
            Item::Triple(_) => None,
        })
    });
    objects.chain(vertices).find(|&vertex| vertex != from && walk.enters(vertex))
}

/// A goal with what the heuristics need to know of it.
struct Goal<'a> {
    vertex: VertexId,
    likeness: Option<Likeness<'a>>,
    /// Hops to the goal, of the vertices near it.
    hops: FxHashMap<VertexId, u32>,
    /// What a vertex outside `hops` counts as.
    far: u32,
}

impl<'a> Goal<'a> {
    fn new(walk: Walk<'a>, vertex: VertexId, max_depth: usize) -> Goal<'a> {
        /// Vertices whose hops are counted; beyond them the goal is simply far.
        const COUNTED: usize = 2_000;
        let mut hops = FxHashMap::default();
        hops.insert(vertex, 0);
        let mut queue = VecDeque::from([(vertex, 0)]);
        let mut deepest = 0;
        while let Some((at, hop)) = queue.pop_front() {
            if hops.len() >= COUNTED || hop as usize >= max_depth {
                break;
            }
            for edge in walk.edges(at).take(AT_ONE) {
                hops.entry(edge.to).or_insert_with(|| {
                    deepest = hop + 1;
                    queue.push_back((edge.to, deepest));
                    deepest
                });
            }
        }
        let likeness = vector_of(walk.memory, vertex).map(|vector| Likeness::new(walk.memory, vector));
        Goal { vertex, likeness, hops, far: deepest + 1 }
    }

    /// 1 − cosine; 0 at the goal itself.
    fn ip(&mut self, vertex: VertexId) -> f32 {
        if vertex == self.vertex {
            return 0.0;
        }
        self.likeness.as_mut().map_or(1.0, |likeness| 1.0 - likeness.of(vertex))
    }

    fn hops(&self, vertex: VertexId) -> f32 {
        self.hops.get(&vertex).copied().unwrap_or(self.far) as f32
    }
}

/// A vertex reached by one path.
struct Node {
    vertex: VertexId,
    parent: Option<(usize, Edge)>,
    depth: usize,
    /// Σ ip over the path, this vertex included.
    ip_sum: f32,
    h: f32,
}

#[derive(PartialEq)]
struct Open {
    f: f32,
    node: usize,
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    /// The smallest f is the greatest; of equals the older node.
    fn cmp(&self, other: &Self) -> Ordering {
        other.f.total_cmp(&self.f).then(other.node.cmp(&self.node))
    }
}

impl AStar {
    fn search(&self, walk: Walk, from: Seed, goal: &mut Goal) -> Path {
        let mut nodes = vec![self.node(goal, from.vertex, None, &[])];
        let mut open = BinaryHeap::from([Open { f: nodes[0].h, node: 0 }]);
        let mut closed = FxHashSet::default();
        let mut nearest = 0;
        while let Some(Open { node, .. }) = open.pop() {
            let (vertex, depth) = (nodes[node].vertex, nodes[node].depth);
            if !closed.insert(vertex) {
                continue;
            }
            // The start is no way to anywhere, so anything expanded is nearer than it.
            if nearest == 0 || nodes[node].h < nodes[nearest].h {
                nearest = node;
            }
            if vertex == goal.vertex {
                nearest = node;
                break;
            }
            if closed.len() > self.max_expanded || depth >= self.max_depth {
                continue;
            }
            for edge in walk.edges(vertex).take(AT_ONE).filter(|edge| !closed.contains(&edge.to)) {
                let next = self.node(goal, edge.to, Some((node, edge)), &nodes);
                open.push(Open { f: next.depth as f32 + next.h, node: nodes.len() });
                nodes.push(next);
            }
        }
        path(&nodes, nearest, from.origin)
    }

    fn node(&self, goal: &mut Goal, vertex: VertexId, parent: Option<(usize, Edge)>, nodes: &[Node]) -> Node {
        let (depth, sum) = parent.map_or((0, 0.0), |(at, _)| (nodes[at].depth + 1, nodes[at].ip_sum));
        let ip = goal.ip(vertex);
        let ip_sum = sum + ip;
        let h = match self.heuristic {
            Heuristic::Ip => ip,
            Heuristic::Wsp => ip * goal.hops(vertex),
            Heuristic::Awsp => ip_sum / (depth + 1) as f32 * goal.hops(vertex),
        };
        Node { vertex, parent, depth, ip_sum, h }
    }
}

fn path(nodes: &[Node], mut at: usize, origin: Origin) -> Path {
    let mut steps = Vec::new();
    while let Some((parent, edge)) = nodes[at].parent {
        steps.push(Step { by: edge.via.into(), to: edge.to });
        at = parent;
    }
    steps.reverse();
    // The seed itself may differ from its origin, e.g. the object of a near triple; the walk starts at the seed.
    steps.insert(0, Step { by: crate::By::Seed, to: nodes[at].vertex });
    Path { origin, steps }
}

/// Every triple between consecutive vertices of the path, and the theses that they share.
fn facts_on(walk: Walk, path: &Path) -> Vec<ScoredFact> {
    let mut facts = Vec::new();
    for (index, pair) in path.steps.windows(2).enumerate() {
        let so_far = Path { origin: path.origin, steps: path.steps[..index + 2].to_vec() };
        for fact in facts_between(walk, pair[0].to, pair[1].to) {
            facts.push(ScoredFact { fact, score: 0.0, path: so_far.clone() });
        }
    }
    facts
}

/// The triples between two vertices, the theses that both belong to, and the one vertex if it is a thesis of the
/// other.
pub(crate) fn facts_between(walk: Walk, a: VertexId, b: VertexId) -> Vec<Item> {
    let graph = walk.memory.graph;
    let (small, large) = if graph.degree(a) <= graph.degree(b) { (a, b) } else { (b, a) };
    let mut facts = Vec::new();
    for edge in walk.edges(small).take(512) {
        match fact_of(edge.via, edge.to) {
            Some(fact) if edge.to == large => facts.push(fact),
            Some(fact @ Item::Vertex(vertex))
                if graph.thesis(vertex).is_some_and(|thesis| thesis.objects.contains(&large)) =>
            {
                facts.push(fact);
            }
            _ => {}
        }
    }
    // Walked from the thesis, the edge leads to the object; the fact is the thesis all the same.
    facts.extend([a, b].into_iter().filter(|&vertex| graph.thesis(vertex).is_some()).map(Item::Vertex));
    facts.retain(|&fact| !matches!(fact, Item::Vertex(vertex) if graph.thesis(vertex).is_none()));
    facts.sort_unstable();
    facts.dedup();
    facts
}
