use loci_graph::{Vertex, VertexId, Via};
use loci_index::{Item, QueryVector};
use rustc_hash::FxHashSet;

use crate::baseline::MOST_FACTS;
use crate::walk::Walk;
use crate::{By, Memory, Path, Query, Retrieved, Retriever, ScoredFact, Step, link, support};

/// Which finished walks come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sorting {
    /// Ended and live paths together, by score.
    #[default]
    Mixed,
    /// Paths that could not be extended, then those that could.
    EndedFirst,
    ContinuousFirst,
}

/// Beam search over facts from every linked vertex (PersonalAI, section 3.3). A step costs −ln((1 + cos) / 2) of its
/// fact with the question; a path scores Σ cost / hops^0.75, lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeamSearch {
    pub max_depth: usize,
    /// Paths kept at each depth, over all linked vertices together.
    pub max_paths: usize,
    pub sorting: Sorting,
    /// Whether different paths may share vertices, and facts.
    pub share_vertices: bool,
    pub share_facts: bool,
}

impl Default for BeamSearch {
    fn default() -> Self {
        BeamSearch {
            max_depth: 5,
            max_paths: 10,
            sorting: Sorting::Mixed,
            share_vertices: true,
            share_facts: true,
        }
    }
}

/// A walk: no vertex and no fact twice.
#[derive(Debug, Clone)]
struct Beam {
    path: Path,
    vertices: Vec<VertexId>,
    facts: Vec<Item>,
    cost: f32,
    ended: bool,
}

impl Beam {
    fn score(&self) -> f32 {
        /// Longer paths are forgiven a part of their length.
        const LENGTH_POWER: f32 = 0.75;
        self.cost / (self.facts.len().max(1) as f32).powf(LENGTH_POWER)
    }
}

impl Retriever for BeamSearch {
    fn name(&self) -> String {
        "beam".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let mut seen = FxHashSet::default();
        let mut facts = Vec::new();
        for beam in self.search(*memory, query) {
            for (index, &fact) in beam.facts.iter().enumerate() {
                // An episode connects, but states nothing by itself.
                let stated = !matches!(fact, Item::Vertex(vertex) if memory.graph.thesis(vertex).is_none());
                if stated && seen.insert(fact) {
                    let path = prefix(&beam, index);
                    facts.push(ScoredFact { fact, score: -beam.score(), path });
                }
            }
        }
        facts.truncate(MOST_FACTS);
        support::with_passages(*memory, query, facts)
    }
}

/// The walk up to and including its fact with this index.
fn prefix(beam: &Beam, index: usize) -> Path {
    let end = beam
        .vertices
        .get(index + 1)
        .and_then(|&vertex| beam.path.steps.iter().position(|step| step.to == vertex));
    let steps = beam.path.steps[..end.map_or(beam.path.steps.len(), |end| end + 1)].to_vec();
    Path { origin: beam.path.origin, steps }
}

impl BeamSearch {
    fn search(&self, memory: Memory, query: &Query) -> Vec<Beam> {
        const SEEDS: usize = 8;
        let walk = Walk::new(memory, query);
        let vector = query.prepared();
        let start = |seed: crate::Seed| Beam {
            path: Path::start(seed.origin).then(By::Seed, seed.vertex),
            vertices: vec![seed.vertex],
            facts: Vec::new(),
            cost: 0.0,
            ended: false,
        };
        let mut beams: Vec<Beam> = link(memory, query, SEEDS).into_iter().map(start).collect();
        for _ in 0..self.max_depth {
            let mut next = Vec::new();
            for beam in beams {
                let before = next.len();
                if !beam.ended {
                    extend(walk, &beam, vector.as_ref(), &mut next);
                }
                if next.len() == before && !beam.facts.is_empty() {
                    next.push(Beam { ended: true, ..beam });
                }
            }
            beams = self.keep(next);
            if beams.iter().all(|beam| beam.ended) {
                break;
            }
        }
        beams.retain(|beam| !beam.facts.is_empty());
        let rank = |beam: &Beam| match self.sorting {
            Sorting::Mixed => false,
            Sorting::EndedFirst => !beam.ended,
            Sorting::ContinuousFirst => beam.ended,
        };
        beams.sort_by(|a, b| rank(a).cmp(&rank(b)).then(by_score(a, b)));
        beams
    }

    /// The best paths that do not share what may not be shared.
    fn keep(&self, mut beams: Vec<Beam>) -> Vec<Beam> {
        beams.sort_by(by_score);
        let mut kept: Vec<Beam> = Vec::new();
        for beam in beams {
            if kept.len() == self.max_paths {
                break;
            }
            let clashes = kept.iter().any(|other| {
                (!self.share_facts && beam.facts.iter().any(|fact| other.facts.contains(fact)))
                    || (!self.share_vertices
                        // The linked vertex itself is where several paths may begin.
                        && beam.vertices[1..].iter().any(|vertex| other.vertices.contains(vertex)))
            });
            if !clashes {
                kept.push(beam);
            }
        }
        kept
    }
}

fn by_score(a: &Beam, b: &Beam) -> std::cmp::Ordering {
    a.score()
        .total_cmp(&b.score())
        .then_with(|| a.facts.cmp(&b.facts))
        .then_with(|| a.vertices.cmp(&b.vertices))
}

/// Adds every extension of a path by one fact: a triple to its other object, a thesis to each of its other objects.
/// Episodes connect too, at the cost of the episode, but are no fact.
fn extend(walk: Walk, beam: &Beam, vector: Option<&QueryVector>, next: &mut Vec<Beam>) {
    /// Of a hub's facts no more than these are looked at.
    const AT_ONE: usize = 512;
    /// Of the members of a thesis or an episode.
    const MEMBERS: usize = 24;
    let Some(&tail) = beam.vertices.last() else { return };
    let cost = |fact: Item| {
        let cosine = vector.and_then(|vector| walk.memory.indexes.cosine(fact, vector)).unwrap_or(0.0);
        -((1.0 + cosine) / 2.0).clamp(1e-6, 1.0).ln()
    };
    for edge in walk.edges(tail).take(AT_ONE) {
        let fact = match edge.via {
            Via::Triple(id, _) => Item::Triple(id),
            Via::Thesis | Via::Episode => Item::Vertex(edge.to),
        };
        if beam.facts.contains(&fact) || beam.vertices.contains(&edge.to) {
            continue;
        }
        let step = Step { by: edge.via.into(), to: edge.to };
        let extended = |steps: &[Step], to: VertexId| {
            let mut longer = beam.clone();
            longer.path.steps.extend_from_slice(steps);
            longer.vertices.push(to);
            longer.facts.push(fact);
            longer.cost += cost(fact);
            longer
        };
        match walk.memory.graph.vertex(edge.to) {
            Some(Vertex::Object(_)) => next.push(extended(&[step], edge.to)),
            Some(Vertex::Thesis(_)) | Some(Vertex::Episode(_)) => {
                let before = next.len();
                for member in walk.edges(edge.to).take(MEMBERS) {
                    let object = walk.memory.graph.object(member.to).is_some();
                    if object && !beam.vertices.contains(&member.to) {
                        let second = Step { by: member.via.into(), to: member.to };
                        next.push(extended(&[step, second], member.to));
                    }
                }
                if next.len() == before {
                    next.push(extended(&[step], edge.to));
                }
            }
            None => {}
        }
    }
}
