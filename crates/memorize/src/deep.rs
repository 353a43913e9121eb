use std::collections::{BTreeMap, BTreeSet};

use loci_graph::{
    Edit, FactId, FactMeta, Graph, Key, ObjectKind, Origin, Thesis, Vertex, VertexId, Via, normalize_name,
};

use crate::{
    Likeness,
    link::{Mention, link},
    triple::{Statement, state},
    update::settle,
    validity::validity,
};

/// What a model read out of one episode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    pub objects: Vec<(String, ObjectKind)>,
    /// Subject, relation, object.
    pub triples: Vec<(String, String, String)>,
    /// A statement and the names of the objects it is about.
    pub theses: Vec<(String, Vec<String>)>,
}

/// What the deep pass over one episode changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeepReport {
    /// Objects that the episode mentions, and which of them were not known before.
    pub objects: Vec<VertexId>,
    pub new_objects: Vec<VertexId>,
    /// Triples and theses that the episode supports, and which were not known before.
    pub triples: Vec<FactId>,
    pub new_triples: Vec<FactId>,
    pub theses: Vec<VertexId>,
    pub new_theses: Vec<VertexId>,
    /// Names and theses that no text of the page bears out, dropped.
    pub ungrounded: usize,
    /// Facts made outdated, each with the new triple that did it.
    pub retired: Vec<(Key, FactId)>,
    /// Pairs that contradict each other without an order.
    pub conflicts: Vec<(FactId, FactId)>,
    /// New triples that were past when they came.
    pub past: Vec<FactId>,
    /// A new object and an older one that may be the same: ask a model, then [`Edit::merge`] the first into the
    /// second on yes.
    pub undecided: Vec<(VertexId, VertexId)>,
}

/// The deep pass: makes what a model read out of an episode part of the memory and marks the episode as read.
/// Facts are taken one by one, so that later ones see earlier ones. Doing it again changes nothing, as
/// long as no two things bear one name.
///
/// Does nothing when `episode` is none.
pub fn memorize_extracted(
    edit: &mut Edit<'_>,
    episode: VertexId,
    extracted: &Extracted,
    likeness: &dyn Likeness,
) -> DeepReport {
    let mut report = DeepReport::default();
    if edit.graph().episode(episode).is_none() {
        return report;
    }
    let grounding = grounding(edit.graph(), episode);
    let mut names = Names { episode, likeness, kinds: kinds(extracted), linked: BTreeMap::new() };
    for (name, _) in &extracted.objects {
        match grounding.contains(name) {
            true => drop(names.object(edit, name, &mut report)),
            false => report.ungrounded += 1,
        }
    }
    for (subject, relation, object) in &extracted.triples {
        if !grounding.contains(subject) || !grounding.contains(object) || relation.trim().is_empty() {
            report.ungrounded += 1;
            continue;
        }
        let valid = validity(edit.graph(), episode, subject, object);
        let subject = names.object(edit, subject, &mut report);
        let object = names.object(edit, object, &mut report);
        if subject != object {
            let statement = Statement { subject, relation, object, valid };
            add_triple(edit, episode, &statement, likeness, &mut report);
        }
    }
    for (text, mentioned) in &extracted.theses {
        let mentioned: Vec<&String> = mentioned.iter().filter(|name| grounding.contains(name)).collect();
        if mentioned.is_empty() || text.trim().is_empty() {
            report.ungrounded += 1;
            continue;
        }
        let objects = mentioned.into_iter().map(|name| names.object(edit, name, &mut report)).collect();
        add_thesis(edit, episode, text, objects, &mut report);
    }
    edit.change_episode(episode, |episode| episode.deep = true);
    report
}

/// Links each name of one episode once.
struct Names<'a> {
    episode: VertexId,
    likeness: &'a dyn Likeness,
    kinds: BTreeMap<String, ObjectKind>,
    linked: BTreeMap<String, VertexId>,
}

