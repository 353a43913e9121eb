use crate::network::Flow;
use crate::pagerank::PageRank;
use crate::spread::Spread;
use crate::{Memory, Query, Retrieved, Retriever};

/// Personalised PageRank after HippoRAG 2 (arXiv 2502.14802): the question is linked to *triples*, their objects
/// are the seeds, passages are vertices, damping 0.5.
#[derive(Debug, Clone, Copy)]
pub struct Ppr {
    spread: Spread,
}

impl Default for Ppr {
    fn default() -> Self {
        Ppr {
            spread: Spread {
                flow: Flow {
                    triple: 1.0,
                    member: 1.0,
                    thesis: 1.0,
                    name: 0.0,
                    mention: 0.0,
                    title: 0.0,
                    rarity: 0.0,
                },
                page_rank: PageRank { damping: 0.5, tolerance: 1e-6 },
                facts: 5,
                fact: 1.0,
                named_object: 0.0,
                named_page: 0.0,
                passages: 100,
                passage: 0.05,
                lexical_passages: 0,
                lexical_passage: 0.0,
                blend_dense: 0.05,
                blend_lexical: 0.0,
            },
        }
    }
}

impl Retriever for Ppr {
    fn name(&self) -> String {
        "ppr".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        self.spread.retrieve(*memory, query)
    }
}
