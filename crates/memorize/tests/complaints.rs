//! What people complain of in memories of this kind, each as a case that must not happen here.

use std::collections::BTreeSet;

use loci_graph::{Cause, FactId, Graph, Key, ObjectKind, Timestamp, Transaction, VertexId};
use loci_memorize::{
    CleanPage, DeepReport, Extracted, Passage, erase_page, memorize_extracted, memorize_page, outdate,
    possibly_outdated,
};

const DAY: i64 = 86_400_000;

/// A memory whose pages are one passage each.
#[derive(Default)]
struct Memory {
    graph: Graph,
    days: i64,
    journal: Vec<Transaction>,
}

impl Memory {
    /// Captures a page published on `date` (ISO) and reads the triples out of it, `subject|relation|object`.
    fn read(&mut self, url: &str, date: &str, text: &str, triples: &[&str]) -> DeepReport {
        self.read_kinds(url, date, text, triples, &[])
    }

    fn read_kinds(
        &mut self,
        url: &str,
        date: &str,
        text: &str,
        triples: &[&str],
        kinds: &[(&str, ObjectKind)],
    ) -> DeepReport {
        self.days += 1;
        let at = Timestamp(20_000 * DAY + self.days * DAY);
        let page = CleanPage {
            url: url.to_owned(),
            title: String::new(),
            site: None,
            author: None,
            language: None,
            published: Some(day(date)),
            passages: vec![Passage { text: text.to_owned(), headings: Vec::new(), hash: hash(text) }],
            facts: Vec::new(),
        };
        let mut edit = self.graph.edit(at, Cause::UserEdit);
        let episode = memorize_page(&mut edit, &page).episodes[0];
        let extracted = Extracted {
            objects: kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect(),
            triples: triples.iter().map(|triple| split(triple)).collect(),
            theses: Vec::new(),
        };
        let report = memorize_extracted(&mut edit, episode, &extracted, &());
        self.journal.push(edit.finish());
        assert_eq!(self.graph.faults(), []);
        report
    }

    fn erase(&mut self, url: &str) {
        let page = self.graph.page_at(url).expect("captured before").id;
        let mut edit = self.graph.edit(Timestamp(0), Cause::Erase);
        erase_page(&mut edit, page);
        edit.finish();
        assert_eq!(self.graph.faults(), []);
    }

    /// Current and retired facts, `subject|relation|object`.
    fn facts(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let name = |id: VertexId| self.graph.object(id).expect("an end of a triple").name.clone();
        let (current, retired): (Vec<_>, Vec<_>) =
            self.graph.triples().partition(|triple| self.graph.is_current(Key::Triple(triple.id)));
        let words = |triples: Vec<&loci_graph::Triple>| {
            triples.iter().map(|t| format!("{}|{}|{}", name(t.subject), t.relation, name(t.object))).collect()
        };
        (words(current), words(retired))
    }

    fn check(&self, current: &[&str], retired: &[&str]) {
        let set = |facts: &[&str]| facts.iter().map(|fact| (*fact).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(self.facts(), (set(current), set(retired)));
    }

    fn objects(&self) -> BTreeSet<String> {
        let objects = self.graph.vertices().filter_map(|vertex| self.graph.object(vertex.id()));
        objects.map(|object| object.name.clone()).collect()
    }
}

fn split(triple: &str) -> (String, String, String) {
    let mut parts = triple.split('|').map(str::to_owned);
    let mut next = || parts.next().expect("three parts");
    (next(), next(), next())
}

fn day(date: &str) -> Timestamp {
    let date: jiff::civil::Date = date.parse().expect("an ISO date");
    let at = jiff::tz::TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).expect("in range");
    Timestamp(at.as_millisecond())
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(7, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

#[test]
fn one_name_is_stored_once_however_it_is_written() {
    let mut memory = Memory::default();
    for (index, name) in
        ["Acme Labs", "ACME LABS", "acme  labs", "Ａｃｍｅ　Ｌａｂｓ"].into_iter().enumerate()
    {
        let text = format!("{name} sells paint.");
        memory.read(
            &format!("https://{index}.test/"),
            "2024-01-01",
            &text,
            &[&format!("{name}|sells|paint")],
        );
    }
    assert_eq!(memory.objects(), BTreeSet::from(["Acme Labs".to_owned(), "paint".to_owned()]));
    memory.check(&["Acme Labs|sells|paint"], &[]);
    assert_eq!(memory.graph.triples().next().map(|triple| triple.meta.support.len()), Some(4));
}

#[test]
fn go_is_not_google() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2024-01-01", "Go compiles fast. Google made Go.", &["Google|created|Go"]);
    memory.read("https://b.test/", "2024-01-01", "Googling is fun, says Go fan Bo.", &["Bo|likes|Go"]);
    assert_eq!(memory.objects().len(), 3);
}

#[test]
fn one_name_for_two_kinds_of_thing_is_two_things() {
    let mut memory = Memory::default();
    let person = ("Washington", ObjectKind::Person);
    let place = ("Washington", ObjectKind::Place);
    memory.read_kinds(
        "https://a.test/",
        "2024-01-01",
        "Washington led the army.",
        &["Washington|led|army"],
        &[person],
    );
    memory.read_kinds(
        "https://b.test/",
        "2024-01-01",
        "Washington has a river.",
        &["Washington|has|river"],
        &[place],
    );
    assert_eq!(memory.graph.named("washington").count(), 2);
}

#[test]
fn two_people_of_one_name_stay_two() {
    let mut memory = Memory::default();
    let smith = ("John Smith", ObjectKind::Person);
    let read = |memory: &mut Memory, url: &str, text: &str| {
        memory.read_kinds(url, "2024-01-01", text, &[], &[smith])
    };
    read(&mut memory, "https://a.test/", "John Smith, the English explorer, sailed to Virginia.");
    let report = read(&mut memory, "https://b.test/", "John Smith was a Labour politician from Scotland.");
    assert_eq!(memory.graph.named("john smith").count(), 2);
    assert_eq!(report.undecided.len(), 1, "a model or the user may still say that they are one");
    read(&mut memory, "https://c.test/", "The politician John Smith led the party.");
    read(&mut memory, "https://d.test/", "John Smith died in 1994.");
    assert_eq!(memory.graph.named("john smith").count(), 2);
}

#[test]
fn erasing_a_page_keeps_what_another_also_says() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2024-01-01", "Ann knows Bo.", &["Ann|knows|Bo"]);
    memory.read(
        "https://b.test/",
        "2024-01-02",
        "Yes, Ann knows Bo and Cy.",
        &["Ann|knows|Bo", "Ann|knows|Cy"],
    );
    memory.erase("https://a.test/");
    memory.check(&["Ann|knows|Bo", "Ann|knows|Cy"], &[]);
    memory.erase("https://b.test/");
    memory.check(&[], &[]);
    assert_eq!(memory.graph.records().count(), 0, "no orphan is left");
}

