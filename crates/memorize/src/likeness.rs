use loci_graph::{ObjectKind, VertexId};

/// Nearness by embedding, where vectors are at hand. Every answer may be "nothing known": then names and relations
/// are judged by their words alone. `()` knows nothing.
pub trait Likeness {
    /// Objects whose vectors lie nearest to a name, with their cosine, best first.
    fn objects(&self, _name: &str, _kind: ObjectKind) -> Vec<(VertexId, f32)> {
        Vec::new()
    }

    /// Cosine of two short phrases.
    fn phrases(&self, _a: &str, _b: &str) -> Option<f32> {
        None
    }
}

impl Likeness for () {}
