use std::collections::HashMap;

use futures::future::{Either, select};
use loci_graph::PageId;
use loci_index::{Item, Kind};
use loci_messages::{CompanionState, Hit, ModelState, PageSummary, Reply};
use loci_retrieval::{Bm25, Dense, Mix, Query, Retriever};
use loci_store::Store;

use crate::{Engine, Inference, Purpose, view};

/// Milliseconds that a search waits for the vector of its text before it goes by words alone.
const SEARCH_PATIENCE: u32 = 1_500;
/// Passages looked at to find the pages that match.
const PASSAGES: usize = 400;
const MOST_HITS: usize = 100;

impl<S: Store, I: Inference> Engine<S, I> {
    /// Passages near the text: by words, and by meaning where the companion is quick enough.
    pub(crate) async fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let vector = self.vector(query, SEARCH_PATIENCE).await;
        let memory = self.memory.borrow();
        let query = Query::new(query, vector.as_deref());
        let searchable = memory.searchable();
        let found = if vector.is_some() {
            Mix::new(vec![Box::new(Bm25), Box::new(Dense)]).retrieve(&searchable, &query)
        } else {
            Bm25.retrieve(&searchable, &query)
        };
        let hits = found.passages.iter().take(limit.min(MOST_HITS));
        hits.filter_map(|scored| view::hit(&memory.graph, scored.episode, scored.score)).collect()
    }

    /// The vector of a question, when the companion is known to be there and answers in time.
    pub(crate) async fn vector(&self, text: &str, patience: u32) -> Option<Vec<f32>> {
        let CompanionState::Ready { embedder: ModelState::Ready { .. }, .. } = self.companion().await else {
            return None;
        };
        let embedding = self.inference.embed(Purpose::Question, vec![text.to_owned()]);
        futures::pin_mut!(embedding);
        match select(embedding, self.host.sleep(patience)).await {
            Either::Left((Ok(embedded), _))
                if self.embedding_model.borrow().as_ref() == Some(&embedded.model) =>
            {
                embedded.vectors.into_iter().next()
            }
            _ => None,
        }
    }

    /// The remembered pages, newest first, or those that match, best first.
    pub(crate) fn pages(&self, query: &str, limit: u32, offset: u32) -> Reply {
        let memory = self.memory.borrow();
        let graph = &memory.graph;
        let query = query.trim();
        // The page and the passage that matched.
        let mut found: Vec<(PageId, Option<loci_graph::VertexId>)> = Vec::new();
        if query.is_empty() {
            let mut pages: Vec<_> = graph.pages().map(|page| (page.captured, page.id)).collect();
            pages.sort_unstable_by(|a, b| b.cmp(a));
            found.extend(pages.into_iter().map(|(_, page)| (page, None)));
        } else {
            let mut rank = HashMap::new();
            for hit in memory.indexes.search_lexical(Kind::Episode, query, PASSAGES) {
                if let Item::Vertex(id) = hit.item
                    && let Some(episode) = graph.episode(id)
                    && graph.page(episode.page).is_some_and(|page| page.episodes.contains(&id))
                {
                    rank.entry(episode.page).or_insert_with(|| {
                        found.push((episode.page, Some(id)));
                    });
                }
            }
            let lower = query.to_lowercase();
            let holds = |text: &str| text.to_lowercase().contains(&lower);
            let named = graph.pages().filter(|page| !rank.contains_key(&page.id));
            let named = named.filter(|page| {
                holds(&page.title) || page.site.as_deref().is_some_and(holds) || holds(&page.url)
            });
            found.extend(named.map(|page| (page.id, None)).collect::<Vec<_>>());
        }
        let total = found.len() as u32;
        let shown = found.into_iter().skip(offset as usize).take(limit as usize);
        let pages: Vec<PageSummary> =
            shown.filter_map(|(page, passage)| view::page_summary(graph, page, passage, query)).collect();
        Reply::Pages { pages, total }
    }
}
