use loci_graph::{Graph, Timestamp, VertexId};
use loci_index::Item;
use loci_retrieval::{Memory, Query, Retrieved};

use crate::{estimate_tokens, filter};

/// What fits into a model's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// At most this many passages.
    pub passages: usize,
    /// At most this many facts.
    pub facts: usize,
    /// Estimated tokens of both together; facts take at most a quarter.
    pub tokens: usize,
}

impl Default for Budget {
    /// For a small local model: six passages of the usual length and a handful of facts.
    fn default() -> Budget {
        Budget { passages: 6, facts: 16, tokens: 1_400 }
    }
}

/// What the model sees of the memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// Numbered from 1 in this order, best first.
    pub passages: Vec<Passage>,
    /// Facts as sentences, best first.
    pub facts: Vec<(Item, String)>,
}

/// A passage that an answer may cite.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    pub episode: VertexId,
    /// Title of its page.
    pub title: String,
    /// Publication of the page, else the capture of the passage.
    pub date: Timestamp,
    pub text: String,
}

impl Context {
    /// Whether there is nothing to answer from.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }
}

/// Packs what was found into `budget`: passages in the order of their scores, then the facts that pass the [`filter`].
///
/// A passage that no longer fits ends the list, unless it is the first, which is always taken: an answer needs
/// something to cite.
pub fn context(memory: Memory, query: &Query, found: &Retrieved, budget: Budget) -> Context {
    let mut facts = filter(memory, query, &found.facts);
    facts.truncate(budget.facts);
    let spent = fit(&mut facts, budget.tokens / 4, |(_, text)| estimate_tokens(text));
    let mut passages: Vec<Passage> = found
        .passages
        .iter()
        .filter_map(|scored| passage(memory.graph, scored.episode))
        .take(budget.passages)
        .collect();
    let first = passages.first().map_or(0, |passage| estimate_tokens(&passage.text));
    let room = budget.tokens.saturating_sub(spent).max(first);
    fit(&mut passages, room, |passage| estimate_tokens(&passage.text));
    Context { passages, facts }
}

/// Cuts `items` to the longest prefix whose cost is within `room`; returns that cost.
fn fit<T>(items: &mut Vec<T>, room: usize, cost: impl Fn(&T) -> usize) -> usize {
    let mut spent = 0;
    let keep = items
        .iter()
        .take_while(|item| {
            let fits = spent + cost(item) <= room;
            if fits {
                spent += cost(item);
            }
            fits
        })
        .count();
    items.truncate(keep);
    spent
}

fn passage(graph: &Graph, episode: VertexId) -> Option<Passage> {
    let episode = graph.episode(episode)?;
    let page = graph.page(episode.page)?;
    Some(Passage {
        episode: episode.id,
        title: page.title.clone(),
        date: page.published.unwrap_or(episode.captured),
        text: episode.text.clone(),
    })
}

#[cfg(test)]
mod tests {
    use loci_graph::{
        Cause, Episode, FactMeta, Object, ObjectKind, Origin as Source, Page, PageId, Record, Triple, Vertex,
    };
    use loci_index::Indexes;
    use loci_retrieval::{Origin, Path, ScoredFact, ScoredPassage};

    use super::*;

    /// A memory of one page with `texts` as passages; each passage states one fact.
    fn memory(texts: &[&str]) -> (Graph, Vec<VertexId>) {
        let mut graph = Graph::default();
        let at = Timestamp(1_000);
        let mut edit = graph.edit(at, Cause::Capture(PageId(0)));
        let page = edit.new_page();
        let episodes: Vec<VertexId> = texts.iter().map(|_| edit.new_vertex()).collect();
        edit.put(Record::Page(Page {
            id: page,
            url: "https://example.test/".into(),
            title: "Title".into(),
            site: None,
            author: None,
            language: None,
            published: None,
            first_captured: at,
            captured: at,
            version: 1,
            episodes: episodes.clone(),
        }));
        for (ordinal, (&episode, text)) in episodes.iter().zip(texts).enumerate() {
            edit.put_vertex(Vertex::Episode(Episode {
                id: episode,
                page,
                ordinal: ordinal as u32,
                text: (*text).into(),
                headings: Vec::new(),
                hash: ordinal as u64,
                captured: at,
                deep: true,
                vanished: None,
            }));
            let [subject, object] = ["Subject", "Object"].map(|name| {
                let id = edit.new_vertex();
                let (name, mentions) = (format!("{name} {ordinal}"), [episode].into());
                edit.put_vertex(Vertex::Object(Object {
                    id,
                    name,
                    kind: ObjectKind::Unknown,
                    aliases: Default::default(),
                    mentions,
                }));
                id
            });
            let id = edit.new_fact();
            let meta = FactMeta::new(Source::Llm, at, [episode]);
            edit.put(Record::Triple(Triple { id, subject, relation: "is".into(), object, meta }));
        }
        edit.finish();
        (graph, episodes)
    }

    /// Everything in the memory as found, each fact twice.
    fn found(graph: &Graph, episodes: &[VertexId]) -> Retrieved {
        let fact = |fact: Item| ScoredFact { fact, score: 1.0, path: Path::start(Origin::Lexical(fact)) };
        let passage = |&episode| {
            let path = Path::start(Origin::Lexical(Item::Vertex(episode)));
            ScoredPassage { episode, score: 1.0, path }
        };
        let facts =
            graph.triples().chain(graph.triples()).map(|triple| fact(Item::Triple(triple.id))).collect();
        Retrieved { facts, passages: episodes.iter().map(passage).collect() }
    }

    fn pack(texts: &[&str], budget: Budget) -> Context {
        let (graph, episodes) = memory(texts);
        let indexes = Indexes::build(&graph);
        let memory = Memory { graph: &graph, indexes: &indexes };
        context(memory, &Query::new("question", None), &found(&graph, &episodes), budget)
    }

    #[test]
    fn passages_keep_their_order_and_facts_come_once() {
        let packed = pack(&["First passage.", "Second passage."], Budget::default());
        let texts: Vec<&str> = packed.passages.iter().map(|passage| passage.text.as_str()).collect();
        assert_eq!(texts, ["First passage.", "Second passage."]);
        assert_eq!(packed.passages[0].title, "Title");
        assert_eq!(packed.facts.len(), 2, "{:?}", packed.facts);
    }

    #[test]
    fn a_budget_is_kept_but_never_to_nothing() {
        let long = "word ".repeat(400);
        let budget = Budget { passages: 5, facts: 5, tokens: 600 };
        assert_eq!(pack(&[&long, &long, "short"], budget).passages.len(), 1);
        let tiny = Budget { passages: 5, facts: 5, tokens: 10 };
        let packed = pack(&[&long, "short"], tiny);
        assert_eq!((packed.passages.len(), packed.facts.len()), (1, 0), "the first passage is always there");
        assert!(pack(&[], Budget::default()).is_empty());
    }
}
