//! Whatever is captured, read, merged, split, undone and erased, in whatever order: the graph contradicts itself
//! nowhere, every change can be taken back exactly, and what is erased is gone.

use std::collections::{BTreeMap, BTreeSet};

use loci_graph::{
    Cause, Edit, Erasure, Graph, Key, ObjectKind, PageId, Record, Scrub, Timestamp, Transaction, VertexId,
};
use loci_memorize::{
    CleanPage, Extracted, Name, Passage, StructureFact, erase_page, memorize_extracted, memorize_page,
};
use proptest::prelude::*;

const PAGES: usize = 3;
const PASSAGES: usize = 6;
const NAMES: [&str; 6] = ["Ann Lee", "Mr. Lee", "Acme", "ACME Inc.", "Berlin", "巴黎"];
const RELATIONS: [&str; 5] = ["lives in", "moved to", "works at", "knows", "住在"];

#[derive(Debug, Clone)]
enum Step {
    /// Capture a page with these passages; it declares one fact of its first.
    Capture {
        page: usize,
        passages: Vec<usize>,
        published: Option<i64>,
        fact: (usize, usize, usize),
    },
    /// Read one of the episodes deeply.
    Deep {
        episode: usize,
        triples: Vec<(usize, usize, usize)>,
    },
    Merge(usize, usize),
    Split(usize, usize),
    UndoLast,
    Compensate(usize),
    Rollback(usize),
    Erase(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let triple = (0..NAMES.len(), 0..RELATIONS.len(), 0..NAMES.len());
    let passages = proptest::collection::vec(0..PASSAGES, 1..4);
    let capture = (0..PAGES, passages, proptest::option::of(0..5i64), triple.clone())
        .prop_map(|(page, passages, published, fact)| Step::Capture { page, passages, published, fact });
    let deep = (0..12usize, proptest::collection::vec(triple, 0..4))
        .prop_map(|(episode, triples)| Step::Deep { episode, triples });
    prop_oneof![
        4 => capture,
        6 => deep,
        1 => (0..12usize, 0..12usize).prop_map(|(a, b)| Step::Merge(a, b)),
        1 => (0..12usize, 0..12usize).prop_map(|(a, b)| Step::Split(a, b)),
        2 => Just(Step::UndoLast),
        1 => (0..20usize).prop_map(Step::Compensate),
        1 => (0..20usize).prop_map(Step::Rollback),
        1 => (0..PAGES).prop_map(Step::Erase),
    ]
}

/// The memory as the core keeps it: the graph, its journal, and a copy that only ever sees the transactions.
#[derive(Default)]
struct Memory {
    graph: Graph,
    copy: Graph,
    journal: Vec<(Vec<Record>, Transaction)>,
    clock: i64,
}

impl Memory {
    fn run(&mut self, step: &Step) {
        self.clock += 1;
        match step {
            Step::Capture { page, passages, published, fact } => {
                let page = clean_page(*page, passages, *published, *fact);
                self.change(Cause::UserEdit, |edit| {
                    let report = memorize_page(edit, &page);
                    assert_eq!(report.episodes.len(), page.passages.len());
                });
            }
            Step::Deep { episode, triples } => {
                let episodes =
                    pick(self.graph.vertices().filter_map(|v| self.graph.episode(v.id())), *episode);
                let Some(episode) = episodes.map(|episode| episode.id) else { return };
                let extracted = extracted(&self.graph, episode, triples);
                self.change(Cause::UserEdit, |edit| {
                    let report = memorize_extracted(edit, episode, &extracted, &());
                    for fact in &report.triples {
                        assert!(
                            edit.graph().triple(*fact).is_some_and(|t| t.meta.support.contains(&episode))
                        );
                    }
                });
                let records: Vec<Record> = self.graph.records().collect();
                self.change(Cause::UserEdit, |edit| drop(memorize_extracted(edit, episode, &extracted, &())));
                let changed: Vec<Record> =
                    self.graph.records().filter(|record| !records.contains(record)).collect();
                // Where several things bear one name, which is meant can change with what is known.
                let ends = extracted.triples.iter().flat_map(|(subject, _, object)| [subject, object]);
                let mut names = extracted.objects.iter().map(|(name, _)| name).chain(ends);
                if names.all(|name| self.graph.loosely_named(name).count() < 2) {
                    let keys: Vec<_> = changed.iter().map(Record::key).collect();
                    let before: Vec<&Record> =
                        records.iter().filter(|record| keys.contains(&record.key())).collect();
                    assert_eq!(before, changed.iter().collect::<Vec<_>>(), "the same again changes nothing");
                }
            }
            Step::Merge(a, b) => {
                let (Some(a), Some(b)) = (self.object(*a), self.object(*b)) else { return };
                self.change(Cause::Merge { kept: a, gone: b }, |edit| edit.merge(a, b));
                if a != b {
                    assert!(self.graph.vertex(b).is_none());
                    assert_eq!(self.graph.degree(b), 0, "a merge leaves no edge behind");
                }
            }
            Step::Split(a, b) => {
                let (Some(from), Some(like)) = (self.object(*a), self.object(*b)) else { return };
                let episodes = self.graph.object(like).expect("picked among objects").mentions.clone();
                let name = self.graph.object(from).expect("picked among objects").name.clone();
                self.change(Cause::UserEdit, |edit| {
                    edit.split(from, &name, ObjectKind::Unknown, &BTreeSet::new(), &episodes);
                });
            }
            Step::UndoLast => {
                let Some((before, last)) = self.journal.last().cloned() else { return };
                let Ok(undone) = self.graph.undo(&last, self.now()) else {
                    assert_eq!(last.cause, Cause::Erase, "only an erase is final");
                    return;
                };
                let now: Vec<Record> = self.graph.records().collect();
                // An erase since then would be last itself, so nothing may differ.
                assert_eq!(now, before, "undo of the last change restores bit for bit");
                self.remember(before_undo(&last, &now), undone);
            }
            Step::Compensate(index) => {
                let Some((_, old)) = pick(self.journal.iter(), *index).cloned() else { return };
                let before: Vec<Record> = self.graph.records().collect();
                if let Ok(done) = self.graph.compensate(&old, self.now()) {
                    self.remember(before, done);
                }
            }
            Step::Rollback(index) => {
                let from = self.journal.len().saturating_sub(*index % 4);
                let later: Vec<Transaction> = self.journal[from..].iter().map(|(_, t)| t.clone()).collect();
                let target = self.journal.get(from).map(|(before, _)| before.clone());
                let erased = later.iter().any(|transaction| transaction.cause == Cause::Erase);
                let before: Vec<Record> = self.graph.records().collect();
                let done = self.graph.rollback(&later, Timestamp(0), self.now());
                if let Some(target) = target.filter(|_| !erased) {
                    assert_eq!(target, self.graph.records().collect::<Vec<_>>());
                }
                self.remember(before, done);
            }
            Step::Erase(page) => self.erase(*page),
        }
        self.check();
    }

