use loci_graph::{Cause, Erasure, PageId, Vertex};
use loci_memorize::erase_page;
use loci_messages::{Event, Failure, Reply};
use loci_store::{Archive, Batch, Durability, Store};

use crate::{Engine, Inference, engine::Counts, failure::not_found, memory::Memory};

impl<S: Store, I: Inference> Engine<S, I> {
    /// What [`Engine::erase_page`] would take: tried out and taken back.
    pub(crate) fn erase_preview(&self, page: PageId) -> Result<Reply, Failure> {
        let memory = &mut *self.memory.borrow_mut();
        if memory.graph.page(page).is_none() {
            return Err(not_found("page"));
        }
        let count = |graph: &loci_graph::Graph| {
            let (mut passages, mut facts, mut objects) = (0, graph.triples().count(), 0);
            for vertex in graph.vertices() {
                match vertex {
                    Vertex::Episode(_) => passages += 1,
                    Vertex::Thesis(_) => facts += 1,
                    Vertex::Object(_) => objects += 1,
                }
            }
            [passages, facts, objects]
        };
        let before = count(&memory.graph);
        let mut edit = memory.graph.edit(self.host.now(), Cause::Erase);
        erase_page(&mut edit, page);
        let after = count(edit.graph());
        // Dropping the edit takes it back.
        drop(edit);
        let gone = |kind: usize| before[kind].saturating_sub(after[kind]) as u32;
        Ok(Reply::ErasePreview { passages: gone(0), facts: gone(1), objects: gone(2) })
    }

    pub(crate) async fn erase_page(&self, page: PageId) -> Result<Reply, Failure> {
        let addresses = self.memory.borrow().addresses_of(page);
        if addresses.is_empty() {
            return Err(not_found("page"));
        }
        let erasure = Erasure::new(addresses.first().cloned());
        self.commit_erasure(erasure, |edit| erase_page(edit, page)).await?;
        self.memory.borrow_mut().set_addresses(page, Vec::new());
        self.forget_attempts(addresses);
        Ok(Reply::Done)
    }

    pub(crate) async fn erase_everything(&self) -> Result<Reply, Failure> {
        let addresses = {
            let memory = self.memory.borrow();
            memory.graph.pages().flat_map(|page| memory.addresses_of(page.id)).collect()
        };
        let _turn = self.turn().await;
        let batch: Batch = Archive::<S>::everything();
        self.archive
            .write(batch, Durability::Strict)
            .await
            .map_err(|error| crate::failure::of_store(&error))?;
        let counters = self.memory.borrow().graph.counters();
        let graph = loci_graph::Graph::from_records([], counters);
        let indexes = loci_index::Indexes::build(&graph);
        *self.memory.borrow_mut() = Memory::new(graph, indexes, Vec::new());
        self.counts.set(Counts::default());
        self.forget_attempts(addresses);
        Ok(Reply::Done)
    }

    fn forget_attempts(&self, addresses: Vec<String>) {
        for url in addresses {
            self.attempts.borrow_mut().remove(&url);
            let state = self.state_at(&url);
            self.host.emit(None, Event::PageChanged { url, state });
        }
    }
}
