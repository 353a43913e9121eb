//! The product's own memory over a set, built as a capture would build it.

use anyhow::Result;
use loci_graph::{Cause, Graph, ObjectKind, PageId, Timestamp, Vertex, VertexId};
use loci_index::{Indexes, Item, Kind, embed_text};
use loci_memorize::{CleanPage, Extracted, memorize_extracted, memorize_page};
use rustc_hash::FxHashMap;

use crate::corpus::{Passage, Reading, Set};
use crate::vectors::{Role, VectorCache};

pub struct EvalMemory {
    pub graph: Graph,
    pub indexes: Indexes,
    passages: FxHashMap<VertexId, String>,
}

impl EvalMemory {
    /// Memorizes every passage as a page of one episode, and its reading where one is given.
    pub fn build(set: &Set) -> EvalMemory {
        let readings: FxHashMap<&str, &Reading> =
            set.readings.iter().map(|reading| (reading.id.as_str(), reading)).collect();
        let mut graph = Graph::default();
        let mut passages = FxHashMap::default();
        for (number, passage) in set.passages.iter().enumerate() {
            let at = Timestamp(number as i64);
            let mut edit = graph.edit(at, Cause::Capture(PageId(number as u32)));
            let report = memorize_page(&mut edit, &page(passage));
            for &episode in &report.episodes {
                passages.insert(episode, passage.id.clone());
                if let Some(reading) = readings.get(passage.id.as_str()) {
                    memorize_extracted(&mut edit, episode, &extracted(reading), &());
                }
            }
            edit.finish();
        }
        let indexes = Indexes::build(&graph);
        EvalMemory { graph, indexes, passages }
    }

    /// Gives episodes, theses and triples their vectors. Objects stay without: no retriever needs them, and the
    /// likeness of an object is that of its facts.
    pub fn embed(&mut self, vectors: &mut VectorCache) -> Result<()> {
        embed_items(&self.graph, &mut self.indexes, vectors)
    }

    /// The id that the corpus gives the passage of an episode.
    pub fn passage(&self, episode: VertexId) -> Option<&str> {
        self.passages.get(&episode).map(String::as_str)
    }

    /// Numbers for the log.
    pub fn describe(&self) -> String {
        let objects = self.graph.vertices().filter(|vertex| matches!(vertex, Vertex::Object(_))).count();
        format!(
            "{} passages, {objects} objects, {} triples",
            self.passages.len(),
            self.graph.triples().count()
        )
    }
}

/// Gives the items that lack one their vectors, objects excepted (see [`EvalMemory::embed`]).
pub fn embed_items(graph: &Graph, indexes: &mut Indexes, vectors: &mut VectorCache) -> Result<()> {
    let items: Vec<Item> = indexes
        .without_vector()
        .filter(|item| item.kind(graph).is_some_and(|kind| kind != Kind::Object))
        .collect();
    let text = |item: Item| embed_text(graph, item).unwrap_or_default();
    vectors.complete(Role::Passage, items.iter().map(|&item| text(item)))?;
    let found: Vec<(Item, Vec<f32>)> = items
        .iter()
        .filter_map(|&item| vectors.get(Role::Passage, &text(item)).map(|vector| (item, vector)))
        .collect();
    for (item, vector) in found {
        indexes.set_vector(item, &vector)?;
    }
    Ok(())
}

fn page(passage: &Passage) -> CleanPage {
    CleanPage {
        url: format!("https://corpus.test/{}", passage.id),
        title: passage.title.clone(),
        site: None,
        author: None,
        language: None,
        published: None,
        passages: vec![loci_memorize::Passage { text: passage.text.clone(), headings: Vec::new(), hash: 0 }],
        facts: Vec::new(),
    }
}

fn extracted(reading: &Reading) -> Extracted {
    let triple = |parts: &Vec<String>| match &parts[..] {
        [subject, relation, object] => Some((subject.clone(), relation.clone(), object.clone())),
        _ => None,
    };
    Extracted {
        objects: reading.entities.iter().map(|name| (name.clone(), ObjectKind::Unknown)).collect(),
        triples: reading.triples.iter().filter_map(triple).collect(),
        theses: reading.theses.iter().map(|thesis| (thesis.clone(), reading.entities.clone())).collect(),
    }
}
