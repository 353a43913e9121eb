use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{FactId, PageId, Timestamp, TransactionId, Validity, VertexId};

/// A source document, one per canonical URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub id: PageId,
    /// Canonical URL; `note:<n>` for what the user typed.
    pub url: String,
    pub title: String,
    pub site: Option<String>,
    pub author: Option<String>,
    /// BCP 47 tag, lower case.
    pub language: Option<String>,
    pub published: Option<Timestamp>,
    /// First and latest capture.
    pub first_captured: Timestamp,
    pub captured: Timestamp,
    /// 1 for the first capture, one more for each capture whose text differed.
    pub version: u32,
    /// The episodes of the current version, in reading order.
    pub episodes: Vec<VertexId>,
}

/// Kinds of object vertex. `Value` holds dates, quantities and plain text that a fact points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum ObjectKind {
    Person,
    Organisation,
    Place,
    Work,
    Product,
    Event,
    Concept,
    Value,
    #[default]
    Unknown,
}

/// An entity or concept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    pub id: VertexId,
    /// The name shown.
    pub name: String,
    pub kind: ObjectKind,
    /// Other names as written in the sources; `name` is not among them.
    pub aliases: BTreeSet<String>,
    /// The episodes that mention the object: the members of its episodic hyper-edges.
    pub mentions: BTreeSet<VertexId>,
}

impl Object {
    /// The name shown, then the aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// One self-contained statement; the vertex stands for the hyper-edge to every object it mentions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thesis {
    pub id: VertexId,
    pub text: String,
    pub objects: BTreeSet<VertexId>,
    pub meta: FactMeta,
}

/// A stretch of a source exactly as captured; the vertex stands for the hyper-edge to everything taken from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    pub id: VertexId,
    pub page: PageId,
    /// Position on the page, from 0, in the version that brought it.
    pub ordinal: u32,
    pub text: String,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// SHA-256 of the normalised text, first eight bytes: the same passage costs nothing twice.
    pub hash: u64,
    pub captured: Timestamp,
    /// Whether the deep pass (companion) has been over it.
    pub deep: bool,
    /// When a later capture found the page without this passage. It is kept as what was once read; it no longer
    /// speaks for the present.
    pub vanished: Option<Timestamp>,
}

/// Where a fact came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// Declared by the page: headings, links, tables, JSON-LD.
    Structure,
    /// Read out of the text by a language model.
    Llm,
    /// Said or corrected by the user.
    User,
}

/// What triples and theses have in common: support, time and trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactMeta {
    /// Provenance: the episodes that state the fact. It lives as long as this is not empty.
    pub support: BTreeSet<VertexId>,
    pub origin: Origin,
    /// 0 to 1.
    pub confidence: f32,
    pub valid: Validity,
    pub recorded: Timestamp,
    /// When the memory stopped believing it, and the fact that made it outdated.
    pub retired: Option<Retired>,
    /// Triples that contradict it without an order in time: all are kept until the user decides. Symmetric.
    pub conflicts: BTreeSet<FactId>,
}

impl FactMeta {
    /// A fact learned at `recorded`, fully trusted, of no known period.
    pub fn new(origin: Origin, recorded: Timestamp, support: impl IntoIterator<Item = VertexId>) -> FactMeta {
        FactMeta {
            support: support.into_iter().collect(),
            origin,
            confidence: 1.0,
            valid: Validity::default(),
            recorded,
            retired: None,
            conflicts: BTreeSet::new(),
        }
    }
}

/// Why a fact is no longer believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retired {
    pub at: Timestamp,
    /// The triple that made it outdated; none when the page that stated it no longer does.
    pub by: Option<FactId>,
    /// Retiring it also set the end of its validity, so reopening it takes that end back.
    pub ended: bool,
}

/// A simple edge: subject –relation→ object. An attribute is a triple whose object is a [`ObjectKind::Value`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triple {
    pub id: FactId,
    pub subject: VertexId,
    pub relation: String,
    pub object: VertexId,
    pub meta: FactMeta,
}

/// Any vertex.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Vertex {
    Object(Object),
    Thesis(Thesis),
    Episode(Episode),
}

impl Vertex {
    pub fn id(&self) -> VertexId {
        match self {
            Vertex::Object(object) => object.id,
            Vertex::Thesis(thesis) => thesis.id,
            Vertex::Episode(episode) => episode.id,
        }
    }

    /// The object's name, or the text of a thesis or episode.
    pub fn text(&self) -> &str {
        match self {
            Vertex::Object(object) => &object.name,
            Vertex::Thesis(thesis) => &thesis.text,
            Vertex::Episode(episode) => &episode.text,
        }
    }
}

/// The unit of storage and of change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    Page(Page),
    Vertex(Vertex),
    Triple(Triple),
}

impl Record {
    pub fn key(&self) -> Key {
        match self {
            Record::Page(page) => Key::Page(page.id),
            Record::Vertex(vertex) => Key::Vertex(vertex.id()),
            Record::Triple(triple) => Key::Triple(triple.id),
        }
    }
}

impl Record {
    pub(crate) fn as_page(&self) -> Option<&Page> {
        if let Record::Page(page) = self { Some(page) } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<&Object> {
        if let Record::Vertex(Vertex::Object(object)) = self { Some(object) } else { None }
    }

    pub(crate) fn as_thesis(&self) -> Option<&Thesis> {
        if let Record::Vertex(Vertex::Thesis(thesis)) = self { Some(thesis) } else { None }
    }

    pub(crate) fn as_episode(&self) -> Option<&Episode> {
        if let Record::Vertex(Vertex::Episode(episode)) = self { Some(episode) } else { None }
    }

    pub(crate) fn as_triple(&self) -> Option<&Triple> {
        if let Record::Triple(triple) = self { Some(triple) } else { None }
    }
}

/// Names a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Key {
    Page(PageId),
    Vertex(VertexId),
    Triple(FactId),
}

/// The next free number of each kind of id. Kept with the records, so that an erased id is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    pub page: u32,
    pub vertex: u32,
    pub fact: u32,
    pub transaction: u32,
}

impl Counters {
    pub(crate) fn page(&mut self) -> PageId {
        PageId(next(&mut self.page))
    }
    pub(crate) fn vertex(&mut self) -> VertexId {
        VertexId(next(&mut self.vertex))
    }
    pub(crate) fn fact(&mut self) -> FactId {
        FactId(next(&mut self.fact))
    }
    pub(crate) fn transaction(&mut self) -> TransactionId {
        TransactionId(next(&mut self.transaction))
    }
}

fn next(counter: &mut u32) -> u32 {
    let id = *counter;
    *counter += 1;
    id
}
