use loci_graph::VertexId;
use loci_index::{Item, Kind, Named, NamedSpan, is_unspaced, words};
use rustc_hash::FxHashMap;

use crate::{By, Memory, Origin, Path, Query, walk::Walk};

/// A vertex that a question is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seed {
    pub vertex: VertexId,
    /// Above 0; the sharper the link, the more.
    pub weight: f32,
    pub origin: Origin,
}

impl Seed {
    /// The path that ends at the seed itself.
    pub fn path(&self) -> Path {
        let start = Path::start(self.origin);
        if self.origin.item() == Item::Vertex(self.vertex) {
            start
        } else {
            start.then(By::Seed, self.vertex)
        }
    }
}

/// Links a question to at most `most` vertices that a walk can start from: objects that it names, weighted by the
/// rarity of the name; where it names none, the objects of the nearest triples, then the nearest theses and
/// episodes, then what shares words with it. Best first.
pub fn link(memory: Memory, query: &Query, most: usize) -> Vec<Seed> {
    let walk = Walk::new(memory, query);
    let mut seeds = Seeds::default();
    for (span, rarity) in named_spans(memory, query.text) {
        let objects = span.named.iter().filter_map(|named| match named {
            Named::Object(object) => Some(*object),
            Named::Page(_) => None,
        });
        for object in objects.filter(|&object| walk.enters(object)) {
            seeds.add(object, rarity / span.named.len() as f32, Origin::Name(object));
        }
    }
    if seeds.is_empty() {
        for hit in nearest_facts(memory, query, 5) {
            let Item::Triple(id) = hit.item else { continue };
            let Some(triple) = memory.graph.triple(id).filter(|_| walk.admits(hit.item)) else { continue };
            for vertex in [triple.subject, triple.object] {
                if walk.enters(vertex) {
                    seeds.add(vertex, hit.score, Origin::Dense(hit.item));
                }
            }
        }
    }
    for kind in [Kind::Object, Kind::Thesis, Kind::Episode] {
        if !seeds.is_empty() {
            break;
        }
        let dense =
            query.vector.map(|vector| memory.indexes.search_dense(kind, vector, most)).unwrap_or_default();
        let (hits, lexical) = if dense.is_empty() {
            (memory.indexes.search_lexical(kind, query.text, most), true)
        } else {
            (dense, false)
        };
        for hit in hits {
            if let Item::Vertex(vertex) = hit.item
                && walk.enters(vertex)
            {
                let origin = if lexical { Origin::Lexical(hit.item) } else { Origin::Dense(hit.item) };
                seeds.add(vertex, hit.score.max(f32::MIN_POSITIVE), origin);
            }
        }
    }
    let mut seeds = seeds.into_vec();
    seeds.truncate(most);
    seeds
}

/// The known names in the question, each with the mean rarity of its words among the passages.
pub(crate) fn named_spans(memory: Memory, text: &str) -> Vec<(NamedSpan, f32)> {
    let words = words(text);
    let spans = memory.indexes.names_in(&words);
    let passages = memory.indexes.lexical(Kind::Episode);
    let rarity = |span: &NamedSpan| {
        let words = &words[span.start..span.end];
        words.iter().map(|word| passages.rarity(word)).sum::<f32>() / words.len() as f32
    };
    let mut spans: Vec<(NamedSpan, f32)> = spans
        .into_iter()
        .map(|span| {
            let rarity = rarity(&span);
            (span, rarity)
        })
        .collect();
    // A name of one Chinese character counts when the question holds no longer one: else it is part of a word.
    let chance = |span: &NamedSpan| span.end - span.start == 1 && words[span.start].chars().all(is_unspaced);
    if spans.iter().any(|(span, _)| !chance(span)) {
        spans.retain(|(span, _)| !chance(span));
    }
    spans
}

/// The triples nearest to the question by vector, by words where no vector is known.
pub(crate) fn nearest_facts(memory: Memory, query: &Query, k: usize) -> Vec<loci_index::Hit> {
    let dense =
        query.vector.map(|vector| memory.indexes.search_dense(Kind::Triple, vector, k)).unwrap_or_default();
    if dense.is_empty() { memory.indexes.search_lexical(Kind::Triple, query.text, k) } else { dense }
}

/// Seeds by vertex: weights add up, the first origin stays.
#[derive(Default)]
pub(crate) struct Seeds {
    by_vertex: FxHashMap<VertexId, Seed>,
}

impl Seeds {
    pub fn add(&mut self, vertex: VertexId, weight: f32, origin: Origin) {
        if weight > 0.0 && weight.is_finite() {
            self.by_vertex.entry(vertex).or_insert(Seed { vertex, weight: 0.0, origin }).weight += weight;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.by_vertex.is_empty()
    }

    /// Heaviest first, ties by vertex.
    pub fn into_vec(self) -> Vec<Seed> {
        let mut seeds: Vec<Seed> = self.by_vertex.into_values().collect();
        seeds.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.vertex.cmp(&b.vertex)));
        seeds
    }
}
