use std::collections::BTreeSet;

use crate::{
    Cause, Change, EditError, Episode, FactMeta, Graph, Key, Object, Page, Record, Thesis, Timestamp,
    Transaction, Triple, Vertex, VertexId,
};

impl Graph {
    /// Takes back the last change as a new transaction, exactly: every record is as it was before, bit for bit.
    ///
    /// # Errors
    /// [`EditError::ChangedSince`] when a record it touched is no longer as the transaction left it, [`EditError::Erased`]
    /// when it was an erase.
    pub fn undo(&mut self, transaction: &Transaction, at: Timestamp) -> Result<Transaction, EditError> {
        if transaction.cause == Cause::Erase {
            return Err(EditError::Erased);
        }
        if let Some(change) = transaction.changes.iter().find(|change| self.get(change.key) != change.after) {
            return Err(EditError::ChangedSince(change.key));
        }
        let mut edit = self.edit(at, Cause::Undo(transaction.id));
        for change in transaction.changes.iter().rev() {
            edit.set(change.key, change.before.clone());
        }
        Ok(edit.finish())
    }

    /// Takes back an older change by a compensating one that keeps what came after: fields changed since keep
    /// their newer value, sets lose what the transaction added and regain what it took. What then refers to
    /// nothing, or is supported by nothing, goes with it.
    ///
    /// # Errors
    /// [`EditError::Erased`] when it was an erase.
    pub fn compensate(&mut self, transaction: &Transaction, at: Timestamp) -> Result<Transaction, EditError> {
        if transaction.cause == Cause::Erase {
            return Err(EditError::Erased);
        }
        let kept = self.episodes_seen_since(transaction);
        let mut edit = self.edit(at, Cause::Undo(transaction.id));
        for change in transaction.changes.iter().rev() {
            let now = edit.graph().get(change.key);
            edit.set(change.key, taken_back(change, now, &kept));
        }
        edit.mend();
        Ok(edit.finish())
    }

    /// Goes back to how things stood before the first of `later`, the transactions since then, oldest first. What was
    /// erased meanwhile stays erased.
    pub fn rollback(&mut self, later: &[Transaction], to: Timestamp, at: Timestamp) -> Transaction {
        let mut edit = self.edit(at, Cause::Rollback(to));
        for transaction in later.iter().rev().filter(|transaction| transaction.cause != Cause::Erase) {
            for change in transaction.changes.iter().rev() {
                edit.set(change.key, change.before.clone());
            }
        }
        edit.mend();
        edit.finish()
    }

    /// Episodes that the transaction brought and that a later capture of their page found again: they are no longer
    /// its alone.
    fn episodes_seen_since(&self, transaction: &Transaction) -> BTreeSet<VertexId> {
        let created = transaction.changes.iter().filter(|change| change.before.is_none());
        let episodes = created.filter_map(|change| match &change.after {
            Some(Record::Vertex(Vertex::Episode(episode))) => Some(episode),
            _ => None,
        });
        let seen_again = |episode: &&Episode| {
            self.page(episode.page)
                .is_some_and(|page| page.episodes.contains(&episode.id) && page.captured != transaction.at)
        };
        episodes.filter(seen_again).map(|episode| episode.id).collect()
    }
}

/// The record without what `change` did to it.
fn taken_back(change: &Change, now: Option<Record>, kept: &BTreeSet<VertexId>) -> Option<Record> {
    let is_kept_episode = matches!(change.key, Key::Vertex(id) if kept.contains(&id));
    if now == change.after && kept.is_empty() {
        return change.before.clone();
    }
    let Some(now) = now else { return if change.after.is_none() { change.before.clone() } else { None } };
    if is_kept_episode {
        return Some(now);
    }
    // A record that the transaction removed and that is here again was put back since.
    let Some(after) = &change.after else { return Some(now) };
    match (change.before.as_ref(), after, now) {
        (before, Record::Page(after), Record::Page(now)) => {
            let before = before.and_then(Record::as_page);
            page(before, after, now).map(Record::Page)
        }
        (before, Record::Vertex(Vertex::Object(after)), Record::Vertex(Vertex::Object(now))) => {
            let before = before.and_then(Record::as_object);
            Some(Record::Vertex(Vertex::Object(object(before, after, now, kept))))
        }
        (before, Record::Vertex(Vertex::Thesis(after)), Record::Vertex(Vertex::Thesis(now))) => {
            let before = before.and_then(Record::as_thesis);
            Some(Record::Vertex(Vertex::Thesis(thesis(before, after, now, kept))))
        }
        (before, Record::Vertex(Vertex::Episode(after)), Record::Vertex(Vertex::Episode(now))) => {
            let before = before.and_then(Record::as_episode)?;
            Some(Record::Vertex(Vertex::Episode(episode(before, after, now))))
        }
        (before, Record::Triple(after), Record::Triple(now)) => {
            let before = before.and_then(Record::as_triple);
            Some(Record::Triple(triple(before, after, now, kept)))
        }
        (_, _, now) => Some(now),
    }
}

