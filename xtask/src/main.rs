//! How is Loci built, tested, measured and started? One entry for people and CI: `cargo xtask <command>`.
#![expect(clippy::print_stdout, reason = "this program talks to a person at a terminal")]

mod build;
mod place;
mod shell;
mod step;
mod test;
mod tools;

use anyhow::Result;
use clap::{Parser, Subcommand};
use place::Places;

/// Builds, tests, measures and starts Loci.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build the extension into dist/extension, and the companion.
    Build,
    /// Check and test everything, as CI does.
    Test,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let places = Places::find()?;
    match arguments.command {
        Task::Build => build::all(&places),
        Task::Test => test::all(&places),
    }
}
