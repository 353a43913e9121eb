use std::io::{self, IsTerminal, Write};

use anyhow::{Result, anyhow};
use loci_models::{Cache, EMBEDDER, FetchOptions, ModelSpec, Profile, Progress, fetch};

use super::{say, tell};

pub fn list() -> Result<()> {
    let cache = Cache::from_env();
    say(&line("all", &EMBEDDER, &cache))?;
    for profile in [Profile::Tiny, Profile::Cpu, Profile::Gpu] {
        say(&line(&profile.to_string(), profile.language_model(), &cache))?;
    }
    Ok(())
}

pub fn fetch_all(profile: Profile) -> Result<()> {
    let options = FetchOptions::from_env();
    for spec in [&EMBEDDER, profile.language_model()] {
        tell(&format!("{} ({}, licence {})", spec.name, megabytes(spec.bytes), spec.licence));
        let mut percent = None;
        let stored = fetch(spec, &options, &mut |progress| match progress {
            Progress::Note(note) => tell(&format!("  {note}")),
            Progress::Bytes { done, total } => {
                let now = done * 100 / total.max(1);
                if percent.replace(now) != Some(now) {
                    show(now);
                }
            }
        })
        .map_err(|error| anyhow!("{error}. {}", error.hint()))?;
        if percent.is_some() && io::stderr().is_terminal() {
            tell("");
        }
        say(&format!("{}", stored.path.display()))?;
    }
    Ok(())
}

fn line(profile: &str, spec: &ModelSpec, cache: &Cache) -> String {
    let here = cache.find(spec).map_or("not here".into(), |stored| stored.path.display().to_string());
    format!("{profile:<5} {:<30} {:>8}  licence {}  {here}", spec.name, megabytes(spec.bytes), spec.licence)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// One line that counts up on a terminal, every tenth percent elsewhere.
fn show(percent: u64) {
    if io::stderr().is_terminal() {
        // A progress line that cannot be shown is no reason to stop.
        let _ = write!(io::stderr(), "\r  {percent:>3} %");
        let _ = io::stderr().flush();
    } else if percent.is_multiple_of(10) {
        tell(&format!("  {percent} %"));
    }
}
