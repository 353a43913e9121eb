//! The layout of the memory in a store: what is written reads back, little is written, erased text is nowhere.

use futures::executor::block_on;
use loci_graph::{
    Cause, Edit, Episode, Erasure, FactId, FactMeta, Graph, Key, Object, ObjectKind, Origin, Page, PageId,
    Record, Timestamp, Transaction, Triple, Vertex, VertexId,
};
use loci_index::Item;
use loci_store::{Archive, Batch, Durability, MemoryStore, Setting, Store, StoreError, Table};

type Kept = Archive<MemoryStore>;

fn episode(edit: &mut Edit<'_>, text: &str) -> VertexId {
    let id = edit.new_vertex();
    edit.put_vertex(Vertex::Episode(Episode {
        id,
        page: PageId(0),
        ordinal: id.0,
        text: text.into(),
        headings: vec!["Heading".into()],
        hash: u64::from(id.0),
        captured: Timestamp(1),
        deep: false,
        vanished: None,
    }));
    id
}

fn object(edit: &mut Edit<'_>, name: &str, mentions: &[VertexId]) -> VertexId {
    let id = edit.new_vertex();
    edit.put_vertex(Vertex::Object(Object {
        id,
        name: name.into(),
        kind: ObjectKind::Concept,
        aliases: [format!("the {name}")].into(),
        mentions: mentions.iter().copied().collect(),
    }));
    id
}

fn triple(edit: &mut Edit<'_>, subject: VertexId, object: VertexId, support: VertexId) -> FactId {
    let id = edit.new_fact();
    let meta = FactMeta::new(Origin::Structure, Timestamp(1), [support]);
    edit.put(Record::Triple(Triple { id, subject, relation: "likes".into(), object, meta }));
    id
}

/// Two passages, a name in each and a fact between the names.
fn capture(graph: &mut Graph, text: &str) -> Transaction {
    let mut edit = graph.edit(Timestamp(1), Cause::Capture(PageId(0)));
    let first = episode(&mut edit, text);
    let second = episode(&mut edit, "Another passage.");
    let subject = object(&mut edit, "Ada", &[first, second]);
    let target = object(&mut edit, "engines", &[second]);
    triple(&mut edit, subject, target, second);
    edit.finish()
}

/// A page with one passage.
fn capture_page(graph: &mut Graph, url: &str, text: &str) -> Transaction {
    let id = PageId(graph.counters().page);
    let mut edit = graph.edit(Timestamp(1), Cause::Capture(id));
    let page = edit.new_page();
    let passage = edit.new_vertex();
    edit.put(Record::Page(Page {
        id: page,
        url: url.into(),
        title: "Title".into(),
        site: None,
        author: None,
        language: None,
        published: None,
        first_captured: Timestamp(1),
        captured: Timestamp(1),
        version: 1,
        episodes: vec![passage],
    }));
    edit.put_vertex(Vertex::Episode(Episode {
        id: passage,
        page,
        ordinal: 0,
        text: text.into(),
        headings: Vec::new(),
        hash: u64::from(passage.0),
        captured: Timestamp(1),
        deep: false,
        vanished: None,
    }));
    edit.finish()
}

fn commit(archive: &Kept, graph: &Graph, transaction: &Transaction) {
    block_on(archive.write(Kept::changes(graph, transaction), Durability::Strict)).expect("there is room");
}

fn records(graph: &Graph) -> Vec<Record> {
    graph.records().collect()
}

#[test]
fn after_every_transaction_the_stored_graph_is_the_graph() {
    let archive = Kept::new(MemoryStore::new());
    let mut graph = Graph::default();
    for round in 0..200 {
        let transaction = capture(&mut graph, &format!("Passage {round}."));
        commit(&archive, &graph, &transaction);
        if round % 3 == 0 {
            let mut edit = graph.edit(Timestamp(2), Cause::UserEdit);
            // The triples of two rounds go, and with the second the last of its block.
            edit.remove(Key::Triple(FactId(round / 2)));
            edit.remove(Key::Triple(FactId(round)));
            let transaction = edit.finish();
            commit(&archive, &graph, &transaction);
        }
        if round % 20 == 0 || round == 199 {
            let loaded = block_on(archive.load()).expect("what was written reads back");
            assert_eq!(records(&loaded), records(&graph), "round {round}");
            assert_eq!(loaded.counters(), graph.counters(), "round {round}");
        }
    }
}

#[test]
fn a_capture_writes_what_changed_and_not_the_memory() {
    let archive = Kept::new(MemoryStore::new());
    let mut graph = Graph::default();
    for round in 0..500 {
        let transaction = capture(&mut graph, &format!("Passage {round}, long enough to weigh something."));
        commit(&archive, &graph, &transaction);
    }
    let memory: usize = {
        let store = block_on(archive.usage());
        store.used as usize
    };
    let transaction = capture(&mut graph, "One more.");
    let batch = Kept::changes(&graph, &transaction);
    assert!(batch.bytes() * 20 < memory, "{} of {memory} bytes", batch.bytes());
    assert!(batch.writes.len() < 8, "{} writes", batch.writes.len());
}

