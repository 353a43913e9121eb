use std::{collections::BTreeSet, ops::Range};

use loci_graph::{FactId, Graph, Key, PageId, VertexId};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Batch, StoreError, Table};

/// Records of neighbouring ids share an entry: the records of one capture have neighbouring ids, so it writes few entries,
/// and a memory of 400,000 records is read as some three thousand.
pub(crate) const BLOCK: u32 = 128;

/// Where a record is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Block {
    pub table: Table,
    pub number: u32,
}

impl Block {
    pub fn of(key: Key) -> Block {
        let (table, id) = match key {
            Key::Page(PageId(id)) => (Table::Pages, id),
            Key::Vertex(VertexId(id)) => (Table::Vertices, id),
            Key::Triple(FactId(id)) => (Table::Triples, id),
        };
        Block { table, number: id / BLOCK }
    }

    fn ids(self) -> Range<u32> {
        let start = self.number * BLOCK;
        start..start.saturating_add(BLOCK)
    }

    /// Writes the block as the graph holds it; an empty one is deleted.
    fn write(self, graph: &Graph, batch: &mut Batch) {
        match self.table {
            Table::Pages => self.put(self.ids().filter_map(|id| graph.page(PageId(id))), batch),
            Table::Vertices => self.put(self.ids().filter_map(|id| graph.vertex(VertexId(id))), batch),
            Table::Triples => self.put(self.ids().filter_map(|id| graph.triple(FactId(id))), batch),
            table => unreachable!("{table:?} holds no records"),
        }
    }

    fn put<'a, R: Serialize + 'a>(self, records: impl Iterator<Item = &'a R>, batch: &mut Batch) {
        let records: Vec<&R> = records.collect();
        if records.is_empty() {
            batch.delete(self.table, self.number);
        } else {
            batch.put(self.table, self.number, encode(&records));
        }
    }
}

/// Writes every block that holds one of the keys.
pub(crate) fn write_blocks(graph: &Graph, keys: impl IntoIterator<Item = Key>, batch: &mut Batch) {
    let blocks: BTreeSet<Block> = keys.into_iter().map(Block::of).collect();
    for block in blocks {
        block.write(graph, batch);
    }
}

/// postcard bytes of a value.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("records have no maps of unknown length and no unserialisable values")
}

/// # Errors
/// [`StoreError::Damaged`] when the bytes are not such a value.
pub(crate) fn decode<T: DeserializeOwned>(table: Table, key: u32, bytes: &[u8]) -> Result<T, StoreError> {
    postcard::from_bytes(bytes).map_err(|_| StoreError::Damaged { table, key })
}