    fn now(&self) -> Timestamp {
        Timestamp(self.clock)
    }

    fn object(&self, index: usize) -> Option<VertexId> {
        pick(self.graph.vertices().filter_map(|vertex| self.graph.object(vertex.id())), index)
            .map(|object| object.id)
    }

    fn change(&mut self, cause: Cause, change: impl FnOnce(&mut Edit<'_>)) {
        let before: Vec<Record> = self.graph.records().collect();
        let now = self.now();
        let mut edit = self.graph.edit(now, cause);
        change(&mut edit);
        let transaction = edit.finish();
        self.remember(before, transaction);
    }

    fn remember(&mut self, before: Vec<Record>, transaction: Transaction) {
        self.copy.apply(&transaction);
        self.journal.push((before, transaction));
    }

    fn erase(&mut self, page: usize) {
        let Some(id) = self.graph.page_at(&url(page)).map(|page| page.id) else { return };
        let others = said_elsewhere(&self.graph, id);
        let now = self.now();
        let mut edit = self.graph.edit(now, Cause::Erase);
        erase_page(&mut edit, id);
        let transaction = edit.finish();
        self.copy.apply(&transaction);
        for fact in others {
            assert!(self.graph.meta(fact).is_some(), "what another page also says stays");
        }
        let mut erasure = Erasure::new([url(page)]);
        self.journal.push((Vec::new(), transaction));
        self.journal.iter().for_each(|(_, transaction)| erasure.look(transaction));
        let journal = std::mem::take(&mut self.journal);
        for (_, transaction) in journal {
            match erasure.scrub(&self.graph, &transaction) {
                Scrub::Keep => self.journal.push((Vec::new(), transaction)),
                Scrub::Rewrite(transaction) => self.journal.push((Vec::new(), transaction)),
                Scrub::Drop => {}
            }
        }
        let kept: Vec<&Transaction> = self.journal.iter().map(|(_, transaction)| transaction).collect();
        let records: Vec<Record> = self.graph.records().collect();
        let bytes = serde_json::to_string(&(kept, records)).expect("plain data");
        let left =
            bytes.find(&secret(page)).map(|at| &bytes[at.saturating_sub(300)..bytes.len().min(at + 100)]);
        assert_eq!(left, None, "text of the erased page");
        // The states before can be compared no more: they hold what was erased.
        let now: Vec<Record> = self.graph.records().collect();
        self.journal.clear();
        self.journal.push((now, Transaction { changes: Vec::new(), ..empty(self.now(), &self.graph) }));
    }

    fn check(&self) {
        assert_eq!(self.graph.faults(), []);
        let rebuilt = Graph::from_records(self.graph.records(), self.graph.counters());
        assert_eq!(
            surroundings(&self.graph),
            surroundings(&rebuilt),
            "incidence and names follow the records"
        );
        assert_eq!(self.graph.records().collect::<Vec<_>>(), self.copy.records().collect::<Vec<_>>());
        for triple in self.graph.triples() {
            assert_ne!(triple.subject, triple.object);
            for episode in &triple.meta.support {
                assert!(self.graph.episode(*episode).is_some());
            }
        }
    }
}

fn before_undo(last: &Transaction, now: &[Record]) -> Vec<Record> {
    let mut records: BTreeMap<Key, Record> =
        now.iter().map(|record| (record.key(), record.clone())).collect();
    for change in &last.changes {
        match &change.after {
            Some(record) => drop(records.insert(change.key, record.clone())),
            None => drop(records.remove(&change.key)),
        }
    }
    records.into_values().collect()
}

fn empty(at: Timestamp, graph: &Graph) -> Transaction {
    let mut graph = graph.clone();
    graph.edit(at, Cause::UserEdit).finish()
}

/// Facts of the page that an episode of another page supports too.
fn said_elsewhere(graph: &Graph, page: PageId) -> BTreeSet<Key> {
    let facts = graph.episodes_of(page).flat_map(|episode| graph.facts_of(episode.id));
    let elsewhere = |fact: &Key| {
        let support = &graph.meta(*fact).expect("just found").support;
        support.iter().any(|id| graph.episode(*id).is_some_and(|episode| episode.page != page))
    };
    facts.filter(elsewhere).collect()
}

type Surroundings = BTreeMap<VertexId, (Vec<loci_graph::Edge>, usize, Vec<Vec<VertexId>>)>;

fn surroundings(graph: &Graph) -> Surroundings {
    let around = |id: VertexId| {
        let mut edges: Vec<_> = graph.edges(id).collect();
        edges.sort();
        let names = graph.object(id).map(|object| object.names().map(str::to_owned).collect::<Vec<_>>());
        let named = |name: String| {
            let mut bearers: Vec<VertexId> = graph.named(&name).chain(graph.loosely_named(&name)).collect();
            bearers.sort();
            assert!(bearers.contains(&id), "{name} is looked up in vain");
            bearers
        };
        (edges, graph.degree(id), names.into_iter().flatten().map(named).collect())
    };
    graph.vertices().map(|vertex| (vertex.id(), around(vertex.id()))).collect()
}

fn pick<T>(items: impl Iterator<Item = T>, index: usize) -> Option<T> {
    let items: Vec<T> = items.collect();
    let index = index % items.len().max(1);
    items.into_iter().nth(index)
}

fn url(page: usize) -> String {
    format!("https://{}.test/", secret(page))
}

fn secret(page: usize) -> String {
    format!("secret{page}page")
}

fn clean_page(
    page: usize,
    passages: &[usize],
    published: Option<i64>,
    (subject, relation, object): (usize, usize, usize),
) -> CleanPage {
    let passage = |k: &usize| Passage {
        text: format!("{} {k} of {}: {}", secret(page), own_name(page), NAMES.join(", ")),
        headings: vec![format!("Heading {}", secret(page))],
        hash: *k as u64,
    };
    let name = |index: usize| Name::new(NAMES[index], ObjectKind::Unknown);
    let facts = (subject != object).then(|| StructureFact {
        subject: name(subject),
        relation: RELATIONS[relation].to_owned(),
        object: Name { aliases: vec![own_name(page)], ..name(object) },
        passage: 0,
    });
    CleanPage {
        url: url(page),
        title: format!("Title {}", secret(page)),
        site: None,
        author: None,
        language: None,
        published: published.map(Timestamp),
        passages: passages.iter().map(passage).collect(),
        facts: facts.into_iter().filter(|fact| fact.subject.text != fact.object.text).collect(),
    }
}

/// A name that only this page uses.
fn own_name(page: usize) -> String {
    format!("Nick {}", secret(page))
}

fn extracted(graph: &Graph, episode: VertexId, triples: &[(usize, usize, usize)]) -> Extracted {
    let page = graph.page(graph.episode(episode).expect("picked among episodes").page).expect("of a page");
    let own = page.title.replace("Title", "Nick");
    let name = |index: usize| if index == 1 { own.clone() } else { NAMES[index].to_owned() };
    Extracted {
        objects: vec![(NAMES[0].to_owned(), ObjectKind::Person)],
        triples: triples
            .iter()
            .map(|(subject, relation, object)| {
                (name(*subject), RELATIONS[*relation].to_owned(), name(*object))
            })
            .collect(),
        theses: triples
            .iter()
            .map(|(subject, ..)| (format!("{} is on {}", name(*subject), page.title), vec![name(*subject)]))
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_graph_stays_whole(steps in proptest::collection::vec(step(), 1..40)) {
        let mut memory = Memory::default();
        for step in &steps {
            memory.run(step);
        }
    }
}
