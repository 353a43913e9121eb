//! The memory as the screens show it.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use loci_graph::{
    Episode, FactMeta, Graph, ObjectKind, Origin, Page, PageId, Timestamp, Triple, VertexId, Via,
};
use loci_messages::{
    Citation, FactView, GraphEdge, GraphVertex, GraphView, Hit, PageDetail, PageState, PageStatus,
    PageSummary, PassageSource, PassageView, Settings, VertexDetail,
};

use crate::link;

/// Facts and sources shown of one vertex.
const FACTS: usize = 200;
const SOURCES: usize = 20;
/// Sources shown of one fact.
const FACT_SOURCES: usize = 5;
/// Characters of a snippet.
const SNIPPET: usize = 200;
/// Characters of a vertex's label.
const LABEL: usize = 60;

pub(crate) fn page_state(graph: &Graph, page: Option<PageId>) -> PageState {
    let Some(page) = page.and_then(|page| graph.page(page)) else {
        return PageState {
            page: None,
            status: PageStatus::Unknown,
            captured: None,
            passages: 0,
            deep_passages: 0,
            facts: 0,
            failure: None,
        };
    };
    let passages = page.episodes.len() as u32;
    let deep = page.episodes.iter().filter(|id| graph.episode(**id).is_some_and(|episode| episode.deep));
    let deep_passages = deep.count() as u32;
    PageState {
        page: Some(page.id.0),
        status: status(passages, deep_passages),
        captured: Some(page.captured.0 as f64),
        passages,
        deep_passages,
        facts: page_facts(graph, page).len() as u32,
        failure: None,
    }
}

fn status(passages: u32, deep: u32) -> PageStatus {
    match deep {
        deep if deep == passages => PageStatus::Remembered,
        0 => PageStatus::Waiting,
        _ => PageStatus::Reading,
    }
}

/// A fact that a passage states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Triple(loci_graph::FactId),
    Thesis(VertexId),
}

/// The facts that the current version of a page states.
fn page_facts(graph: &Graph, page: &Page) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    for episode in &page.episodes {
        for edge in graph.edges(*episode) {
            if graph.thesis(edge.to).is_some() {
                facts.insert(Fact::Thesis(edge.to));
            } else {
                let triples = graph.triples_at(edge.to);
                let stated = triples.filter(|triple| triple.meta.support.contains(episode));
                facts.extend(stated.map(|triple| Fact::Triple(triple.id)));
            }
        }
    }
    facts
}

/// `matched` is the passage that matched `query`.
pub(crate) fn page_summary(
    graph: &Graph,
    page: PageId,
    matched: Option<VertexId>,
    query: &str,
) -> Option<PageSummary> {
    let page = graph.page(page)?;
    let state = page_state(graph, Some(page.id));
    let passage = matched.or(page.episodes.first().copied()).and_then(|id| graph.episode(id));
    Some(PageSummary {
        page: page.id.0,
        url: page.url.clone(),
        title: page.title.clone(),
        site: page.site.clone(),
        language: page.language.clone(),
        captured: page.captured.0 as f64,
        version: page.version,
        status: state.status,
        passages: state.passages,
        facts: state.facts,
        snippet: passage.map(|episode| snippet(&episode.text, query)).unwrap_or_default(),
    })
}

pub(crate) fn page_detail(graph: &Graph, page: PageId) -> Option<PageDetail> {
    let page = graph.page(page)?;
    let passages = page.episodes.iter().filter_map(|id| graph.episode(*id));
    let passages = passages.map(|episode| PassageView {
        episode: episode.id.0,
        headings: episode.headings.clone(),
        text: episode.text.clone(),
        link: passage_link(graph, page, episode),
    });
    Some(PageDetail {
        summary: page_summary(graph, page.id, None, "")?,
        author: page.author.clone(),
        published: page.published.map(|at| at.0 as f64),
        passages: passages.collect(),
        facts: page_facts(graph, page).into_iter().filter_map(|fact| fact_view(graph, fact)).collect(),
    })
}