#[test]
fn erased_text_is_in_no_table_and_the_rest_stays() {
    let secret = "the door is painted verdigris";
    let store = MemoryStore::new();
    let archive = Kept::new(store.clone());
    let mut graph = Graph::default();
    for (url, text) in [("https://a.test/", secret), ("https://b.test/", "A harmless text.")] {
        let transaction = capture_page(&mut graph, url, text);
        commit(&archive, &graph, &transaction);
    }
    let [gone, kept] = [0, 1].map(|page| {
        let page = graph.page(PageId(page)).expect("captured");
        Item::Vertex(page.episodes[0])
    });
    let vectors = [(gone, secret.into(), vec![1.0, 0.0]), (kept, "A harmless text.".into(), vec![0.0, 1.0])];
    let vectors = block_on(archive.vectors(&vectors)).expect("readable");
    block_on(archive.write(vectors, Durability::Relaxed)).expect("there is room");
    assert!(store.holds(secret.as_bytes()));

    let mut edit = graph.edit(Timestamp(2), Cause::Erase);
    edit.erase_pages(&[PageId(0)].into());
    let erased = edit.finish();
    let erasure = Erasure::new(["https://a.test/".to_owned()]);
    let scrub = |erasure: &Erasure, past: &Transaction| erasure.scrub(&graph, past);
    let mut batch = block_on(archive.scrubbed(erasure, &erased, scrub)).expect("readable");
    batch.append(Kept::erased(&graph, &erased));
    block_on(archive.write(batch, Durability::Strict)).expect("there is room");

    assert!(!store.holds(secret.as_bytes()), "in a block or in the journal");
    assert!(store.holds(b"A harmless text."));
    let mut vectors = Vec::new();
    block_on(archive.load_vectors(|item, _| vectors.push(item))).expect("readable");
    assert_eq!(vectors, [kept]);
    let loaded = block_on(archive.load()).expect("readable");
    assert_eq!(records(&loaded), records(&graph));
    let journal = block_on(archive.journal(0..=u32::MAX)).expect("readable");
    assert!(
        journal.iter().any(|past| past.cause == Cause::Erase && past.changes.is_empty()),
        "that it happened"
    );
}

#[test]
fn erasing_everything_leaves_choices_pairing_and_counters_alone() {
    let store = MemoryStore::new();
    let archive = Kept::new(store.clone());
    let mut graph = Graph::default();
    let transaction = capture(&mut graph, "Some text.");
    let mut batch = Kept::changes(&graph, &transaction);
    Kept::put_setting(&mut batch, Setting::Choices, "dark");
    Kept::put_addresses(&mut batch, PageId(0), &["https://example.test/?from=feed".into()]);
    block_on(archive.write(batch, Durability::Strict)).expect("there is room");
    block_on(archive.write(Kept::everything(), Durability::Strict)).expect("there is room");
    let loaded = block_on(archive.load()).expect("readable");
    assert_eq!(records(&loaded), []);
    assert_eq!(loaded.counters(), graph.counters(), "an erased id never comes back");
    assert_eq!(block_on(archive.setting::<String>(Setting::Choices)), Ok(Some("dark".into())));
    assert_eq!(block_on(archive.addresses()), Ok(Vec::new()));
}

#[test]
fn a_full_store_refuses_and_keeps_what_it_has() {
    let store = MemoryStore::new();
    let archive = Kept::new(store.clone());
    let mut graph = Graph::default();
    let first = capture(&mut graph, "Fits.");
    commit(&archive, &graph, &first);
    let before = records(&graph);
    store.limit(Some(block_on(store.usage()).used as usize + 100));
    let second = capture(&mut graph, "Does not fit any more.");
    let refused = block_on(archive.write(Kept::changes(&graph, &second), Durability::Strict));
    assert_eq!(refused, Err(StoreError::Full));
    assert_eq!(records(&block_on(archive.load()).expect("readable")), before);
}

#[test]
fn a_damaged_entry_is_named() {
    for (table, bytes) in [
        (Table::Vertices, vec![3, 200]),
        (Table::Triples, vec![1]),
        (Table::Pages, vec![255, 255, 255]),
        (Table::VertexVectors, vec![2, 0, 1]),
    ] {
        let store = MemoryStore::new();
        let archive = Kept::new(store.clone());
        let mut batch = Batch::default();
        batch.put(table, 9, bytes);
        block_on(store.write(batch, Durability::Strict)).expect("there is room");
        let loaded = block_on(archive.load()).map(drop);
        let vectors = block_on(archive.load_vectors(|_, _| {}));
        assert_eq!(loaded.and(vectors), Err(StoreError::Damaged { table, key: 9 }));
    }
}
