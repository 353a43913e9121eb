//! How does a question become a cited answer, or an honest "not in memory"?
//!
//! PersonalAI's question pipeline (arXiv 2506.17001, section 3.4) between the retriever and the model: what was found
//! is filtered, ordered and packed into a context of bounded size, whose passages carry the numbers that the answer
//! cites. This crate is pure; the model is asked by whoever holds one.

mod context;
mod filter;
mod tokens;

pub use context::{Budget, Context, Passage, context};
pub use filter::{FACTS_KEPT, filter};
pub use tokens::estimate_tokens;
