//! `warm`: fills the vector cache from matrices computed elsewhere.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::corpus::{Passage, Question, read};
use crate::npy::Matrix;
use crate::print_json;
use crate::vectors::{Role, VectorCache};

#[derive(clap::Args)]
pub struct Options {
    /// Folder of all sets.
    #[arg(long, env = "LOCI_EVAL_DATA")]
    data: PathBuf,
    /// Folder of `<set>.questions.npy`, `<set>.passages.npy`, `<set>.triples.npy`.
    #[arg(long)]
    vectors: PathBuf,
    #[arg(long)]
    cache: PathBuf,
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let mut cache = VectorCache::open(Some(&options.cache))?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&options.vectors)
        .with_context(|| format!("cannot read {}", options.vectors.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "npy"));
    files.sort();
    let mut added = 0;
    for path in &files {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let Some((set, what)) = stem.rsplit_once('.') else { continue };
        let (role, texts) = texts(&options.data.join(set), path, what)?;
        let matrix = Matrix::read(path)?;
        ensure!(
            matrix.rows == texts.len(),
            "{} has {} rows for {} texts",
            path.display(),
            matrix.rows,
            texts.len()
        );
        added += cache.put(role, texts.into_iter().enumerate().map(|(row, text)| (text, matrix.row(row))))?;
    }
    print_json(&json!({ "files": files.len(), "vectors_added": added }))
}

/// The texts of which a file holds the vectors, in order.
fn texts(set: &Path, path: &Path, what: &str) -> Result<(Role, Vec<String>)> {
    Ok(match what {
        "questions" => {
            let questions: Vec<Question> = read(&set.join("questions.jsonl"))?;
            (Role::Query, questions.into_iter().map(|question| question.question).collect())
        }
        "passages" => {
            let passages: Vec<Passage> = read(&set.join("corpus.jsonl"))?;
            let text = |passage: Passage| format!("{}\n{}", passage.title, passage.text);
            (Role::Passage, passages.into_iter().map(text).collect())
        }
        "triples" => {
            let list = std::fs::read(path.with_extension("json"))
                .with_context(|| format!("the texts of {} are missing", path.display()))?;
            let triples: Vec<[String; 3]> = serde_json::from_slice(&list)?;
            (Role::Passage, triples.iter().map(|triple| triple.join(" ")).collect())
        }
        _ => anyhow::bail!("{}: neither questions, passages nor triples", path.display()),
    })
}
