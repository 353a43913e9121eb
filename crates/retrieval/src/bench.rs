//! Generated memories and questions of a given size, for timing walks natively and in the browser alike.

use std::collections::BTreeSet;

use loci_graph::{
    Counters, Episode, FactId, FactMeta, Graph, Object, ObjectKind, Origin as Source, Page, PageId, Record,
    Timestamp, Triple, Vertex, VertexId,
};
use loci_index::{Indexes, Item};

use crate::{Memory, Query, Retriever};

/// A generated memory: objects by preferential attachment with three facts each (mean degree 6, hubs up to 5,000),
/// a passage for every ten objects, and a vector for every passage and triple.
pub struct Generated {
    pub graph: Graph,
    pub indexes: Indexes,
    questions: Vec<(String, Vec<f32>)>,
}

/// Milliseconds per question of one retriever.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    pub retriever: String,
    pub p50: f64,
    pub p95: f64,
}

const LARGEST_HUB: usize = 5_000;
const FACTS_PER_OBJECT: usize = 3;
const OBJECTS_PER_PASSAGE: usize = 10;

impl Generated {
    /// `vertices` objects; vectors of `dimension` components; `questions` questions that name 1 to 3 objects.
    pub fn new(vertices: usize, dimension: usize, questions: usize) -> Generated {
        let mut random = Random(7);
        let passages = vertices.div_ceil(OBJECTS_PER_PASSAGE);
        let mut records = Vec::with_capacity(vertices * 5);
        for number in 0..passages {
            records.extend(passage(vertices, number));
        }
        let mut degrees = vec![0; vertices];
        let mut ends: Vec<u32> = Vec::new();
        let mut facts = 0;
        for object in 0..vertices {
            records.push(Record::Vertex(Vertex::Object(Object {
                id: VertexId(object as u32),
                name: name(object),
                kind: ObjectKind::Concept,
                aliases: BTreeSet::new(),
                mentions: BTreeSet::from([VertexId((vertices + object / OBJECTS_PER_PASSAGE) as u32)]),
            })));
            for _ in 0..FACTS_PER_OBJECT.min(object) {
                // An end drawn from all ends so far is preferential attachment; full hubs take no more.
                let drawn = if ends.is_empty() { 0 } else { ends[random.below(ends.len())] as usize };
                let other = if degrees[drawn] < LARGEST_HUB && drawn != object {
                    drawn
                } else {
                    random.below(object)
                };
                records.push(Record::Triple(Triple {
                    id: FactId(facts),
                    subject: VertexId(object as u32),
                    relation: RELATIONS[random.below(RELATIONS.len())].into(),
                    object: VertexId(other as u32),
                    meta: FactMeta::new(
                        Source::Llm,
                        Timestamp(0),
                        [VertexId((vertices + object / OBJECTS_PER_PASSAGE) as u32)],
                    ),
                }));
                facts += 1;
                for end in [object, other] {
                    degrees[end] += 1;
                    ends.push(end as u32);
                }
            }
        }
        let counters = Counters {
            page: passages as u32,
            vertex: (vertices + passages) as u32,
            fact: facts,
            ..Counters::default()
        };
        let graph = Graph::from_records(records, counters);
        let mut indexes = Indexes::build(&graph);
        let wanted: Vec<Item> = indexes.without_vector().collect();
        for item in wanted {
            if item.kind(&graph).is_some_and(|kind| kind != loci_index::Kind::Object) {
                // A vector that is refused would only make the memory smaller.
                indexes.set_vector(item, &random.vector(dimension)).ok();
            }
        }
        let questions = (0..questions)
            .map(|number| {
                let named: Vec<String> = (0..=number % 3).map(|_| name(random.below(vertices))).collect();
                (format!("How do {} belong together?", named.join(" and ")), random.vector(dimension))
            })
            .collect();
        Generated { graph, indexes, questions }
    }

    /// Asks every question; `now` is a clock in milliseconds.
    pub fn time(&self, retriever: &dyn Retriever, mut now: impl FnMut() -> f64) -> Timing {
        let memory = Memory { graph: &self.graph, indexes: &self.indexes };
        let mut times = Vec::with_capacity(self.questions.len());
        for (text, vector) in &self.questions {
            let start = now();
            let found = retriever.retrieve(&memory, &Query::new(text, Some(vector)));
            times.push(now() - start);
            std::hint::black_box(found);
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times.get((share * times.len() as f64) as usize).copied().unwrap_or_default();
        Timing { retriever: retriever.name(), p50: at(0.5), p95: at(0.95) }
    }
}

const RELATIONS: [&str; 6] = ["part of", "founded by", "located in", "married to", "follows", "made by"];

/// Pronounceable and unique: a syllable per digit.
fn name(number: usize) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu"];
    let digits = format!("{number:05}");
    digits.bytes().map(|digit| SYLLABLES[usize::from(digit - b'0')]).collect()
}

fn passage(vertices: usize, number: usize) -> [Record; 2] {
    let (page, episode) = (PageId(number as u32), VertexId((vertices + number) as u32));
    let named: Vec<String> = (0..OBJECTS_PER_PASSAGE)
        .map(|offset| name((number * OBJECTS_PER_PASSAGE + offset) % vertices))
        .collect();
    let text =
        format!("This passage tells what is known about {} and how they belong together.", named.join(", "));
    [
        Record::Page(Page {
            id: page,
            url: format!("https://generated.test/{number}"),
            title: format!("Collected notes {number}"),
            site: None,
            author: None,
            language: None,
            published: None,
            first_captured: Timestamp(0),
            captured: Timestamp(0),
            version: 1,
            episodes: vec![episode],
        }),
        Record::Vertex(Vertex::Episode(Episode {
            id: episode,
            page,
            ordinal: 0,
            text,
            headings: Vec::new(),
            hash: number as u64,
            captured: Timestamp(0),
            deep: true,
            vanished: None,
        })),
    ]
}

/// SplitMix64: the same memory on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// In [−1, 1).
    pub fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.signed()).collect()
    }
}
