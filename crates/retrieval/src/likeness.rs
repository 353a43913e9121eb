use loci_graph::{Vertex, VertexId};
use loci_index::{Item, QueryVector};
use rustc_hash::FxHashMap;

use crate::Memory;
use crate::hop::fact_of;

/// Cosine of vertices with one fixed vector, each computed once.
pub(crate) struct Likeness<'a> {
    memory: Memory<'a>,
    vector: QueryVector,
    known: FxHashMap<VertexId, f32>,
}

impl<'a> Likeness<'a> {
    pub fn new(memory: Memory<'a>, vector: QueryVector) -> Likeness<'a> {
        Likeness { memory, vector, known: FxHashMap::default() }
    }

    /// The cosine of the vertex; of an object without a vector of its own the mean over its facts, 0 where nothing
    /// is known.
    pub fn of(&mut self, vertex: VertexId) -> f32 {
        if let Some(&known) = self.known.get(&vertex) {
            return known;
        }
        let cosine = self.memory.indexes.cosine(Item::Vertex(vertex), &self.vector);
        let cosine = cosine.unwrap_or_else(|| self.mean_of_facts(vertex));
        self.known.insert(vertex, cosine);
        cosine
    }

    fn mean_of_facts(&self, vertex: VertexId) -> f32 {
        /// More of them change the mean little and cost time at every vertex that a walk looks at.
        const FACTS: usize = 3;
        if !matches!(self.memory.graph.vertex(vertex), Some(Vertex::Object(_))) {
            return 0.0;
        }
        let facts = self.memory.graph.edges(vertex).take(FACTS).filter_map(|edge| {
            let item = fact_of(edge.via, edge.to).unwrap_or(Item::Vertex(edge.to));
            self.memory.indexes.cosine(item, &self.vector)
        });
        let (sum, count) = facts.fold((0.0, 0.0), |(sum, count), cosine| (sum + cosine, count + 1.0));
        if count == 0.0 { 0.0 } else { sum / count }
    }
}

/// A vector that stands for a vertex: its own, else the mean of its facts'.
pub(crate) fn vector_of(memory: Memory, vertex: VertexId) -> Option<QueryVector> {
    const FACTS: usize = 8;
    if let Some(vector) = memory.indexes.vector(Item::Vertex(vertex)) {
        return QueryVector::new(&vector).ok();
    }
    let mut sum: Vec<f32> = Vec::new();
    for edge in memory.graph.edges(vertex).take(FACTS) {
        let item = fact_of(edge.via, edge.to).unwrap_or(Item::Vertex(edge.to));
        let Some(vector) = memory.indexes.vector(item) else { continue };
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    QueryVector::new(&sum).ok()
}
