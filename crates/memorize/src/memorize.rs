use std::collections::{HashMap, VecDeque};

use loci_graph::{Edit, Episode, FactId, FactMeta, Origin, Page, PageId, Record, Validity, Vertex, VertexId};

use crate::{
    CleanPage, Name, Passage,
    link::{Mention, link},
    triple::{Statement, state},
    update::settle,
};

/// What a capture changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageReport {
    pub page: PageId,
    /// From 1; one more than before when the text differs from the last capture's.
    pub version: u32,
    /// The episodes of this version, in reading order, and which of them were not known before.
    pub episodes: Vec<VertexId>,
    pub new_episodes: Vec<VertexId>,
    /// Episodes that this version no longer shows.
    pub vanished: Vec<VertexId>,
    /// Triples that the page's structure declares, old and new.
    pub facts: Vec<FactId>,
}

/// The instant pass: makes the page and its passages part of the memory, with the objects and triples its
/// structure declares. Needs no model.
///
/// The same canonical URL again is a new version of the same page: passages known by their hash keep their episode
/// and cost nothing; passages that are gone stay as what was once read, and facts that nothing current states any
/// more are retired.
pub fn memorize_page(edit: &mut Edit<'_>, page: &CleanPage) -> PageReport {
    let known = edit.graph().page_at(&page.url).cloned();
    let id = known.as_ref().map_or_else(|| edit.new_page(), |page| page.id);
    let (episodes, new_episodes) = place_episodes(edit, id, page);
    let old = known.as_ref().map(|page| page.episodes.clone()).unwrap_or_default();
    let vanished: Vec<VertexId> = old.iter().copied().filter(|episode| !episodes.contains(episode)).collect();
    let version = match &known {
        None => 1,
        Some(known) => known.version + u32::from(old != episodes),
    };
    edit.put(Record::Page(Page {
        id,
        url: page.url.clone(),
        title: page.title.clone(),
        site: page.site.clone(),
        author: page.author.clone(),
        language: page.language.clone(),
        published: page.published,
        first_captured: known.map_or(edit.at(), |page| page.first_captured),
        captured: edit.at(),
        version,
        episodes: episodes.clone(),
    }));
    for &episode in &episodes {
        edit.set_vanished(episode, None);
    }
    for &episode in &vanished {
        edit.set_vanished(episode, Some(edit.at()));
    }
    let facts = declared_facts(edit, page, &episodes);
    PageReport { page: id, version, episodes, new_episodes, vanished, facts }
}

/// An episode for every passage: the known one of the same hash, or a new one.
fn place_episodes(edit: &mut Edit<'_>, id: PageId, page: &CleanPage) -> (Vec<VertexId>, Vec<VertexId>) {
    let mut known: HashMap<u64, VecDeque<VertexId>> = HashMap::new();
    // Current episodes first, so that a passage that never left keeps its own.
    let of_page: Vec<&Episode> = edit.graph().episodes_of(id).collect();
    let (current, past): (Vec<&Episode>, Vec<&Episode>) =
        of_page.into_iter().partition(|episode| episode.vanished.is_none());
    for episode in current.into_iter().chain(past) {
        known.entry(episode.hash).or_default().push_back(episode.id);
    }
    let mut episodes = Vec::with_capacity(page.passages.len());
    let mut new = Vec::new();
    for (ordinal, passage) in page.passages.iter().enumerate() {
        let episode = known.get_mut(&passage.hash).and_then(VecDeque::pop_front).unwrap_or_else(|| {
            let episode = put_episode(edit, id, ordinal as u32, passage);
            new.push(episode);
            episode
        });
        episodes.push(episode);
    }
    (episodes, new)
}

fn put_episode(edit: &mut Edit<'_>, page: PageId, ordinal: u32, passage: &Passage) -> VertexId {
    let id = edit.new_vertex();
    edit.put_vertex(Vertex::Episode(Episode {
        id,
        page,
        ordinal,
        text: passage.text.clone(),
        headings: passage.headings.clone(),
        hash: passage.hash,
        captured: edit.at(),
        deep: false,
        vanished: None,
    }));
    id
}

fn declared_facts(edit: &mut Edit<'_>, page: &CleanPage, episodes: &[VertexId]) -> Vec<FactId> {
    let mut facts = Vec::new();
    for fact in &page.facts {
        let Some(&episode) = episodes.get(fact.passage) else { continue };
        let subject = link(edit, &declared(&fact.subject, episode), &()).object;
        let object = link(edit, &declared(&fact.object, episode), &()).object;
        if subject == object {
            continue;
        }
        let statement = Statement { subject, relation: &fact.relation, object, valid: Validity::default() };
        let stated = state(edit, &statement, FactMeta::new(Origin::Structure, edit.at(), [episode]));
        if stated.new {
            settle(edit, stated.fact, &());
        }
        facts.push(stated.fact);
    }
    facts
}

fn declared(name: &Name, episode: VertexId) -> Mention<'_> {
    Mention { name: &name.text, kind: name.kind, aliases: &name.aliases, episode }
}
