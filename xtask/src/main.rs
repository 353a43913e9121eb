//! How is Loci built, tested, measured and started? One entry for people and CI: `cargo xtask <command>`.
#![expect(clippy::print_stdout, reason = "this program talks to a person at a terminal")]

mod bench;
mod browser;
mod build;
mod eval;
mod models;
mod package;
mod place;
mod shell;
mod step;
mod test;
mod tools;
mod up;

use std::process::ExitCode;

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
    /// Build everything, start the companion and open a browser with Loci in it. Without a display: a tour.
    Up(models::Choice),
    /// Check and test everything, as CI does.
    Test,
    /// Build the extension into dist/extension, and the companion.
    Build,
    /// Fetch the model files.
    Models(models::Choice),
    /// Run the evaluation program; everything after `eval` is its own.
    #[command(disable_help_flag = true)]
    Eval {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure what a person waits for, and the download.
    Bench(bench::Options),
    /// Pack the extension as a zip for a store.
    Package,
    /// On a machine with a CUDA GPU: compare it with the CPU and print its speed.
    GpuCheck,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let places = Places::find()?;
    match task {
        Task::Up(choice) => up::all(&places, &choice),
        Task::Test => test::all(&places),
        Task::Build => build::all(&places),
        Task::Models(choice) => {
            step::step("fetch the models", || choice.fetch()).map(|found| models::list(&found))
        }
        Task::Eval { arguments } => eval::run(&places, &arguments),
        Task::Bench(options) => bench::all(&places, &options),
        Task::Package => package::all(&places),
        Task::GpuCheck => eval::gpu_check(&places),
    }
}
