use loci_graph::{Edit, FactId, Key};

use crate::Likeness;

/// What a new triple did to older ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Facts that it made outdated.
    pub retired: Vec<Key>,
    /// Triples that contradict it; nothing says which is right.
    pub conflicts: Vec<FactId>,
    /// The newer triple by which it was past when it came.
    pub past: Option<FactId>,
}

/// Sets a new triple against the facts around its subject.
pub(crate) fn settle(_edit: &mut Edit<'_>, _fact: FactId, _likeness: &dyn Likeness) -> Settled {
    Settled::default()
}
