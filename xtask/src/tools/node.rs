//! Node.js and npm: they run wasm-opt and drive the browser in tests. Nothing of them is shipped.

use std::{fs, path::Path, process::Command};

use anyhow::Result;

use super::apt;
use crate::{
    place::Places,
    shell,
    step::{Stamp, step, unchanged},
};

pub fn ensure() -> Result<()> {
    apt::ensure("Node.js", &["nodejs", "npm"], || {
        shell::find_program("node").is_some() && shell::find_program("npm").is_some()
    })
}

pub fn node() -> Command {
    Command::new("node")
}

/// The npm packages that the browser tests name.
pub fn ensure_test_packages(places: &Places) -> Result<()> {
    let tests = places.tests();
    let (manifest, lock) = (tests.join("package.json"), tests.join("package-lock.json"));
    let what = "npm packages of the browser tests";
    let modules = tests.join("node_modules");
    // The stamp lies beside the packages: they belong to this clone, not to the target folder.
    let stamp = Stamp::of(&modules, "installed", &[&manifest, &lock], "1")?;
    if stamp.is_current(&[&modules.join("playwright-core/package.json")]) {
        unchanged(what);
        return Ok(());
    }
    ensure()?;
    step(what, || {
        let mut npm = Command::new("npm");
        npm.current_dir(&tests).args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]);
        shell::run(
            &mut npm,
            "npm could not fetch playwright-core. Check the network and `npm config get registry`.",
        )?;
        stamp.keep()
    })
}

/// Installs one npm package of an exact version into a folder of its own.
pub fn install_into(folder: &Path, package: &str, version: &str) -> Result<()> {
    ensure()?;
    fs::create_dir_all(folder)?;
    let mut npm = Command::new("npm");
    npm.current_dir(folder).args(["install", "--prefix", ".", "--no-save", "--ignore-scripts", "--no-audit"]);
    npm.args(["--no-fund", "--loglevel=error"]).arg(format!("{package}@{version}"));
    shell::run(
        &mut npm,
        &format!("npm could not fetch {package} {version}. Check the network and run this again."),
    )
}
