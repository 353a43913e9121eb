use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use futures::{channel::oneshot, lock::Mutex};
use loci_graph::{Cause, Edit, Erasure, PageId, Timestamp, Transaction, Vertex};
use loci_index::{Indexes, embed_text};
use loci_messages::{
    CompanionState, Diagnostics, Event, Failure, PageState, PageStatus, Reply, Request, Settings, ToCore,
};
use loci_store::{Archive, Batch, Durability, SCHEMA, Setting, Store, text_hash};
use serde::{Deserialize, Serialize};

use crate::{
    ClientId, Host, Inference,
    failure::{not_found, of_store},
    memory::Memory,
    signal::Signal,
    view,
};

/// Milliseconds after which a capture that was begun and never ended is forgotten.
const LONGEST_CAPTURE: i64 = 60_000;

/// The core. One per memory; every screen's requests go through it.
pub struct Engine<S, I> {
    pub(crate) archive: Archive<S>,
    pub(crate) inference: I,
    pub(crate) host: Rc<dyn Host>,
    /// Never borrowed across an `await`.
    pub(crate) memory: RefCell<Memory>,
    /// Held from an edit to its commit: writers wait for each other, readers for nobody.
    writing: Mutex<()>,
    pub(crate) settings: RefCell<Settings>,
    pub(crate) counts: Cell<Counts>,
    pub(crate) embedding_model: RefCell<Option<String>>,
    companion: RefCell<CompanionState>,
    /// Captures under way and those that failed, by address.
    pub(crate) attempts: RefCell<HashMap<String, Attempt>>,
    /// How to stop each answer that is being written.
    pub(crate) answers: RefCell<HashMap<(ClientId, u32), oneshot::Sender<()>>>,
    /// Wakes the deep pass.
    pub(crate) work: Signal,
}

/// What became of the latest try to capture an address.
#[derive(Debug, Clone)]
pub(crate) enum Attempt {
    /// Since this time. Whoever began may have been stopped without a word, so it does not hold for ever.
    UnderWay(Timestamp),
    Failed(Failure),
}

/// What the deep pass dropped, over the life of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub ungrounded: u32,
    pub truncated: u32,
}

impl<S: Store, I: Inference> Engine<S, I> {
    /// Opens the memory in `store`: text is searchable when this is done, vectors by the time [`Engine::run`] has loaded them.
    ///
    /// # Errors
    /// A [`Failure`] of the store; nothing was written.
    pub async fn open(store: S, inference: I, host: Rc<dyn Host>) -> Result<Engine<S, I>, Failure> {
        let archive = Archive::new(store);
        let open = async {
            let graph = archive.load().await?;
            let addresses = archive.addresses().await?;
            let settings = archive.setting::<String>(Setting::Choices).await?;
            let counts = archive.setting(Setting::Counts).await?.unwrap_or_default();
            let model = archive.setting(Setting::EmbeddingModel).await?;
            Ok((graph, addresses, settings, counts, model))
        };
        let (graph, addresses, settings, counts, model) = open.await.map_err(|error| of_store(&error))?;
        let indexes = Indexes::build(&graph);
        let settings: Settings = settings.map(|json| view::settings(&json)).unwrap_or_default();
        inference.prefer_port(settings.companion_port);
        Ok(Engine {
            archive,
            inference,
            host,
            memory: RefCell::new(Memory::new(graph, indexes, addresses)),
            writing: Mutex::new(()),
            settings: RefCell::new(settings),
            counts: Cell::new(counts),
            embedding_model: RefCell::new(model),
            companion: RefCell::new(CompanionState::Away),
            attempts: RefCell::default(),
            answers: RefCell::default(),
            work: Signal::default(),
        })
    }

    /// Works in the background for as long as the core lives: loads the vectors, then computes what is missing and reads what
    /// waits, whenever the companion is there.
    pub async fn run(&self) {
        // A vector that cannot be read is computed again.
        let _ = self.load_vectors().await;
        self.work_through().await;
    }