pub(crate) fn hit(graph: &Graph, episode: VertexId, score: f32) -> Option<Hit> {
    let episode = graph.episode(episode)?;
    let page = graph.page(episode.page)?;
    Some(Hit {
        page: page.id.0,
        episode: episode.id.0,
        title: page.title.clone(),
        url: page.url.clone(),
        link: passage_link(graph, page, episode),
        text: episode.text.clone(),
        score,
    })
}

pub(crate) fn citation(graph: &Graph, episode: VertexId, number: u32) -> Option<Citation> {
    let episode = graph.episode(episode)?;
    let page = graph.page(episode.page)?;
    Some(Citation {
        number,
        page: page.id.0,
        episode: episode.id.0,
        url: page.url.clone(),
        link: passage_link(graph, page, episode),
        title: page.title.clone(),
        text: episode.text.clone(),
        captured: episode.captured.0 as f64,
    })
}

fn passage_link(graph: &Graph, page: &Page, episode: &Episode) -> String {
    if !page.url.starts_with("http") {
        return page.url.clone();
    }
    let texts = page.episodes.iter().filter_map(|id| graph.episode(*id));
    let others: Vec<&str> =
        texts.filter(|other| other.id != episode.id).map(|other| other.text.as_str()).collect();
    let position = page.episodes.iter().position(|id| *id == episode.id);
    let before = position.and_then(|at| at.checked_sub(1)).and_then(|at| graph.episode(page.episodes[at]));
    link(&page.url, &episode.text, before.map(|before| before.text.as_str()), &others)
}

fn fact_view(graph: &Graph, fact: Fact) -> Option<FactView> {
    match fact {
        Fact::Triple(id) => triple_view(graph, graph.triple(id)?),
        Fact::Thesis(id) => {
            let thesis = graph.thesis(id)?;
            Some(view_of(graph, None, thesis.text.clone(), &thesis.meta))
        }
    }
}

fn triple_view(graph: &Graph, triple: &Triple) -> Option<FactView> {
    let named = |id: VertexId| Some((id.0, graph.vertex(id)?.text().to_owned()));
    let (subject, object) = (named(triple.subject)?, named(triple.object)?);
    let text = format!("{} {} {}", subject.1, triple.relation, object.1);
    Some(view_of(graph, Some((subject, triple.relation.clone(), object)), text, &triple.meta))
}

type Named = (u32, String);

fn view_of(graph: &Graph, parts: Option<(Named, String, Named)>, text: String, meta: &FactMeta) -> FactView {
    let origin = match meta.origin {
        Origin::Structure => "structure",
        Origin::Llm => "llm",
        Origin::User => "user",
    };
    let (subject, relation, object) = match parts {
        Some((subject, relation, object)) => (Some(subject), Some(relation), Some(object)),
        None => (None, None, None),
    };
    FactView {
        subject,
        relation,
        object,
        text,
        origin: origin.into(),
        retired: meta.retired.is_some(),
        sources: meta.support.iter().filter_map(|id| source(graph, *id)).take(FACT_SOURCES).collect(),
    }
}

fn source(graph: &Graph, episode: VertexId) -> Option<PassageSource> {
    let episode = graph.episode(episode)?;
    let page = graph.page(episode.page)?;
    Some(PassageSource {
        page: page.id.0,
        title: page.title.clone(),
        link: passage_link(graph, page, episode),
        text: episode.text.clone(),
    })
}

