//! `cargo xtask bench`: how long does a person wait, and how much is downloaded?

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::{browser::Stage, place::Places, shell};

/// What the bench reads and prints.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Folder of articles as HTML files; `$LOCI_EVAL_DATA/pages_aeb` when there is one, else the fixture pages.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// At most so many articles, evenly spread.
    #[arg(long, default_value_t = 40)]
    limit: usize,
    /// One JSON object on the last line.
    #[arg(long)]
    json: bool,
}

/// Bytes after gzip that a user downloads at most.
const LIMITS: [(&str, u64); 2] = [("extension_wasm", 2_500_000), ("web", 700_000)];

pub fn all(places: &Places, options: &Options) -> Result<()> {
    let stage = Stage::set(places)?;
    let data = options.data.clone().or_else(|| {
        let data = PathBuf::from(std::env::var_os("LOCI_EVAL_DATA")?).join("pages_aeb");
        data.is_dir().then_some(data)
    });
    let mut node = stage.node(places);
    node.args(["e2e/bench.mjs", "--limit", &options.limit.to_string()]);
    if let Some(data) = &data {
        node.arg("--data")
            .arg(data.canonicalize().with_context(|| format!("there is no folder {}", data.display()))?);
    }
    let printed = shell::output(&mut node, "The bench did not reach its end; what happened is above.")?;
    let last = printed.lines().last().context("the bench printed nothing")?;
    let mut result: Value = serde_json::from_str(last).context("the bench's last line is no JSON")?;
    result["sizes"] = stage
        .sizes
        .iter()
        .map(|size| (size.name.clone(), json!({"bytes": size.bytes, "gzip": size.gzip})))
        .collect();
    if options.json {
        println!("{result}");
    } else {
        println!("{result:#}");
    }
    for (name, limit) in LIMITS {
        if let Some(size) = stage.sizes.iter().find(|size| size.name == name && size.gzip > limit) {
            bail!("{name} is {} kB after gzip, more than {} kB", size.gzip / 1000, limit / 1000);
        }
    }
    Ok(())
}
