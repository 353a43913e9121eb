use std::collections::BTreeSet;

use crate::{Cause, Key, Record, Timestamp, Transaction, TransactionId, VertexId};

/// One change in the life of a vertex, fact or page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Past<'a> {
    pub transaction: TransactionId,
    pub at: Timestamp,
    pub cause: &'a Cause,
    /// The record before; none when this change brought it.
    pub before: Option<&'a Record>,
    /// The record after; none when this change removed it.
    pub after: Option<&'a Record>,
}

/// The life of one record, in the order of `journal`.
pub fn history<'a>(journal: impl IntoIterator<Item = &'a Transaction>, key: Key) -> Vec<Past<'a>> {
    let in_transaction = |transaction: &'a Transaction| {
        transaction.changes.iter().filter(move |change| change.key == key).map(move |change| Past {
            transaction: transaction.id,
            at: transaction.at,
            cause: &transaction.cause,
            before: change.before.as_ref(),
            after: change.after.as_ref(),
        })
    };
    journal.into_iter().flat_map(in_transaction).collect()
}

/// The facts that were ever stated about a vertex, those that are gone too: what to ask [`history`] for.
pub fn facts_ever_about<'a>(
    journal: impl IntoIterator<Item = &'a Transaction>,
    vertex: VertexId,
) -> BTreeSet<Key> {
    let about = |record: &Record| match record {
        Record::Triple(triple) => triple.subject == vertex || triple.object == vertex,
        Record::Vertex(crate::Vertex::Thesis(thesis)) => thesis.objects.contains(&vertex),
        _ => false,
    };
    let changes = journal.into_iter().flat_map(|transaction| &transaction.changes);
    let touching = changes.filter(|change| change.before.iter().chain(&change.after).any(about));
    touching.map(|change| change.key).collect()
}
