use std::collections::BTreeSet;

use crate::{
    Cause, Change, Edit, Graph, Object, PageId, Record, Transaction, Vertex, VertexId, normalize_name,
};

impl Edit<'_> {
    /// Removes pages, their episodes, everything that nothing else supports, and the names that objects bear only
    /// there. What another page also says stays. Nothing of it can be undone: the transaction must be a
    /// [`Cause::Erase`], of which only [`Transaction::redacted`] is kept, and the journal goes through
    /// [`Erasure::scrub`].
    pub fn erase_pages(&mut self, pages: &BTreeSet<PageId>) {
        let graph = self.graph();
        let mut erased = String::new();
        let mut objects = BTreeSet::new();
        for &page in pages {
            erased.push_str(&page_text(graph, page));
            for episode in graph.episodes_of(page) {
                erased.push_str(&episode_text(graph, episode.id));
                objects.extend(graph.objects_in(episode.id));
            }
        }
        for &page in pages {
            self.remove_page(page);
        }
        for object in objects {
            self.forget_names(object, &erased);
        }
    }

    /// Takes from an object the names that the erased text bears and no remaining mention does.
    fn forget_names(&mut self, id: VertexId, erased: &str) {
        let graph = self.graph();
        let Some(object) = graph.object(id) else { return };
        let suspects: Vec<&str> = object.names().filter(|name| bears(erased, name)).collect();
        if suspects.is_empty() {
            return;
        }
        let mut remaining = String::new();
        for &episode in &object.mentions {
            remaining.push_str(&episode_text(graph, episode));
        }
        let lost: BTreeSet<String> =
            suspects.into_iter().filter(|name| !bears(&remaining, name)).map(str::to_owned).collect();
        let kept: Vec<String> =
            object.names().filter(|name| !lost.contains(*name)).map(str::to_owned).collect();
        // Something must be shown: an object of which no name is left keeps the one it has.
        let Some(name) = kept.first().cloned().filter(|_| !lost.is_empty()) else { return };
        self.change_object(id, |object| {
            object.aliases = kept.into_iter().filter(|alias| *alias != name).collect();
            object.name = name;
        });
    }
}

fn page_text(graph: &Graph, page: PageId) -> String {
    let Some(page) = graph.page(page) else { return String::new() };
    let parts = [Some(page.title.as_str()), page.author.as_deref(), page.site.as_deref()];
    let urls = format!("{}\n", page.url);
    parts.into_iter().flatten().fold(urls, |text, part| text + &normalize_name(part) + "\n")
}

/// Everything an episode could have taken a name from, normalised.
fn episode_text(graph: &Graph, id: VertexId) -> String {
    let Some(episode) = graph.episode(id) else { return String::new() };
    let mut text = page_text(graph, episode.page);
    for part in std::iter::once(&episode.text).chain(&episode.headings) {
        text.push_str(&normalize_name(part));
        text.push('\n');
    }
    text
}

fn bears(text: &str, name: &str) -> bool {
    text.contains(&normalize_name(name)) || text.contains(name)
}

impl Transaction {
    /// What the journal keeps of an erase: that it happened, and when.
    pub fn redacted(&self) -> Transaction {
        Transaction { changes: Vec::new(), ..self.clone() }
    }
}

/// Takes erased pages out of the journal. First [`Erasure::look`] at every transaction, then [`Erasure::scrub`] each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
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
    pub fn new(pages: impl IntoIterator<Item = PageId>) -> Erasure {
        Erasure { pages: pages.into_iter().collect(), episodes: BTreeSet::new() }
    }

    /// Learns which episodes the pages ever had, those long undone or vanished too.
    pub fn look(&mut self, transaction: &Transaction) {
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