#[test]
fn a_newer_fact_retires_an_older_one_worded_differently() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2020-01-01", "Ann lives in Paris.", &["Ann|lives in|Paris"]);
    memory.read("https://b.test/", "2023-01-01", "Ann moved to Berlin.", &["Ann|moved to|Berlin"]);
    memory.check(&["Ann|moved to|Berlin"], &["Ann|lives in|Paris"]);
    let paris = memory.graph.triple(FactId(0)).expect("the first fact");
    assert_eq!(paris.meta.valid.to, Some(day("2023-01-01")), "its validity ends when the new one begins");
    // Removing the newer page reopens what it had retired, as it was.
    memory.erase("https://b.test/");
    memory.check(&["Ann|lives in|Paris"], &[]);
    assert_eq!(memory.graph.triple(FactId(0)).expect("still there").meta.valid.to, None);
}

#[test]
fn a_late_old_fact_is_past_when_it_comes_and_does_not_come_back() {
    let mut memory = Memory::default();
    memory.read("https://b.test/", "2023-01-01", "王芳搬到上海。", &["王芳|搬到|上海"]);
    let report = memory.read("https://a.test/", "2019-01-01", "王芳住在北京。", &["王芳|住在|北京"]);
    assert_eq!(report.past.len(), 1);
    memory.check(&["王芳|搬到|上海"], &["王芳|住在|北京"]);
    memory.read("https://c.test/", "2018-01-01", "王芳 住在 北京!", &["王芳|住在|北京"]);
    memory.check(&["王芳|搬到|上海"], &["王芳|住在|北京"]);
}

#[test]
fn unrelated_facts_never_retire_each_other() {
    let mut memory = Memory::default();
    memory.read(
        "https://a.test/",
        "2020-01-01",
        "Ann lives in Paris and likes tea.",
        &["Ann|lives in|Paris", "Ann|likes|tea"],
    );
    memory.read(
        "https://b.test/",
        "2023-01-01",
        "Ann now visited Rome, likes coffee; Bo moved to Oslo; the ticket price is 5, the lunch price is 9.",
        &["Ann|visited|Rome", "Ann|likes|coffee", "Bo|moved to|Oslo"],
    );
    assert_eq!(memory.facts().1, BTreeSet::new());
}

#[test]
fn the_vocabulary_of_relations_is_learned_from_judgements() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2020-01-01", "Ann captains Blue.", &["Ann|captains|Blue"]);
    memory.read("https://b.test/", "2021-01-01", "Ann skippers Red.", &["Ann|skippers|Red"]);
    assert_eq!(memory.facts().1, BTreeSet::new(), "unsure, so both are kept");
    assert_eq!(possibly_outdated(&memory.graph, FactId(1)), [FactId(0)]);
    let mut edit = memory.graph.edit(Timestamp(30_000 * DAY), Cause::UserEdit);
    let settled = outdate(&mut edit, FactId(1), FactId(0));
    edit.finish();
    assert_eq!(settled.retired, [Key::Triple(FactId(0))]);
    // The next pair of the same wording needs no judgement.
    memory.read("https://c.test/", "2020-01-01", "Bo captains Green.", &["Bo|captains|Green"]);
    memory.read("https://d.test/", "2021-01-01", "Bo skippers Gold.", &["Bo|skippers|Gold"]);
    memory.check(&["Ann|skippers|Red", "Bo|skippers|Gold"], &["Ann|captains|Blue", "Bo|captains|Green"]);
}

