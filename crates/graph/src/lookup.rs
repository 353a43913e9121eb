use std::collections::{BTreeSet, HashMap};

use crate::{FactId, Key, PageId, Record, Triple, Vertex, VertexId, loose_name, normalize_name};

/// Look-up tables derived from the records and kept current with them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookup {
    /// Objects by normalised name or alias.
    names: HashMap<Box<str>, Vec<VertexId>>,
    /// Objects by the loose form of a name, where it differs from the normalised one.
    loose: HashMap<Box<str>, Vec<VertexId>>,
    /// Several pages of one address only while an undo is being made whole.
    urls: HashMap<Box<str>, BTreeSet<PageId>>,
    /// All episodes of a page, those of earlier versions too.
    episodes: HashMap<PageId, BTreeSet<VertexId>>,
    /// The facts that a triple made outdated.
    retired: HashMap<FactId, BTreeSet<Key>>,
}

impl Lookup {
    pub(crate) fn named(&self, normal: &str) -> &[VertexId] {
        self.names.get(normal).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn loosely_named(&self, loose: &str) -> impl Iterator<Item = VertexId> + use<'_> {
        let exact = self.named(loose);
        exact.iter().chain(self.loose.get(loose).into_iter().flatten()).copied()
    }

    pub(crate) fn url(&self, url: &str) -> Option<PageId> {
        self.urls.get(url)?.last().copied()
    }

    pub(crate) fn episodes(&self, page: PageId) -> impl Iterator<Item = VertexId> + '_ {
        self.episodes.get(&page).into_iter().flatten().copied()
    }

    pub(crate) fn retired_by(&self, fact: FactId) -> impl Iterator<Item = Key> + '_ {
        self.retired.get(&fact).into_iter().flatten().copied()
    }

    /// Brings the tables from `before` to `after`, two states of one record.
    pub(crate) fn update(&mut self, before: Option<&Record>, after: Option<&Record>) {
        if let (Some(Record::Vertex(Vertex::Object(old))), Some(Record::Vertex(Vertex::Object(new)))) =
            (before, after)
            && old.name == new.name
            && old.aliases == new.aliases
        {
            return;
        }
        let (old, new) = (before.map(entries).unwrap_or_default(), after.map(entries).unwrap_or_default());
        for entry in old.iter().filter(|entry| !new.contains(entry)) {
            self.remove(entry);
        }
        for entry in new.into_iter().filter(|entry| !old.contains(entry)) {
            self.insert(entry);
        }
    }

    fn insert(&mut self, entry: Entry) {
        match entry {
            Entry::Name(name, id) => self.names.entry(name.into()).or_default().push(id),
            Entry::Loose(name, id) => self.loose.entry(name.into()).or_default().push(id),
            Entry::Url(url, page) => drop(self.urls.entry(url.into()).or_default().insert(page)),
            Entry::Episode(page, id) => drop(self.episodes.entry(page).or_default().insert(id)),
            Entry::Retired(by, key) => drop(self.retired.entry(by).or_default().insert(key)),
        }
    }

    fn remove(&mut self, entry: &Entry) {
        match entry {
            Entry::Name(name, id) => take(&mut self.names, name, *id),
            Entry::Loose(name, id) => take(&mut self.loose, name, *id),
            Entry::Url(url, page) => {
                if let Some(pages) = self.urls.get_mut(url.as_str()) {
                    pages.remove(page);
                    if pages.is_empty() {
                        self.urls.remove(url.as_str());
                    }
                }
            }
            Entry::Episode(page, id) => {
                if let Some(ids) = self.episodes.get_mut(page) {
                    ids.remove(id);
                    if ids.is_empty() {
                        self.episodes.remove(page);
                    }
                }
            }
            Entry::Retired(by, key) => {
                if let Some(keys) = self.retired.get_mut(by) {
                    keys.remove(key);
                    if keys.is_empty() {
                        self.retired.remove(by);
                    }
                }
            }
        }
    }
}

fn take(table: &mut HashMap<Box<str>, Vec<VertexId>>, name: &str, id: VertexId) {
    if let Some(ids) = table.get_mut(name) {
        ids.retain(|other| *other != id);
        if ids.is_empty() {
            table.remove(name);
        }
    }
}

/// What one record puts into the tables.
#[derive(PartialEq)]
enum Entry {
    Name(String, VertexId),
    Loose(String, VertexId),
    Url(String, PageId),
    Episode(PageId, VertexId),
    Retired(FactId, Key),
}

fn entries(record: &Record) -> Vec<Entry> {
    match record {
        Record::Page(page) => vec![Entry::Url(page.url.clone(), page.id)],
        Record::Vertex(Vertex::Object(object)) => {
            let names: BTreeSet<String> = object.names().map(normalize_name).collect();
            let loose: BTreeSet<String> = object.names().map(loose_name).collect();
            let loose = loose.difference(&names).cloned().map(|name| Entry::Loose(name, object.id));
            let loose: Vec<Entry> = loose.collect();
            names.into_iter().map(|name| Entry::Name(name, object.id)).chain(loose).collect()
        }
        Record::Vertex(Vertex::Episode(episode)) => vec![Entry::Episode(episode.page, episode.id)],
        Record::Vertex(Vertex::Thesis(thesis)) => {
            let by = thesis.meta.retired.and_then(|retired| retired.by);
            by.map(|by| Entry::Retired(by, Key::Vertex(thesis.id))).into_iter().collect()
        }
        Record::Triple(Triple { id, meta, .. }) => {
            let by = meta.retired.and_then(|retired| retired.by);
            by.map(|by| Entry::Retired(by, Key::Triple(*id))).into_iter().collect()
        }
    }
}
