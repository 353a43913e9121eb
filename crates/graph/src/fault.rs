use std::collections::{BTreeMap, BTreeSet};

use crate::{Edit, FactId, FactMeta, Graph, Key, PageId, VertexId};

/// Something in the graph that contradicts something else in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The episode's page is not there.
    PageMissing { episode: VertexId },
    /// Another page, captured later, has the same address.
    SameAddress { page: PageId },
    /// The page lists what is no episode of it, or lists it twice.
    Misplaced { page: PageId, episode: VertexId },
    /// An episode is listed by its page and marked as vanished, or neither.
    Unclear { episode: VertexId },
    /// The record refers to a vertex that is not there or is of the wrong kind.
    Dangling { from: Key, to: VertexId },
    /// A fact that no episode supports, or an object that none mentions.
    Orphan(Key),
    /// An episode supports a fact about the object but is not among its mentions.
    Unmentioned { object: VertexId, episode: VertexId },
    /// The triple that made the fact outdated is not there.
    OutdatedByNothing(Key),
    /// The fact counts as current although no current episode states it, or the other way round.
    WronglyCurrent(Key),
    /// A conflict that only one side knows of.
    OneSided { fact: Key, other: FactId },
}

impl Graph {
    /// Everything in the graph that contradicts something else: nothing, unless a change was not made whole.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.page_faults(&mut faults);
        for vertex in self.vertices() {
            let key = Key::Vertex(vertex.id());
            match vertex {
                crate::Vertex::Episode(_) => {}
                crate::Vertex::Object(object) => {
                    faults.extend(self.dangling(key, &object.mentions, |id| self.episode(id).is_some()));
                    if object.mentions.is_empty() {
                        faults.push(Fault::Orphan(key));
                    }
                }
                crate::Vertex::Thesis(thesis) => {
                    if thesis.objects.is_empty() {
                        faults.push(Fault::Orphan(key));
                    }
                    self.fact_faults(key, &thesis.meta, &thesis.objects, &mut faults);
                }
            }
        }
        for triple in self.triples() {
            let objects = BTreeSet::from([triple.subject, triple.object]);
            self.fact_faults(Key::Triple(triple.id), &triple.meta, &objects, &mut faults);
        }
        faults
    }

    fn page_faults(&self, faults: &mut Vec<Fault>) {
        let mut addresses = BTreeMap::new();
        for page in self.pages() {
            let latest = addresses.entry(page.url.as_str()).or_insert(page);
            if latest.id != page.id {
                let newer = page.captured >= latest.captured;
                let older = if newer { std::mem::replace(latest, page) } else { page };
                faults.push(Fault::SameAddress { page: older.id });
            }
        }
        let mut listed = BTreeMap::new();
        for page in self.pages() {
            for &episode in &page.episodes {
                let fits = self.episode(episode).is_some_and(|episode| episode.page == page.id);
                if listed.insert(episode, page.id).is_some() || !fits {
                    faults.push(Fault::Misplaced { page: page.id, episode });
                }
            }
        }
        for episode in self.vertices().filter_map(|vertex| self.episode(vertex.id())) {
            if self.page(episode.page).is_none() {
                faults.push(Fault::PageMissing { episode: episode.id });
            } else if listed.contains_key(&episode.id) == episode.vanished.is_some() {
                faults.push(Fault::Unclear { episode: episode.id });
            }
        }
    }

    fn fact_faults(&self, key: Key, meta: &FactMeta, objects: &BTreeSet<VertexId>, faults: &mut Vec<Fault>) {
        faults.extend(self.dangling(key, objects, |id| self.object(id).is_some()));
        faults.extend(self.dangling(key, &meta.support, |id| self.episode(id).is_some()));
        if meta.support.is_empty() {
            faults.push(Fault::Orphan(key));
        }
        for object in objects.iter().filter_map(|id| self.object(*id)) {
            let missing = meta.support.difference(&object.mentions);
            faults.extend(missing.map(|&episode| Fault::Unmentioned { object: object.id, episode }));
        }
        let by = meta.retired.and_then(|retired| retired.by);
        if by.is_some_and(|by| self.triple(by).is_none()) {
            faults.push(Fault::OutdatedByNothing(key));
        }
        if by.is_none() && meta.retired.is_none() != self.is_stated(meta) {
            faults.push(Fault::WronglyCurrent(key));
        }
        for &other in &meta.conflicts {
            let knows = self.triple(other).is_some_and(|other| match key {
                Key::Triple(id) => other.meta.conflicts.contains(&id),
                _ => false,
            });
            if !knows {
                faults.push(Fault::OneSided { fact: key, other });
            }
        }
    }

    fn dangling(&self, from: Key, to: &BTreeSet<VertexId>, fits: impl Fn(VertexId) -> bool) -> Vec<Fault> {
        to.iter().filter(|id| !fits(**id)).map(|&to| Fault::Dangling { from, to }).collect()
    }
}

