use loci_protocol::{PairReply, trust};
use rand::RngCore;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::{StateDir, StateError};

const FILE: &str = "pairings.json";
const VERSION: u32 = 1;
const LABEL_CHARS: usize = 80;

/// One paired browser profile, as it is stored: of the bearer only the hash, of the token nothing.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// Sent by the profile in `hello`; no secret.
    pub id: String,
    /// What the user reads in `loci devices`.
    pub label: String,
    /// The extension that paired, absent when the request bore no `Origin`.
    pub origin: Option<String>,
    pub bearer_hash: String,
    pub proof_key: String,
    /// Seconds since the Unix epoch.
    pub paired_at: u64,
}

/// The file names its version, so that a later companion can read an older one.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    pairings: Vec<Pairing>,
}

/// All pairings. The file is small and read anew for each request: what another process revokes counts at once, and a
/// restart forgets nothing.
pub fn all(state: &StateDir) -> Result<Vec<Pairing>, StateError> {
    let Some(stored) = state.read::<Stored>(FILE)? else { return Ok(Vec::new()) };
    if stored.version == VERSION {
        return Ok(stored.pairings);
    }
    let reason = format!("it has version {}, this companion reads version {VERSION}", stored.version);
    Err(StateError::Damaged { path: state.path().join(FILE), reason })
}

/// Makes a pairing with a token of 256 random bits, which this reply alone holds. The caller holds the state lock.
pub fn add(
    state: &StateDir,
    label: &str,
    origin: Option<String>,
    paired_at: u64,
) -> Result<PairReply, StateError> {
    let token = random_hex::<32>();
    let profile = random_hex::<8>();
    let mut pairings = all(state)?;
    pairings.push(Pairing {
        id: profile.clone(),
        label: printable(label),
        origin,
        bearer_hash: trust::bearer_hash(&trust::bearer(&token)),
        proof_key: trust::proof_key(&token),
        paired_at,
    });
    state.write(FILE, &Stored { version: VERSION, pairings })?;
    Ok(PairReply { profile, token })
}

/// Takes a pairing away; `None` when there is none of this id.
pub fn revoke(state: &StateDir, id: &str) -> Result<Option<Pairing>, StateError> {
    let _lock = state.lock()?;
    let mut pairings = all(state)?;
    let Some(place) = pairings.iter().position(|pairing| pairing.id == id) else { return Ok(None) };
    let gone = pairings.remove(place);
    state.write(FILE, &Stored { version: VERSION, pairings })?;
    Ok(Some(gone))
}

/// The pairing of this bearer. Every stored hash is compared, each in constant time.
pub fn authenticate<'a>(pairings: &'a [Pairing], bearer: &str) -> Option<&'a Pairing> {
    let hash = trust::bearer_hash(bearer);
    let same = |pairing: &Pairing| bool::from(pairing.bearer_hash.as_bytes().ct_eq(hash.as_bytes()));
    pairings.iter().fold(None, |found, pairing| if same(pairing) { Some(pairing) } else { found })
}

/// `N` random bytes, hex, of a cryptographic generator that the operating system seeds.
pub(crate) fn random_hex<const N: usize>() -> String {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    hex::encode(bytes)
}

/// The label comes from outside and ends on a terminal: one short line, nothing that moves the cursor or turns the
/// direction of writing.
fn printable(label: &str) -> String {
    let harmless = |letter: &char| {
        !letter.is_control() && !matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let label: String = label.trim().chars().filter(harmless).take(LABEL_CHARS).collect();
    if label.is_empty() { "unnamed browser".into() } else { label }
}

/// Keys stay out of any debug output.
impl std::fmt::Debug for Pairing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pairing").field("id", &self.id).field("origin", &self.origin).finish_non_exhaustive()
    }
}
