use crate::Table;

/// Why the memory could not be read or written. A failed write changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The disk or the quota of the browser is full.
    #[error("the storage is full; free some space on the disk, or erase pages that are no longer needed")]
    Full,
    /// The browser offers no database here, as in some private windows or with storage switched off.
    #[error("the browser offers no storage here; use an ordinary window and allow storage for extensions")]
    Unavailable,
    /// A newer version of the program wrote this memory.
    #[error("a newer version of Loci wrote this memory; update this one (it knows schema {known})")]
    NewerSchema { known: u32 },
    /// An older copy of the program holds the database open.
    #[error("another copy of Loci holds the memory open; close its windows or restart the browser")]
    Blocked,
    /// The database was closed under us: the browser cleared it, or a newer copy of the program took over.
    #[error("the browser closed the memory; reload the extension")]
    Closed,
    /// An entry does not read as what it should be.
    #[error("an entry of the memory is damaged (table {table:?}, entry {key})")]
    Damaged { table: Table, key: u32 },
    /// Anything else the browser reports.
    #[error("the browser could not use its storage: {0}")]
    Browser(String),
}
