use std::collections::BTreeSet;

use crate::{
    Edit, Episode, FactId, FactMeta, Key, Object, Page, PageId, Record, Retired, Thesis, Timestamp, Triple,
    Vertex, VertexId, Via, bearing::bearing_text,
};

/// Changes that keep the graph whole: what one record says of another stays true in both.
impl Edit<'_> {
    /// Changes a page in place and returns what `change` does; nothing when there is none.
    pub fn change_page<R>(&mut self, id: PageId, change: impl FnOnce(&mut Page) -> R) -> Option<R> {
        let mut page = self.graph().page(id).cloned()?;
        let result = change(&mut page);
        self.put(Record::Page(page));
        Some(result)
    }

    /// Changes an object in place and returns what `change` does; nothing when there is none.
    pub fn change_object<R>(&mut self, id: VertexId, change: impl FnOnce(&mut Object) -> R) -> Option<R> {
        let mut object = self.graph().object(id).cloned()?;
        let result = change(&mut object);
        self.put_vertex(Vertex::Object(object));
        Some(result)
    }

    /// Changes a thesis in place and returns what `change` does; nothing when there is none.
    pub fn change_thesis<R>(&mut self, id: VertexId, change: impl FnOnce(&mut Thesis) -> R) -> Option<R> {
        let mut thesis = self.graph().thesis(id).cloned()?;
        let result = change(&mut thesis);
        self.put_vertex(Vertex::Thesis(thesis));
        Some(result)
    }

    /// Changes an episode in place and returns what `change` does; nothing when there is none.
    pub fn change_episode<R>(&mut self, id: VertexId, change: impl FnOnce(&mut Episode) -> R) -> Option<R> {
        let mut episode = self.graph().episode(id).cloned()?;
        let result = change(&mut episode);
        self.put_vertex(Vertex::Episode(episode));
        Some(result)
    }

    /// Changes a triple in place and returns what `change` does; nothing when there is none.
    pub fn change_triple<R>(&mut self, id: FactId, change: impl FnOnce(&mut Triple) -> R) -> Option<R> {
        let mut triple = self.graph().triple(id).cloned()?;
        let result = change(&mut triple);
        self.put(Record::Triple(triple));
        Some(result)
    }

    /// Changes what a fact, triple or thesis, knows of its support, time and trust.
    pub fn change_meta<R>(&mut self, fact: Key, change: impl FnOnce(&mut FactMeta) -> R) -> Option<R> {
        match fact {
            Key::Triple(id) => self.change_triple(id, |triple| change(&mut triple.meta)),
            Key::Vertex(id) => self.change_thesis(id, |thesis| change(&mut thesis.meta)),
            Key::Page(_) => None,
        }
    }

    /// Records that `episode` mentions the object.
    pub fn mention(&mut self, object: VertexId, episode: VertexId) {
        if self.graph().object(object).is_some_and(|object| !object.mentions.contains(&episode)) {
            self.change_object(object, |object| object.mentions.insert(episode));
        }
    }

    /// Adds `episode` to the support of a fact and to the mentions of its objects.
    pub fn support(&mut self, fact: Key, episode: VertexId) {
        if self.graph().meta(fact).is_some_and(|meta| !meta.support.contains(&episode)) {
            self.change_meta(fact, |meta| meta.support.insert(episode));
        }
        self.check_current(fact);
        for object in self.graph().objects_of(fact) {
            self.mention(object, episode);
        }
    }

    /// Stops believing a fact since `by` made it outdated. `end` closes its validity where the text left it open.
    pub fn retire(&mut self, fact: Key, by: Option<FactId>, end: Option<Timestamp>) {
        let at = self.at();
        self.change_meta(fact, |meta| {
            let open = meta.valid.to.is_none();
            let end = end.filter(|end| open && meta.valid.from.is_none_or(|from| from < *end));
            meta.valid.to = meta.valid.to.or(end);
            meta.retired = Some(Retired { at, by, ended: end.is_some() });
        });
    }

    /// Believes a retired fact again.
    pub fn reopen(&mut self, fact: Key) {
        self.change_meta(fact, |meta| {
            if meta.retired.take().is_some_and(|retired| retired.ended) {
                meta.valid.to = None;
            }
        });
    }

    /// Retires a fact that no current episode states, and believes one again that is stated again. What a triple
    /// made outdated stays so.
    pub fn check_current(&mut self, fact: Key) {
        let Some(meta) = self.graph().meta(fact) else { return };
        match (meta.retired, self.graph().is_stated(meta)) {
            (None, false) => self.retire(fact, None, None),
            (Some(Retired { by: None, .. }), true) => self.reopen(fact),
            _ => {}
        }
    }

    /// Marks an episode as no longer shown by its page, or as shown again, and its facts with it.
    pub fn set_vanished(&mut self, id: VertexId, vanished: Option<Timestamp>) {
        if self.graph().episode(id).is_none_or(|episode| episode.vanished == vanished) {
            return;
        }
        self.change_episode(id, |episode| episode.vanished = vanished);
        for fact in self.graph().facts_of(id) {
            self.check_current(fact);
        }
    }

    /// Flags two triples as contradicting each other.
    pub fn flag_conflict(&mut self, a: FactId, b: FactId) {
        self.change_triple(a, |triple| triple.meta.conflicts.insert(b));
        self.change_triple(b, |triple| triple.meta.conflicts.insert(a));
    }

    /// Takes the flag of [`Edit::flag_conflict`] back.
    pub fn clear_conflict(&mut self, a: FactId, b: FactId) {
        self.change_triple(a, |triple| triple.meta.conflicts.remove(&b));
        self.change_triple(b, |triple| triple.meta.conflicts.remove(&a));
    }

    /// Removes a triple or thesis. What it had made outdated is believed again; its objects stay.
    pub fn remove_fact(&mut self, fact: Key) {
        if let Key::Triple(id) = fact {
            for outdated in self.graph().retired_by(id).collect::<Vec<_>>() {
                self.reopen(outdated);
                self.check_current(outdated);
            }
            let conflicts = self.graph().triple(id).map(|triple| triple.meta.conflicts.clone());
            for other in conflicts.unwrap_or_default() {
                self.clear_conflict(id, other);
            }
        }
        self.remove(fact);
    }

    /// Removes an episode and everything that nothing else supports: facts lose the support and go when it was
    /// their last, objects lose the mention, and the names they bear only there, and go likewise.
    pub fn remove_episode(&mut self, id: VertexId) {
        for fact in self.graph().facts_of(id) {
            self.change_meta(fact, |meta| meta.support.remove(&id));
            match self.graph().meta(fact).is_some_and(|meta| meta.support.is_empty()) {
                true => self.remove_fact(fact),
                false => self.check_current(fact),
            }
        }
        let text = bearing_text(self.graph(), id);
        for object in self.graph().objects_in(id) {
            self.change_object(object, |object| object.mentions.remove(&id));
            match self.graph().object(object).is_some_and(|object| object.mentions.is_empty()) {
                true => self.remove(Key::Vertex(object)),
                false => self.forget_names(object, &text),
            }
        }
        if let Some(page) = self.graph().episode(id).map(|episode| episode.page) {
            self.change_page(page, |page| page.episodes.retain(|other| *other != id));
        }
        self.remove(Key::Vertex(id));
    }

    /// Removes a page, all its episodes and everything that only they support.
    pub fn remove_page(&mut self, id: PageId) {
        let episodes: Vec<VertexId> = self.graph().episodes_of(id).map(|episode| episode.id).collect();
        for episode in episodes {
            self.remove_episode(episode);
        }
        self.remove(Key::Page(id));
    }
}

