//! What is remembered, since when, and from where?
//!
//! The mixed graph of PersonalAI (arXiv 2506.17001, section 3): object, thesis and episodic vertices, triples
//! between objects, and hyper-edges that tie theses and episodes to what they mention. This crate is pure: it
//! knows no browser, no clock and no model.

mod bearing;
mod change;
mod edit;
mod erase;
mod fault;
mod graph;
mod history;
mod id;
mod identity;
mod lookup;
mod loose;
mod name;
mod record;
mod slots;
mod time;
mod undo;

pub use edit::{Cause, Change, Edit, EditError, Transaction};
pub use erase::{Erasure, Scrub};
pub use fault::Fault;
pub use graph::{Direction, Edge, Graph, Link, Topology, Via};
pub use history::{Past, facts_ever_about, history};
pub use id::{FactId, PageId, TransactionId, VertexId};
pub use loose::{loose_name, simplified};
pub use name::{is_cjk, normalize_name};
pub use record::{
    Counters, Episode, FactMeta, Key, Object, ObjectKind, Origin, Page, Record, Retired, Thesis, Triple,
    Vertex,
};
pub use time::{Timestamp, Validity};