pub(crate) fn vertex_detail(graph: &Graph, id: VertexId) -> Option<VertexDetail> {
    if let Some(object) = graph.object(id) {
        let triples = graph.triples_at(id).map(|triple| Fact::Triple(triple.id));
        let theses = graph.edges(id).filter(|edge| edge.via == Via::Thesis).map(|edge| Fact::Thesis(edge.to));
        let facts: BTreeSet<Fact> = triples.chain(theses).collect();
        return Some(VertexDetail {
            id: id.0,
            name: object.name.clone(),
            kind: kind_name(object.kind).into(),
            aliases: object.aliases.iter().cloned().collect(),
            facts: facts.into_iter().filter_map(|fact| fact_view(graph, fact)).take(FACTS).collect(),
            sources: object.mentions.iter().rev().filter_map(|id| source(graph, *id)).take(SOURCES).collect(),
        });
    }
    if let Some(thesis) = graph.thesis(id) {
        return Some(VertexDetail {
            id: id.0,
            name: thesis.text.clone(),
            kind: "thesis".into(),
            aliases: Vec::new(),
            facts: fact_view(graph, Fact::Thesis(id)).into_iter().collect(),
            sources: thesis.meta.support.iter().filter_map(|id| source(graph, *id)).take(SOURCES).collect(),
        });
    }
    let page = graph.page(graph.episode(id)?.page)?;
    Some(VertexDetail {
        id: id.0,
        name: page.title.clone(),
        kind: "page".into(),
        aliases: vec![page.url.clone()],
        facts: page_facts(graph, page)
            .into_iter()
            .filter_map(|fact| fact_view(graph, fact))
            .take(FACTS)
            .collect(),
        sources: page.episodes.iter().filter_map(|id| source(graph, *id)).take(SOURCES).collect(),
    })
}

fn kind_name(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Person => "person",
        ObjectKind::Organisation => "organisation",
        ObjectKind::Place => "place",
        ObjectKind::Work => "work",
        ObjectKind::Product => "product",
        ObjectKind::Event => "event",
        ObjectKind::Concept => "concept",
        ObjectKind::Value => "value",
        ObjectKind::Unknown => "unknown",
    }
}

/// The graph as it is drawn: objects, pages, and around a centre the theses too. A page stands for its passages and bears the
/// id of the first.
pub(crate) fn graph_view(graph: &Graph, center: Option<u32>, limit: usize) -> GraphView {
    let shown = match center {
        Some(center) => around(graph, standing(graph, VertexId(center)), limit),
        None => busiest(graph, limit),
    };
    let mut edges: BTreeMap<(u32, u32), String> = BTreeMap::new();
    for &vertex in &shown {
        for (other, label) in neighbours(graph, vertex) {
            if shown.contains(&other) && other != vertex {
                let label = match label {
                    Label::Out(label) => edges.entry((vertex.0, other.0)).or_insert(label),
                    // The triple is drawn from its subject.
                    Label::In => continue,
                    Label::None => edges.entry((vertex.0.max(other.0), vertex.0.min(other.0))).or_default(),
                };
                let _: &String = label;
            }
        }
    }
    let vertices = shown.iter().filter_map(|id| graph_vertex(graph, *id)).collect();
    let edges = edges.into_iter().map(|((from, to), label)| GraphEdge { from, to, label }).collect();
    let total = graph.vertices().filter(|vertex| vertex.id() == standing(graph, vertex.id())).count() as u32;
    GraphView { vertices, edges, total }
}

/// The vertex that is drawn for this one.
fn standing(graph: &Graph, id: VertexId) -> VertexId {
    let page = graph.episode(id).and_then(|episode| graph.page(episode.page));
    page.and_then(|page| page.episodes.first().copied()).unwrap_or(id)
}

enum Label {
    Out(String),
    In,
    None,
}

/// The drawn neighbours of a drawn vertex.
fn neighbours(graph: &Graph, id: VertexId) -> Vec<(VertexId, Label)> {
    let page = graph.episode(id).and_then(|episode| graph.page(episode.page));
    let ids = page.map_or_else(|| vec![id], |page| page.episodes.clone());
    let edges = ids.into_iter().flat_map(|id| graph.edges(id));
    let neighbours = edges.map(|edge| {
        let label = match edge.via {
            Via::Triple(fact, loci_graph::Direction::Out) => {
                Label::Out(graph.triple(fact).map(|triple| triple.relation.clone()).unwrap_or_default())
            }
            Via::Triple(_, loci_graph::Direction::In) => Label::In,
            Via::Thesis | Via::Episode => Label::None,
        };
        (standing(graph, edge.to), label)
    });
    neighbours.collect()
}

