use std::collections::BTreeSet;

use loci_graph::{
    Cause, Edit, Episode, FactMeta, Object, ObjectKind, Origin, Page, PageId, Record, Thesis, Timestamp,
};

use super::*;

fn put_page(edit: &mut Edit, title: &str, texts: &[&str]) -> (PageId, Vec<VertexId>) {
    let id = edit.new_page();
    let episodes: Vec<VertexId> = texts.iter().map(|_| edit.new_vertex()).collect();
    let page = Page {
        id,
        url: format!("https://example.test/{}", id.0),
        title: title.into(),
        site: None,
        author: None,
        language: None,
        published: None,
        first_captured: Timestamp(0),
        captured: Timestamp(0),
        version: 1,
        episodes: episodes.clone(),
    };
    edit.put(Record::Page(page));
    for (ordinal, (&id_of_episode, text)) in episodes.iter().zip(texts).enumerate() {
        edit.put_vertex(Vertex::Episode(Episode {
            id: id_of_episode,
            page: id,
            ordinal: ordinal as u32,
            text: (*text).into(),
            headings: Vec::new(),
            hash: 0,
            captured: Timestamp(0),
            deep: false,
            vanished: None,
        }));
    }
    (id, episodes)
}

fn put_object(edit: &mut Edit, name: &str, mentions: &[VertexId]) -> VertexId {
    let id = edit.new_vertex();
    edit.put_vertex(Vertex::Object(Object {
        id,
        name: name.into(),
        kind: ObjectKind::Unknown,
        aliases: BTreeSet::new(),
        mentions: mentions.iter().copied().collect(),
    }));
    id
}

fn put_triple(
    edit: &mut Edit,
    subject: VertexId,
    relation: &str,
    object: VertexId,
    support: VertexId,
) -> Item {
    let id = edit.new_fact();
    let meta = FactMeta::new(Origin::Llm, Timestamp(0), [support]);
    edit.put(Record::Triple(Triple { id, subject, relation: relation.into(), object, meta }));
    Item::Triple(id)
}

/// Every observable answer of the two indexes agrees.
fn assert_same(graph: &Graph, incremental: &Indexes) {
    let fresh = Indexes::build(graph);
    assert_eq!(incremental.texts, fresh.texts);
    assert_eq!(incremental.mentions, fresh.mentions);
    assert_eq!(incremental.mentioned_by, fresh.mentioned_by);
    for kind in Kind::ALL {
        for query in ["curie", "radium", "paris", "warsaw born", "清华"] {
            let (found, expected) =
                (incremental.search_lexical(kind, query, 20), fresh.search_lexical(kind, query, 20));
            assert_eq!(found.len(), expected.len(), "{kind:?} {query}");
            for (a, b) in found.iter().zip(&expected) {
                assert!((a.score - b.score).abs() < 1e-4, "{kind:?} {query}");
            }
        }
    }
}

#[test]
fn following_transactions_equals_building_anew() {
    let mut graph = Graph::default();
    let mut indexes = Indexes::build(&graph);
    let mut history = Vec::new();

    let mut edit = graph.edit(Timestamp(1), Cause::UserEdit);
    let (_, episodes) =
        put_page(&mut edit, "Marie Curie", &["She discovered radium in Paris.", "Born in Warsaw."]);
    let curie = put_object(&mut edit, "Marie Curie", &episodes);
    let radium = put_object(&mut edit, "Radium", &episodes[..1]);
    put_triple(&mut edit, curie, "discovered", radium, episodes[0]);
    history.push(edit.finish());
    indexes.apply(&graph, &history[0]);
    assert_same(&graph, &indexes);

    // A page about something an older passage mentions links the older passage to it.
    let mut edit = graph.edit(Timestamp(2), Cause::UserEdit);
    let (paris, _) = put_page(&mut edit, "Paris - Encyclopedia", &["A city. 清华大学 is not in it."]);
    let thesis = edit.new_vertex();
    edit.put_vertex(Vertex::Thesis(Thesis {
        id: thesis,
        text: "Marie Curie discovered radium.".into(),
        objects: [curie, radium].into(),
        meta: FactMeta::new(Origin::Llm, Timestamp(0), [episodes[0]]),
    }));
    history.push(edit.finish());
    indexes.apply(&graph, &history[1]);
    assert_eq!(indexes.mentioned_by(Named::Page(paris)).next(), Some(episodes[0]));
    assert_same(&graph, &indexes);

    // A renamed object changes its triples' texts and its mentions.
    let mut edit = graph.edit(Timestamp(3), Cause::UserEdit);
    let mut renamed = edit.graph().object(radium).expect("put above").clone();
    renamed.name = "Warsaw".into();
    edit.put_vertex(Vertex::Object(renamed));
    history.push(edit.finish());
    indexes.apply(&graph, &history[2]);
    assert_eq!(indexes.search_lexical(Kind::Triple, "warsaw", 5).len(), 1);
    assert_same(&graph, &indexes);

    for index in [2, 1, 0] {
        let undone = graph.undo(&history[index], Timestamp(4)).expect("nothing came between");
        indexes.apply(&graph, &undone);
        assert_same(&graph, &indexes);
    }
    assert_eq!(indexes.without_vector().count(), 0);
}

