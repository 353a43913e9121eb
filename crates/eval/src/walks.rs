//! `walks`: how quick is each retriever on generated memories?

use std::time::Instant;

use anyhow::Result;
use loci_retrieval::{bench::Generated, by_name};
use serde_json::json;

use crate::print_json;
use crate::score::round;

#[derive(clap::Args)]
pub struct Options {
    /// Numbers of objects.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    vertices: Vec<usize>,
    #[arg(long, default_value_t = 384)]
    dim: usize,
    #[arg(long, default_value_t = 200)]
    questions: usize,
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "watercircles,beam,astar-ip,astar-awsp,ppr,bm25,dense,auto"
    )]
    retrievers: Vec<String>,
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let mut rows = Vec::new();
    for &vertices in &options.vertices {
        let start = Instant::now();
        let memory = Generated::new(vertices, options.dim, options.questions);
        eprintln!("{vertices} objects generated in {:.1} s", start.elapsed().as_secs_f64());
        for name in &options.retrievers {
            let clock = Instant::now();
            let timing = memory.time(&*by_name(name)?, || clock.elapsed().as_secs_f64() * 1e3);
            eprintln!("{vertices} {name} p50 {:.2} ms p95 {:.2} ms", timing.p50, timing.p95);
            rows.push(json!({ "vertices": vertices, "retriever": name, "p50": round(timing.p50), "p95": round(timing.p95) }));
        }
    }
    print_json(&json!({ "milliseconds": rows }))
}
