//! `cargo xtask test`: everything that must hold, the same here and in CI.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Result, bail};

use crate::{browser::Stage, build, models, place::Places, shell, step::step, tools::wasm_std};

pub fn all(places: &Places) -> Result<()> {
    // The download goes on while the compiler works.
    let fetching = models::begin_for_tests();
    step("formatting", || {
        shell::run(shell::cargo(places).args(["fmt", "--all", "--check"]), "Run `cargo fmt --all`.")
    })?;
    build::extension(places)?;
    step("clippy for the browser", || clippy_browser(places))?;
    step("clippy", || clippy_native(places))?;
    step("compile the tests and the companion", || compile_tests(places))?;
    step("the models that tests load", || fetching.finish())?;
    step("tests of the crates", || crates(places))?;
    browser(places)
}

fn clippy_native(places: &Places) -> Result<()> {
    let mut cargo = shell::cargo(places);
    cargo.args(["clippy", "--release", "--all-targets", "--", "-D", "warnings"]);
    shell::run(&mut cargo, "Mend what clippy says above.")
}

/// With a configuration of its own: calls of std that panic or do nothing in a browser are refused.
fn clippy_browser(places: &Places) -> Result<()> {
    let std = wasm_std::ensure(places)?;
    let mut cargo = shell::cargo(places);
    cargo.env("CLIPPY_CONF_DIR", places.root.join("xtask/clippy-wasm"));
    cargo.args(["clippy", "--profile", "wasm", "--target", wasm_std::TARGET]).args(std.cargo_arguments());
    cargo.args(build::browser_packages()).args(["--", "-D", "warnings"]);
    shell::run(&mut cargo, "Mend what clippy says above.")
}

fn compile_tests(places: &Places) -> Result<()> {
    let mut cargo = shell::cargo(places);
    cargo.args(["test", "--release", "--no-run"]);
    shell::run(&mut cargo, "Mend what the compiler says above.")
}

fn crates(places: &Places) -> Result<()> {
    let mut cargo = shell::cargo(places);
    cargo.args(["test", "--release"]);
    shell::run(&mut cargo, "A test failed; its name is above.")
}

/// The built extension in a real browser, against a real companion.
fn browser(places: &Places) -> Result<()> {
    let stage = Stage::set(places)?;
    let store_tests = build::store_tests(places)?;
    ports_are_free()?;
    step("tests in the browser", || {
        let mut node = stage.node(places);
        node.env("LOCI_STORE_TESTS", store_tests);
        node.args(["--test", "--test-concurrency=1", "--test-reporter=spec", "e2e/"]);
        shell::run(&mut node, "A test in the browser failed; its name is above.")
    })
}

/// The extension looks for its companion on these ports; one that is not of the tests would be found first.
fn ports_are_free() -> Result<()> {
    for port in 4387..=4389 {
        if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            bail!(
                "port {port} cannot be used ({error}): stop your companion while the tests in the browser run"
            );
        }
    }
    Ok(())
}
