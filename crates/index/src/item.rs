use loci_graph::{FactId, Graph, Vertex, VertexId};
use serde::{Deserialize, Serialize};

/// What can be searched for: a vertex or a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Item {
    /// An object, thesis or episode.
    Vertex(VertexId),
    Triple(FactId),
}

/// The kinds of item; each has an index of its own. In the order in which vectors are worth computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    Episode,
    Thesis,
    Triple,
    Object,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Episode, Kind::Thesis, Kind::Triple, Kind::Object];

    /// The item of this kind with the number `id`.
    pub fn item(self, id: u32) -> Item {
        match self {
            Kind::Triple => Item::Triple(FactId(id)),
            Kind::Episode | Kind::Thesis | Kind::Object => Item::Vertex(VertexId(id)),
        }
    }
}

impl Item {
    /// The kind of the item, `None` when the graph does not hold it.
    pub fn kind(self, graph: &Graph) -> Option<Kind> {
        match self {
            Item::Triple(id) => graph.triple(id).map(|_| Kind::Triple),
            Item::Vertex(id) => graph.vertex(id).map(kind_of),
        }
    }

    /// The number inside the id; unique within a kind.
    pub fn number(self) -> u32 {
        match self {
            Item::Vertex(VertexId(id)) | Item::Triple(FactId(id)) => id,
        }
    }
}

/// The kind of a vertex.
pub(crate) fn kind_of(vertex: &Vertex) -> Kind {
    match vertex {
        Vertex::Object(_) => Kind::Object,
        Vertex::Thesis(_) => Kind::Thesis,
        Vertex::Episode(_) => Kind::Episode,
    }
}

/// A search result. Scores of different searches are not comparable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub item: Item,
    /// BM25, or the cosine in [−1, 1]; higher is better.
    pub score: f32,
}
