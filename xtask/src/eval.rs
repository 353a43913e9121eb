//! `cargo xtask eval` and `gpu-check`: programs of the workspace, compiled in the one native profile.

use anyhow::{Result, bail};

use crate::{place::Places, shell, step::step};

pub fn run(places: &Places, arguments: &[String]) -> Result<()> {
    let mut cargo = shell::cargo(places);
    cargo.args(["run", "--release", "--quiet", "-p", "loci-eval", "--"]).args(arguments);
    shell::run(&mut cargo, "What went wrong is above; `cargo xtask eval --help` lists the commands.")
}

/// Needs a CUDA toolkit to compile and a GPU to run.
pub fn gpu_check(places: &Places) -> Result<()> {
    if !shell::succeeds(std::process::Command::new("nvidia-smi").arg("-L")) {
        bail!(
            "nvidia-smi finds no GPU here. Run this on a machine with an NVIDIA GPU, its driver and the CUDA toolkit."
        );
    }
    step("compare the GPU with the CPU", || {
        let mut cargo = shell::cargo(places);
        cargo.args(["run", "--release", "-p", "loci-tests", "--features", "cuda", "--bin", "gpu-check"]);
        shell::run(
            &mut cargo,
            "Is nvcc on PATH, and CUDA_HOME set? CONTRIBUTING.md says what the build needs.",
        )
    })
}
