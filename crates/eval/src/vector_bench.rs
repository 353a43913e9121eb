//! `vectors`: recall, size and speed of the dense index on generated vectors.

use std::time::Instant;

use anyhow::{Context, Result};
use loci_index::{Dense, QueryVector, build_segment};
use loci_retrieval::bench::Random;
use serde_json::json;

use crate::print_json;
use crate::score::{mean, percentile, round};

#[derive(clap::Args)]
pub struct Options {
    #[arg(long, default_value_t = 10_000)]
    n: usize,
    #[arg(long, default_value_t = 384)]
    dim: usize,
    /// Exact scan only, whatever the size.
    #[arg(long)]
    exact: bool,
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> Result<()> {
    const QUERIES: usize = 1_000;
    const NEAREST: usize = 10;
    let mut random = Random(11);
    let vectors = clustered(&mut random, options.n, options.dim);
    let start = Instant::now();
    let mut index = Dense::default();
    for (id, vector) in vectors.iter().enumerate() {
        index.insert(id as u32, vector)?;
    }
    if !options.exact
        && let Some(job) = index.job()
    {
        index.adopt(build_segment(&job))?;
    }
    let build_s = start.elapsed().as_secs_f64();
    let mut recalls = Vec::new();
    let mut times = Vec::new();
    for _ in 0..QUERIES {
        let near = &vectors[random.below(vectors.len())];
        let query = noisy(&mut random, near, 0.5);
        let prepared = QueryVector::new(&query).context("a generated query is usable")?;
        let start = Instant::now();
        let found = index.search(&prepared, NEAREST);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        // The truth, in f32, for a tenth of the queries: it takes far longer than the search.
        if recalls.len() < QUERIES / 10 {
            let truth = nearest(&vectors, &query, NEAREST);
            let hits = found.iter().filter(|(_, id)| truth.contains(id)).count();
            recalls.push(hits as f64 / truth.len().max(1) as f64);
        }
    }
    print_json(&json!({
        "n": options.n,
        "recall_at_10": round(mean(recalls.into_iter())),
        "bytes_per_vector": index.bytes() / index.len().max(1),
        "build_s": round(build_s),
        "query_ms": { "p50": round(percentile(&mut times, 0.5)), "p95": round(percentile(&mut times, 0.95)) },
    }))
}

/// Unit vectors around one centre for every hundred of them.
fn clustered(random: &mut Random, n: usize, dim: usize) -> Vec<Vec<f32>> {
    let centres: Vec<Vec<f32>> = (0..n.div_ceil(100)).map(|_| random.vector(dim)).collect();
    (0..n).map(|number| noisy(random, &unit(&centres[number % centres.len()]), 0.8)).collect()
}

fn noisy(random: &mut Random, vector: &[f32], noise: f32) -> Vec<f32> {
    let other = unit(&random.vector(vector.len()));
    unit(&vector.iter().zip(other).map(|(x, y)| x + noise * y).collect::<Vec<_>>())
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter().map(|x| x / norm).collect()
}

fn nearest(vectors: &[Vec<f32>], query: &[f32], k: usize) -> Vec<u32> {
    let dot = |vector: &[f32]| vector.iter().zip(query).map(|(x, y)| x * y).sum::<f32>();
    let mut scored: Vec<(f32, u32)> =
        vectors.iter().enumerate().map(|(id, vector)| (dot(vector), id as u32)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(k).map(|(_, id)| id).collect()
}
