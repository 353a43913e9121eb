use serde::{Deserialize, Serialize};

use crate::{StateDir, StateError, StateLock};

const FILE: &str = "serving.json";

/// What a running companion tells the other commands of its user.
#[derive(Serialize, Deserialize)]
pub struct Serving {
    pub port: u16,
    pub process: u32,
    /// Opens `GET /v1/status` for as long as the companion runs.
    pub bearer: String,
}

/// Writes it, for the holder of the serving lock.
pub fn announce(state: &StateDir, _lock: &StateLock, serving: &Serving) -> Result<(), StateError> {
    state.write(FILE, serving)
}

/// The companion that runs on this state directory now, if any.
pub fn running(state: &StateDir) -> Result<Option<Serving>, StateError> {
    // A file that outlived its companion says nothing: only the lock does.
    if state.lock_serving()?.is_some() {
        return Ok(None);
    }
    state.read(FILE)
}
