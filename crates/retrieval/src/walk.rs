use loci_graph::{Edge, FactId, Vertex, VertexId, Via};
use loci_index::Item;

use crate::{By, Memory, Query, Restrict, TimeFilter};

/// The graph as a question may walk it: restrictions and the time filter applied.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub memory: Memory<'a>,
    restrict: Restrict,
    time: TimeFilter,
}

impl<'a> Walk<'a> {
    pub fn new(memory: Memory<'a>, query: &Query) -> Walk<'a> {
        Walk { memory, restrict: query.restrict, time: query.time }
    }

    /// The admitted steps out of a vertex.
    pub fn edges(self, from: VertexId) -> impl Iterator<Item = Edge> + 'a {
        self.memory.graph.edges(from).filter(move |edge| self.crosses(edge))
    }

    /// Whether traversal may enter the vertex.
    pub fn enters(self, vertex: VertexId) -> bool {
        let Some(vertex) = self.memory.graph.vertex(vertex) else {
            return false;
        };
        let barred = match vertex {
            Vertex::Object(_) => self.restrict.objects,
            Vertex::Thesis(_) => self.restrict.theses,
            Vertex::Episode(_) => self.restrict.episodes,
        };
        !barred && self.time.admits_vertex(vertex)
    }

    /// Whether a fact or passage may be returned at all.
    pub fn admits(self, item: Item) -> bool {
        match item {
            Item::Triple(id) => !self.restrict.objects && self.admits_triple(id),
            Item::Vertex(id) => self.memory.graph.vertex(id).is_some_and(|vertex| match vertex {
                Vertex::Object(_) => !self.restrict.objects,
                Vertex::Thesis(_) => !self.restrict.theses && self.time.admits_vertex(vertex),
                Vertex::Episode(_) => self.time.admits_vertex(vertex),
            }),
        }
    }

    fn crosses(self, edge: &Edge) -> bool {
        let open = match edge.via {
            Via::Triple(id, _) => self.admits_triple(id),
            Via::Thesis | Via::Episode => true,
        };
        open && self.enters(edge.to)
    }

    fn admits_triple(self, id: FactId) -> bool {
        self.memory.graph.triple(id).is_some_and(|triple| self.time.admits(&triple.meta))
    }

    /// The episodes that state a fact, as far as they may be shown.
    pub fn support(self, fact: Item) -> impl Iterator<Item = VertexId> + 'a {
        let meta = match fact {
            Item::Triple(id) => self.memory.graph.triple(id).map(|triple| &triple.meta),
            Item::Vertex(id) => self.memory.graph.thesis(id).map(|thesis| &thesis.meta),
        };
        let episodes = meta.into_iter().flat_map(|meta| meta.support.iter().copied());
        episodes.filter(move |&episode| self.admits(Item::Vertex(episode)))
    }
}

impl From<Via> for By {
    fn from(via: Via) -> By {
        match via {
            Via::Triple(id, direction) => By::Triple(id, direction),
            Via::Thesis => By::Thesis,
            Via::Episode => By::Episode,
        }
    }
}