impl Edit<'_> {
    /// Makes the graph whole again after records were set one by one: what refers to nothing lets go of it, what
    /// nothing supports goes.
    pub(crate) fn mend(&mut self) {
        // Mending one fault can bare the next: a fact goes, so what it outdated is reopened. Each round removes
        // references or records, so the rounds end.
        let mut faults = self.graph().faults();
        while !faults.is_empty() {
            for &fault in &faults {
                self.mend_one(fault);
            }
            let left = self.graph().faults();
            debug_assert_ne!(left, faults, "a fault that nothing mends");
            if left == faults {
                return;
            }
            faults = left;
        }
    }

    fn mend_one(&mut self, fault: Fault) {
        match fault {
            Fault::PageMissing { episode } => self.remove_episode(episode),
            Fault::SameAddress { page } => self.remove_page(page),
            Fault::Misplaced { page, episode } => {
                let mut seen = BTreeSet::new();
                let graph = self.graph();
                let fits = graph.episode(episode).is_some_and(|episode| episode.page == page);
                self.change_page(page, |page| {
                    page.episodes.retain(|id| *id != episode || fits && seen.insert(*id));
                });
            }
            Fault::Unclear { episode } => {
                let graph = self.graph();
                let page = graph.episode(episode).and_then(|episode| graph.page(episode.page));
                let Some(page) = page else { return };
                let (listed, captured) = (page.episodes.contains(&episode), page.captured);
                self.change_episode(episode, |episode| {
                    episode.vanished = if listed { None } else { Some(captured) };
                });
            }
            Fault::Dangling { from, to } => self.let_go(from, to),
            Fault::Orphan(key) => match key {
                Key::Vertex(id) if self.graph().object(id).is_some() => self.remove(key),
                fact => self.remove_fact(fact),
            },
            Fault::Unmentioned { object, episode } => {
                if self.graph().episode(episode).is_some() {
                    self.mention(object, episode);
                }
            }
            Fault::OutdatedByNothing(fact) => self.reopen(fact),
            Fault::WronglyCurrent(fact) => self.check_current(fact),
            Fault::OneSided { fact, other } => {
                self.change_meta(fact, |meta| meta.conflicts.remove(&other));
            }
        }
    }

    /// Removes the reference of `from` to a vertex that is not there.
    fn let_go(&mut self, from: Key, to: VertexId) {
        let graph = self.graph();
        match from {
            Key::Triple(id) => {
                let ends = graph.triple(id).is_some_and(|triple| triple.subject == to || triple.object == to);
                match ends {
                    true => self.remove_fact(from),
                    false => drop(self.change_meta(from, |meta| meta.support.remove(&to))),
                }
            }
            Key::Vertex(id) if graph.object(id).is_some() => {
                self.change_object(id, |object| object.mentions.remove(&to));
            }
            Key::Vertex(id) => {
                self.change_thesis(id, |thesis| thesis.objects.remove(&to) | thesis.meta.support.remove(&to));
            }
            Key::Page(_) => {}
        }
    }
}
