use std::fmt::{Debug, Write as _};

use futures::future::LocalBoxFuture;
use loci_graph::{
    Cause, Episode, Erasure, Graph, Key, Object, ObjectKind, Page, PageId, Record, Timestamp, Transaction,
    Vertex, VertexId,
};
use loci_index::Item;
use loci_store::{
    Archive, Batch, Durability, Entry, IdbStore, SCHEMA, Setting, Store, StoreError, Table, Write,
};
use wasm_bindgen::prelude::*;

type Outcome = Result<(), String>;
type Test = (&'static str, fn(&'static str) -> LocalBoxFuture<'static, Outcome>);

const TESTS: &[Test] = &[
    ("a write is there after closing and opening", |name| Box::pin(survives_reopening(name))),
    ("reads come in order of keys and respect the range", |name| Box::pin(reads_in_order(name))),
    ("a write that is given up is done as a whole or not at all", |name| Box::pin(all_or_nothing(name))),
    ("a newer schema is refused and stays as it is", |name| Box::pin(newer_schema(name))),
    ("an older connection makes way for an upgrade", |name| Box::pin(makes_way(name))),
    ("a closed store says so", |name| Box::pin(closed(name))),
    ("a graph, its journal, settings and vectors read back", |name| Box::pin(archive_reads_back(name))),
    ("an erased text is in no table", |name| Box::pin(erased_for_good(name))),
    ("ten megabytes of small blocks are written and read", |name| Box::pin(much(name))),
];

/// Runs every test on a database of its own.
#[wasm_bindgen]
pub async fn run_store_tests() -> String {
    let mut results = String::from("[");
    for (index, (name, test)) in TESTS.iter().enumerate() {
        let error = match test(name).await {
            Ok(()) => "null".to_owned(),
            Err(error) => format!("{error:?}"),
        };
        let clean = IdbStore::delete(name).await;
        let comma = if index == 0 { "" } else { "," };
        let error = if clean.is_ok() { error } else { "\"the database could not be deleted\"".to_owned() };
        write!(results, "{comma}{{\"name\":{name:?},\"error\":{error}}}").expect("a string grows");
    }
    results + "]"
}

fn same<T: PartialEq + Debug>(found: T, expected: T) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

fn text<E: ToString>(error: E) -> String {
    error.to_string()
}

fn put(table: Table, key: u32, value: &[u8]) -> Batch {
    Batch { writes: vec![Write::Put { table, key, value: value.to_vec() }] }
}

async fn survives_reopening(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    store.write(put(Table::Pages, 7, b"kept"), Durability::Strict).await.map_err(text)?;
    store.close();
    let store = IdbStore::open(name).await.map_err(text)?;
    let read = store.read(Table::Pages, 0..=u32::MAX).await.map_err(text)?;
    store.close();
    same(read, vec![Entry { key: 7, value: b"kept".to_vec() }])
}

async fn reads_in_order(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    let mut batch = Batch::default();
    for key in [300, 2, 10, 4_000_000_000] {
        batch.put(Table::Triples, key, vec![1]);
    }
    store.write(batch, Durability::Relaxed).await.map_err(text)?;
    let keys = store.keys(Table::Triples).await.map_err(text)?;
    let some = store.read(Table::Triples, 3..=300).await.map_err(text)?;
    store.close();
    same(keys, vec![2, 10, 300, 4_000_000_000])?;
    same(some.iter().map(|entry| entry.key).collect::<Vec<_>>(), vec![10, 300])
}

async fn all_or_nothing(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    let both = || {
        let mut batch = put(Table::Pages, 1, b"new");
        batch.put(Table::Triples, 1, b"new".to_vec());
        batch
    };
    // Dropped before it began: nothing may have happened.
    drop(store.write(both(), Durability::Strict));
    same(held(&store).await?, (0, 0))?;
    // Left alone in the middle: both writes or neither.
    {
        let writing = store.write(both(), Durability::Strict);
        futures::pin_mut!(writing);
        let _ = futures::poll!(writing);
    }
    let (pages, triples) = held(&store).await?;
    store.close();
    same(pages, triples)
}

async fn held(store: &IdbStore) -> Result<(usize, usize), String> {
    let pages = store.keys(Table::Pages).await.map_err(text)?.len();
    Ok((pages, store.keys(Table::Triples).await.map_err(text)?.len()))
}

async fn newer_schema(name: &'static str) -> Outcome {
    let newer = IdbStore::open_version(name, SCHEMA + 1).await.map_err(text)?;
    newer.write(put(Table::Pages, 1, b"of tomorrow"), Durability::Strict).await.map_err(text)?;
    newer.close();
    let refused = IdbStore::open(name).await.map(|store| store.close());
    same(refused, Err(StoreError::NewerSchema { known: SCHEMA }))?;
    let newer = IdbStore::open_version(name, SCHEMA + 1).await.map_err(text)?;
    let kept = newer.read(Table::Pages, 1..=1).await.map_err(text)?;
    newer.close();
    same(kept.len(), 1)
}

