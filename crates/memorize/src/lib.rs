//! What does this page add or change?
//!
//! Two sides. The clean side turns a captured page into passages and declared facts ([`clean`]); the graph side
//! memorizes them (PersonalAI, arXiv 2506.17001, memorize pipeline). Pure: no browser, no clock, no model.

mod address;
mod aspect;
mod blocks;
mod boilerplate;
mod clean;
mod context;
mod dates;
mod declared;
mod deep;
mod dom;
mod erase;
mod language;
mod likeness;
mod link;
mod memorize;
mod metadata;
mod page;
mod passages;
mod schema;
mod select;
mod sentences;
mod short_form;
mod structure;
mod tables;
mod time;
mod triple;
mod typed;
mod update;
mod validity;
mod visible;
mod vocabulary;

pub use clean::{CleanError, MAX_HTML_BYTES, clean, main_text};
pub use deep::{DeepReport, Extracted, memorize_extracted};
pub use erase::erase_page;
pub use likeness::Likeness;
pub use memorize::{PageReport, memorize_page};
pub use page::{CleanPage, Name, Passage, RawPage, StructureFact};
pub use typed::{TypedLine, memorize_note, typed_line};
pub use update::{Settled, outdate, possibly_outdated};
