//! What goes over the wire between the extension and the companion?
//!
//! Versioned serde types, kept apart from the domain types, and the derivations both ends of the trust design share.
//! Streams are JSON Lines (`application/x-ndjson`), one event a line.

mod inference;
pub mod limits;
mod problem;
mod status;
pub mod trust;

pub use inference::{
    AnswerDone, AnswerEvent, AnswerPassage, AnswerRequest, EmbedKind, EmbedReply, EmbedRequest,
    ExtractCounts, ExtractEpisode, ExtractEvent, ExtractRequest, ExtractedEpisode, ExtractedObject,
    ExtractedThesis, ExtractedTriple, Usage, VectorBytes,
};
pub use problem::{Problem, ProblemCode};
pub use status::{HelloQuery, HelloReply, ModelStatus, PairReply, PairRequest, QueueStatus, StatusReply};

/// Version of everything in this crate; a companion of another version is told apart in `hello`.
pub const PROTOCOL_VERSION: u32 = 1;
/// The default port and the two it falls back to, in order.
pub const PORTS: [u16; 3] = [4387, 4388, 4389];
/// Custom header that every request but `hello` carries, so that no plain form or image can reach the companion.
pub const HEADER: &str = "x-loci-protocol";
/// Content type of streams.
pub const NDJSON: &str = "application/x-ndjson";
/// Dimensions of the embedding space (multilingual-e5-small).
pub const DIMENSIONS: usize = 384;
