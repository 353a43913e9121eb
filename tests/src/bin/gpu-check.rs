//! Does the GPU compute what the CPU does with the same weights, and how fast?
//!
//! `gpu-check [EMBEDDER [MODEL.gguf]]`. Without files it makes random weights of the real shapes, so that nothing has to
//! be carried to the machine. The last line is one JSON object.
#![expect(clippy::print_stdout, reason = "standard output is this program's interface")]

use std::{path::PathBuf, process::ExitCode};

use loci_inference::{GpuReport, gpu_check};

/// Vectors of half precision on the GPU against single precision on the CPU.
const LEAST_COSINE: f32 = 0.999;
/// Logits, relative to the largest.
const LARGEST_DIFFERENCE: f32 = 0.05;

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let report = match gpu_check(files.first().map(PathBuf::as_path), files.get(1).map(PathBuf::as_path)) {
        Ok(report) => report,
        Err(error) => {
            println!("the GPU cannot be checked: {error}");
            return ExitCode::FAILURE;
        }
    };
    let agrees = report.worst_cosine >= LEAST_COSINE && report.worst_logit <= LARGEST_DIFFERENCE;
    println!("{}", json(&report, agrees));
    if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn json(report: &GpuReport, agrees: bool) -> serde_json::Value {
    serde_json::json!({
        "device": report.device,
        "agrees": agrees,
        "embedding_worst_cosine": report.worst_cosine,
        "greedy_same_tokens": report.same_tokens,
        "greedy_tokens": report.tokens,
        "worst_logit_difference": report.worst_logit,
        "passages_per_second": report.passages_per_second,
        "cpu_passages_per_second": report.cpu_passages_per_second,
        "prefill_tokens_per_second": report.speed.prefill,
        "decode_tokens_per_second": report.speed.decode,
    })
}
