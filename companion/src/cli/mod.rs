mod devices;
mod models;
mod pair;
mod serve;
mod status;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use anyhow::Result;
use clap::{Parser, Subcommand};
use loci_companion::StateDir;
use loci_models::Profile;

/// The companion of the Loci extension: inference on this machine, for paired browsers alone.
#[derive(Parser)]
#[command(name = "loci", version, arg_required_else_help = true)]
pub struct Arguments {
    /// Directory of pairings [default: loci in the user's data directory]
    #[arg(long, global = true, env = "LOCI_STATE", value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer the extension until stopped (Ctrl-C)
    Serve(serve::ServeArguments),
    /// Show a code that pairs one browser within two minutes
    Pair,
    /// List the paired browsers
    Devices,
    /// Shut a paired browser out
    Revoke {
        /// As `loci devices` shows it
        id: String,
    },
    /// Download the models of a profile, or list all
    Models {
        /// tiny, cpu or gpu
        #[arg(long, default_value_t)]
        profile: Profile,
        /// Only list the models and whether they are here
        #[arg(long)]
        list: bool,
    },
    /// Show models and queue of the running companion
    Status {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs one command.
pub fn run(arguments: Arguments) -> Result<()> {
    let state = || -> Result<StateDir> {
        let path = arguments.state.map_or_else(StateDir::default_path, Ok)?;
        Ok(StateDir::open(path)?)
    };
    match arguments.command {
        Command::Serve(options) => serve::serve(state()?, options),
        Command::Pair => pair::pair(&state()?),
        Command::Devices => devices::list(&state()?),
        Command::Revoke { id } => devices::revoke(&state()?, &id),
        Command::Models { list: true, .. } => models::list(),
        Command::Models { profile, list: false } => models::fetch_all(profile),
        Command::Status { json } => status::status(&state()?, json),
    }
}

/// A line for programs and people, on standard output.
fn say(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// A line for people alone, on standard error.
pub fn tell(line: &str) {
    // With standard error gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{line}");
}
