use std::{cell::Cell, ops::RangeInclusive, rc::Rc};

use futures::{channel::oneshot, future::Either};
use indexed_db_futures::{
    database::Database,
    error::{DomException, Error, OpenDbError, UnexpectedDataError},
    prelude::*,
    transaction::{Transaction, TransactionDurability, TransactionMode, TransactionOptions},
};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::{Batch, Durability, Entry, SCHEMA, Store, StoreError, Table, Usage, Write, schema::steps_from};

/// A store in IndexedDB.
#[derive(Debug, Clone)]
pub struct IdbStore {
    database: Database,
    closed: Rc<Cell<bool>>,
}

impl IdbStore {
    /// Opens the database `name`, making or upgrading it as needed. It closes by itself when a newer copy of the program
    /// wants to upgrade it.
    ///
    /// # Errors
    /// [`StoreError::NewerSchema`], [`StoreError::Blocked`], [`StoreError::Unavailable`], [`StoreError::Full`] or
    /// [`StoreError::Browser`].
    pub async fn open(name: &str) -> Result<IdbStore, StoreError> {
        Self::open_version(name, SCHEMA).await
    }

    /// As [`IdbStore::open`], under another version number: for tests of the version frame.
    pub async fn open_version(name: &str, version: u32) -> Result<IdbStore, StoreError> {
        let (blocked, is_blocked) = oneshot::channel();
        let request = Database::open(name)
            .with_version(version)
            .with_on_blocked(move |_| {
                // The receiver is gone when the database opened after all.
                let _ = blocked.send(());
                Ok(())
            })
            .with_on_upgrade_needed(|event, database| upgrade(event.old_version() as u32, &database));
        let opening = async { request.await };
        futures::pin_mut!(opening);
        let blocked = async move {
            // Without a word from the callback the sender is dropped with the request: then never ready.
            if is_blocked.await.is_err() {
                futures::future::pending::<()>().await;
            }
        };
        futures::pin_mut!(blocked);
        match futures::future::select(opening, blocked).await {
            Either::Left((Ok(database), _)) => Ok(IdbStore::watch(database)),
            Either::Left((Err(error), _)) => Err(open_error(error)),
            Either::Right(_) => Err(StoreError::Blocked),
        }
    }

    /// Deletes a database.
    ///
    /// # Errors
    /// [`StoreError::Browser`].
    pub async fn delete(name: &str) -> Result<(), StoreError> {
        Database::delete_by_name(name).map_err(open_error)?.await.map_err(|error| store_error(&error))
    }

    /// Closes the database; later calls give [`StoreError::Closed`].
    pub fn close(&self) {
        self.closed.set(true);
        self.database.clone().close();
    }

    /// Makes room for a newer copy of the program: a database that stays open would block its upgrade.
    fn watch(database: Database) -> IdbStore {
        let store = IdbStore { database, closed: Rc::default() };
        if let Ok(mut changes) = store.database.version_changes() {
            let watched = store.clone();
            spawn_local(async move {
                changes.recv().await;
                watched.close();
            });
        }
        store
    }

    fn begin(
        &self,
        tables: &[Table],
        mode: TransactionMode,
        durability: Durability,
    ) -> Result<Transaction<'_>, StoreError> {
        if self.closed.get() {
            return Err(StoreError::Closed);
        }
        let names: Vec<&str> = tables.iter().map(|table| table.name()).collect();
        let durability = match durability {
            Durability::Strict => TransactionDurability::Strict,
            Durability::Relaxed => TransactionDurability::Relaxed,
        };
        self.database
            .transaction(names.as_slice())
            .with_mode(mode)
            .with_options(TransactionOptions::new().with_durability(durability))
            .build()
            .map_err(|error| store_error(&error))
    }

    fn put_all(transaction: &Transaction<'_>, batch: Batch) -> Result<(), Error> {
        for write in batch.writes {
            let table = transaction.object_store(write.table().name())?;
            match write {
                // Requests go out at once and fail with the transaction; only its commit is awaited.
                Write::Put { key, value, .. } => {
                    let value: JsValue = Uint8Array::from(value.as_slice()).into();
                    drop(table.put(value).with_key(key).build()?);
                }
                Write::Delete { key, .. } => drop(table.delete(key).build()?),
                Write::Clear { .. } => drop(table.clear()?),
            }
        }
        Ok(())
    }

    /// An abort without a reason at commit time means that the data did not fit, if there is little room left.
    async fn abort_reason(&self, bytes: usize) -> StoreError {
        let Usage { used, granted } = self.usage().await;
        if granted > 0.0 && granted - used < bytes as f64 * 2.0 + 1e6 {
            StoreError::Full
        } else {
            StoreError::Browser("the transaction was aborted".into())
        }
    }
}

