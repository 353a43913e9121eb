//! wasm-opt, from the npm package `binaryen`: the same program everywhere, without a compiler.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use super::node;
use crate::{place::Places, shell, step::step};

pub const VERSION: &str = "132.0.0";

/// The features rustc's WASM output uses. Named one by one: `--all-features` may emit encodings that browsers refuse.
const FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Arguments that decide the result, for stamps.
pub fn settings() -> String {
    format!("binaryen {VERSION} -Oz {}", FEATURES.join(" "))
}

/// Fetches wasm-opt once for all clones.
pub fn ensure(places: &Places) -> Result<PathBuf> {
    let folder = places.tools().join(format!("binaryen-{VERSION}"));
    let script = folder.join("node_modules/binaryen/bin/wasm-opt");
    node::ensure()?;
    if !script.exists() {
        step("fetch wasm-opt (npm: binaryen)", || node::install_into(&folder, "binaryen", VERSION))?;
    }
    Ok(script)
}

/// Shrinks one module.
pub fn optimise(wasm_opt: &Path, input: &Path, output: &Path) -> Result<()> {
    let mut command: Command = node::node();
    command.arg(wasm_opt).args(FEATURES).arg("-Oz").arg(input).arg("-o").arg(output);
    shell::run(
        &mut command,
        "wasm-opt refused the module; does it use a WASM feature that xtask/src/tools/binaryen.rs does not name?",
    )
}
