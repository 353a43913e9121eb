use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z, negative before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

/// When a fact held in the world, as far as the text says: half-open `[from, to)`, either end unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Validity {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

impl Validity {
    /// Whether the fact may have held at `at`; an unknown end excludes nothing.
    pub fn covers(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to)
    }
}
