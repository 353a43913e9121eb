use std::collections::BTreeSet;

use crate::{Cause, Change, Edit, Graph, Object, PageId, Record, Transaction, Vertex, VertexId};

impl Edit<'_> {
    /// Removes pages, their episodes, everything that nothing else supports, and the names that objects bear only
    /// there. What another page also says stays. Nothing of it can be undone: the transaction must be a
    /// [`Cause::Erase`], of which only [`Transaction::redacted`] is kept, and the journal goes through
    /// [`Erasure::scrub`].
    pub fn erase_pages(&mut self, pages: &BTreeSet<PageId>) {
        for &page in pages {
            self.remove_page(page);
        }
    }
}

impl Transaction {
    /// What the journal keeps of an erase: that it happened, and when.
    pub fn redacted(&self) -> Transaction {
        Transaction { changes: Vec::new(), ..self.clone() }
    }
}

/// Takes erased pages out of the journal. First [`Erasure::look`] at every transaction, oldest first, then
/// [`Erasure::scrub`] each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    urls: BTreeSet<String>,
    pages: BTreeSet<PageId>,
    episodes: BTreeSet<VertexId>,
}

/// What to do with a transaction of the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Scrub {
    /// Nothing of the erased pages is in it.
    Keep,
    /// Put this in its place.
    Rewrite(Transaction),
    /// Nothing else was in it.
    Drop,
}

impl Erasure {
    /// For the pages at these canonical URLs; a page captured, undone and captured again has had several ids.
    pub fn new(urls: impl IntoIterator<Item = String>) -> Erasure {
        Erasure { urls: urls.into_iter().collect(), ..Erasure::default() }
    }

    /// Learns which pages and episodes there ever were at the URLs, those long undone or vanished too.
    pub fn look(&mut self, transaction: &Transaction) {
        // A page comes with its first episodes, so its id is known before theirs are asked for.
        for record in records(transaction) {
            if let Record::Page(page) = record
                && self.urls.contains(&page.url)
            {
                self.pages.insert(page.id);
            }
        }
        for record in records(transaction) {
            if let Record::Vertex(Vertex::Episode(episode)) = record
                && self.pages.contains(&episode.page)
            {
                self.episodes.insert(episode.id);
            }
        }
    }

    /// The transaction without the erased pages, `graph` being the graph after the erase. Records that only they
    /// supported go; of those that remain, the journal keeps the words that the graph still holds.
    pub fn scrub(&self, graph: &Graph, transaction: &Transaction) -> Scrub {
        if transaction.cause == Cause::Erase {
            return if transaction.changes.is_empty() {
                Scrub::Keep
            } else {
                Scrub::Rewrite(transaction.redacted())
            };
        }
        let changes: Vec<Change> =
            transaction.changes.iter().filter_map(|change| self.scrubbed(graph, change)).collect();
        if changes == transaction.changes {
            Scrub::Keep
        } else if changes.is_empty() {
            Scrub::Drop
        } else {
            Scrub::Rewrite(Transaction { changes, ..transaction.clone() })
        }
    }

    /// The change without the erased pages, or nothing when a state of the record came from them alone and the
    /// record is gone.
    fn scrubbed(&self, graph: &Graph, change: &Change) -> Option<Change> {
        let states = || change.before.iter().chain(&change.after);
        if !states().any(|record| self.touches(record)) {
            return Some(change.clone());
        }
        let now = graph.get(change.key);
        let gone_for_good = now.is_none() && states().any(|record| self.is_only_here(record));
        if gone_for_good {
            return None;
        }
        let clean = |record: &Record| self.cleaned(record, now.as_ref());
        let change = Change {
            key: change.key,
            before: change.before.as_ref().map(clean),
            after: change.after.as_ref().map(clean),
        };
        (change.before != change.after).then_some(change)
    }

    fn touches(&self, record: &Record) -> bool {
        match record {
            Record::Page(page) => self.pages.contains(&page.id),
            Record::Vertex(Vertex::Episode(episode)) => self.episodes.contains(&episode.id),
            Record::Vertex(Vertex::Object(object)) => !self.episodes.is_disjoint(&object.mentions),
            Record::Vertex(Vertex::Thesis(thesis)) => !self.episodes.is_disjoint(&thesis.meta.support),
            Record::Triple(triple) => !self.episodes.is_disjoint(&triple.meta.support),
        }
    }

    fn is_only_here(&self, record: &Record) -> bool {
        match record {
            Record::Page(_) | Record::Vertex(Vertex::Episode(_)) => self.touches(record),
            // Which page an object had a name from is not recorded, so one that is gone keeps none of them.
            Record::Vertex(Vertex::Object(_)) => self.touches(record),
            Record::Vertex(Vertex::Thesis(thesis)) => thesis.meta.support.is_subset(&self.episodes),
            Record::Triple(triple) => triple.meta.support.is_subset(&self.episodes),
        }
    }

    fn cleaned(&self, record: &Record, now: Option<&Record>) -> Record {
        let mut record = record.clone();
        match (&mut record, now) {
            (Record::Vertex(Vertex::Object(object)), Some(Record::Vertex(Vertex::Object(now)))) => {
                object.mentions.retain(|episode| !self.episodes.contains(episode));
                keep_names(object, now);
            }
            (Record::Vertex(Vertex::Thesis(thesis)), now) => {
                thesis.meta.support.retain(|episode| !self.episodes.contains(episode));
                if let Some(now) = now.and_then(Record::as_thesis) {
                    thesis.text.clone_from(&now.text);
                }
            }
            (Record::Triple(triple), now) => {
                triple.meta.support.retain(|episode| !self.episodes.contains(episode));
                if let Some(now) = now.and_then(Record::as_triple) {
                    triple.relation.clone_from(&now.relation);
                }
            }
            _ => {}
        }
        record
    }
}

/// Leaves an old state of an object only names that it still bears.
fn keep_names(object: &mut Object, now: &Object) {
    let known = |name: &String| now.names().any(|other| other == name);
    if !known(&object.name) {
        object.name.clone_from(&now.name);
    }
    object.aliases.retain(known);
    object.aliases.remove(&object.name);
}

fn records(transaction: &Transaction) -> impl Iterator<Item = &Record> {
    transaction.changes.iter().flat_map(|change| change.before.iter().chain(&change.after))
}
