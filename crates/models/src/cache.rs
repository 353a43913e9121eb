use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::{ModelError, ModelSpec, fetch::check_sha256};

/// The folder that model files are kept in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

/// Where a model came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Configured,
    Cache,
    Hub,
    Wheels,
}

/// A model on disk, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredModel {
    /// As shown to the user.
    pub name: String,
    /// SPDX expression, or a sentence where the publisher states none.
    pub licence: String,
    pub origin: Origin,
    /// A GGUF file; for the embedder an `.e5` container, or a folder with `model.safetensors` and `tokenizer.json`.
    pub path: PathBuf,
}

impl Cache {
    /// `$LOCI_CACHE`, else `$XDG_CACHE_HOME/loci`, else `~/.cache/loci`.
    pub fn from_env() -> Cache {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = folder("LOCI_CACHE")
            .or_else(|| folder("XDG_CACHE_HOME").map(|folder| folder.join("loci")))
            .or_else(|| folder("HOME").map(|folder| folder.join(".cache/loci")))
            .or_else(|| folder("LOCALAPPDATA").map(|folder| folder.join("loci")))
            .unwrap_or_else(|| PathBuf::from(".loci-cache"));
        Cache { root }
    }

    pub fn at(root: impl Into<PathBuf>) -> Cache {
        Cache { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Checked model files.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// Wheels as they were downloaded.
    pub fn wheels(&self) -> PathBuf {
        self.root.join("wheels")
    }

    /// The model, when a checked copy is here. Only complete, checked files get their final name, so this looks at
    /// length and first bytes alone; [`StoredModel::verify`] reads it all.
    pub fn find(&self, spec: &ModelSpec) -> Option<StoredModel> {
        let stored = |path: PathBuf| StoredModel {
            name: spec.name.into(),
            licence: spec.licence.into(),
            origin: Origin::Cache,
            path,
        };
        spec.file_names().map(|name| self.models().join(name)).find(|path| is_whole(path)).map(stored)
    }
}

impl StoredModel {
    /// A file or folder that the user named.
    ///
    /// # Errors
    /// When nothing is there, or it is no model file.
    pub fn configured(path: impl Into<PathBuf>) -> Result<StoredModel, ModelError> {
        let path: PathBuf = path.into();
        if !path.exists() {
            return Err(ModelError::Missing(path));
        }
        if !is_whole(&path) {
            let reason = "it is neither a GGUF file, an E5S1 file nor a folder with model.safetensors and tokenizer.json";
            return Err(ModelError::Damaged { path, reason: reason.into() });
        }
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(StoredModel { name, licence: "as its publisher states".into(), origin: Origin::Configured, path })
    }

    /// Reads the whole file and compares its SHA-256 with the published one, where one is known.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] when they differ.
    pub fn verify(&self, spec: &ModelSpec) -> Result<(), ModelError> {
        match spec.sha256_of(&self.path) {
            Some(sha256) => check_sha256(&self.path, sha256),
            None => Ok(()),
        }
    }
}

fn is_whole(path: &Path) -> bool {
    if let Ok(length) = fs::read_to_string(crate::fetch::length_note(path)) {
        let found = fs::metadata(path).map_or(0, |metadata| metadata.len());
        if length.trim() != found.to_string() {
            return false;
        }
    }
    if path.is_dir() {
        return path.join("model.safetensors").is_file() && path.join("tokenizer.json").is_file();
    }
    let mut magic = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && matches!(&magic, b"GGUF" | b"E5S1")
}