async fn makes_way(name: &'static str) -> Outcome {
    let old = IdbStore::open(name).await.map_err(text)?;
    let new = IdbStore::open_version(name, SCHEMA + 1).await.map_err(text)?;
    let refused = old.keys(Table::Pages).await;
    new.close();
    same(refused, Err(StoreError::Closed))
}

async fn closed(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    store.close();
    same(store.keys(Table::Pages).await, Err(StoreError::Closed))?;
    same(store.write(put(Table::Pages, 1, b"late"), Durability::Strict).await, Err(StoreError::Closed))
}

const SECRET: &str = "the colour of the lighthouse door is verdigris";

/// A page with one passage and the object it mentions.
fn remember(graph: &mut Graph, text: &str) -> Transaction {
    let mut edit = graph.edit(Timestamp(1), Cause::Capture(PageId(0)));
    let page = edit.new_page();
    let episode = edit.new_vertex();
    let object = edit.new_vertex();
    edit.put(Record::Page(Page {
        id: page,
        url: "https://example.test/".into(),
        title: "Lighthouses".into(),
        site: None,
        author: None,
        language: None,
        published: None,
        first_captured: Timestamp(1),
        captured: Timestamp(1),
        version: 1,
        episodes: vec![episode],
    }));
    edit.put_vertex(Vertex::Episode(Episode {
        id: episode,
        page,
        ordinal: 0,
        text: text.into(),
        headings: Vec::new(),
        hash: 1,
        captured: Timestamp(1),
        deep: false,
        vanished: None,
    }));
    edit.put_vertex(Vertex::Object(Object {
        id: object,
        name: "lighthouse".into(),
        kind: ObjectKind::Place,
        aliases: [].into(),
        mentions: [episode].into(),
    }));
    edit.finish()
}

fn records(graph: &Graph) -> Vec<Record> {
    graph.records().collect()
}

async fn archive_reads_back(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    let archive = Archive::new(store.clone());
    let mut graph = Graph::default();
    let transaction = remember(&mut graph, SECRET);
    let mut batch = Archive::<IdbStore>::changes(&graph, &transaction);
    Archive::<IdbStore>::put_setting(&mut batch, Setting::EmbeddingModel, "e5");
    archive.write(batch, Durability::Strict).await.map_err(text)?;
    let item = Item::Vertex(VertexId(0));
    let batch = archive.vectors(&[(item, SECRET.into(), vec![0.5, -1.0, 0.25])]).await.map_err(text)?;
    archive.write(batch, Durability::Relaxed).await.map_err(text)?;
    store.close();

    let store = IdbStore::open(name).await.map_err(text)?;
    let archive = Archive::new(store.clone());
    let loaded = archive.load().await.map_err(text)?;
    let journal = archive.journal(0..=u32::MAX).await.map_err(text)?;
    let model = archive.setting::<String>(Setting::EmbeddingModel).await.map_err(text)?;
    let mut vectors = Vec::new();
    archive.load_vectors(|item, vector| vectors.push((item, vector.values.len()))).await.map_err(text)?;
    store.close();
    same(records(&loaded), records(&graph))?;
    same(loaded.counters(), graph.counters())?;
    same(journal, vec![transaction])?;
    same(model, Some("e5".to_owned()))?;
    same(vectors, vec![(item, 3)])
}

async fn erased_for_good(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    let archive = Archive::new(store.clone());
    let mut graph = Graph::default();
    let transaction = remember(&mut graph, SECRET);
    let batch = Archive::<IdbStore>::changes(&graph, &transaction);
    archive.write(batch, Durability::Strict).await.map_err(text)?;
    same(holds(&store, SECRET).await?, true)?;
    let mut edit = graph.edit(Timestamp(2), Cause::Erase);
    for key in [Key::Page(PageId(0)), Key::Vertex(VertexId(0)), Key::Vertex(VertexId(1))] {
        edit.remove(key);
    }
    let erased = edit.finish();
    let erasure = Erasure::new(["https://example.test/".into()]);
    let scrub = |erasure: &Erasure, past: &Transaction| erasure.scrub(&graph, past);
    let mut batch = archive.scrubbed(erasure, &erased, scrub).await.map_err(text)?;
    batch.append(Archive::<IdbStore>::erased(&graph, &erased));
    archive.write(batch, Durability::Strict).await.map_err(text)?;
    let found = holds(&store, SECRET).await? || holds(&store, "lighthouse").await?;
    store.close();
    same(found, false)
}

async fn holds(store: &IdbStore, secret: &str) -> Result<bool, String> {
    for table in Table::ALL {
        for entry in store.read(table, 0..=u32::MAX).await.map_err(text)? {
            if entry.value.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

async fn much(name: &'static str) -> Outcome {
    let store = IdbStore::open(name).await.map_err(text)?;
    let mut batch = Batch::default();
    for key in 0..1000 {
        batch.put(Table::Vertices, key, vec![key as u8; 10_000]);
    }
    store.write(batch, Durability::Relaxed).await.map_err(text)?;
    let read = store.read(Table::Vertices, 0..=u32::MAX).await.map_err(text)?;
    store.close();
    same(read.len(), 1000)?;
    same(read.iter().all(|entry| entry.value == vec![entry.key as u8; 10_000]), true)
}
