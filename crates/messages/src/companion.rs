use serde::{Deserialize, Serialize};

/// What the core knows of the companion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CompanionState {
    /// Nobody answers on its ports.
    Away,
    /// It is there, this profile is not paired.
    Unpaired {
        port: u16,
    },
    /// Something answers that cannot prove it is the companion; nothing was sent to it.
    Impostor {
        port: u16,
    },
    OtherVersion {
        port: u16,
        version: String,
    },
    Ready {
        port: u16,
        version: String,
        device: String,
        embedder: ModelState,
        llm: ModelState,
        waiting: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case")]
pub enum ModelState {
    Loading { name: String },
    Ready { name: String },
    Failed { name: String, hint: String },
    Absent,
}