    /// Answers one request of a page. An [`Request::Ask`] is stopped by [`Request::Stop`] from the same page.
    ///
    /// # Errors
    /// A [`Failure`] for the screen; nothing already stored was touched.
    pub async fn handle(&self, client: ClientId, message: ToCore) -> Result<Reply, Failure> {
        match message.request {
            Request::Ping => Ok(Reply::Done),
            Request::Capture(page) => self.capture(page).await.map(|page| Reply::Captured { page }),
            Request::CaptureBegun { url } => {
                Ok(self.note_attempt(&url, Some(Attempt::UnderWay(self.host.now()))))
            }
            Request::CaptureFailed { url, failure } => {
                Ok(self.note_attempt(&url, Some(Attempt::Failed(failure))))
            }
            Request::PageState { url } => Ok(Reply::PageState { state: self.state_at(&url) }),
            Request::Pages { query, limit, offset } => Ok(self.pages(&query, limit, offset)),
            Request::Page { page } => {
                let memory = self.memory.borrow();
                let detail = view::page_detail(&memory.graph, PageId(page));
                detail.map(|page| Reply::Page { page }).ok_or_else(|| not_found("page"))
            }
            Request::ErasePreview { page } => self.erase_preview(PageId(page)),
            Request::ErasePage { page } => self.erase_page(PageId(page)).await,
            Request::EraseEverything => self.erase_everything().await,
            Request::Search { query, limit } => {
                Ok(Reply::Hits { hits: self.search(&query, limit as usize).await })
            }
            Request::Ask { question } => {
                self.ask(client, message.id, &question).await.map(|end| Reply::Answer { end })
            }
            Request::Stop { ask } => {
                self.stop(client, ask);
                Ok(Reply::Done)
            }
            Request::Graph { center, limit } => {
                let memory = self.memory.borrow();
                Ok(Reply::Graph { graph: view::graph_view(&memory.graph, center, limit as usize) })
            }
            Request::Vertex { vertex } => {
                let memory = self.memory.borrow();
                let detail = view::vertex_detail(&memory.graph, loci_graph::VertexId(vertex));
                detail.map(|vertex| Reply::Vertex { vertex }).ok_or_else(|| not_found("entry"))
            }
            Request::Companion => Ok(Reply::Companion { companion: self.refresh_companion().await }),
            Request::Pair { code } => {
                self.inference.pair(code).await?;
                Ok(Reply::Companion { companion: self.refresh_companion().await })
            }
            Request::Unpair => {
                self.inference.unpair().await?;
                Ok(Reply::Companion { companion: self.refresh_companion().await })
            }
            Request::Settings => Ok(Reply::Settings { settings: self.settings.borrow().clone() }),
            Request::SetSettings(settings) => self.set_settings(settings).await,
            Request::Diagnostics => Ok(Reply::Diagnostics { diagnostics: self.diagnostics().await }),
        }
    }

    /// A page is gone: nobody reads its answers any more.
    pub fn leave(&self, client: ClientId) {
        self.answers.borrow_mut().retain(|(of, _), _| *of != client);
    }

    /// What is known of the companion, asked anew. Screens are told when it changed, the deep pass is woken.
    pub(crate) async fn refresh_companion(&self) -> CompanionState {
        let now = self.inference.state().await;
        let before = self.companion.replace(now.clone());
        if before != now {
            self.host.emit(None, Event::CompanionChanged { companion: now.clone() });
            self.work.call();
        }
        now
    }

    /// The companion as last seen; asked anew when it was not there.
    pub(crate) async fn companion(&self) -> CompanionState {
        let last = self.companion.borrow().clone();
        match last {
            CompanionState::Ready { .. } => last,
            _ => self.refresh_companion().await,
        }
    }

