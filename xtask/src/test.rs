//! `cargo xtask test`: everything that must hold, the same here and in CI.

use std::process::Command;

use anyhow::Result;

use crate::{
    build,
    place::Places,
    shell,
    step::step,
    tools::{chromium, node, wasm_std},
};

/// Crates that only make sense in a browser; clippy reads them for that target alone.
const BROWSER_ONLY: [&str; 2] = ["loci-extension", "loci-web"];

pub fn all(places: &Places) -> Result<()> {
    step("formatting", || {
        shell::run(shell::cargo(places).args(["fmt", "--all", "--check"]), "Run `cargo fmt --all`.")
    })?;
    build::extension(places)?;
    step("clippy for the browser", || clippy_browser(places))?;
    step("clippy", || clippy_native(places))?;
    step("tests of the crates", || crates(places))?;
    node::ensure_test_packages(places)?;
    browser(places)
}

fn native_only(cargo: &mut Command) -> &mut Command {
    cargo.arg("--workspace");
    for package in BROWSER_ONLY {
        cargo.args(["--exclude", package]);
    }
    cargo
}

fn clippy_native(places: &Places) -> Result<()> {
    let mut cargo = shell::cargo(places);
    native_only(cargo.args(["clippy", "--release", "--all-targets"])).args(["--", "-D", "warnings"]);
    shell::run(&mut cargo, "Mend what clippy says above.")
}

/// With a configuration of its own: calls of std that panic or do nothing in a browser are refused.
fn clippy_browser(places: &Places) -> Result<()> {
    let std = wasm_std::ensure(places)?;
    let mut cargo = shell::cargo(places);
    cargo.env("CLIPPY_CONF_DIR", places.root.join("xtask/clippy-wasm"));
    cargo.args(["clippy", "--profile", "wasm", "--target", wasm_std::TARGET]).args(std.cargo_arguments());
    for package in BROWSER_ONLY {
        cargo.args(["-p", package]);
    }
    shell::run(cargo.args(["--", "-D", "warnings"]), "Mend what clippy says above.")
}

fn crates(places: &Places) -> Result<()> {
    let mut cargo = shell::cargo(places);
    native_only(cargo.args(["test", "--release"]));
    shell::run(&mut cargo, "A test failed; its name is above.")
}

/// The built extension in a real browser.
fn browser(places: &Places) -> Result<()> {
    let chromium = chromium::ensure()?;
    build::native(places, &["-p", "loci-companion", "--bins"])?;
    step("tests in the browser", || {
        let mut node = node::node();
        node.current_dir(places.tests())
            .env("LOCI_CHROMIUM", chromium)
            .env("LOCI_EXTENSION", places.extension())
            .env("LOCI_COMPANION", places.program("loci"))
            .args(["--test", "--test-concurrency=1", "--test-reporter=spec", "e2e/"]);
        shell::run(&mut node, "A test in the browser failed; its name is above.")
    })
}
