//! A small world for the tests of this crate, written by hand.

use std::collections::{BTreeMap, BTreeSet};

use loci_graph::{
    Cause, Edit, Episode, FactId, FactMeta, Graph, Object, ObjectKind, Origin, Page, Record, Thesis,
    Timestamp, Triple, Vertex, VertexId,
};
use loci_index::{Indexes, embed_text, words};

use crate::{By, Memory, Path, Query, Retrieved};

pub struct World {
    pub graph: Graph,
    pub indexes: Indexes,
    objects: BTreeMap<String, VertexId>,
}

/// A bag of hashed words: equal words, equal direction.
pub fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; 64];
    for word in words(text) {
        let hash = word
            .bytes()
            .fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
        vector[hash as usize % 64] += 1.0;
    }
    vector
}

/// A page of one passage with triples and, after `|`, theses.
pub type Told<'a> = (&'a str, &'a str, &'a [[&'a str; 3]], &'a [(&'a str, &'a [&'a str])]);

impl World {
    pub fn new(pages: &[Told]) -> World {
        let mut graph = Graph::default();
        let mut objects = BTreeMap::new();
        for (title, text, triples, theses) in pages {
            let mut edit = graph.edit(Timestamp(0), Cause::UserEdit);
            let episode = put_page(&mut edit, title, text);
            for [subject, relation, object] in *triples {
                let subject = put_object(&mut edit, &mut objects, subject, episode);
                let object = put_object(&mut edit, &mut objects, object, episode);
                put_triple(&mut edit, subject, relation, object, episode);
            }
            for (text, about) in *theses {
                let about: BTreeSet<VertexId> =
                    about.iter().map(|name| put_object(&mut edit, &mut objects, name, episode)).collect();
                let id = edit.new_vertex();
                let meta = FactMeta::new(Origin::Llm, Timestamp(0), [episode]);
                edit.put_vertex(Vertex::Thesis(Thesis { id, text: (*text).into(), objects: about, meta }));
            }
            edit.finish();
        }
        World::over(graph, objects)
    }

    /// A hub with many spokes, and one spoke that leads on to `end`.
    pub fn hub(spokes: usize) -> World {
        let mut graph = Graph::default();
        let mut objects = BTreeMap::new();
        let mut edit = graph.edit(Timestamp(0), Cause::UserEdit);
        let episode = put_page(&mut edit, "Hub", "A hub.");
        let hub = put_object(&mut edit, &mut objects, "Hub", episode);
        for number in 0..spokes {
            let id = edit.new_vertex();
            edit.put_vertex(Vertex::Object(object(id, &format!("Spoke {number}"), [])));
            put_triple(&mut edit, hub, "has", id, episode);
        }
        edit.finish();
        World::over(graph, objects)
    }

    fn over(graph: Graph, objects: BTreeMap<String, VertexId>) -> World {
        let mut indexes = Indexes::build(&graph);
        let missing: Vec<_> = indexes.without_vector().collect();
        for item in missing {
            let vector = embed(&embed_text(&graph, item).unwrap_or_default());
            indexes.set_vector(item, &vector).expect("a usable vector");
        }
        World { graph, indexes, objects }
    }

    pub fn memory(&self) -> Memory<'_> {
        Memory { graph: &self.graph, indexes: &self.indexes }
    }

    pub fn object(&self, name: &str) -> VertexId {
        self.objects[name]
    }

    pub fn ask(&self, retriever: &dyn crate::Retriever, question: &str) -> Retrieved {
        let vector = embed(question);
        self.ask_with(retriever, &Query::new(question, Some(&vector)))
    }

    /// Asks, and checks of every result that it is there, admitted once, ordered, and reached by a true path.
    pub fn ask_with(&self, retriever: &dyn crate::Retriever, query: &Query) -> Retrieved {
        let found = retriever.retrieve(&self.memory(), query);
        let name = retriever.name();
        let facts: BTreeSet<_> = found.facts.iter().map(|fact| fact.fact).collect();
        let passages: BTreeSet<_> = found.passages.iter().map(|passage| passage.episode).collect();
        assert_eq!(facts.len(), found.facts.len(), "{name} returns a fact twice");
        assert_eq!(passages.len(), found.passages.len(), "{name} returns a passage twice");
        assert!(found.passages.windows(2).all(|pair| pair[0].score >= pair[1].score), "{name}");
        let scores = found
            .facts
            .iter()
            .map(|fact| fact.score)
            .chain(found.passages.iter().map(|passage| passage.score));
        assert!(scores.into_iter().all(f32::is_finite), "{name}");
        for path in found
            .facts
            .iter()
            .map(|fact| &fact.path)
            .chain(found.passages.iter().map(|passage| &passage.path))
        {
            self.check_path(path, &name);
        }
        for passage in &found.passages {
            assert!(self.graph.episode(passage.episode).is_some());
            let end = passage
                .path
                .steps
                .last()
                .map_or(passage.path.origin.item(), |step| loci_index::Item::Vertex(step.to));
            assert_eq!(
                end,
                loci_index::Item::Vertex(passage.episode),
                "{name}: the path of a passage ends at it"
            );
        }
        found
    }

    /// Every step goes along something that the graph holds.
    fn check_path(&self, path: &Path, name: &str) {
        let mut at = match path.origin.item() {
            loci_index::Item::Vertex(vertex) => Some(vertex),
            loci_index::Item::Triple(_) => None,
        };
        for step in &path.steps {
            if let (Some(from), By::Triple(..) | By::Thesis | By::Episode) = (at, step.by) {
                let there = self.graph.edges(from).any(|edge| edge.to == step.to)
                    // The last step of a fact's path may lead from the fact's object to the passage that states it.
                    || self.graph.episode(step.to).is_some();
                assert!(there, "{name}: {from:?} → {step:?} in {path:?}");
            }
            at = Some(step.to);
        }
    }
}

fn put_page(edit: &mut Edit, title: &str, text: &str) -> VertexId {
    let (page, episode) = (edit.new_page(), edit.new_vertex());
    edit.put(Record::Page(Page {
        id: page,
        url: format!("https://example.test/{}", page.0),
        title: title.into(),
        site: None,
        author: None,
        language: None,
        published: None,
        first_captured: Timestamp(0),
        captured: Timestamp(0),
        version: 1,
        episodes: vec![episode],
    }));
    edit.put_vertex(Vertex::Episode(Episode {
        id: episode,
        page,
        ordinal: 0,
        text: text.into(),
        headings: Vec::new(),
        hash: 0,
        captured: Timestamp(0),
        deep: true,
        vanished: None,
    }));
    episode
}

fn object(id: VertexId, name: &str, mentions: impl IntoIterator<Item = VertexId>) -> Object {
    Object {
        id,
        name: name.into(),
        kind: ObjectKind::Unknown,
        aliases: BTreeSet::new(),
        mentions: mentions.into_iter().collect(),
    }
}

fn put_object(
    edit: &mut Edit,
    objects: &mut BTreeMap<String, VertexId>,
    name: &str,
    episode: VertexId,
) -> VertexId {
    let id = *objects.entry(name.into()).or_insert_with(|| edit.new_vertex());
    let known = edit.graph().object(id).map(|object| object.mentions.clone()).unwrap_or_default();
    edit.put_vertex(Vertex::Object(object(id, name, known.into_iter().chain([episode]))));
    id
}

fn put_triple(
    edit: &mut Edit,
    subject: VertexId,
    relation: &str,
    object: VertexId,
    episode: VertexId,
) -> FactId {
    let id = edit.new_fact();
    let meta = FactMeta::new(Origin::Llm, Timestamp(0), [episode]);
    edit.put(Record::Triple(Triple { id, subject, relation: relation.into(), object, meta }));
    id
}
