use std::ops::RangeInclusive;

use crate::{StoreError, Table};

/// One entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: u32,
    pub value: Vec<u8>,
}

/// Tables of bytes with atomic writes. Single-threaded: the futures are not `Send`.
///
/// Dropping a write before it is done may or may not have written it, but never in part.
pub trait Store: 'static {
    /// The entries with these keys, in ascending order.
    ///
    /// # Errors
    /// [`StoreError::Closed`] or [`StoreError::Browser`].
    fn read(
        &self,
        table: Table,
        keys: RangeInclusive<u32>,
    ) -> impl Future<Output = Result<Vec<Entry>, StoreError>>;

    /// The keys of the table, in ascending order.
    ///
    /// # Errors
    /// As [`Store::read`].
    fn keys(&self, table: Table) -> impl Future<Output = Result<Vec<u32>, StoreError>>;

    /// Does all writes of the batch in order, or none.
    ///
    /// # Errors
    /// [`StoreError::Full`] when there is no room; else as [`Store::read`].
    fn write(&self, batch: Batch, durability: Durability) -> impl Future<Output = Result<(), StoreError>>;

    /// Room used and granted.
    fn usage(&self) -> impl Future<Output = Usage>;
}

/// When a write counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// On the disk: what the user gave or took away.
    Strict,
    /// With the operating system: what can be computed again.
    Relaxed,
}

/// Bytes, as far as the platform says; zero where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    pub used: f64,
    pub granted: f64,
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    Put { table: Table, key: u32, value: Vec<u8> },
    Delete { table: Table, key: u32 },
    Clear { table: Table },
}

impl Write {
    pub fn table(&self) -> Table {
        match self {
            Write::Put { table, .. } | Write::Delete { table, .. } | Write::Clear { table } => *table,
        }
    }
}

/// Writes that take effect together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    pub writes: Vec<Write>,
}

impl Batch {
    pub fn put(&mut self, table: Table, key: u32, value: Vec<u8>) {
        self.writes.push(Write::Put { table, key, value });
    }

    pub fn delete(&mut self, table: Table, key: u32) {
        self.writes.push(Write::Delete { table, key });
    }

    pub fn clear(&mut self, table: Table) {
        self.writes.push(Write::Clear { table });
    }

    pub fn append(&mut self, other: Batch) {
        self.writes.extend(other.writes);
    }

    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> usize {
        let values = self.writes.iter().map(|write| match write {
            Write::Put { value, .. } => value.len(),
            Write::Delete { .. } | Write::Clear { .. } => 0,
        });
        values.sum()
    }
}
