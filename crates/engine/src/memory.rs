use std::collections::{BTreeMap, HashMap};

use loci_graph::{Graph, PageId, Transaction, VertexId};
use loci_index::Indexes;

/// The memory as it is held while the core runs.
pub(crate) struct Memory {
    pub graph: Graph,
    pub indexes: Indexes,
    addresses: Addresses,
}

impl Memory {
    pub fn new(graph: Graph, indexes: Indexes, addresses: Vec<(PageId, Vec<String>)>) -> Memory {
        Memory { graph, indexes, addresses: Addresses::new(addresses) }
    }

    /// What retrieval works on.
    pub fn searchable(&self) -> loci_retrieval::Memory<'_> {
        loci_retrieval::Memory { graph: &self.graph, indexes: &self.indexes }
    }

    /// The page that was captured from this address, the canonical one or another.
    pub fn page_at(&self, url: &str) -> Option<PageId> {
        let bare = bare(url);
        let canonical = self.graph.page_at(url).or_else(|| self.graph.page_at(bare));
        canonical.map(|page| page.id).or_else(|| self.addresses.page(bare))
    }

    /// Every address of the page, the canonical one first.
    pub fn addresses_of(&self, page: PageId) -> Vec<String> {
        let canonical = self.graph.page(page).map(|page| page.url.clone());
        canonical.into_iter().chain(self.addresses.of(page).iter().cloned()).collect()
    }

    /// The further addresses of the page if `url` were one of them; `None` when it is known already.
    pub fn with_address(&self, page: PageId, url: &str) -> Option<Vec<String>> {
        if self.page_at(url) == Some(page) {
            return None;
        }
        let mut addresses = self.addresses.of(page).to_vec();
        addresses.push(bare(url).to_owned());
        Some(addresses)
    }

    pub fn set_addresses(&mut self, page: PageId, addresses: Vec<String>) {
        self.addresses.set(page, addresses);
    }

    /// Takes back a transaction that could not be stored.
    pub fn take_back(&mut self, transaction: &Transaction) {
        // Nothing came after it: writers wait for each other.
        if let Ok(undo) = self.graph.undo(transaction, transaction.at) {
            self.indexes.apply(&self.graph, &undo);
        }
    }

    /// Episodes of the current versions that the deep pass has not been over: newest page first, in reading order.
    pub fn unread(&self) -> BTreeMap<std::cmp::Reverse<(i64, u32)>, Vec<VertexId>> {
        let pages = self.graph.pages().map(|page| {
            let unread = page.episodes.iter().copied();
            let unread = unread.filter(|id| self.graph.episode(*id).is_some_and(|episode| !episode.deep));
            (std::cmp::Reverse((page.captured.0, page.id.0)), unread.collect::<Vec<_>>())
        });
        pages.filter(|(_, unread)| !unread.is_empty()).collect()
    }
}

/// Addresses other than the canonical one.
#[derive(Default)]
struct Addresses {
    pages: HashMap<String, PageId>,
    of: HashMap<PageId, Vec<String>>,
}

impl Addresses {
    fn new(stored: Vec<(PageId, Vec<String>)>) -> Addresses {
        let mut addresses = Addresses::default();
        for (page, urls) in stored {
            addresses.set(page, urls);
        }
        addresses
    }

    fn page(&self, url: &str) -> Option<PageId> {
        self.pages.get(url).copied()
    }

    fn of(&self, page: PageId) -> &[String] {
        self.of.get(&page).map_or(&[], Vec::as_slice)
    }

    fn set(&mut self, page: PageId, urls: Vec<String>) {
        for old in self.of.remove(&page).unwrap_or_default() {
            self.pages.remove(&old);
        }
        if !urls.is_empty() {
            self.pages.extend(urls.iter().map(|url| (url.clone(), page)));
            self.of.insert(page, urls);
        }
    }
}

/// The address without its fragment, unless the fragment is a route of the page's own.
fn bare(url: &str) -> &str {
    match url.split_once('#') {
        Some((_, fragment)) if fragment.starts_with(['/', '!']) => url,
        Some((address, _)) => address,
        None => url,
    }
}
