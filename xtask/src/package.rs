//! `cargo xtask package`: a zip that a store takes.

use std::{
    fs::{self, File},
    io::Write,
};

use anyhow::{Context, Result};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use crate::{build, place::Places, step::step};

pub fn all(places: &Places) -> Result<()> {
    build::extension(places)?;
    let archive = places.root.join("dist").join(format!("loci-{}.zip", env!("CARGO_PKG_VERSION")));
    step("pack the extension for a store", || {
        let mut zip = ZipWriter::new(File::create(&archive)?);
        // One fixed date: the same extension gives the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut files = build::list(&places.extension())?;
        files.sort();
        for (inside, file) in files {
            let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            zip.start_file(inside.to_string_lossy().replace('\\', "/"), options)?;
            // A store assigns the id itself and refuses a manifest with a key.
            zip.write_all(&if inside.as_os_str() == "manifest.json" { without_key(&bytes)? } else { bytes })?;
        }
        zip.finish()?;
        Ok(())
    })?;
    println!("         {} ({} kB)", archive.display(), fs::metadata(&archive)?.len() / 1000);
    Ok(())
}

fn without_key(manifest: &[u8]) -> Result<Vec<u8>> {
    let mut manifest: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(manifest)?;
    manifest.remove("key");
    Ok(serde_json::to_vec_pretty(&manifest)?)
}
