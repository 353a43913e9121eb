use anyhow::{Result, bail};
use loci_companion::{StateDir, pairings};

use super::{say, tell};

pub fn list(state: &StateDir) -> Result<()> {
    let pairings = pairings::all(state)?;
    if pairings.is_empty() {
        tell("No browser is paired: run `loci pair`.");
    }
    for pairing in pairings {
        let when = jiff::Timestamp::from_second(i64::try_from(pairing.paired_at)?)?;
        let origin = pairing.origin.as_deref().unwrap_or("no extension");
        say(&format!("{}  {when}  {}  ({origin})", pairing.id, pairing.label))?;
    }
    Ok(())
}

/// Counts at once, also in a companion that runs.
pub fn revoke(state: &StateDir, id: &str) -> Result<()> {
    match pairings::revoke(state, id)? {
        Some(pairing) => say(&format!("{} ({}) is shut out", pairing.id, pairing.label)),
        None => bail!("no paired browser has the id {id}: `loci devices` lists them"),
    }
}
