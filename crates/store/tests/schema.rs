//! Memories that earlier versions wrote must be read for ever: one fixture per schema version.
//!
//! `schema-N.txt` holds every entry of a small memory (table, key, bytes in hex) and, below a blank line, what it says. A
//! new version adds a file and a migration; old files never change. `LOCI_WRITE_FIXTURE=1` writes the one of the current
//! version.

use std::{fmt::Write as _, fs, path::PathBuf};

use futures::executor::block_on;
use loci_graph::{
    Cause, Episode, FactMeta, Graph, Object, ObjectKind, Origin, Page, PageId, Record, Thesis, Timestamp,
    Triple, Validity, Vertex,
};
use loci_index::Item;
use loci_store::{Archive, Batch, Durability, MemoryStore, SCHEMA, Setting, Store, Table};

type Kept = Archive<MemoryStore>;

#[test]
fn every_schema_version_ever_written_is_read() {
    if std::env::var_os("LOCI_WRITE_FIXTURE").is_some() {
        let store = sample();
        let text = format!("{}\n{}", entries(&store), content(&store));
        fs::write(path(SCHEMA), text).expect("the fixture can be written");
    }
    for version in 1..=SCHEMA {
        let text = fs::read_to_string(path(version)).expect("every version has its fixture");
        let (entries, expected) = text.split_once("\n\n").expect("a blank line parts entries and content");
        let store = MemoryStore::new();
        let mut batch = Batch::default();
        for line in entries.lines() {
            let mut parts = line.split(' ');
            let mut part = || parts.next().expect("table, key and bytes");
            let (table, key, hex) = (part(), part(), part());
            let table = Table::ALL.into_iter().find(|known| known.name() == table).expect("a known table");
            batch.put(table, key.parse().expect("a number"), bytes(hex));
        }
        block_on(store.write(batch, Durability::Strict)).expect("there is room");
        assert_eq!(content(&store), expected, "schema {version}");
    }
}

fn path(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/schema-{version}.txt"))
}

/// A memory that uses every kind of record and setting.
fn sample() -> MemoryStore {
    let store = MemoryStore::new();
    let archive = Kept::new(store.clone());
    let mut graph = Graph::default();
    let at = Timestamp(1_700_000_000_000);
    let mut edit = graph.edit(at, Cause::Capture(PageId(0)));
    let page = edit.new_page();
    let [episode, person, place, thesis] = std::array::from_fn(|_| edit.new_vertex());
    edit.put(Record::Page(Page {
        id: page,
        url: "https://example.test/curie".into(),
        title: "Marie Curie".into(),
        site: Some("Example".into()),
        author: Some("A. Author".into()),
        language: Some("en".into()),
        published: Some(Timestamp(1_600_000_000_000)),
        first_captured: at,
        captured: at,
        version: 1,
        episodes: vec![episode],
    }));
    edit.put_vertex(Vertex::Episode(Episode {
        id: episode,
        page,
        ordinal: 0,
        text: "Marie Curie was born in Warsaw. 居里夫人生于华沙。".into(),
        headings: vec!["Life".into()],
        hash: 0x1234_5678_9abc_def0,
        captured: at,
        deep: true,
        vanished: None,
    }));
    for (id, name, kind, aliases) in [
        (person, "Marie Curie", ObjectKind::Person, vec!["居里夫人"]),
        (place, "Warsaw", ObjectKind::Place, vec!["华沙", "Warszawa"]),
    ] {
        edit.put_vertex(Vertex::Object(Object {
            id,
            name: name.into(),
            kind,
            aliases: aliases.into_iter().map(String::from).collect(),
            mentions: [episode].into(),
        }));
    }
    let valid = Validity { from: Some(Timestamp(-3_000_000_000_000)), to: None };
    let meta = |origin| FactMeta { valid, ..FactMeta::new(origin, at, [episode]) };
    edit.put_vertex(Vertex::Thesis(Thesis {
        id: thesis,
        text: "Marie Curie was born in Warsaw.".into(),
        objects: [person, place].into(),
        meta: meta(Origin::Llm),
    }));
    let fact = edit.new_fact();
    edit.put(Record::Triple(Triple {
        id: fact,
        subject: person,
        relation: "born in".into(),
        object: place,
        meta: meta(Origin::Structure),
    }));
    let transaction = edit.finish();
    let mut batch = Kept::changes(&graph, &transaction);
    Kept::put_setting(&mut batch, Setting::Choices, "{\"theme\":\"dark\"}");
    Kept::put_setting(&mut batch, Setting::EmbeddingModel, "multilingual-e5-small");
    Kept::put_addresses(&mut batch, page, &["https://example.test/curie?from=feed".into()]);
    block_on(archive.write(batch, Durability::Strict)).expect("there is room");
    let vectors = [
        (Item::Vertex(episode), "episode".into(), vec![0.5, -0.25, 0.125]),
        (Item::Triple(fact), "fact".into(), vec![0.0, 1.0, 0.0]),
    ];
    let batch = block_on(archive.vectors(&vectors)).expect("readable");
    block_on(archive.write(batch, Durability::Relaxed)).expect("there is room");
    store
}

/// One line an entry: table, key, bytes in hex.
fn entries(store: &MemoryStore) -> String {
    let mut text = String::new();
    for table in Table::ALL {
        for entry in block_on(store.read(table, 0..=u32::MAX)).expect("readable") {
            write!(text, "{} {} ", table.name(), entry.key).expect("a string grows");
            entry.value.iter().for_each(|byte| write!(text, "{byte:02x}").expect("a string grows"));
            text.push('\n');
        }
    }
    text
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let pairs = digits.map(|pair| std::str::from_utf8(pair).expect("hex is ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("a hex byte")).collect()
}

/// What a memory says, in a form in which every field shows.
fn content(store: &MemoryStore) -> String {
    let archive = Kept::new(store.clone());
    let graph = block_on(archive.load()).expect("readable");
    let mut text = String::new();
    for record in graph.records() {
        writeln!(text, "{record:?}").expect("a string grows");
    }
    writeln!(text, "{:?}", graph.counters()).expect("a string grows");
    writeln!(text, "{:?}", block_on(archive.journal(0..=u32::MAX)).expect("readable"))
        .expect("a string grows");
    writeln!(text, "{:?}", block_on(archive.addresses()).expect("readable")).expect("a string grows");
    for setting in [Setting::Choices, Setting::EmbeddingModel] {
        let value = block_on(archive.setting::<String>(setting)).expect("readable");
        writeln!(text, "{setting:?} {value:?}").expect("a string grows");
    }
    let mut vectors = Vec::new();
    block_on(archive.load_vectors(|item, vector| vectors.push((item, vector)))).expect("readable");
    writeln!(text, "{vectors:?}").expect("a string grows");
    text
}