impl Store for IdbStore {
    async fn read(&self, table: Table, keys: RangeInclusive<u32>) -> Result<Vec<Entry>, StoreError> {
        let transaction = self.begin(&[table], TransactionMode::Readonly, Durability::Relaxed)?;
        let read = async {
            let object_store = transaction.object_store(table.name())?;
            let values = object_store.get_all::<JsValue>().with_query(keys.clone()).build()?;
            let keys = object_store.get_all_keys::<u32>().with_query(keys).build()?;
            let entries = keys.await?.zip(values.await?);
            entries
                .map(|(key, value)| Ok(Entry { key: key?, value: Uint8Array::new(&value?).to_vec() }))
                .collect::<Result<Vec<Entry>, Error>>()
        };
        read.await.map_err(|error| store_error(&error))
    }

    async fn keys(&self, table: Table) -> Result<Vec<u32>, StoreError> {
        let transaction = self.begin(&[table], TransactionMode::Readonly, Durability::Relaxed)?;
        let read = async {
            transaction
                .object_store(table.name())?
                .get_all_keys::<u32>()
                .await?
                .collect::<Result<Vec<u32>, Error>>()
        };
        read.await.map_err(|error| store_error(&error))
    }

    async fn write(&self, batch: Batch, durability: Durability) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let bytes = batch.bytes();
        let mut tables: Vec<Table> = batch.writes.iter().map(Write::table).collect();
        tables.sort_unstable();
        tables.dedup();
        let transaction = self.begin(&tables, TransactionMode::Readwrite, durability)?;
        Self::put_all(&transaction, batch).map_err(|error| store_error(&error))?;
        match transaction.commit().await {
            Ok(()) => Ok(()),
            Err(Error::MissingData(UnexpectedDataError::TransactionAborted)) => {
                Err(self.abort_reason(bytes).await)
            }
            Err(error) => Err(store_error(&error)),
        }
    }

    async fn usage(&self) -> Usage {
        estimate().await.unwrap_or_default()
    }
}

fn upgrade(old: u32, database: &Database) -> Result<(), Error> {
    for step in steps_from(old) {
        for name in step.deletes {
            database.delete_object_store(name)?;
        }
        for table in step.creates {
            database.create_object_store(table.name()).build()?;
        }
    }
    Ok(())
}

async fn estimate() -> Result<Usage, JsValue> {
    // A worker's navigator and a page's offer the same storage manager.
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let storage = navigator.unchecked_into::<web_sys::WorkerNavigator>().storage();
    let estimate = JsFuture::from(storage.estimate()?).await?;
    let number =
        |name: &str| Reflect::get(&estimate, &name.into()).map(|value| value.as_f64().unwrap_or(0.0));
    Ok(Usage { used: number("usage")?, granted: number("quota")? })
}

fn open_error(error: OpenDbError) -> StoreError {
    match error {
        OpenDbError::Base(error) => store_error(&error),
        OpenDbError::UnsupportedEnvironment | OpenDbError::NullFactory => StoreError::Unavailable,
        OpenDbError::VersionZero => StoreError::Browser("schema version 0".into()),
    }
}

fn store_error(error: &Error) -> StoreError {
    match error {
        Error::DomException(exception) => dom_error(exception),
        other => StoreError::Browser(other.to_string()),
    }
}

fn dom_error(exception: &DomException) -> StoreError {
    let js: &JsValue = exception.as_ref();
    let name = Reflect::get(js, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default();
    match name.as_str() {
        "QuotaExceededError" => StoreError::Full,
        "VersionError" => StoreError::NewerSchema { known: SCHEMA },
        "SecurityError" => StoreError::Unavailable,
        // Firefox reports a private window or a profile it cannot write so.
        "InvalidStateError" if exception.message().contains("mutation") => StoreError::Unavailable,
        "InvalidStateError" => StoreError::Closed,
        _ => StoreError::Browser(format!("{name}: {}", exception.message())),
    }
}
