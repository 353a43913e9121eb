use crate::network::Flow;
use crate::pagerank::PageRank;
use crate::spread::Spread;
use crate::{Memory, Query, Retrieved, Retriever};

/// The mention graph: a passage is linked to the pages whose title occurs in it, and so is the question. It needs
/// no extracted fact, so it works from the first capture on.
#[derive(Debug, Clone, Copy)]
pub struct Mentions {
    spread: Spread,
}

impl Default for Mentions {
    fn default() -> Self {
        Mentions {
            spread: Spread {
                flow: Flow {
                    triple: 0.0,
                    member: 0.0,
                    thesis: 0.0,
                    name: 0.0,
                    mention: 1.0,
                    title: 0.0,
                    rarity: 0.0,
                },
                page_rank: PageRank { damping: 0.5, tolerance: 1e-6 },
                facts: 0,
                fact: 0.0,
                named_object: 0.0,
                named_page: 0.3,
                passages: 5,
                passage: 1.0,
                lexical_passages: 0,
                lexical_passage: 0.0,
                blend_dense: 0.3,
                blend_lexical: 0.0,
            },
        }
    }
}

impl Retriever for Mentions {
    fn name(&self) -> String {
        "mentions".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        self.spread.retrieve(*memory, query)
    }
}