#[test]
fn a_vector_belongs_to_a_text_and_goes_with_it() {
    let mut graph = Graph::default();
    let mut edit = graph.edit(Timestamp(1), Cause::UserEdit);
    let (_, episodes) = put_page(&mut edit, "T", &["one", "two"]);
    edit.finish();
    let mut indexes = Indexes::build(&graph);
    let (one, two) = (Item::Vertex(episodes[0]), Item::Vertex(episodes[1]));
    assert_eq!(indexes.without_vector().collect::<Vec<_>>(), [one, two]);

    indexes.set_vector(one, &[1.0, 0.0, 0.5]).expect("usable");
    indexes.set_vector(two, &[0.0, 1.0, 0.0]).expect("usable");
    assert_eq!(indexes.without_vector().count(), 0);
    let found = indexes.search_dense(Kind::Episode, &[0.0, 2.0, 0.0], 2);
    assert_eq!(found[0].item, two);
    assert!((found[0].score - 1.0).abs() < 1e-3);

    let mut edit = graph.edit(Timestamp(2), Cause::UserEdit);
    let mut changed = edit.graph().episode(episodes[1]).expect("put above").clone();
    changed.text = "three".into();
    edit.put_vertex(Vertex::Episode(changed));
    let transaction = edit.finish();
    indexes.apply(&graph, &transaction);
    assert_eq!(indexes.without_vector().collect::<Vec<_>>(), [two]);
    assert_eq!(indexes.search_dense(Kind::Episode, &[0.0, 1.0, 0.0], 2).len(), 1);
}

#[test]
fn unusable_vectors_are_refused_and_leave_no_trace() {
    let mut graph = Graph::default();
    let mut edit = graph.edit(Timestamp(1), Cause::UserEdit);
    let (_, episodes) = put_page(&mut edit, "T", &["one", "two"]);
    edit.finish();
    let mut indexes = Indexes::build(&graph);
    let (one, two) = (Item::Vertex(episodes[0]), Item::Vertex(episodes[1]));
    assert_eq!(indexes.set_vector(one, &[f32::NAN, 1.0]), Err(VectorError::NotFinite));
    assert_eq!(indexes.set_vector(one, &[0.0, 0.0]), Err(VectorError::Zero));
    assert_eq!(indexes.set_vector(one, &[]), Err(VectorError::Zero));
    assert_eq!(indexes.set_vector(one, &[1.0, 0.0]), Ok(()));
    assert_eq!(indexes.set_vector(two, &[1.0]), Err(VectorError::Dimension { expected: 2, found: 1 }));
    assert_eq!(indexes.without_vector().collect::<Vec<_>>(), [two]);
    for query in [&[f32::INFINITY, 0.0][..], &[0.0, 0.0], &[1.0], &[]] {
        assert!(indexes.search_dense(Kind::Episode, query, 3).is_empty());
    }
    assert_eq!(indexes.set_vector(Item::Vertex(VertexId(999)), &[1.0, 1.0]), Ok(()));
}
