//! What does this page add or change?
//!
//! Two sides. The clean side turns a captured page into passages and declared facts ([`clean`]); the graph side
//! memorizes them (PersonalAI, arXiv 2506.17001, memorize pipeline). Pure: no browser, no clock, no model.

mod blocks;
mod clean;
mod deep;
mod dom;
mod erase;
mod likeness;
mod link;
mod memorize;
mod page;
mod passages;
mod select;
mod short_form;
mod triple;
mod update;

pub use clean::{CleanError, MAX_HTML_BYTES, clean, main_text};
pub use deep::{DeepReport, Extracted, memorize_extracted};
pub use erase::erase_page;
pub use likeness::Likeness;
pub use memorize::{PageReport, memorize_page};
pub use page::{CleanPage, Name, Passage, RawPage, StructureFact};
pub use update::Settled;
