use anyhow::Result;
use loci_companion::{Clock, StateDir, SystemClock, pairing_code, serving};

use super::{say, tell};

/// Standard output has the code alone, so that a script can read it.
pub fn pair(state: &StateDir) -> Result<()> {
    let code = pairing_code::open(state, SystemClock.now())?;
    match serving::running(state)? {
        Some(serving) => tell(&format!("The companion listens on port {}.", serving.port)),
        None => tell("The companion is not running with this state directory: start it with `loci serve`."),
    }
    tell("Type this code in the settings of the extension within two minutes:");
    say(&grouped(&code))
}

/// `123456` → `123 456`, as people read it.
pub fn grouped(code: &str) -> String {
    let (first, second) = code.split_at(code.len() / 2);
    format!("{first} {second}")
}
