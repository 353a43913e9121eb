//! How do text, vectors and facts get through a neural network?
//!
//! Native only. [`Embedder`] turns texts into vectors (multilingual-e5-small); a [`LanguageModel`] reads facts out of
//! passages and answers questions from them, either [`LocalModel`] (a GGUF file on candle) or [`OpenAiModel`] (any
//! server that speaks the OpenAI protocol). Whatever a model writes is held to the text it was given: local decoding is
//! constrained by a grammar, a server's reply is validated against the same rules.

mod answer;
mod cancel;
mod device;
mod embedder;
mod error;
mod extract;
mod gpu_check;
mod language_model;
mod local;
mod openai;
mod speed;
mod turns;

pub use cancel::Cancel;
pub use device::{DeviceChoice, set_threads};
pub use embedder::Embedder;
pub use error::InferenceError;
pub use gpu_check::{GpuReport, gpu_check};
pub use language_model::LanguageModel;
pub use local::{LocalModel, LocalOptions};
pub use openai::{OpenAiModel, OpenAiOptions};
pub use speed::Speed;