#[test]
fn a_contradiction_without_order_is_flagged_and_both_sides_stay() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2020-01-01", "Ann was born in 1970.", &["Ann|born on|1970"]);
    let report = memory.read("https://b.test/", "2023-01-01", "Ann was born in 1972.", &["Ann|born on|1972"]);
    assert_eq!(report.conflicts.len(), 1);
    memory.check(&["Ann|born on|1970", "Ann|born on|1972"], &[]);
    let other = memory.graph.triple(FactId(0)).expect("the first fact");
    assert_eq!(other.meta.conflicts, BTreeSet::from([FactId(1)]));
}

#[test]
fn two_separate_periods_stay_two_facts() {
    let mut memory = Memory::default();
    memory.read(
        "https://a.test/",
        "2015-01-01",
        "Ann worked at Acme from 2001 to 2003.",
        &["Ann|worked at|Acme"],
    );
    memory.read(
        "https://b.test/",
        "2016-01-01",
        "Ann worked at Acme from 2010 to 2012.",
        &["Ann|worked at|Acme"],
    );
    assert_eq!(memory.graph.triples().count(), 2);
    memory.check(&["Ann|worked at|Acme"], &[]);
}

#[test]
fn relative_dates_count_from_the_page_not_from_today() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2015-06-10", "Ann moved to Rome last year.", &["Ann|moved to|Rome"]);
    let fact = memory.graph.triple(FactId(0)).expect("the fact");
    assert_eq!(fact.meta.valid.from, Some(day("2014-01-01")));
    memory.read("https://b.test/", "2020-05-01", "小李去年三月搬到杭州。", &["小李|搬到|杭州"]);
    let fact = memory.graph.triple(FactId(1)).expect("the fact");
    assert_eq!(fact.meta.valid.from, Some(day("2019-03-01")));
}

#[test]
fn a_subject_is_not_flipped() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2024-01-01", "Ann hired Bo.", &["Ann|hired|Bo"]);
    let fact = memory.graph.triple(FactId(0)).expect("the fact");
    let name = |id| memory.graph.object(id).map(|object| object.name.as_str());
    assert_eq!((name(fact.subject), name(fact.object)), (Some("Ann"), Some("Bo")));
}

#[test]
fn an_invented_name_is_dropped_and_counted() {
    let mut memory = Memory::default();
    let report =
        memory.read("https://a.test/", "2024-01-01", "Ann knows Bo.", &["Ann|knows|Zoe", "Ann|knows|Bo"]);
    assert_eq!(report.ungrounded, 1);
    memory.check(&["Ann|knows|Bo"], &[]);
}

#[test]
fn an_erased_thing_does_not_come_back_with_old_text() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2020-01-01", "Ann lives in Paris.", &["Ann|lives in|Paris"]);
    memory.erase("https://a.test/");
    memory.read("https://b.test/", "2024-01-01", "Ann likes tea.", &["Ann|likes|tea"]);
    memory.check(&["Ann|likes|tea"], &[]);
}

#[test]
fn undoing_an_older_capture_keeps_what_came_after() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2020-01-01", "Ann knows Bo.", &["Ann|knows|Bo"]);
    memory.read("https://b.test/", "2021-01-01", "Ann knows Bo and Cy.", &["Ann|knows|Bo", "Ann|knows|Cy"]);
    let first = memory.journal[0].clone();
    assert!(memory.graph.undo(&first, Timestamp(1)).is_err(), "what it touched was changed since");
    memory.graph.compensate(&first, Timestamp(1)).expect("no erase");
    assert_eq!(memory.graph.faults(), []);
    memory.check(&["Ann|knows|Bo", "Ann|knows|Cy"], &[]);
    assert!(memory.graph.page_at("https://a.test/").is_none());
}

#[test]
fn a_passage_that_left_its_page_speaks_for_the_past_until_it_is_back() {
    let mut memory = Memory::default();
    memory.read("https://a.test/", "2020-01-01", "Ann knows Bo.", &["Ann|knows|Bo"]);
    memory.read("https://a.test/", "2020-01-01", "Ann knows Cy.", &["Ann|knows|Cy"]);
    memory.check(&["Ann|knows|Cy"], &["Ann|knows|Bo"]);
    memory.read("https://a.test/", "2020-01-01", "Ann knows Bo.", &[]);
    memory.check(&["Ann|knows|Bo"], &["Ann|knows|Cy"]);
}
