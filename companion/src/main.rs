//! `loci`: starts the companion, pairs browsers with it and says how it does.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let result = match loci_companion::cpu::missing() {
        Some(lack) => Err(anyhow::anyhow!(lack)),
        None => cli::run(cli::Arguments::parse()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::tell(&format!("loci: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
