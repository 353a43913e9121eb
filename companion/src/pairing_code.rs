use std::time::Duration;

use rand::Rng;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::{StateDir, StateError};

const FILE: &str = "pairing_code.json";
/// How long a code can be typed.
pub const LIFETIME: Duration = Duration::from_secs(120);
/// How often a wrong one may be typed.
pub const TRIES: u32 = 5;

/// The open pairing. It is a file, so that `loci pair` needs no channel to the running companion, works before one
/// runs, and a restart gives nobody new tries.
#[derive(Serialize, Deserialize)]
struct OpenCode {
    code: String,
    /// Seconds since the Unix epoch.
    opened_at: u64,
    tries_left: u32,
}

/// What became of a typed code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// It was right; the pairing is closed now.
    Right,
    Wrong {
        tries_left: u32,
    },
    /// No pairing is open, or its time or tries are used up.
    Closed,
}

/// Opens a pairing in place of any earlier one and returns its six digits.
pub fn open(state: &StateDir, now: Duration) -> Result<String, StateError> {
    let _lock = state.lock()?;
    let code = format!("{:06}", rand::rng().random_range(0..1_000_000));
    state
        .write(FILE, &OpenCode { code: code.clone(), opened_at: now.as_secs(), tries_left: TRIES })
        .map(|()| code)
}

/// Compares a typed code in constant time and counts the try. The caller holds the state lock.
pub fn enter(state: &StateDir, now: Duration, typed: &str) -> Result<Typed, StateError> {
    let Some(open) = state.read::<OpenCode>(FILE)? else { return Ok(Typed::Closed) };
    // A clock that was set back must not make a code live longer.
    let in_time = now.as_secs().checked_sub(open.opened_at).is_some_and(|age| age < LIFETIME.as_secs());
    if !in_time || open.tries_left == 0 {
        state.remove(FILE)?;
        return Ok(Typed::Closed);
    }
    if open.code.as_bytes().ct_eq(typed.as_bytes()).into() {
        state.remove(FILE)?;
        return Ok(Typed::Right);
    }
    let tries_left = open.tries_left - 1;
    if tries_left == 0 {
        state.remove(FILE)?;
    } else {
        state.write(FILE, &OpenCode { tries_left, ..open })?;
    }
    Ok(Typed::Wrong { tries_left })
}
