//! What happens when a page is captured, a question asked, a page erased?
//!
//! The core itself: it holds the memory, answers every [`loci_messages::Request`], keeps the screens informed, and works through
//! what the companion has yet to read. Generic over where the memory is kept ([`loci_store::Store`]) and who computes
//! ([`Inference`]), so that it runs in the browser's SharedWorker, in tests and in evaluation alike.

mod ask;
mod backoff;
mod capture;
mod deep;
mod engine;
mod erase;
mod failure;
mod fragment;
mod host;
mod inference;
mod memory;
mod search;
mod signal;
mod view;

pub use engine::Engine;
pub use failure::{failure, of_store};
pub use fragment::link;
pub use host::{ClientId, Host};
pub use inference::{
    Answer, AnswerItem, AnswerPassage, AnswerQuestion, Embedded, Extraction, Inference, Purpose, ReadEpisode,
    ReadRequest, Usage,
};
