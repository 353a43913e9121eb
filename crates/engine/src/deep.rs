//! The deep pass: what is captured waits until the companion is there, and then is embedded and read.
//!
//! The queue is the memory itself: an episode waits as long as it is not marked as read, an item as long as it has no vector.
//! The mark is set in the same transaction that brings what was read, so whenever companion or core dies, nothing is lost and
//! nothing comes twice.

use std::collections::BTreeMap;

use futures::{
    StreamExt,
    future::{Either, select},
};
use loci_graph::{Cause, Graph, ObjectKind, PageId, VertexId};
use loci_index::{Indexes, Item, embed_text};
use loci_memorize::memorize_extracted;
use loci_messages::{CompanionState, ErrorKind, Failure, ModelState};
use loci_store::{Archive, Batch, Durability, Setting, Store};

use crate::{
    Engine, Extraction, Inference, Purpose, ReadEpisode, ReadRequest, backoff::Backoff, engine::Counts,
};

/// Texts embedded at once: a few seconds of work for a slow processor, so that little is lost when it stops.
const EMBEDDED_AT_ONCE: usize = 16;
/// Characters of one of them; what is longer is cut, as the model would.
const EMBEDDED_CHARS: usize = 4_000;
/// Episodes of one request.
const READ_AT_ONCE: usize = 4;
const KNOWN_NAMES: usize = 200;
/// Tries before an episode that the model fails on is left for the next start.
const TRIES: u32 = 3;
/// Milliseconds after which the companion is looked at though there is nothing to do.
const IDLE: u32 = 15_000;

/// What one round came to.
enum Round {
    /// Something was done; there may be more.
    Worked,
    /// Nothing waits, or the user paused it.
    Idle,
    /// The companion, or the model that is needed, is not there or failed.
    Away,
}

/// Episodes that a model failed on, with the number of times.
type Tries = BTreeMap<VertexId, u32>;

impl<S: Store, I: Inference> Engine<S, I> {
    pub(crate) async fn work_through(&self) {
        let mut backoff = Backoff::new();
        let mut tries = Tries::new();
        loop {
            let wait = match self.round(&mut tries).await {
                Round::Worked => {
                    backoff = Backoff::new();
                    self.host.sleep(0).await;
                    continue;
                }
                Round::Idle => IDLE,
                Round::Away => backoff.next(),
            };
            let called = self.work.wait();
            futures::pin_mut!(called);
            select(called, self.host.sleep(wait)).await;
        }
    }

    async fn round(&self, tries: &mut Tries) -> Round {
        let CompanionState::Ready { embedder, llm, .. } = self.refresh_companion().await else {
            return Round::Away;
        };
        if self.settings.borrow().paused {
            return Round::Idle;
        }
        let mut round = Round::Idle;
        if self.memory.borrow().indexes.without_vector().next().is_some() {
            round = Round::Away;
            if matches!(embedder, ModelState::Ready { .. }) {
                match self.embed_some().await {
                    Ok(()) => return Round::Worked,
                    // A text that cannot be embedded does not keep the others from being read.
                    Err(failure) if is_the_passages_fault(&failure) => {}
                    Err(_) => return Round::Away,
                }
            }
        }
        let Some((page, episodes)) = self.next_to_read(tries) else { return round };
        if !matches!(llm, ModelState::Ready { .. }) {
            // A companion without a language model is not waited for; one that is loading it is.
            return if matches!(llm, ModelState::Loading { .. }) { Round::Away } else { round };
        }
        match self.read(page, &episodes, tries).await {
            Ok(()) => Round::Worked,
            Err(_) => Round::Away,
        }
    }

    /// Gives some items that lack one a vector.
    async fn embed_some(&self) -> Result<(), Failure> {
        let missing: Vec<(Item, String)> = {
            let memory = self.memory.borrow();
            let items = memory.indexes.without_vector();
            let texts = items.filter_map(|item| Some((item, embed_text(&memory.graph, item)?)));
            texts.take(EMBEDDED_AT_ONCE).collect()
        };
        let texts = missing.iter().map(|(_, text)| text.chars().take(EMBEDDED_CHARS).collect()).collect();
        let embedded = self.inference.embed(Purpose::Passage, texts).await?;
        let _turn = self.turn().await;
        let mut batch = Batch::default();
        if self.embedding_model.borrow().as_ref() != Some(&embedded.model) {
            // Vectors of another model lie in another space: all begin anew.
            Archive::<S>::no_vectors(&mut batch);
            Archive::<S>::put_setting(&mut batch, Setting::EmbeddingModel, &embedded.model);
            self.store_now(std::mem::take(&mut batch)).await?;
            let memory = &mut *self.memory.borrow_mut();
            memory.indexes = Indexes::build(&memory.graph);
            *self.embedding_model.borrow_mut() = Some(embedded.model);
        }
        let vectors: Vec<(Item, String, Vec<f32>)> = {
            let memory = &mut *self.memory.borrow_mut();
            let pairs = missing.into_iter().zip(embedded.vectors);
            // A text may have changed while its old form was embedded.
            let current =
                pairs.filter(|((item, text), _)| embed_text(&memory.graph, *item).as_ref() == Some(text));
            let set = current.filter_map(|((item, text), vector)| {
                memory.indexes.set_vector(item, &vector).ok().map(|()| (item, text, vector))
            });
            set.collect()
        };
        let batch = self.archive.vectors(&vectors).await.map_err(|error| crate::failure::of_store(&error))?;
        self.store_now(batch).await
    }

