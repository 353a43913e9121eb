use crate::network::Flow;
use crate::spread::Spread;
use crate::{Memory, Query, Retrieved, Retriever};

/// The mention graph: a passage is linked to the pages whose title occurs in it, and so is the question. It needs
/// no extracted fact, so it works from the first capture on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mentions;

const MENTIONS: Spread = Spread {
    flow: Flow { mention: 1.0, mentioned: 1.0, ..Flow::CLOSED },
    named_page: 0.3,
    passages: 5.0,
    passage: 1.0,
    blend_dense: 0.3,
    ..Spread::NOTHING
};

impl Retriever for Mentions {
    fn name(&self) -> String {
        "mentions".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        MENTIONS.retrieve(*memory, query)
    }
}
