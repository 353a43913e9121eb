use serde::{Deserialize, Serialize};

/// Query of `GET /v1/hello`, the only request that carries neither header nor token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HelloQuery {
    /// 32 random bytes, hex.
    pub nonce: String,
    /// Profile id given at pairing; absent before.
    pub profile: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HelloReply {
    pub name: String,
    /// Version of the companion program.
    pub version: String,
    pub protocol: u32,
    /// [`crate::trust::proof`] over what was asked; absent for an unknown profile.
    pub proof: Option<String>,
}

/// `POST /v1/pair`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairRequest {
    /// The six digits that the companion shows.
    pub code: String,
    /// What the user sees in the list of devices, e.g. `Chromium on Linux`.
    pub label: String,
}

/// The only reply that ever holds a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairReply {
    pub profile: String,
    /// 256 random bits, hex. The profile keeps it; [`crate::trust`] derives the two working keys.
    pub token: String,
}

/// `GET /v1/status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusReply {
    pub version: String,
    /// e.g. `cpu, 2 threads` or `cuda:0`.
    pub device: String,
    pub embedder: ModelStatus,
    pub llm: ModelStatus,
    pub queue: QueueStatus,
}

/// State of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ModelStatus {
    /// Being fetched or read.
    Loading {
        name: String,
        fraction: Option<f32>,
    },
    Ready {
        name: String,
        licence: String,
    },
    /// With a hint that says what to do.
    Failed {
        name: String,
        hint: String,
    },
    /// None configured.
    Absent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueueStatus {
    pub running: u32,
    pub waiting: u32,
    pub capacity: u32,
}
