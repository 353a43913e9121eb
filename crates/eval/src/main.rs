//! How good and how fast is it? One command line; the last line of each command's output is one JSON object.

mod corpus;
#[cfg(feature = "inference")]
mod extraction;
mod freshness;
mod grid;
mod memory;
mod npy;
mod pages;
#[cfg(test)]
mod regression;
mod retrieval;
mod score;
mod tune;
mod vector_bench;
mod vectors;
mod walks;
mod warm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "loci-eval", version, about = "Measures Loci on real data")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Recall of the gold passages per question.
    Retrieval(retrieval::Options),
    /// Every retriever under every restriction: CSV, Markdown and a plot.
    Grid(grid::Options),
    /// Recall, size and speed of the dense index on generated vectors.
    Vectors(vector_bench::Options),
    /// Speed of the retrievers on generated memories.
    Walks(walks::Options),
    /// Main content of web pages, against human text or snippets.
    Pages(pages::Options),
    /// Searches the settings of `auto` over several sets together, with cross-validation.
    Tune(tune::Options),
    /// Current and superseded facts among the first five, where facts change.
    Freshness(freshness::Options),
    /// Triples read out of sentences by a language model, against gold triples.
    #[cfg(feature = "inference")]
    Extraction(extraction::Options),
    /// Fills the vector cache from computed vectors.
    Warm(warm::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Retrieval(options) => retrieval::run(&options),
        Command::Grid(options) => grid::run(&options),
        Command::Vectors(options) => vector_bench::run(&options),
        Command::Walks(options) => walks::run(&options),
        Command::Pages(options) => pages::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Freshness(options) => freshness::run(&options),
        #[cfg(feature = "inference")]
        Command::Extraction(options) => extraction::run(&options),
        Command::Warm(options) => warm::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a result as the last line of the output.
#[expect(clippy::print_stdout, reason = "standard output is this program's interface")]
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(value)?);
    Ok(())
}