/// Objects and pages by degree.
fn busiest(graph: &Graph, limit: usize) -> BTreeSet<VertexId> {
    let objects = graph.vertices().filter(|vertex| graph.object(vertex.id()).is_some());
    let objects = objects.map(|vertex| (graph.degree(vertex.id()), vertex.id()));
    let pages = graph.pages().filter_map(|page| {
        let first = page.episodes.first()?;
        Some((page.episodes.iter().map(|episode| graph.degree(*episode)).sum(), *first))
    });
    let mut ranked: Vec<(usize, VertexId)> = objects.chain(pages).collect();
    ranked.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(limit).map(|(_, id)| id).collect()
}

/// The vertices nearest to `center`, by steps.
fn around(graph: &Graph, center: VertexId, limit: usize) -> BTreeSet<VertexId> {
    let mut seen: HashSet<VertexId> = HashSet::new();
    let mut queue = VecDeque::from([center]);
    if graph.vertex(center).is_some() {
        seen.insert(center);
    }
    while let Some(vertex) = queue.pop_front() {
        for (next, _) in neighbours(graph, vertex) {
            if seen.len() < limit && seen.insert(next) {
                queue.push_back(next);
            }
        }
    }
    seen.into_iter().collect()
}

fn graph_vertex(graph: &Graph, id: VertexId) -> Option<GraphVertex> {
    let degree = neighbours(graph, id).iter().map(|(other, _)| *other).collect::<HashSet<_>>().len() as u32;
    let (label, kind) = if let Some(object) = graph.object(id) {
        (object.name.clone(), kind_name(object.kind))
    } else if let Some(thesis) = graph.thesis(id) {
        (thesis.text.clone(), "thesis")
    } else {
        (graph.page(graph.episode(id)?.page)?.title.clone(), "page")
    };
    Some(GraphVertex { id: id.0, label: shorten(&label, LABEL), kind: kind.into(), degree })
}

fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// The part of a text around the first word of the query that occurs in it, or its beginning.
fn snippet(text: &str, query: &str) -> String {
    let lower = text.to_lowercase();
    let words = query.split_whitespace().map(str::to_lowercase);
    let found = words.filter_map(|word| lower.find(&word)).min();
    // Lower case may be of another length: only the place in characters is near enough.
    let character = found.map_or(0, |at| lower[..at].chars().count());
    let start = character.saturating_sub(SNIPPET / 4);
    let start = if start < SNIPPET / 8 { 0 } else { start };
    let part: String = text.chars().skip(start).take(SNIPPET).collect();
    let (before, after) = (start > 0, text.chars().count() > start + SNIPPET);
    format!("{}{}{}", if before { "…" } else { "" }, part.trim(), if after { "…" } else { "" })
}

/// ISO 8601 date in UTC (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
pub(crate) fn date(at: Timestamp) -> String {
    let days = at.0.div_euclid(86_400_000) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Settings are kept as JSON: a new field is no new schema.
pub(crate) fn settings_json(settings: &Settings) -> String {
    serde_json::to_string(settings).unwrap_or_default()
}

/// What cannot be read falls back to the defaults.
pub(crate) fn settings(json: &str) -> Settings {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (at, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (1_798_675_199_999, "2026-12-30"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(date(Timestamp(at)), expected);
        }
    }

    #[test]
    fn snippets_show_what_matched() {
        let text = format!("{}The needle is here.{}", "word ".repeat(60), " tail".repeat(60));
        for (query, expected) in
            [("needle", true), ("NEEDLE somewhere", true), ("", false), ("absent", false)]
        {
            assert_eq!(snippet(&text, query).contains("needle"), expected, "{query}");
            assert!(snippet(&text, query).chars().count() <= SNIPPET + 2);
        }
    }
}
