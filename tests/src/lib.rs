//! Does the house keep its own rules, and does the built extension work in a real browser?
//!
//! The rules are checked by `tests/architecture.rs`; the browser is driven by `e2e/*.mjs`, started by `cargo xtask test`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Text files below a folder of the repository: path inside it, and text. Build output and fetched packages are left out.
///
/// # Errors
/// When a folder cannot be listed.
pub fn texts(folder: &str) -> io::Result<Vec<(String, String)>> {
    let root = root();
    let mut found = Vec::new();
    let mut waiting = vec![root.join(folder)];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(name.as_str(), "target" | "dist" | "node_modules" | ".git") {
                    waiting.push(path);
                }
            } else if let Ok(text) = fs::read_to_string(&path) {
                let inside = path.strip_prefix(&root).unwrap_or(&path);
                found.push((inside.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    found.sort();
    Ok(found)
}