    /// Changes the graph in one transaction, stores it with what `also` adds, and takes it back when it cannot be stored.
    pub(crate) async fn commit<R>(
        &self,
        durability: Durability,
        cause: impl FnOnce(&Memory) -> Cause,
        change: impl FnOnce(&mut Edit<'_>) -> R,
        also: impl FnOnce(&mut Memory, &R, &mut Batch),
    ) -> Result<R, Failure> {
        let _writing = self.writing.lock().await;
        let (result, transaction, batch) = {
            let memory = &mut *self.memory.borrow_mut();
            let cause = cause(memory);
            let (result, transaction) = edit(memory, self.host.now(), cause, change);
            let mut batch = Archive::<S>::changes(&memory.graph, &transaction);
            also(memory, &result, &mut batch);
            (result, transaction, batch)
        };
        match self.archive.write(batch, durability).await {
            Ok(()) => Ok(result),
            Err(error) => {
                self.memory.borrow_mut().take_back(&transaction);
                Err(of_store(&error))
            }
        }
    }

    /// As [`Engine::commit`], physically: nothing of what the change removes stays anywhere.
    pub(crate) async fn commit_erasure(
        &self,
        erasure: Erasure,
        change: impl FnOnce(&mut Edit<'_>),
    ) -> Result<(), Failure> {
        let _writing = self.writing.lock().await;
        let (transaction, mut batch) = {
            let memory = &mut *self.memory.borrow_mut();
            let ((), transaction) = edit(memory, self.host.now(), Cause::Erase, change);
            let batch = Archive::<S>::erased(&memory.graph, &transaction);
            (transaction, batch)
        };
        let scrub = |erasure: &Erasure, past: &Transaction| erasure.scrub(&self.memory.borrow().graph, past);
        let written = async {
            // The journal is rewritten before the erasing transaction is put into it.
            let mut all = self.archive.scrubbed(erasure, &transaction, scrub).await?;
            all.append(std::mem::take(&mut batch));
            self.archive.write(all, Durability::Strict).await
        };
        written.await.map_err(|error| {
            self.memory.borrow_mut().take_back(&transaction);
            of_store(&error)
        })
    }

    /// Writes beside the graph; waits for its turn.
    pub(crate) async fn write(&self, batch: Batch, durability: Durability) -> Result<(), Failure> {
        let _writing = self.writing.lock().await;
        self.archive.write(batch, durability).await.map_err(|error| of_store(&error))
    }

    /// Holds off other writers.
    pub(crate) async fn turn(&self) -> futures::lock::MutexGuard<'_, ()> {
        self.writing.lock().await
    }

    pub(crate) fn note_attempt(&self, url: &str, attempt: Option<Attempt>) -> Reply {
        match attempt {
            Some(attempt) => drop(self.attempts.borrow_mut().insert(url.to_owned(), attempt)),
            None => drop(self.attempts.borrow_mut().remove(url)),
        }
        self.host.emit(None, Event::PageChanged { url: url.to_owned(), state: self.state_at(url) });
        Reply::Done
    }

    /// What is known of an address.
    pub(crate) fn state_at(&self, url: &str) -> PageState {
        let memory = self.memory.borrow();
        let page = memory.page_at(url);
        let mut state = view::page_state(&memory.graph, page);
        match self.attempts.borrow().get(url) {
            Some(Attempt::UnderWay(since)) if self.host.now().0 - since.0 < LONGEST_CAPTURE => {
                state.status = PageStatus::Capturing;
            }
            Some(Attempt::Failed(failure)) => state.failure = Some(failure.clone()),
            Some(Attempt::UnderWay(_)) | None => {}
        }
        state
    }

    /// Tells every screen how a page stands, under each of its addresses.
    pub(crate) fn emit_page(&self, page: PageId) {
        let addresses = self.memory.borrow().addresses_of(page);
        for url in addresses {
            let state = self.state_at(&url);
            self.host.emit(None, Event::PageChanged { url, state });
        }
    }

    async fn load_vectors(&self) -> Result<(), loci_store::StoreError> {
        self.archive
            .load_vectors(|item, stored| {
                let memory = &mut *self.memory.borrow_mut();
                let text = embed_text(&memory.graph, item);
                if text.is_some_and(|text| text_hash(&text) == stored.text) {
                    // One that the index refuses stays missing and is computed again.
                    let _ = memory.indexes.set_vector(item, &stored.to_f32());
                }
            })
            .await
    }

    async fn set_settings(&self, settings: Settings) -> Result<Reply, Failure> {
        let mut batch = Batch::default();
        Archive::<S>::put_setting(&mut batch, Setting::Choices, &view::settings_json(&settings));
        self.write(batch, Durability::Strict).await?;
        self.inference.prefer_port(settings.companion_port);
        *self.settings.borrow_mut() = settings.clone();
        self.work.call();
        Ok(Reply::Settings { settings })
    }

    async fn diagnostics(&self) -> Diagnostics {
        let usage = self.archive.usage().await;
        let memory = self.memory.borrow();
        let counts = self.counts.get();
        let mut diagnostics = Diagnostics {
            pages: memory.graph.pages().count() as u32,
            triples: memory.graph.triples().count() as u32,
            queued: memory.unread().values().map(Vec::len).sum::<usize>() as u32,
            ungrounded: counts.ungrounded,
            truncated: counts.truncated,
            storage_used: usage.used,
            storage_quota: usage.granted,
            schema: SCHEMA,
            ..Diagnostics::default()
        };
        for vertex in memory.graph.vertices() {
            match vertex {
                Vertex::Object(_) => diagnostics.objects += 1,
                Vertex::Thesis(_) => diagnostics.theses += 1,
                Vertex::Episode(_) => diagnostics.passages += 1,
            }
        }
        diagnostics
    }
}

fn edit<R>(
    memory: &mut Memory,
    at: Timestamp,
    cause: Cause,
    change: impl FnOnce(&mut Edit<'_>) -> R,
) -> (R, Transaction) {
    let mut edit = memory.graph.edit(at, cause);
    let result = change(&mut edit);
    let transaction = edit.finish();
    memory.indexes.apply(&memory.graph, &transaction);
    (result, transaction)
}
