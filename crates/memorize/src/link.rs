use std::collections::BTreeSet;

use loci_graph::{Edit, Graph, Object, ObjectKind, Vertex, VertexId, normalize_name};

use crate::{Likeness, context::contexts_disagree, short_form::is_short_for};

/// A name met in an episode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mention<'a> {
    pub name: &'a str,
    pub kind: ObjectKind,
    /// Other names the same source gives it.
    pub aliases: &'a [String],
    pub episode: VertexId,
}

impl<'a> Mention<'a> {
    fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        std::iter::once(self.name).chain(self.aliases.iter().map(String::as_str))
    }
}

/// The object a mention stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linked {
    pub object: VertexId,
    pub new: bool,
    /// Objects that may be the same thing; a model or the user is to say.
    pub undecided: Vec<VertexId>,
}

/// Finds the object a mention stands for, or makes one: exact name or alias, then a spelling of one, then a short
/// form of a name on the same page. What is only near stays apart and is reported as undecided.
pub(crate) fn link(edit: &mut Edit<'_>, mention: &Mention<'_>, likeness: &dyn Likeness) -> Linked {
    let found = find(edit.graph(), mention, likeness);
    match found.same {
        Some(object) => {
            absorb(edit, object, mention);
            Linked { object, new: false, undecided: Vec::new() }
        }
        None => {
            let object = edit.new_vertex();
            let name = mention.name.trim().to_owned();
            let aliases = mention.aliases.iter().filter(|alias| **alias != name).cloned().collect();
            let mentions = BTreeSet::from([mention.episode]);
            edit.put_vertex(Vertex::Object(Object {
                id: object,
                name,
                kind: mention.kind,
                aliases,
                mentions,
            }));
            Linked { object, new: true, undecided: found.undecided }
        }
    }
}

/// How well an object fits a mention of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Different,
    Unclear,
    Same,
    SamePage,
    SameEpisode,
}

#[derive(Default)]
struct Found {
    same: Option<VertexId>,
    undecided: Vec<VertexId>,
}

fn find(graph: &Graph, mention: &Mention<'_>, likeness: &dyn Likeness) -> Found {
    let mut undecided = Vec::new();
    for candidates in [exact, spellings, short_forms] {
        let fits: Vec<(Fit, VertexId)> =
            candidates(graph, mention).into_iter().map(|id| (fit(graph, id, mention), id)).collect();
        let best = fits
            .iter()
            .filter(|(fit, _)| *fit >= Fit::Same)
            .max_by_key(|(fit, id)| (*fit, graph.degree(*id), std::cmp::Reverse(*id)));
        if let Some((_, id)) = best {
            return Found { same: Some(*id), undecided: Vec::new() };
        }
        undecided.extend(fits.iter().filter(|(fit, _)| *fit == Fit::Unclear).map(|(_, id)| *id));
    }
    if mention.kind != ObjectKind::Value {
        let near = likeness.objects(mention.name, mention.kind).into_iter();
        let near = near.filter(|(id, cosine)| *cosine >= NEAR && fit(graph, *id, mention) > Fit::Different);
        undecided.extend(near.map(|(id, _)| id));
    }
    undecided.sort_unstable();
    undecided.dedup();
    Found { same: None, undecided }
}

fn exact(graph: &Graph, mention: &Mention<'_>) -> BTreeSet<VertexId> {
    mention.names().flat_map(|name| graph.named(name)).collect()
}

fn spellings(graph: &Graph, mention: &Mention<'_>) -> BTreeSet<VertexId> {
    mention.names().flat_map(|name| graph.loosely_named(name)).collect()
}

/// Cosine (e5) from which two names are worth asking about.
const NEAR: f32 = 0.9;

fn fit(graph: &Graph, id: VertexId, mention: &Mention<'_>) -> Fit {
    let Some(object) = graph.object(id) else { return Fit::Different };
    if !kinds_agree(object.kind, mention.kind) {
        return Fit::Different;
    }
    if object.mentions.contains(&mention.episode) {
        return Fit::SameEpisode;
    }
    if contexts_disagree(graph, id, mention.name, mention.episode) {
        return Fit::Unclear;
    }
    let page = |episode: VertexId| graph.episode(episode).map(|episode| episode.page);
    let here = page(mention.episode);
    if object.mentions.iter().any(|episode| page(*episode) == here) {
        return Fit::SamePage;
    }
    Fit::Same
}

/// Whether two kinds may be given to one thing. A value is never a thing; what models take for each other agrees.
pub(crate) fn kinds_agree(a: ObjectKind, b: ObjectKind) -> bool {
    use ObjectKind::{Concept, Event, Organisation, Person, Place, Product, Unknown, Value, Work};
    let vague = |kind| matches!(kind, Concept | Work | Product | Event);
    match (a, b) {
        _ if a == b => true,
        (Unknown, _) | (_, Unknown) => true,
        (Value, _) | (_, Value) => false,
        (Person | Place | Organisation, _) | (_, Person | Place | Organisation) => false,
        _ => vague(a) && vague(b),
    }
}

/// Objects of the same page of which the mention is a short form, or the other way round, when only one is.
fn short_forms(graph: &Graph, mention: &Mention<'_>) -> BTreeSet<VertexId> {
    let Some(page) = graph.episode(mention.episode).map(|episode| episode.page) else {
        return BTreeSet::new();
    };
    let on_page: BTreeSet<VertexId> =
        graph.episodes_of(page).flat_map(|episode| graph.objects_in(episode.id)).collect();
    let matching = |id: &VertexId| {
        graph.object(*id).is_some_and(|object| {
            kinds_agree(object.kind, mention.kind)
                && object.names().any(|name| {
                    is_short_for(mention.name, name, mention.kind)
                        || is_short_for(name, mention.name, object.kind)
                })
        })
    };
    let found: BTreeSet<VertexId> = on_page.into_iter().filter(matching).collect();
    if found.len() == 1 { found } else { BTreeSet::new() }
}

/// Adds what the mention says of its object: where it occurs, how it is written, what kind it is.
fn absorb(edit: &mut Edit<'_>, id: VertexId, mention: &Mention<'_>) {
    edit.mention(id, mention.episode);
    let Some(object) = edit.graph().object(id) else { return };
    let known: BTreeSet<String> = object.names().map(normalize_name).collect();
    let names = std::iter::once(mention.name.trim()).chain(mention.aliases.iter().map(String::as_str));
    let new: Vec<String> =
        names.filter(|name| !known.contains(&normalize_name(name))).map(str::to_owned).collect();
    let learns_kind = object.kind == ObjectKind::Unknown && mention.kind != ObjectKind::Unknown;
    let full = new.iter().find(|name| is_short_for(&object.name, name, mention.kind)).cloned();
    if new.is_empty() && !learns_kind {
        return;
    }
    edit.change_object(id, |object| {
        object.aliases.extend(new);
        // The full name is shown, whichever was met first.
        if let Some(full) = full {
            let short = std::mem::replace(&mut object.name, full);
            object.aliases.insert(short);
        }
        object.aliases.remove(&object.name);
        if learns_kind {
            object.kind = mention.kind;
        }
    });
}
