//! A step says what it does, how long it took, and is left out when nothing it reads has changed.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Runs `work` as one step: a line before it, a line with the seconds after it.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("       ▸ {what}");
    let started = Instant::now();
    let done = work();
    let seconds = started.elapsed().as_secs_f64();
    match &done {
        Ok(_) => println!("{seconds:6.1}s ✓ {what}"),
        Err(_) => println!("{seconds:6.1}s ✗ {what}"),
    }
    done
}

/// The step was left out.
pub fn unchanged(what: &str) {
    println!("     – ✓ {what} (unchanged)");
}

/// What a step read when it last ran, kept as one hash.
pub struct Stamp {
    file: PathBuf,
    now: String,
}

impl Stamp {
    /// `inputs` are files or folders; `settings` is what else decides the result (versions, arguments).
    pub fn of(own: &Path, name: &str, inputs: &[&Path], settings: &str) -> Result<Stamp> {
        let mut hash = Sha256::new();
        hash.update(settings);
        for input in inputs {
            feed(&mut hash, input)?;
        }
        Ok(Stamp { file: own.join(format!("{name}.stamp")), now: hex::encode(hash.finalize()) })
    }

    /// Whether the step ran on these very inputs before and its results are still there.
    pub fn is_current(&self, results: &[&Path]) -> bool {
        results.iter().all(|result| result.exists())
            && fs::read_to_string(&self.file).is_ok_and(|before| before == self.now)
    }

    pub fn keep(&self) -> Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.file, &self.now).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

fn feed(hash: &mut Sha256, path: &Path) -> Result<()> {
    if path.is_dir() {
        for entry in sorted_entries(path)? {
            feed(hash, &entry)?;
        }
    } else {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(())
}

/// The entries of a folder by name, so that a hash or a listing does not depend on the file system's order.
pub fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}
