use loci_graph::VertexId;
use loci_index::{Item, Kind, QueryVector};
use rustc_hash::FxHashSet;

use crate::hop::fact_of;
use crate::walk::Walk;
use crate::{By, Memory, Origin, Path, Query, Retrieved, Retriever, ScoredFact, Step, support};

/// Beam search over theses and triples after PropRAG (arXiv 2504.18070, section 3.3): a path is a *set* of facts in
/// which each shares an object with an earlier one; it is as good as the mean of its vectors is near the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThesisPaths {
    /// Paths kept at each length.
    pub width: usize,
    /// Facts in the longest path.
    pub depth: usize,
    /// Nearest facts that a path may begin with.
    pub starts: usize,
}

impl Default for ThesisPaths {
    fn default() -> Self {
        ThesisPaths { width: 4, depth: 3, starts: 20 }
    }
}

/// A set of facts and how near its mean is to the question.
#[derive(Debug, Clone)]
pub(crate) struct FactPath {
    /// In order of joining.
    pub facts: Vec<Item>,
    pub score: f32,
    pub path: Path,
    /// Σ q·f and ‖Σ f‖², so that a longer path is scored without forming any mean.
    likeness: f32,
    norm2: f32,
}

impl ThesisPaths {
    /// The best paths of every length, best first, no set of facts twice.
    pub(crate) fn search(&self, walk: Walk, query: &Query) -> Vec<FactPath> {
        let Some(vector) = query.prepared() else {
            return Vec::new();
        };
        let mut beam = self.starts(walk, &vector);
        let mut found = Vec::new();
        let mut seen: FxHashSet<Vec<Item>> = FxHashSet::default();
        for length in 1..=self.depth {
            beam.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.facts.cmp(&b.facts)));
            beam.retain(|path| {
                let mut set = path.facts.clone();
                set.sort_unstable();
                seen.insert(set)
            });
            if length > 1 {
                beam.truncate(self.width);
            }
            found.extend(beam.iter().cloned());
            if length < self.depth {
                beam = beam.iter().flat_map(|path| extensions(walk, path, &vector)).collect();
            }
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.facts.cmp(&b.facts)));
        found
    }

    fn starts(&self, walk: Walk, vector: &QueryVector) -> Vec<FactPath> {
        let mut hits: Vec<_> = [Kind::Thesis, Kind::Triple]
            .into_iter()
            .flat_map(|kind| walk.memory.indexes.nearest(kind, vector, self.starts))
            .filter(|hit| walk.admits(hit.item))
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
        hits.truncate(self.starts);
        let start = |hit: loci_index::Hit| FactPath {
            facts: vec![hit.item],
            score: hit.score,
            path: Path::start(Origin::Dense(hit.item)),
            likeness: hit.score,
            norm2: 1.0,
        };
        hits.into_iter().map(start).collect()
    }
}

/// The path with every fact that shares an object with its last fact.
fn extensions(walk: Walk, path: &FactPath, vector: &QueryVector) -> Vec<FactPath> {
    /// Of a hub's facts no more than these are looked at.
    const AT_ONE: usize = 256;
    let indexes = walk.memory.indexes;
    let Some(&last) = path.facts.last() else {
        return Vec::new();
    };
    let mut longer: Vec<FactPath> = Vec::new();
    for object in objects_of(walk.memory, last).into_iter().filter(|&object| walk.enters(object)) {
        for edge in walk.edges(object).take(AT_ONE) {
            let Some(fact) = fact_of(edge.via, edge.to).filter(|fact| !path.facts.contains(fact)) else {
                continue;
            };
            let Some(cosine) = indexes.cosine(fact, vector) else { continue };
            let shared: f32 =
                path.facts.iter().filter_map(|&other| indexes.cosine_between(fact, other)).sum();
            let likeness = path.likeness + cosine;
            let norm2 = path.norm2 + 1.0 + 2.0 * shared;
            let mut facts = path.facts.clone();
            facts.push(fact);
            let mut steps = steps_to(path, last, object);
            steps.push(Step { by: edge.via.into(), to: edge.to });
            longer.push(FactPath {
                facts,
                score: likeness / norm2.max(f32::MIN_POSITIVE).sqrt(),
                path: Path { origin: path.path.origin, steps },
                likeness,
                norm2,
            });
        }
    }
    longer
}

/// The path's steps, and on from where it stands to an object of its last fact.
fn steps_to(path: &FactPath, last: Item, object: VertexId) -> Vec<Step> {
    let mut steps = path.path.steps.clone();
    match (last, steps.last().copied()) {
        (Item::Vertex(_), _) => steps.push(Step { by: By::Thesis, to: object }),
        (Item::Triple(_), None) => steps.push(Step { by: By::Seed, to: object }),
        // The other end of the triple: back along it.
        (Item::Triple(_), Some(step)) if step.to != object => {
            steps.push(Step { by: step.by.reversed(), to: object });
        }
        (Item::Triple(_), Some(_)) => {}
    }
    steps
}

/// The objects a fact is about.
pub(crate) fn objects_of(memory: Memory, fact: Item) -> Vec<VertexId> {
    match fact {
        Item::Triple(id) => {
            memory.graph.triple(id).map(|triple| vec![triple.subject, triple.object]).unwrap_or_default()
        }
        Item::Vertex(id) => {
            memory.graph.thesis(id).map(|thesis| thesis.objects.iter().copied().collect()).unwrap_or_default()
        }
    }
}

impl Retriever for ThesisPaths {
    fn name(&self) -> String {
        "thesis-paths".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let walk = Walk::new(*memory, query);
        let mut seen = FxHashSet::default();
        let mut facts = Vec::new();
        for path in self.search(walk, query) {
            for &fact in path.facts.iter().filter(|&&fact| seen.insert(fact)) {
                facts.push(ScoredFact { fact, score: path.score, path: path.path.clone() });
            }
        }
        facts.truncate(crate::baseline::MOST_FACTS);
        support::with_passages(*memory, query, facts)
    }
}