/// What hangs together.
impl crate::Graph {
    /// Support, time and trust of a triple or thesis.
    pub fn meta(&self, fact: Key) -> Option<&FactMeta> {
        match fact {
            Key::Triple(id) => self.triple(id).map(|triple| &triple.meta),
            Key::Vertex(id) => self.thesis(id).map(|thesis| &thesis.meta),
            Key::Page(_) => None,
        }
    }

    /// The objects that a triple or thesis is about.
    pub fn objects_of(&self, fact: Key) -> BTreeSet<VertexId> {
        match fact {
            Key::Triple(id) => self
                .triple(id)
                .map(|triple| BTreeSet::from([triple.subject, triple.object]))
                .unwrap_or_default(),
            Key::Vertex(id) => self.thesis(id).map(|thesis| thesis.objects.clone()).unwrap_or_default(),
            Key::Page(_) => BTreeSet::new(),
        }
    }

    /// The objects that an episode mentions.
    pub fn objects_in(&self, episode: VertexId) -> BTreeSet<VertexId> {
        let members = self.edges(episode).filter(|edge| edge.via == Via::Episode).map(|edge| edge.to);
        members.filter(|id| self.object(*id).is_some()).collect()
    }

    /// The triples and theses that an episode supports.
    pub fn facts_of(&self, episode: VertexId) -> BTreeSet<Key> {
        let members = self.edges(episode).filter(|edge| edge.via == Via::Episode).map(|edge| edge.to);
        let mut facts = BTreeSet::new();
        for member in members {
            match self.vertex(member) {
                Some(Vertex::Thesis(thesis)) => drop(facts.insert(Key::Vertex(thesis.id))),
                // Subject and object are both members, so looking from the subject finds every triple.
                Some(Vertex::Object(_)) => facts.extend(
                    self.triples_at(member)
                        .filter(|triple| triple.meta.support.contains(&episode))
                        .map(|triple| Key::Triple(triple.id)),
                ),
                _ => {}
            }
        }
        facts
    }

    /// Whether an episode that its page still shows states the fact.
    pub(crate) fn is_stated(&self, meta: &FactMeta) -> bool {
        meta.support.iter().any(|id| self.episode(*id).is_some_and(|episode| episode.vanished.is_none()))
    }

    /// Whether the memory holds it to be so now: a fact that is not retired, an episode that its page still shows.
    pub fn is_current(&self, key: Key) -> bool {
        match key {
            Key::Vertex(id) if self.episode(id).is_some() => {
                self.episode(id).is_some_and(|episode| episode.vanished.is_none())
            }
            Key::Vertex(id) if self.object(id).is_some() => true,
            Key::Page(id) => self.page(id).is_some(),
            fact => self.meta(fact).is_some_and(|meta| meta.retired.is_none()),
        }
    }
}
