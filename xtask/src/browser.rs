//! Starts the scripts of `tests/e2e`, which drive the built extension and a companion.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::{
    build,
    place::Places,
    tools::{chromium, node},
};

/// A built extension, a companion and a browser.
pub struct Stage {
    chromium: PathBuf,
    /// Of the extension's modules.
    pub sizes: Vec<build::Size>,
}

impl Stage {
    /// Builds what is missing.
    pub fn set(places: &Places) -> Result<Stage> {
        let sizes = build::extension(places)?;
        build::native(places)?;
        node::ensure_test_packages(places)?;
        Ok(Stage { chromium: chromium::ensure()?, sizes })
    }

    /// Node.js in `tests`, with everything that the scripts ask the environment for.
    pub fn node(&self, places: &Places) -> Command {
        let mut node = node::node();
        node.current_dir(places.tests())
            .env("LOCI_CHROMIUM", &self.chromium)
            .env("LOCI_EXTENSION", places.extension())
            .env("LOCI_COMPANION", places.program("loci"));
        node
    }
}
