use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{Counters, FactId, Graph, Key, PageId, Record, Timestamp, TransactionId, Vertex, VertexId};

/// Why a transaction happened: shown in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    Capture(PageId),
    Deep(PageId),
    Note(PageId),
    UserEdit,
    /// The user said that two objects are one: `gone` went into `kept`.
    Merge {
        kept: VertexId,
        gone: VertexId,
    },
    /// The user said that one object is two: `new` was taken out of `from`.
    Split {
        from: VertexId,
        new: VertexId,
    },
    /// A model judged facts or names of this page against older ones.
    Update(PageId),
    Import,
    Erase,
    Undo(TransactionId),
    /// Back to how things stood at this time.
    Rollback(Timestamp),
}

/// One record before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub key: Key,
    pub before: Option<Record>,
    pub after: Option<Record>,
}

/// A recorded set of changes that took effect together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transaction {
    pub id: TransactionId,
    pub at: Timestamp,
    pub cause: Cause,
    /// At most one change per key.
    pub changes: Vec<Change>,
    /// The counters after the transaction.
    pub counters: Counters,
}

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Something after the transaction changed the same record, so it cannot simply be undone.
    #[error("record {0:?} was changed again after that transaction")]
    ChangedSince(Key),
    /// An erase is physical: nothing is left to bring back.
    #[error("what was erased cannot be brought back")]
    Erased,
}

/// An open transaction on a graph. Changes take effect at once, so that later steps see earlier ones; dropping the
/// edit without [`Edit::finish`] takes them back.
pub struct Edit<'g> {
    graph: &'g mut Graph,
    at: Timestamp,
    cause: Cause,
    counters_before: Counters,
    /// The record before the first change of each key, in order of first change.
    before: Vec<(Key, Option<Record>)>,
    seen: HashSet<Key>,
    finished: bool,
}

impl Graph {
    /// Opens a transaction.
    pub fn edit(&mut self, at: Timestamp, cause: Cause) -> Edit<'_> {
        let counters_before = self.counters();
        Edit {
            graph: self,
            at,
            cause,
            counters_before,
            before: Vec::new(),
            seen: HashSet::new(),
            finished: false,
        }
    }
}

impl Edit<'_> {
    /// The graph as it stands inside the transaction.
    pub fn graph(&self) -> &Graph {
        self.graph
    }

    pub fn at(&self) -> Timestamp {
        self.at
    }

    pub fn new_page(&mut self) -> PageId {
        self.graph.counters.page()
    }

    pub fn new_vertex(&mut self) -> VertexId {
        self.graph.counters.vertex()
    }

    pub fn new_fact(&mut self) -> FactId {
        self.graph.counters.fact()
    }

    pub fn put(&mut self, record: Record) {
        self.set(record.key(), Some(record));
    }

    pub fn put_vertex(&mut self, vertex: Vertex) {
        self.put(Record::Vertex(vertex));
    }

    pub fn remove(&mut self, key: Key) {
        self.set(key, None);
    }

    pub(crate) fn set(&mut self, key: Key, record: Option<Record>) {
        let before = self.graph.set(key, record);
        if self.seen.insert(key) {
            self.before.push((key, before));
        }
    }

    /// Closes the transaction and returns what changed; records put back as they were are left out.
    pub fn finish(mut self) -> Transaction {
        self.finished = true;
        let id = self.graph.counters.transaction();
        let changes = std::mem::take(&mut self.before)
            .into_iter()
            .map(|(key, before)| Change { key, before, after: self.graph.get(key) })
            .filter(|change| change.before != change.after)
            .collect();
        Transaction { id, at: self.at, cause: self.cause.clone(), changes, counters: self.graph.counters }
    }
}

impl Drop for Edit<'_> {
    fn drop(&mut self) {
        if !self.finished {
            for (key, before) in std::mem::take(&mut self.before).into_iter().rev() {
                self.graph.set(key, before);
            }
            self.graph.counters = self.counters_before;
        }
    }
}