    /// Writes while the turn is held.
    async fn store_now(&self, batch: Batch) -> Result<(), Failure> {
        let written = self.archive.write(batch, Durability::Relaxed).await;
        written.map_err(|error| crate::failure::of_store(&error))
    }

    /// The next episodes to read: of the page captured last, in reading order. One at a time where the model failed before.
    fn next_to_read(&self, tries: &Tries) -> Option<(PageId, Vec<VertexId>)> {
        let memory = self.memory.borrow();
        let queue = memory.unread();
        let left = |episode: &VertexId| tries.get(episode).is_none_or(|tries| *tries < TRIES);
        let (page, episodes) = queue.into_iter().find_map(|(key, episodes)| {
            let episodes: Vec<VertexId> = episodes.into_iter().filter(left).collect();
            (!episodes.is_empty()).then_some((PageId(key.0.1), episodes))
        })?;
        let failed = episodes.first().is_some_and(|episode| tries.contains_key(episode));
        let most = if failed { 1 } else { READ_AT_ONCE };
        Some((page, episodes.into_iter().take(most).collect()))
    }

    async fn read(&self, page: PageId, episodes: &[VertexId], tries: &mut Tries) -> Result<(), Failure> {
        let Some(request) = read_request(&self.memory.borrow().graph, page, episodes) else { return Ok(()) };
        let mut waiting: Vec<VertexId> = episodes.to_vec();
        let mut results = self.inference.read(request);
        loop {
            let called = self.work.wait();
            futures::pin_mut!(called);
            let result = match select(results.next(), called).await {
                Either::Left((Some(result), _)) => result,
                Either::Left((None, _)) => break,
                // Called for something else, such as a new capture or a pause. Dropping the stream stops the reading.
                Either::Right(_) if self.settings.borrow().paused => return Ok(()),
                Either::Right(_) => continue,
            };
            match result {
                Ok(extraction) => {
                    waiting.retain(|episode| episode.0 != extraction.id);
                    self.memorize(page, extraction).await?;
                }
                Err(failure) => {
                    if is_the_passages_fault(&failure)
                        && let Some(first) = waiting.first()
                    {
                        *tries.entry(*first).or_default() += 1;
                    }
                    return Err(failure);
                }
            }
        }
        // A stream that ends early without a word must not make the loop spin on the same episodes.
        for episode in waiting {
            *tries.entry(episode).or_default() += 1;
        }
        Ok(())
    }

    /// Makes what was read part of the memory and takes the episode off the queue, in one transaction.
    async fn memorize(&self, page: PageId, extraction: Extraction) -> Result<(), Failure> {
        let episode = VertexId(extraction.id);
        // Erased or read meanwhile.
        let waits = self.memory.borrow().graph.episode(episode).is_some_and(|episode| !episode.deep);
        if !waits {
            return Ok(());
        }
        let mut counts = self.counts.get();
        self.commit(
            Durability::Relaxed,
            |_| Cause::Deep(page),
            |edit| memorize_extracted(edit, episode, &extraction.extracted, &()),
            |_, report, batch| {
                counts = Counts {
                    ungrounded: counts.ungrounded + extraction.ungrounded + report.ungrounded as u32,
                    truncated: counts.truncated + extraction.truncated,
                };
                Archive::<S>::put_setting(batch, Setting::Counts, &counts);
            },
        )
        .await?;
        self.counts.set(counts);
        self.emit_page(page);
        Ok(())
    }
}

/// Whether trying the same passage again is likely to fail again.
fn is_the_passages_fault(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        ErrorKind::ModelFailed | ErrorKind::BadRequest | ErrorKind::TooLarge | ErrorKind::Internal
    )
}

fn read_request(graph: &Graph, page: PageId, episodes: &[VertexId]) -> Option<ReadRequest> {
    let page = graph.page(page)?;
    let episode = |id: &VertexId| {
        let episode = graph.episode(*id)?;
        Some(ReadEpisode { id: id.0, headings: episode.headings.clone(), text: episode.text.clone() })
    };
    Some(ReadRequest {
        title: page.title.clone(),
        language: page.language.clone(),
        known_names: known_names(graph, &page.episodes),
        episodes: episodes.iter().filter_map(episode).collect(),
    })
}

/// Names of the things that the page is known to mention, each once.
fn known_names(graph: &Graph, episodes: &[VertexId]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for edge in episodes.iter().flat_map(|episode| graph.edges(*episode)) {
        if let Some(object) = graph.object(edge.to)
            && object.kind != ObjectKind::Value
            && !names.contains(&object.name)
        {
            names.push(object.name.clone());
            if names.len() == KNOWN_NAMES {
                break;
            }
        }
    }
    names
}