impl Names<'_> {
    fn object(&mut self, edit: &mut Edit<'_>, name: &str, report: &mut DeepReport) -> VertexId {
        let normal = normalize_name(name);
        if let Some(&object) = self.linked.get(&normal) {
            return object;
        }
        let kind = self.kinds.get(&normal).copied().unwrap_or_default();
        let mention = Mention { name, kind, aliases: &[], episode: self.episode };
        let linked = link(edit, &mention, self.likeness);
        self.linked.insert(normal, linked.object);
        if !report.objects.contains(&linked.object) {
            report.objects.push(linked.object);
        }
        if linked.new {
            report.new_objects.push(linked.object);
        }
        report.undecided.extend(linked.undecided.into_iter().map(|other| (linked.object, other)));
        linked.object
    }
}

fn kinds(extracted: &Extracted) -> BTreeMap<String, ObjectKind> {
    let known = extracted.objects.iter().filter(|(_, kind)| *kind != ObjectKind::Unknown);
    known.map(|(name, kind)| (normalize_name(name), *kind)).collect()
}

fn add_triple(
    edit: &mut Edit<'_>,
    episode: VertexId,
    statement: &Statement<'_>,
    likeness: &dyn Likeness,
    report: &mut DeepReport,
) {
    let stated = state(edit, statement, FactMeta::new(Origin::Llm, edit.at(), [episode]));
    if !report.triples.contains(&stated.fact) {
        report.triples.push(stated.fact);
    }
    if stated.new {
        let settled = settle(edit, stated.fact, likeness);
        report.new_triples.push(stated.fact);
        report.retired.extend(settled.retired.into_iter().map(|old| (old, stated.fact)));
        report.conflicts.extend(settled.conflicts.into_iter().map(|other| (stated.fact, other)));
        report.past.extend(settled.past.map(|_| stated.fact));
    }
}

fn add_thesis(
    edit: &mut Edit<'_>,
    episode: VertexId,
    text: &str,
    objects: BTreeSet<VertexId>,
    report: &mut DeepReport,
) {
    let known = known_thesis(edit.graph(), text, &objects);
    let id = known.unwrap_or_else(|| {
        let id = edit.new_vertex();
        let meta = FactMeta::new(Origin::Llm, edit.at(), [episode]);
        let text = text.trim().to_owned();
        edit.put_vertex(Vertex::Thesis(Thesis { id, text, objects, meta }));
        report.new_theses.push(id);
        id
    });
    edit.support(Key::Vertex(id), episode);
    if !report.theses.contains(&id) {
        report.theses.push(id);
    }
}

/// A thesis of the same text about one of the same objects, unless a newer fact has outdated it.
fn known_thesis(graph: &Graph, text: &str, objects: &BTreeSet<VertexId>) -> Option<VertexId> {
    let normal = normalize_name(text);
    let theses =
        objects.iter().flat_map(|object| graph.edges(*object)).filter(|edge| edge.via == Via::Thesis);
    let same = theses.map(|edge| edge.to).filter(|id| {
        graph.thesis(*id).is_some_and(|thesis| {
            thesis.meta.retired.is_none_or(|retired| retired.by.is_none())
                && normalize_name(&thesis.text) == normal
        })
    });
    same.min()
}

/// The text that names may be taken from: the passage, its headings, the page's title and the names known on the
/// page.
struct Grounding(String);

impl Grounding {
    fn contains(&self, name: &str) -> bool {
        let normal = normalize_name(name);
        !normal.is_empty() && self.0.contains(&normal)
    }
}

fn grounding(graph: &Graph, episode: VertexId) -> Grounding {
    let Some(episode) = graph.episode(episode) else { return Grounding(String::new()) };
    let mut text = normalize_name(&episode.text);
    let mut add = |more: &str| {
        text.push('\n');
        text.push_str(&normalize_name(more));
    };
    episode.headings.iter().for_each(|heading| add(heading));
    if let Some(page) = graph.page(episode.page) {
        add(&page.title);
    }
    let on_page: BTreeSet<VertexId> =
        graph.episodes_of(episode.page).flat_map(|episode| graph.objects_in(episode.id)).collect();
    for object in on_page.into_iter().filter_map(|id| graph.object(id)) {
        object.names().for_each(&mut add);
    }
    Grounding(text)
}
