//! A Chromium that loads unpacked extensions from the command line. Branded Chrome no longer does.

use std::{env, path::PathBuf};

use anyhow::{Context, Result, bail};

use super::apt;
use crate::shell;

/// Names under which a fitting browser is found on PATH, Chrome for Testing included.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "chrome-for-testing", "chrome"];

/// `$LOCI_CHROMIUM`, else one on PATH, else Debian's package.
pub fn ensure() -> Result<PathBuf> {
    if let Some(named) = env::var_os("LOCI_CHROMIUM") {
        let named = PathBuf::from(named);
        if !shell::is_executable(&named) {
            bail!("LOCI_CHROMIUM names {}, which is no program.", named.display());
        }
        return Ok(named);
    }
    if let Some(found) = find() {
        return Ok(found);
    }
    apt::ensure("Chromium", &["chromium"], || find().is_some()).with_context(branded_hint)?;
    find().context("Chromium was installed but is not on PATH; set LOCI_CHROMIUM to it")
}

fn find() -> Option<PathBuf> {
    NAMES.iter().find_map(|name| shell::find_program(name)).or_else(|| {
        let mac = PathBuf::from("/Applications/Chromium.app/Contents/MacOS/Chromium");
        shell::is_executable(&mac).then_some(mac)
    })
}

/// What a user of branded Chrome can do.
fn branded_hint() -> String {
    let branded =
        ["google-chrome", "google-chrome-stable"].iter().any(|name| shell::find_program(name).is_some());
    let how = "open chrome://extensions, switch on \"Developer mode\", choose \"Load unpacked\" and point it at dist/extension";
    if branded {
        format!(
            "Google Chrome is installed, but it no longer loads an unpacked extension from the command line. Either install Chromium, or load it by hand: {how}."
        )
    } else {
        "No Chromium or Chrome for Testing was found on PATH, and LOCI_CHROMIUM is not set.".to_owned()
    }
}
