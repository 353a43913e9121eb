//! What does this page add or change?
//!
//! Two sides. The clean side turns a captured page into passages and declared facts ([`clean`]); the graph side
//! memorizes them (PersonalAI, arXiv 2506.17001, memorize pipeline). Pure: no browser, no clock, no model.

mod clean;
mod page;
mod passages;

pub use clean::{CleanError, MAX_HTML_BYTES, clean};
pub use page::{CleanPage, Name, Passage, RawPage, StructureFact};
