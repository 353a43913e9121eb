//! Where things lie: the repository, cargo's output, the user's cache, the built extension.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use loci_models::Cache;

/// The folders every step works with.
#[derive(Debug, Clone)]
pub struct Places {
    /// The repository.
    pub root: PathBuf,
    /// Cargo's output.
    pub target: PathBuf,
    /// Models and tools that outlive a clone: `$LOCI_CACHE`, else `$XDG_CACHE_HOME/loci`, else `~/.cache/loci`.
    pub cache: PathBuf,
}

impl Places {
    pub fn find() -> Result<Places> {
        // `cargo run` sets this at run time, so a binary shared by several clones works in the one it was called from.
        let manifest = env::var_os("CARGO_MANIFEST_DIR").context("start this with `cargo xtask`")?;
        let root = Path::new(&manifest).parent().context("xtask lies inside the repository")?.to_owned();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        Ok(Places { root, target, cache: Cache::from_env().root().to_owned() })
    }

    /// The built extension, ready to load.
    pub fn extension(&self) -> PathBuf {
        self.root.join("dist/extension")
    }

    pub fn tests(&self) -> PathBuf {
        self.root.join("tests")
    }

    /// Programs fetched for building: wasm-opt, the source of the standard library.
    pub fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }

    /// What this program keeps between runs about one target folder.
    pub fn own(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// A native program of the workspace.
    pub fn program(&self, name: &str) -> PathBuf {
        self.target.join("release").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}
