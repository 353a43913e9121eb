use loci_graph::{Direction, FactId, VertexId};
use loci_index::Item;

/// What a retriever found, best first. Scores of different retrievers are not comparable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Retrieved {
    pub facts: Vec<ScoredFact>,
    pub passages: Vec<ScoredPassage>,
}

/// A triple or a thesis.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredFact {
    pub fact: Item,
    pub score: f32,
    pub path: Path,
}

/// An episode.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredPassage {
    pub episode: VertexId,
    pub score: f32,
    pub path: Path,
}

/// How a result was reached: where the walk began and every step of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    pub origin: Origin,
    pub steps: Vec<Step>,
}

/// Why a walk began where it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The question names it.
    Name(VertexId),
    /// Its vector is near the question's.
    Dense(Item),
    /// It shares words with the question.
    Lexical(Item),
}

/// One step of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    pub by: By,
    pub to: VertexId,
}

/// What a step goes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// From what the question found to the vertex that the walk starts from, e.g. from a near triple to its subject.
    Seed,
    /// A triple; `Out` when walked from subject to object.
    Triple(FactId, Direction),
    /// Membership of an object in a thesis (either way).
    Thesis,
    /// Membership of an object or thesis in an episode (either way).
    Episode,
    /// The one's text names what the other is about (either way).
    Mention,
    /// The one's name is another spelling of the other's.
    Synonym,
}

impl By {
    /// The same step walked the other way.
    pub fn reversed(self) -> By {
        match self {
            By::Triple(id, Direction::Out) => By::Triple(id, Direction::In),
            By::Triple(id, Direction::In) => By::Triple(id, Direction::Out),
            other => other,
        }
    }
}

impl Path {
    /// A result that is its own origin.
    pub fn start(origin: Origin) -> Path {
        Path { origin, steps: Vec::new() }
    }

    /// The path with one more step.
    pub fn then(&self, by: By, to: VertexId) -> Path {
        let mut steps = self.steps.clone();
        steps.push(Step { by, to });
        Path { origin: self.origin, steps }
    }
}

impl Origin {
    pub fn item(self) -> Item {
        match self {
            Origin::Name(vertex) => Item::Vertex(vertex),
            Origin::Dense(item) | Origin::Lexical(item) => item,
        }
    }
}
