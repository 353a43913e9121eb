use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::RangeInclusive,
    rc::Rc,
};

use crate::{Batch, Durability, Entry, Store, StoreError, Table, Usage, Write};

/// A store that lives in memory. Clones share the tables, as two openings of one database do.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    tables: Rc<RefCell<Tables>>,
    room: Rc<Cell<Option<usize>>>,
}

type Tables = BTreeMap<(Table, u32), Vec<u8>>;

impl MemoryStore {
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Refuses writes that would need more than `bytes` in all; `None` for no limit.
    pub fn limit(&self, bytes: Option<usize>) {
        self.room.set(bytes);
    }

    /// Whether any value holds these bytes.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        self.tables.borrow().values().any(|value| value.windows(bytes.len()).any(|window| window == bytes))
    }

    fn used(&self) -> usize {
        self.tables.borrow().values().map(Vec::len).sum()
    }
}

impl Store for MemoryStore {
    async fn read(&self, table: Table, keys: RangeInclusive<u32>) -> Result<Vec<Entry>, StoreError> {
        let range = (table, *keys.start())..=(table, *keys.end());
        let tables = self.tables.borrow();
        Ok(tables.range(range).map(|((_, key), value)| Entry { key: *key, value: value.clone() }).collect())
    }

    async fn keys(&self, table: Table) -> Result<Vec<u32>, StoreError> {
        Ok(self.tables.borrow().range((table, 0)..=(table, u32::MAX)).map(|((_, key), _)| *key).collect())
    }

    async fn write(&self, batch: Batch, _: Durability) -> Result<(), StoreError> {
        if self.room.get().is_some_and(|room| self.used() + batch.bytes() > room) {
            return Err(StoreError::Full);
        }
        let mut tables = self.tables.borrow_mut();
        for write in batch.writes {
            match write {
                Write::Put { table, key, value } => drop(tables.insert((table, key), value)),
                Write::Delete { table, key } => drop(tables.remove(&(table, key))),
                Write::Clear { table } => tables.retain(|(of, _), _| *of != table),
            }
        }
        Ok(())
    }

    async fn usage(&self) -> Usage {
        Usage { used: self.used() as f64, granted: self.room.get().unwrap_or_default() as f64 }
    }
}
