use petgraph::{
    Direction::{Incoming, Outgoing},
    graph::{DiGraph, NodeIndex},
    visit::EdgeRef,
};

use crate::{
    Counters, Episode, FactId, Key, Object, Page, PageId, Record, Thesis, Transaction, Triple, Vertex,
    VertexId, lookup::Lookup, loose_name, normalize_name, slots::Slots,
};

/// The memory graph: records by id, and the incidence that traversal walks.
///
/// Changed only through [`Graph::edit`], [`Graph::apply`] and [`Graph::undo`], so that every change is a recorded
/// transaction.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pages: Slots<PageId, Page>,
    vertices: Slots<VertexId, Vertex>,
    triples: Slots<FactId, Triple>,
    pub(crate) counters: Counters,
    topology: Topology,
    lookup: Lookup,
}

/// The incidence as petgraph sees it: node `i` is vertex `i` and weighs its degree; a node without a record is
/// isolated. Arcs run subject → object, thesis → object, thesis → episode and object → episode.
pub type Topology = DiGraph<u32, Link, u32>;

/// What an arc of the [`Topology`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    Triple(FactId),
    Thesis,
    Episode,
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
            graph.set(record.key(), Some(record));
        }
        graph
    }

    pub fn page(&self, id: PageId) -> Option<&Page> {
        self.pages.get(id)
    }

    /// The page with this canonical URL.
    pub fn page_at(&self, url: &str) -> Option<&Page> {
        self.page(self.lookup.url(url)?)
    }

    /// Every episode of the page, those of earlier versions too, oldest first.
    pub fn episodes_of(&self, page: PageId) -> impl Iterator<Item = &Episode> {
        self.lookup.episodes(page).filter_map(|id| self.episode(id))
    }

    pub fn vertex(&self, id: VertexId) -> Option<&Vertex> {
        self.vertices.get(id)
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
        self.triples.get(id)
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
        let pages = self.pages().cloned().map(Record::Page);
        let vertices = self.vertices().cloned().map(Record::Vertex);
        pages.chain(vertices).chain(self.triples().cloned().map(Record::Triple))
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The objects that bear this name or alias, compared by [`normalize_name`]. Several when different things
    /// share the name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = VertexId> + '_ {
        self.lookup.named(&normalize_name(name)).iter().copied()
    }

    /// The objects with a name or alias whose [`loose_name`] is this name's; those of [`Graph::named`] among them
    /// for most names.
    pub fn loosely_named(&self, name: &str) -> impl Iterator<Item = VertexId> + '_ {
        self.lookup.loosely_named(&loose_name(name))
    }

    /// The facts (triples and theses) that the triple made outdated.
    pub fn retired_by(&self, fact: FactId) -> impl Iterator<Item = Key> + '_ {
        self.lookup.retired_by(fact)
    }

    /// Every step out of `vertex`, in no particular order: triples in both directions, hyper-edges to and from
    /// theses and episodes.
    pub fn edges(&self, vertex: VertexId) -> impl Iterator<Item = Edge> + '_ {
        let node = NodeIndex::new(vertex.0 as usize);
        let out = self.topology.edges_directed(node, Outgoing).map(|edge| Edge {
            to: VertexId(edge.target().index() as u32),
            via: via(*edge.weight(), Direction::Out),
        });
        let back = self.topology.edges_directed(node, Incoming).map(|edge| Edge {
            to: VertexId(edge.source().index() as u32),
            via: via(*edge.weight(), Direction::In),
        });
        out.chain(back)
    }

    /// The triples at `vertex`, as subject or as object; one whose subject is also its object comes twice.
    pub fn triples_at(&self, vertex: VertexId) -> impl Iterator<Item = &Triple> {
        self.edges(vertex).filter_map(|edge| match edge.via {
            Via::Triple(id, _) => self.triple(id),
            _ => None,
        })
    }

    /// Number of edges at `vertex`.
    pub fn degree(&self, vertex: VertexId) -> usize {
        self.topology.node_weight(NodeIndex::new(vertex.0 as usize)).map_or(0, |degree| *degree as usize)
    }

    /// The incidence for petgraph's algorithms.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn get(&self, key: Key) -> Option<Record> {
        match key {
            Key::Page(id) => self.page(id).cloned().map(Record::Page),
            Key::Vertex(id) => self.vertex(id).cloned().map(Record::Vertex),
            Key::Triple(id) => self.triple(id).cloned().map(Record::Triple),
        }
    }

    /// Replays a recorded transaction.
    pub fn apply(&mut self, transaction: &Transaction) {
        for change in &transaction.changes {
            self.set(change.key, change.after.clone());
        }
        self.counters = transaction.counters;
    }

    /// Puts or removes a record and returns the one it replaces.
    pub(crate) fn set(&mut self, key: Key, record: Option<Record>) -> Option<Record> {
        let before = match key {
            Key::Page(id) => self.pages.remove(id).map(Record::Page),
            Key::Vertex(id) => self.vertices.remove(id).map(Record::Vertex),
            Key::Triple(id) => self.triples.remove(id).map(Record::Triple),
        };
        self.lookup.update(before.as_ref(), record.as_ref());
        self.relink(before.as_ref(), record.as_ref());
        match record {
            Some(Record::Page(page)) => drop(self.pages.insert(page.id, page)),
            Some(Record::Vertex(vertex)) => drop(self.vertices.insert(vertex.id(), vertex)),
            Some(Record::Triple(triple)) => drop(self.triples.insert(triple.id, triple)),
            None => {}
        }
        before
    }

    /// Brings the incidence from one state of a record to the next; arcs that both have cost nothing.
    fn relink(&mut self, before: Option<&Record>, after: Option<&Record>) {
        let (old, new) = (before.map(arcs).unwrap_or_default(), after.map(arcs).unwrap_or_default());
        for arc in missing(&old, &new) {
            self.unlink(arc);
        }
        for (from, to, link) in missing(&new, &old) {
            let (from, to) = (self.node(from), self.node(to));
            self.topology.add_edge(from, to, link);
            self.topology[from] += 1;
            self.topology[to] += 1;
        }
    }

    fn unlink(&mut self, (from, to, link): Arc) {
        let (from, to) = (self.node(from), self.node(to));
        let mut edges = self.topology.edges_directed(from, Outgoing);
        if let Some(edge) = edges.find(|edge| edge.target() == to && *edge.weight() == link) {
            let edge = edge.id();
            self.topology.remove_edge(edge);
            self.topology[from] -= 1;
            self.topology[to] -= 1;
        }
    }

    fn node(&mut self, vertex: VertexId) -> NodeIndex<u32> {
        while self.topology.node_count() <= vertex.0 as usize {
            self.topology.add_node(0);
        }
        NodeIndex::new(vertex.0 as usize)
    }
}

