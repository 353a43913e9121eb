use std::collections::{BTreeSet, HashMap};

use crate::{
    Edit, FactId, Key, Object, ObjectKind, Record, Thesis, Triple, Vertex, VertexId, Via,
    bearing::{bearing_text, drop_names, names_only_in},
    normalize_name,
};

/// Whether two objects are one thing or one is two: decided by the user or by a model, and undone like any other
/// transaction.
impl Edit<'_> {
    /// Makes `gone` part of `kept`: every edge, alias, mention and provenance entry moves. Triples that become the
    /// same are folded into one; a triple between the two would say nothing any more and goes.
    ///
    /// Does nothing unless both are objects and differ.
    pub fn merge(&mut self, kept: VertexId, gone: VertexId) {
        let (Some(left), Some(right)) =
            (self.graph().object(kept).cloned(), self.graph().object(gone).cloned())
        else {
            return;
        };
        if kept == gone {
            return;
        }
        self.put_vertex(Vertex::Object(united(left, right)));
        let theses: Vec<Thesis> = self.theses_with(gone);
        for mut thesis in theses {
            thesis.objects.remove(&gone);
            thesis.objects.insert(kept);
            self.put_vertex(Vertex::Thesis(thesis));
        }
        let moved: BTreeSet<FactId> = self.graph().triples_at(gone).map(|triple| triple.id).collect();
        for id in moved {
            let replace = |vertex: &mut VertexId| *vertex = if *vertex == gone { kept } else { *vertex };
            self.change_triple(id, |triple| {
                replace(&mut triple.subject);
                replace(&mut triple.object);
            });
            if self.graph().triple(id).is_some_and(|triple| triple.subject == triple.object) {
                self.remove_fact(Key::Triple(id));
            }
        }
        self.fold_equal_triples(kept);
        self.remove(Key::Vertex(gone));
    }

    /// Takes a second thing out of `from`: what `episodes` say of it belongs to a new object of this name, kind and
    /// these aliases, to which come the names that `from` bears only there. Facts supported on both sides stay on
    /// both, each with its own support.
    ///
    /// Returns the new object, or nothing when `from` is no object or no mention of it is in `episodes`, or all are.
    pub fn split(
        &mut self,
        from: VertexId,
        name: &str,
        kind: ObjectKind,
        aliases: &BTreeSet<String>,
        episodes: &BTreeSet<VertexId>,
    ) -> Option<VertexId> {
        let old = self.graph().object(from)?.clone();
        let mentions: BTreeSet<VertexId> = old.mentions.intersection(episodes).copied().collect();
        if mentions.is_empty() || mentions.len() == old.mentions.len() {
            return None;
        }
        let new = self.new_vertex();
        self.change_object(from, |object| object.mentions.retain(|episode| !mentions.contains(episode)));
        let text: String = mentions.iter().map(|episode| bearing_text(self.graph(), *episode)).collect();
        let remaining = self.graph().object(from)?;
        let mut moved = names_only_in(self.graph(), remaining, &text);
        moved.extend(aliases.iter().cloned());
        self.change_object(from, |object| drop_names(object, &moved));
        moved.remove(name);
        let aliases = moved;
        self.put_vertex(Vertex::Object(Object {
            id: new,
            name: name.to_owned(),
            kind,
            aliases,
            mentions: mentions.clone(),
        }));
        for thesis in self.theses_with(from) {
            self.split_thesis(thesis, from, new, &mentions);
        }
        let triples: BTreeSet<FactId> = self.graph().triples_at(from).map(|triple| triple.id).collect();
        for id in triples {
            self.split_triple(id, from, new, &mentions);
        }
        Some(new)
    }

    fn split_thesis(&mut self, thesis: Thesis, from: VertexId, new: VertexId, episodes: &BTreeSet<VertexId>) {
        let (theirs, ours): (BTreeSet<_>, BTreeSet<_>) =
            thesis.meta.support.iter().copied().partition(|episode| episodes.contains(episode));
        if theirs.is_empty() {
            return;
        }
        let mut moved = thesis.clone();
        moved.objects.remove(&from);
        moved.objects.insert(new);
        if !ours.is_empty() {
            moved.id = self.new_vertex();
            moved.meta.support = theirs;
            self.change_thesis(thesis.id, |thesis| thesis.meta.support = ours);
        }
        let halves = BTreeSet::from([Key::Vertex(thesis.id), Key::Vertex(moved.id)]);
        self.put_vertex(Vertex::Thesis(moved));
        halves.into_iter().for_each(|half| self.check_current(half));
    }

    fn split_triple(&mut self, id: FactId, from: VertexId, new: VertexId, episodes: &BTreeSet<VertexId>) {
        let Some(triple) = self.graph().triple(id).cloned() else { return };
        let (theirs, ours): (BTreeSet<_>, BTreeSet<_>) =
            triple.meta.support.iter().copied().partition(|episode| episodes.contains(episode));
        if theirs.is_empty() {
            return;
        }
        let replace = |vertex: VertexId| if vertex == from { new } else { vertex };
        let mut moved =
            Triple { subject: replace(triple.subject), object: replace(triple.object), ..triple.clone() };
        // Facts about two different things neither contradict nor outdate each other.
        for other in triple.meta.conflicts {
            self.clear_conflict(id, other);
        }
        moved.meta.conflicts.clear();
        if !ours.is_empty() {
            moved.id = self.new_fact();
            moved.meta.support = theirs;
            self.change_triple(id, |triple| triple.meta.support = ours);
        }
        let halves = BTreeSet::from([id, moved.id]);
        self.put(Record::Triple(moved));
        for half in halves {
            self.reopen_across(half);
            self.check_current(Key::Triple(half));
        }
    }

    /// Believes again what a triple outdated, or what outdated it, when the two no longer share an object.
    fn reopen_across(&mut self, id: FactId) {
        let graph = self.graph();
        let Some(triple) = graph.triple(id) else { return };
        let apart = |a: Key, b: Key| graph.objects_of(a).is_disjoint(&graph.objects_of(b));
        let mut reopened: Vec<Key> =
            graph.retired_by(id).filter(|other| apart(Key::Triple(id), *other)).collect();
        if let Some(by) = triple.meta.retired.and_then(|retired| retired.by)
            && apart(Key::Triple(id), Key::Triple(by))
        {
            reopened.push(Key::Triple(id));
        }
        for fact in reopened {
            self.reopen(fact);
            self.check_current(fact);
        }
    }

    fn theses_with(&self, object: VertexId) -> Vec<Thesis> {
        let theses = self.graph().edges(object).filter(|edge| edge.via == Via::Thesis);
        theses.filter_map(|edge| self.graph().thesis(edge.to).cloned()).collect()
    }

    /// Folds triples at `vertex` that say the same: the oldest keeps the support of all.
    fn fold_equal_triples(&mut self, vertex: VertexId) {
        let mut ids: Vec<FactId> = self.graph().triples_at(vertex).map(|triple| triple.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut first = HashMap::new();
        for id in ids {
            let Some(triple) = self.graph().triple(id).cloned() else { continue };
            let retired_by = triple.meta.retired.and_then(|retired| retired.by);
            let relation = normalize_name(&triple.relation);
            let says = (triple.subject, relation, triple.object, triple.meta.valid, retired_by);
            match first.get(&says) {
                None => drop(first.insert(says, id)),
                Some(&kept) => self.fold_triple(kept, triple),
            }
        }
    }

    fn fold_triple(&mut self, kept: FactId, gone: Triple) {
        for outdated in self.graph().retired_by(gone.id).collect::<Vec<_>>() {
            self.change_meta(outdated, |meta| {
                if let Some(retired) = &mut meta.retired {
                    retired.by = Some(kept);
                }
            });
        }
        for &other in &gone.meta.conflicts {
            self.clear_conflict(gone.id, other);
            if other != kept {
                self.flag_conflict(kept, other);
            }
        }
        self.change_triple(kept, |triple| {
            triple.meta.support.extend(gone.meta.support);
            triple.meta.confidence = triple.meta.confidence.max(gone.meta.confidence);
            triple.meta.origin = triple.meta.origin.max(gone.meta.origin);
            triple.meta.recorded = triple.meta.recorded.min(gone.meta.recorded);
        });
        self.remove(Key::Triple(gone.id));
        self.check_current(Key::Triple(kept));
    }
}

fn united(mut kept: Object, gone: Object) -> Object {
    kept.aliases.extend(gone.aliases);
    kept.aliases.insert(gone.name);
    kept.aliases.remove(&kept.name);
    kept.mentions.extend(gone.mentions);
    if kept.kind == ObjectKind::Unknown {
        kept.kind = gone.kind;
    }
    kept
}
