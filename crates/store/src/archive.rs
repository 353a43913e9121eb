use std::{collections::BTreeMap, ops::RangeInclusive};

use loci_graph::{
    Counters, Erasure, FactId, Graph, Key, Page, PageId, Record, Scrub, Transaction, Triple, Vertex, VertexId,
};
use loci_index::Item;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Batch, Durability, Entry, Store, StoreError, StoredVector, Table, Usage,
    block::{BLOCK, decode, encode, write_blocks},
    vector,
};

/// Entries read at once: each read gives the event loop a turn.
const READ: usize = 64;

/// What is kept beside the graph. The number is the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// [`Counters`] of the graph.
    Counters = 0,
    /// What the user chose.
    Choices = 1,
    /// Profile id and token of the pairing.
    Pairing = 2,
    /// Name of the embedding model that made the vectors.
    EmbeddingModel = 3,
    /// Counts of the deep pass.
    Counts = 4,
}

/// The memory as it lies in a store.
///
/// Methods that return a [`Batch`] write nothing: several are put together and take effect at once by [`Archive::write`].
#[derive(Debug, Clone)]
pub struct Archive<S> {
    store: S,
}

impl<S: Store> Archive<S> {
    pub fn new(store: S) -> Archive<S> {
        Archive { store }
    }

    /// The whole graph.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or as [`Store::read`].
    pub async fn load(&self) -> Result<Graph, StoreError> {
        let counters = self.setting::<Counters>(Setting::Counters).await?.unwrap_or_default();
        let mut records = Vec::new();
        self.load_blocks(Table::Pages, |page: Page| records.push(Record::Page(page))).await?;
        self.load_blocks(Table::Vertices, |vertex: Vertex| records.push(Record::Vertex(vertex))).await?;
        self.load_blocks(Table::Triples, |triple: Triple| records.push(Record::Triple(triple))).await?;
        Ok(Graph::from_records(records, counters))
    }

