use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use loci_graph::{Graph, Key, Transaction, Triple, Vertex, VertexId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::names::{self, Names};
use crate::{
    Bm25, Dense, Hit, Item, Kind, Named, NamedSpan, QueryVector, Segment, SegmentJob, VectorError, dense,
};

/// All indexes of one memory.
///
/// Text is indexed the moment the graph changes; vectors come later, from whoever can compute them: see
/// [`Indexes::without_vector`].
#[derive(Default)]
pub struct Indexes {
    lexical: [Bm25; 4],
    dense: [Dense; 4],
    /// What is indexed, with the hash of its text: only a changed text costs anything.
    texts: FxHashMap<Item, (Kind, u64)>,
    missing: BTreeSet<(Kind, Item)>,
    names: Names,
    /// The known names in each episode, and where each thing is mentioned.
    mentions: FxHashMap<VertexId, Box<[Named]>>,
    mentioned_by: FxHashMap<Named, BTreeSet<VertexId>>,
}

/// The text that stands for an item, in its index and as input of the embedding model (without the model's prefix):
/// title, headings and text of an episode, "subject relation object" of a triple, the thesis itself, the name of an
/// object with its aliases.
pub fn embed_text(graph: &Graph, item: Item) -> Option<String> {
    match item {
        Item::Triple(id) => graph.triple(id).and_then(|triple| verbalise(graph, triple)),
        Item::Vertex(id) => graph.vertex(id).map(|vertex| vertex_text(graph, vertex)),
    }
}

fn verbalise(graph: &Graph, triple: &Triple) -> Option<String> {
    let (subject, object) = (graph.vertex(triple.subject)?, graph.vertex(triple.object)?);
    Some(format!("{} {} {}", subject.text(), triple.relation, object.text()))
}

fn vertex_text(graph: &Graph, vertex: &Vertex) -> String {
    match vertex {
        Vertex::Thesis(thesis) => thesis.text.clone(),
        Vertex::Object(object) => object.names().collect::<Vec<_>>().join("\n"),
        Vertex::Episode(episode) => {
            let title = graph.page(episode.page).map_or("", |page| page.title.as_str());
            let headings = episode.headings.iter().map(String::as_str).filter(|heading| *heading != title);
            let above: Vec<&str> =
                std::iter::once(title).chain(headings).filter(|line| !line.is_empty()).collect();
            if above.is_empty() {
                episode.text.clone()
            } else {
                format!("{}\n{}", above.join(" › "), episode.text)
            }
        }
    }
}

impl Indexes {
    /// Indexes everything the graph holds; all vectors are missing.
    pub fn build(graph: &Graph) -> Indexes {
        let mut indexes = Indexes::default();
        for page in graph.pages() {
            indexes.names.set(Named::Page(page.id), names::of_page(page));
        }
        for vertex in graph.vertices() {
            indexes.refresh(graph, Item::Vertex(vertex.id()));
            if let Vertex::Object(object) = vertex {
                indexes.names.set(Named::Object(object.id), names::of_object(object));
            }
        }
        for triple in graph.triples() {
            indexes.refresh(graph, Item::Triple(triple.id));
        }
        for vertex in graph.vertices() {
            indexes.read_mentions(graph, vertex.id());
        }
        indexes
    }

    /// Follows a transaction that has just been applied to `graph`.
    pub fn apply(&mut self, graph: &Graph, transaction: &Transaction) {
        self.refresh_keys(graph, transaction.changes.iter().map(|change| change.key));
    }

    /// Brings everything that depends on these records up to date with the graph.
    pub fn refresh_keys(&mut self, graph: &Graph, keys: impl IntoIterator<Item = Key>) {
        let mut items = FxHashSet::default();
        let mut episodes = FxHashSet::default();
        let mut renamed = Vec::new();
        for key in keys {
            match key {
                Key::Page(id) => {
                    let names = graph.page(id).map(names::of_page).unwrap_or_default();
                    renamed.push((Named::Page(id), self.names.set(Named::Page(id), names)));
                    for episode in graph.episodes_of(id) {
                        items.insert(Item::Vertex(episode.id));
                        episodes.insert(episode.id);
                    }
                }
                Key::Vertex(id) => {
                    items.insert(Item::Vertex(id));
                    episodes.insert(id);
                    let names = graph.object(id).map(names::of_object).unwrap_or_default();
                    renamed.push((Named::Object(id), self.names.set(Named::Object(id), names)));
                    // The triples' own texts hold the object's name.
                    if self.is_stale(graph, Item::Vertex(id)) {
                        items.extend(graph.triples_at(id).map(|triple| Item::Triple(triple.id)));
                    }
                }
                Key::Triple(id) => drop(items.insert(Item::Triple(id))),
            }
        }
        for item in items {
            self.refresh(graph, item);
        }
        for (named, names) in renamed {
            if names.lost {
                episodes.extend(self.mentioned_by(named));
            }
            for words in names.added {
                let candidates = self.lexical(Kind::Episode).with_all(&words);
                episodes.extend(candidates.into_iter().map(VertexId));
            }
        }
        for episode in episodes {
            self.read_mentions(graph, episode);
        }
    }

    /// The `k` best items of a kind by BM25, best first.
    pub fn search_lexical(&self, kind: Kind, text: &str, k: usize) -> Vec<Hit> {
        hits(kind, self.lexical(kind).search(text, k))
    }

    /// The `k` nearest items of a kind by cosine, best first. Empty when the vector has no direction or another
    /// length than the index's, or while no vector is known.
    pub fn search_dense(&self, kind: Kind, vector: &[f32], k: usize) -> Vec<Hit> {
        QueryVector::new(vector).map_or_else(|_| Vec::new(), |query| self.nearest(kind, &query, k))
    }

    /// [`Indexes::search_dense`] with a prepared vector.
    pub fn nearest(&self, kind: Kind, query: &QueryVector, k: usize) -> Vec<Hit> {
        hits(kind, self.dense(kind).search(query, k))
    }

    /// Cosine of an item with the question; `None` while its vector is missing.
    pub fn cosine(&self, item: Item, query: &QueryVector) -> Option<f32> {
        let &(kind, _) = self.texts.get(&item)?;
        self.dense(kind).cosine(item.number(), query)
    }

    /// Cosine of two items; `None` while a vector is missing.
    pub fn cosine_between(&self, a: Item, b: Item) -> Option<f32> {
        dense::cosine(self.row(a)?, self.row(b)?)
    }

    fn row(&self, item: Item) -> Option<(&[i8], f32)> {
        let &(kind, _) = self.texts.get(&item)?;
        self.dense(kind).get(item.number())
    }

    /// The item's vector at unit length, as precise as it is kept (int8).
    pub fn vector(&self, item: Item) -> Option<Vec<f32>> {
        let &(kind, _) = self.texts.get(&item)?;
        self.dense(kind).vector(item.number())
    }

    /// Sets the vector of an item's present text. An item that is gone is passed over, since vectors arrive late.
    ///
    /// # Errors
    /// [`VectorError`] when the vector cannot be used; the item stays without.
    pub fn set_vector(&mut self, item: Item, vector: &[f32]) -> Result<(), VectorError> {
        let Some(&(kind, _)) = self.texts.get(&item) else {
            return Ok(());
        };
        self.dense[kind as usize].insert(item.number(), vector)?;
        self.missing.remove(&(kind, item));
        Ok(())
    }

    /// Items whose present text has no vector: episodes first, then theses, triples, objects.
    pub fn without_vector(&self) -> impl Iterator<Item = Item> + '_ {
        self.missing.iter().map(|&(_, item)| item)
    }

    /// The known names in a text (see [`Names::find`]).
    pub fn names_in(&self, words: &[String]) -> Vec<NamedSpan> {
        self.names.find(words)
    }

    /// The things whose names occur in an episode's text, title or headings.
    pub fn mentions(&self, episode: VertexId) -> &[Named] {
        self.mentions.get(&episode).map_or(&[], |mentions| mentions)
    }

    /// The episodes in which a name of `named` occurs.
    pub fn mentioned_by(&self, named: Named) -> impl ExactSizeIterator<Item = VertexId> + '_ {
        self.mentioned_by.get(&named).map(|episodes| episodes.iter()).unwrap_or_default().copied()
    }

    /// The lexical index of a kind.
    pub fn lexical(&self, kind: Kind) -> &Bm25 {
        &self.lexical[kind as usize]
    }

    /// The dense index of a kind.
    pub fn dense(&self, kind: Kind) -> &Dense {
        &self.dense[kind as usize]
    }

    /// A segment worth building now (see [`Dense::job`]). Give the built one to [`Indexes::adopt`].
    pub fn segment_job(&self) -> Option<(Kind, SegmentJob)> {
        Kind::ALL.into_iter().find_map(|kind| self.dense(kind).job().map(|job| (kind, job)))
    }

    /// Takes over a built segment.
    ///
    /// # Errors
    /// [`VectorError::Dimension`] when it was built from other vectors.
    pub fn adopt(&mut self, kind: Kind, segment: Segment) -> Result<(), VectorError> {
        self.dense[kind as usize].adopt(segment)
    }

    fn is_stale(&self, graph: &Graph, item: Item) -> bool {
        let text = embed_text(graph, item);
        text.map(|text| hash(&text)) != self.texts.get(&item).map(|&(_, hash)| hash)
    }

    /// Makes lexical index and missing list agree with the item's present text.
    fn refresh(&mut self, graph: &Graph, item: Item) {
        let now = item.kind(graph).zip(embed_text(graph, item));
        let state = now.as_ref().map(|(kind, text)| (*kind, hash(text)));
        if state == self.texts.get(&item).copied() {
            return;
        }
        if let Some((kind, _)) = self.texts.remove(&item) {
            self.lexical[kind as usize].remove(item.number());
            self.dense[kind as usize].remove(item.number());
            self.missing.remove(&(kind, item));
        }
        if let (Some((kind, text)), Some(state)) = (now, state) {
            self.lexical[kind as usize].insert(item.number(), &text);
            self.missing.insert((kind, item));
            self.texts.insert(item, state);
        }
    }

    fn read_mentions(&mut self, graph: &Graph, episode: VertexId) {
        for named in self.mentions.remove(&episode).unwrap_or_default() {
            if let Some(episodes) = self.mentioned_by.get_mut(&named) {
                episodes.remove(&episode);
                if episodes.is_empty() {
                    self.mentioned_by.remove(&named);
                }
            }
        }
        let Some(Vertex::Episode(_)) = graph.vertex(episode) else {
            return;
        };
        let text = embed_text(graph, Item::Vertex(episode)).unwrap_or_default();
        let words = crate::words(&text);
        let spans = self.names.find(&words).into_iter();
        let mentions: BTreeSet<Named> = spans
            .filter(|span| !names::is_chance(&words[span.start..span.end]))
            .flat_map(|span| span.named)
            .collect();
        for &named in &mentions {
            self.mentioned_by.entry(named).or_default().insert(episode);
        }
        if !mentions.is_empty() {
            self.mentions.insert(episode, mentions.into_iter().collect());
        }
    }
}

fn hits(kind: Kind, found: Vec<(f32, u32)>) -> Vec<Hit> {
    found.into_iter().map(|(score, id)| Hit { item: kind.item(id), score }).collect()
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
