use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Counters, Episode, FactId, Key, Object, Page, PageId, Record, Thesis, Transaction, Triple, Vertex,
    VertexId,
};

/// The memory graph: records by id, and the incidence that traversal walks.
///
/// Changed only through [`Graph::edit`], [`Graph::apply`] and [`Graph::undo`], so that every change is a recorded
/// transaction.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub(crate) pages: BTreeMap<PageId, Page>,
    pub(crate) vertices: BTreeMap<VertexId, Vertex>,
    pub(crate) triples: BTreeMap<FactId, Triple>,
    pub(crate) counters: Counters,
    incidence: BTreeMap<VertexId, BTreeSet<Edge>>,
}

/// One step of a walk: where it leads and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    pub to: VertexId,
    pub via: Via,
}

/// What an edge stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// A triple; `Out` when walked from subject to object.
    Triple(FactId, Direction),
    /// Membership of an object in a thesis (either way).
    Thesis,
    /// Membership of an object or thesis in an episode (either way).
    Episode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    Out,
    In,
}

impl Graph {
    /// A graph from stored records, in any order.
    pub fn from_records(records: impl IntoIterator<Item = Record>, counters: Counters) -> Graph {
        let mut graph = Graph { counters, ..Graph::default() };
        for record in records {
            graph.put(record);
        }
        graph
    }

    pub fn page(&self, id: PageId) -> Option<&Page> {
        self.pages.get(&id)
    }

    pub fn vertex(&self, id: VertexId) -> Option<&Vertex> {
        self.vertices.get(&id)
    }

    pub fn object(&self, id: VertexId) -> Option<&Object> {
        match self.vertex(id)? {
            Vertex::Object(object) => Some(object),
            _ => None,
        }
    }

    pub fn thesis(&self, id: VertexId) -> Option<&Thesis> {
        match self.vertex(id)? {
            Vertex::Thesis(thesis) => Some(thesis),
            _ => None,
        }
    }

    pub fn episode(&self, id: VertexId) -> Option<&Episode> {
        match self.vertex(id)? {
            Vertex::Episode(episode) => Some(episode),
            _ => None,
        }
    }

    pub fn triple(&self, id: FactId) -> Option<&Triple> {
        self.triples.get(&id)
    }

    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.values()
    }

    pub fn vertices(&self) -> impl Iterator<Item = &Vertex> {
        self.vertices.values()
    }

    pub fn triples(&self) -> impl Iterator<Item = &Triple> {
        self.triples.values()
    }

    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        let pages = self.pages.values().cloned().map(Record::Page);
        let vertices = self.vertices.values().cloned().map(Record::Vertex);
        pages.chain(vertices).chain(self.triples.values().cloned().map(Record::Triple))
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Every step out of `vertex`: triples in both directions, hyper-edges to and from theses and episodes.
    pub fn edges(&self, vertex: VertexId) -> impl Iterator<Item = Edge> + '_ {
        self.incidence.get(&vertex).into_iter().flatten().copied()
    }

    /// Number of edges at `vertex`.
    pub fn degree(&self, vertex: VertexId) -> usize {
        self.incidence.get(&vertex).map_or(0, BTreeSet::len)
    }

    pub(crate) fn get(&self, key: Key) -> Option<Record> {
        match key {
            Key::Page(id) => self.pages.get(&id).cloned().map(Record::Page),
            Key::Vertex(id) => self.vertices.get(&id).cloned().map(Record::Vertex),
            Key::Triple(id) => self.triples.get(&id).cloned().map(Record::Triple),
        }
    }

    pub(crate) fn put(&mut self, record: Record) -> Option<Record> {
        let before = self.remove(record.key());
        for (from, edge) in incidences(&record) {
            self.incidence.entry(from).or_default().insert(edge);
        }
        match record {
            Record::Page(page) => drop(self.pages.insert(page.id, page)),
            Record::Vertex(vertex) => drop(self.vertices.insert(vertex.id(), vertex)),
            Record::Triple(triple) => drop(self.triples.insert(triple.id, triple)),
        }
        before
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<Record> {
        let before = match key {
            Key::Page(id) => self.pages.remove(&id).map(Record::Page),
            Key::Vertex(id) => self.vertices.remove(&id).map(Record::Vertex),
            Key::Triple(id) => self.triples.remove(&id).map(Record::Triple),
        }?;
        for (from, edge) in incidences(&before) {
            if let Some(edges) = self.incidence.get_mut(&from) {
                edges.remove(&edge);
                if edges.is_empty() {
                    self.incidence.remove(&from);
                }
            }
        }
        Some(before)
    }

    /// Replays a recorded transaction.
    pub fn apply(&mut self, transaction: &Transaction) {
        for change in &transaction.changes {
            self.set(change.key, change.after.clone());
        }
        self.counters = transaction.counters;
    }

    pub(crate) fn set(&mut self, key: Key, record: Option<Record>) {
        match record {
            Some(record) => drop(self.put(record)),
            None => drop(self.remove(key)),
        }
    }
}

/// The edges a record brings, each with the vertex it starts from. Every edge is owned by exactly one record.
fn incidences(record: &Record) -> Vec<(VertexId, Edge)> {
    let both = |a: VertexId, b: VertexId, via: Via| [(a, Edge { to: b, via }), (b, Edge { to: a, via })];
    match record {
        Record::Page(_) | Record::Vertex(Vertex::Episode(_)) => Vec::new(),
        Record::Vertex(Vertex::Object(object)) => {
            object.mentions.iter().flat_map(|&episode| both(object.id, episode, Via::Episode)).collect()
        }
        Record::Vertex(Vertex::Thesis(thesis)) => {
            let objects = thesis.objects.iter().flat_map(|&object| both(thesis.id, object, Via::Thesis));
            let episodes =
                thesis.meta.support.iter().flat_map(|&episode| both(thesis.id, episode, Via::Episode));
            objects.chain(episodes).collect()
        }
        Record::Triple(Triple { id, subject, object, .. }) => vec![
            (*subject, Edge { to: *object, via: Via::Triple(*id, Direction::Out) }),
            (*object, Edge { to: *subject, via: Via::Triple(*id, Direction::In) }),
        ],
    }
}
