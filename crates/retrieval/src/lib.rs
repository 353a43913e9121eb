//! Which facts and passages answer this question?
//!
//! The retrievers of PersonalAI (arXiv 2506.17001), HippoRAG 2, PropRAG (arXiv 2504.18070) and LinearRAG
//! (arXiv 2510.10114) behind one trait, none of which asks a language model. Each result says by which path it was
//! reached. This crate is pure.

mod activation;
mod astar;
mod auto;
mod baseline;
mod beam;
#[cfg(feature = "bench")]
pub mod bench;
mod error;
mod fusion;
mod hop;
mod likeness;
mod link;
mod mentions;
mod network;
mod pagerank;
mod ppr;
mod query;
mod retrieved;
mod retriever;
mod settings;
mod spread;
mod support;
mod thesis_paths;
mod walk;
mod watercircles;

pub use activation::Activation;
pub use astar::{AStar, Heuristic};
pub use auto::{Auto, auto};
pub use baseline::{Bm25, Dense};
pub use beam::{BeamSearch, Sorting};
pub use error::RetrievalError;
pub use fusion::Mix;
pub use hop::OneHop;
pub use link::{Seed, link};
pub use mentions::Mentions;
pub use network::Flow;
pub use ppr::Ppr;
pub use query::{Memory, Query, Restrict, TimeFilter};
pub use retrieved::{By, Origin, Path, Retrieved, ScoredFact, ScoredPassage, Step};
pub use retriever::{NAMES, Retriever, by_name};
pub use spread::Spread;
pub use thesis_paths::ThesisPaths;
pub use watercircles::WaterCircles;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
