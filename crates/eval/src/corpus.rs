//! Questions, passages and given triples, as JSON Lines.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    pub id: String,
    pub question: String,
    /// Ids of the passages that hold the answer.
    #[serde(default)]
    pub supporting: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Passage {
    pub id: String,
    #[serde(default)]
    pub title: String,
    pub text: String,
}

/// What a language model read out of one passage.
#[derive(Debug, Clone, Deserialize)]
pub struct Reading {
    pub id: String,
    #[serde(default)]
    pub entities: Vec<String>,
    /// As they came: some do not have three parts.
    #[serde(default)]
    pub triples: Vec<Vec<String>>,
    #[serde(default)]
    pub theses: Vec<String>,
}

/// Reads every line of a file.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let file = File::open(path)
        .with_context(|| format!("cannot open {}; is --data the folder of the set?", path.display()))?;
    let mut items = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read {}", path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let item = serde_json::from_str(&line)
            .with_context(|| format!("{}, line {}", path.display(), number + 1))?;
        items.push(item);
    }
    Ok(items)
}

/// A set: its corpus, its questions and, where given, readings.
pub struct Set {
    pub passages: Vec<Passage>,
    pub questions: Vec<Question>,
    pub readings: Vec<Reading>,
}

impl Set {
    /// Questions that name no gold passage are left out.
    pub fn load(data: &Path, questions: Option<&Path>, openie: Option<&Path>) -> Result<Set> {
        let passages: Vec<Passage> = read(&data.join("corpus.jsonl"))?;
        ensure!(!passages.is_empty(), "{} holds no passage", data.join("corpus.jsonl").display());
        let default = data.join("questions.jsonl");
        let mut questions: Vec<Question> = read(questions.unwrap_or(&default))?;
        questions.retain(|question| !question.supporting.is_empty());
        let readings = openie.map(read).transpose()?.unwrap_or_default();
        Ok(Set { passages, questions, readings })
    }
}