    /// Every stored vector with its item, a slice at a time. Whether it is still of use is told by
    /// [`StoredVector::text`].
    ///
    /// # Errors
    /// As [`Archive::load`].
    pub async fn load_vectors(&self, mut take: impl FnMut(Item, StoredVector)) -> Result<(), StoreError> {
        for table in [Table::VertexVectors, Table::TripleVectors] {
            for keys in self.slices(table).await? {
                for Entry { key, value } in self.store.read(table, keys).await? {
                    let vectors = vector::decode(&value).ok_or(StoreError::Damaged { table, key })?;
                    for (id, vector) in vectors {
                        take(item(table, id), vector);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a transaction changed, and its entry in the journal. `graph` holds the state after it.
    pub fn changes(graph: &Graph, transaction: &Transaction) -> Batch {
        let mut batch = Batch::default();
        write_blocks(graph, transaction.changes.iter().map(|change| change.key), &mut batch);
        batch.put(Table::Journal, transaction.id.0, encode(transaction));
        Self::put_setting(&mut batch, Setting::Counters, &graph.counters());
        batch
    }

    /// What an erasing transaction changed, beside what [`Archive::scrubbed`] takes out of the rest of the store: of the
    /// transaction itself only that it happened is kept. `graph` holds the state after it.
    pub fn erased(graph: &Graph, transaction: &Transaction) -> Batch {
        let mut batch = Batch::default();
        write_blocks(graph, transaction.changes.iter().map(|change| change.key), &mut batch);
        batch.put(Table::Journal, transaction.id.0, encode(&transaction.redacted()));
        Self::put_setting(&mut batch, Setting::Counters, &graph.counters());
        for change in transaction.changes.iter().filter(|change| change.after.is_none()) {
            if let Key::Page(PageId(id)) = change.key {
                batch.delete(Table::Addresses, id);
            }
        }
        batch
    }

    /// Takes the pages of an erasing transaction out of the journal and the vectors: belongs into one write with
    /// [`Archive::erased`]. `scrub` is [`Erasure::scrub`] with the graph after the transaction.
    ///
    /// # Errors
    /// As [`Archive::load`].
    pub async fn scrubbed(
        &self,
        mut erasure: Erasure,
        transaction: &Transaction,
        scrub: impl Fn(&Erasure, &Transaction) -> Scrub,
    ) -> Result<Batch, StoreError> {
        let mut batch = Batch::default();
        let slices = self.slices(Table::Journal).await?;
        for ids in slices.iter().cloned() {
            self.journal(ids).await?.iter().for_each(|past| erasure.look(past));
        }
        for ids in slices {
            for past in self.journal(ids).await? {
                match scrub(&erasure, &past) {
                    Scrub::Keep => {}
                    Scrub::Rewrite(rest) => batch.put(Table::Journal, past.id.0, encode(&rest)),
                    Scrub::Drop => batch.delete(Table::Journal, past.id.0),
                }
            }
        }
        let gone = transaction.changes.iter().filter(|change| change.after.is_none());
        self.drop_vectors(gone.map(|change| change.key), &mut batch).await?;
        Ok(batch)
    }

    /// Empties every table; only what the user set up stays: choices and pairing. The counters stay too, so that no id comes
    /// back.
    pub fn everything() -> Batch {
        let mut batch = Batch::default();
        for table in Table::ALL.into_iter().filter(|table| *table != Table::Settings) {
            batch.clear(table);
        }
        batch.delete(Table::Settings, Setting::Counts as u32);
        batch
    }

    /// Vectors of items and of the texts that stand for them now, merged into their blocks.
    ///
    /// # Errors
    /// As [`Archive::load`].
    pub async fn vectors(&self, vectors: &[(Item, String, Vec<f32>)]) -> Result<Batch, StoreError> {
        let mut blocks: BTreeMap<(Table, u32), Vec<(u32, StoredVector)>> = BTreeMap::new();
        for (item, text, vector) in vectors {
            let (table, id) = place(*item);
            blocks.entry((table, id / BLOCK)).or_default().push((id, StoredVector::new(text, vector)));
        }
        let mut batch = Batch::default();
        for ((table, number), added) in blocks {
            let mut block = self.vector_block(table, number).await?;
            block.extend(added);
            batch.put(table, number, vector::encode(&block));
        }
        Ok(batch)
    }

    /// Removes all vectors, as when another model computes them from now on.
    pub fn no_vectors(batch: &mut Batch) {
        batch.clear(Table::VertexVectors);
        batch.clear(Table::TripleVectors);
    }

    /// # Errors
    /// As [`Store::write`].
    pub async fn write(&self, batch: Batch, durability: Durability) -> Result<(), StoreError> {
        self.store.write(batch, durability).await
    }

    /// # Errors
    /// As [`Archive::load`].
    pub async fn setting<T: DeserializeOwned>(&self, setting: Setting) -> Result<Option<T>, StoreError> {
        let key = setting as u32;
        let entry = self.store.read(Table::Settings, key..=key).await?.pop();
        entry.map(|entry| decode(Table::Settings, key, &entry.value)).transpose()
    }

    pub fn put_setting<T: Serialize + ?Sized>(batch: &mut Batch, setting: Setting, value: &T) {
        batch.put(Table::Settings, setting as u32, encode(value));
    }

    pub fn delete_setting(batch: &mut Batch, setting: Setting) {
        batch.delete(Table::Settings, setting as u32);
    }

    /// The further addresses of every page.
    ///
    /// # Errors
    /// As [`Archive::load`].
    pub async fn addresses(&self) -> Result<Vec<(PageId, Vec<String>)>, StoreError> {
        let entries = self.store.read(Table::Addresses, 0..=u32::MAX).await?;
        let pair = |Entry { key, value }: Entry| Ok((PageId(key), decode(Table::Addresses, key, &value)?));
        entries.into_iter().map(pair).collect()
    }

    pub fn put_addresses(batch: &mut Batch, page: PageId, addresses: &[String]) {
        batch.put(Table::Addresses, page.0, encode(addresses));
    }

    /// The recorded transactions, oldest first.
    ///
    /// # Errors
    /// As [`Archive::load`].
    pub async fn journal(&self, ids: RangeInclusive<u32>) -> Result<Vec<Transaction>, StoreError> {
        let entries = self.store.read(Table::Journal, ids).await?;
        entries.into_iter().map(|entry| decode(Table::Journal, entry.key, &entry.value)).collect()
    }

    pub async fn usage(&self) -> Usage {
        self.store.usage().await
    }

    async fn load_blocks<R: DeserializeOwned>(
        &self,
        table: Table,
        mut take: impl FnMut(R),
    ) -> Result<(), StoreError> {
        for keys in self.slices(table).await? {
            for Entry { key, value } in self.store.read(table, keys).await? {
                decode::<Vec<R>>(table, key, &value)?.into_iter().for_each(&mut take);
            }
        }
        Ok(())
    }

    /// The keys of a table in ranges of [`READ`] entries.
    async fn slices(&self, table: Table) -> Result<Vec<RangeInclusive<u32>>, StoreError> {
        let keys = self.store.keys(table).await?;
        Ok(keys.chunks(READ).map(|keys| keys[0]..=keys[keys.len() - 1]).collect())
    }

    async fn drop_vectors(
        &self,
        gone: impl Iterator<Item = Key>,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let mut blocks: BTreeMap<(Table, u32), Vec<u32>> = BTreeMap::new();
        for key in gone {
            let (table, id) = match key {
                Key::Vertex(id) => place(Item::Vertex(id)),
                Key::Triple(id) => place(Item::Triple(id)),
                Key::Page(_) => continue,
            };
            blocks.entry((table, id / BLOCK)).or_default().push(id);
        }
        for ((table, number), ids) in blocks {
            let mut block = self.vector_block(table, number).await?;
            block.retain(|id, _| !ids.contains(id));
            if block.is_empty() {
                batch.delete(table, number);
            } else {
                batch.put(table, number, vector::encode(&block));
            }
        }
        Ok(())
    }

    async fn vector_block(
        &self,
        table: Table,
        number: u32,
    ) -> Result<BTreeMap<u32, StoredVector>, StoreError> {
        match self.store.read(table, number..=number).await?.pop() {
            None => Ok(BTreeMap::new()),
            Some(entry) => vector::decode(&entry.value).ok_or(StoreError::Damaged { table, key: number }),
        }
    }
}

fn place(item: Item) -> (Table, u32) {
    match item {
        Item::Vertex(VertexId(id)) => (Table::VertexVectors, id),
        Item::Triple(FactId(id)) => (Table::TripleVectors, id),
    }
}

fn item(table: Table, id: u32) -> Item {
    if table == Table::TripleVectors { Item::Triple(FactId(id)) } else { Item::Vertex(VertexId(id)) }
}