/// A page captured again since is the later capture's; else it is as before.
fn page(before: Option<&Page>, after: &Page, now: Page) -> Option<Page> {
    if now == *after { before.cloned() } else { Some(now) }
}

fn object(before: Option<&Object>, after: &Object, mut now: Object, kept: &BTreeSet<VertexId>) -> Object {
    let (name, kind) = before.map_or((&now.name, now.kind), |before| (&before.name, before.kind));
    now.name = field(name.clone(), &after.name, now.name);
    now.kind = field(kind, &after.kind, now.kind);
    set(before.map(|before| &before.aliases), &after.aliases, &mut now.aliases, &BTreeSet::new());
    set(before.map(|before| &before.mentions), &after.mentions, &mut now.mentions, kept);
    now.aliases.remove(&now.name);
    now
}

fn thesis(before: Option<&Thesis>, after: &Thesis, mut now: Thesis, kept: &BTreeSet<VertexId>) -> Thesis {
    if let Some(before) = before {
        now.text = field(before.text.clone(), &after.text, now.text);
        set(Some(&before.objects), &after.objects, &mut now.objects, &BTreeSet::new());
    }
    meta(before.map(|before| &before.meta), &after.meta, &mut now.meta, kept);
    now
}

fn episode(before: &Episode, after: &Episode, mut now: Episode) -> Episode {
    now.deep = field(before.deep, &after.deep, now.deep);
    now.vanished = field(before.vanished, &after.vanished, now.vanished);
    now
}

fn triple(before: Option<&Triple>, after: &Triple, mut now: Triple, kept: &BTreeSet<VertexId>) -> Triple {
    if let Some(before) = before {
        now.subject = field(before.subject, &after.subject, now.subject);
        now.object = field(before.object, &after.object, now.object);
        now.relation = field(before.relation.clone(), &after.relation, now.relation);
    }
    meta(before.map(|before| &before.meta), &after.meta, &mut now.meta, kept);
    now
}

fn meta(before: Option<&FactMeta>, after: &FactMeta, now: &mut FactMeta, kept: &BTreeSet<VertexId>) {
    set(before.map(|before| &before.support), &after.support, &mut now.support, kept);
    set(before.map(|before| &before.conflicts), &after.conflicts, &mut now.conflicts, &BTreeSet::new());
    if let Some(before) = before {
        now.origin = field(before.origin, &after.origin, now.origin);
        now.confidence = field(before.confidence, &after.confidence, now.confidence);
        now.valid = field(before.valid, &after.valid, now.valid);
        now.recorded = field(before.recorded, &after.recorded, now.recorded);
        now.retired = field(before.retired, &after.retired, now.retired);
    }
}

/// The value before, unless it was changed since.
fn field<T: PartialEq>(before: T, after: &T, now: T) -> T {
    if now == *after { before } else { now }
}

/// Takes out what was added, puts back what was taken. Of a set that did not exist before, all was added.
fn set<T: Ord + Clone>(
    before: Option<&BTreeSet<T>>,
    after: &BTreeSet<T>,
    now: &mut BTreeSet<T>,
    kept: &BTreeSet<T>,
) {
    let nothing = BTreeSet::new();
    let before = before.unwrap_or(&nothing);
    now.retain(|item| !after.contains(item) || before.contains(item) || kept.contains(item));
    now.extend(before.difference(after).cloned());
}