fn via(link: Link, direction: Direction) -> Via {
    match link {
        Link::Triple(id) => Via::Triple(id, direction),
        Link::Thesis => Via::Thesis,
        Link::Episode => Via::Episode,
    }
}

type Arc = (VertexId, VertexId, Link);

/// The arcs a record brings, in ascending order. Every arc is owned by exactly one record.
fn arcs(record: &Record) -> Vec<Arc> {
    match record {
        Record::Page(_) | Record::Vertex(Vertex::Episode(_)) => Vec::new(),
        Record::Vertex(Vertex::Object(object)) => {
            object.mentions.iter().map(|&episode| (object.id, episode, Link::Episode)).collect()
        }
        Record::Vertex(Vertex::Thesis(thesis)) => {
            let objects = thesis.objects.iter().map(|&object| (thesis.id, object, Link::Thesis));
            let episodes = thesis.meta.support.iter().map(|&episode| (thesis.id, episode, Link::Episode));
            let mut arcs: Vec<Arc> = objects.chain(episodes).collect();
            arcs.sort_unstable();
            arcs
        }
        Record::Triple(triple) => vec![(triple.subject, triple.object, Link::Triple(triple.id))],
    }
}

/// What `of` holds and `other` lacks; both ascending.
fn missing(of: &[Arc], other: &[Arc]) -> Vec<Arc> {
    let mut rest = other.iter().peekable();
    let mut missing = Vec::new();
    for arc in of {
        while rest.next_if(|other| *other < arc).is_some() {}
        if rest.peek() != Some(&arc) {
            missing.push(*arc);
        }
    }
    missing
}
