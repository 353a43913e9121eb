//! Which vertices and facts are near this text, this name or this vector?
//!
//! One index per [`Kind`], kept current by [`Indexes::apply`]: BM25 for every script, int8 vectors scanned exactly or
//! through HNSW segments, and the dictionary that finds known names in a text. This crate is pure: it computes no
//! vector and stores nothing itself.

mod bm25;
mod dense;
mod dot;
mod frame;
mod indexes;
mod item;
mod names;
mod segment;
mod text;
mod top;

pub use bm25::{B, Bm25, K1};
pub use dense::{Dense, QueryVector, VectorError};
pub use frame::LoadError;
pub use indexes::{Indexes, embed_text};
pub use item::{Hit, Item, Kind};
pub use names::{Named, NamedSpan, Names};
pub use segment::{Segment, SegmentJob, build_segment};
pub use text::{fold, is_unspaced, terms, words};
