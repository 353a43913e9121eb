use crate::network::Flow;
use crate::spread::Spread;
use crate::{Memory, Query, Retrieved, Retriever};

/// Personalised PageRank after HippoRAG 2 (arXiv 2502.14802): the question is linked to *triples*, their objects
/// are the seeds, passages are vertices with a little of their own, damping 0.5.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ppr;

const HIPPORAG2: Spread = Spread {
    flow: Flow { triple: 1.0, member: 1.0, thesis: 1.0, ..Flow::CLOSED },
    facts: 5.0,
    fact: 1.0,
    passages: 100.0,
    passage: 0.05,
    blend_dense: 0.05,
    ..Spread::NOTHING
};

impl Retriever for Ppr {
    fn name(&self) -> String {
        "ppr".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        HIPPORAG2.retrieve(*memory, query)
    }
}
