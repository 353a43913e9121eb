//! How is the memory kept?
//!
//! A [`Store`] is a handful of tables of bytes with all-or-nothing writes: IndexedDB in the browser ([`IdbStore`]), a map in
//! tests ([`MemoryStore`]). The [`Archive`] lays the graph, its journal, the vectors and the settings out in these tables, in
//! blocks small enough that a capture writes little and large enough that a big memory is read in few pieces.

mod archive;
mod block;
mod error;
#[cfg(target_arch = "wasm32")]
mod idb;
mod memory;
mod schema;
mod store;
mod vector;

pub use archive::{Archive, Setting};
pub use error::StoreError;
#[cfg(target_arch = "wasm32")]
pub use idb::IdbStore;
pub use memory::MemoryStore;
pub use schema::{SCHEMA, Table};
pub use store::{Batch, Durability, Entry, Store, Usage, Write};
pub use vector::{StoredVector, text_hash};
