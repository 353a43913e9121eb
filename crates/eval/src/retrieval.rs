//! `retrieval`: how many of the gold passages does a retriever rank first?

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use loci_retrieval::{Memory, Query, Restrict, Retriever, by_name};
use serde_json::{Value, json};

use crate::corpus::{Question, Set};
use crate::memory::EvalMemory;
use crate::print_json;
use crate::score::{CUTS, Judged, bootstrap, judge, mean, percentile, round};
use crate::vectors::{Role, VectorCache};

#[derive(clap::Args)]
pub struct Options {
    /// Folder of one set: corpus.jsonl, and questions.jsonl unless --questions is given.
    #[arg(long)]
    data: PathBuf,
    #[arg(long)]
    questions: Option<PathBuf>,
    /// Triples that a language model read out of the passages.
    #[arg(long)]
    openie: Option<PathBuf>,
    /// dense, bm25, …, auto, or mix:A+B.
    #[arg(long)]
    retriever: String,
    /// Kinds of vertex that traversal may not enter: E, T, O.
    #[arg(long, default_value = "")]
    restrict: String,
    /// Only the first N questions.
    #[arg(long)]
    limit: Option<usize>,
    /// Folder of the vector cache.
    #[arg(long)]
    cache: Option<PathBuf>,
    /// Leaves vectors that the cache does not hold missing instead of computing them.
    #[arg(long)]
    cached_only: bool,
    /// One JSON object on the last line; the log goes to standard error either way.
    #[arg(long)]
    json: bool,
    /// Lists each question with its recall@5 and what was missed, on standard error.
    #[arg(long)]
    explain: bool,
}

pub fn run(options: &Options) -> Result<()> {
    // Mistyped names are told before anything slow begins.
    let retriever = by_name(&options.retriever)?;
    let restrict: Restrict = options.restrict.parse()?;
    let mut set = Set::load(&options.data, options.questions.as_deref(), options.openie.as_deref())?;
    set.questions.truncate(options.limit.unwrap_or(usize::MAX));
    let mut vectors = VectorCache::open(options.cache.as_deref())?;
    vectors.cached_only = options.cached_only;
    let (memory, questions) = prepare(&set, &mut vectors)?;
    let runs = ask(&memory, &questions, &*retriever, restrict);
    if options.explain {
        for ((question, _), run) in questions.iter().zip(&runs) {
            let missed: Vec<&String> = question
                .supporting
                .iter()
                .filter(|gold| !run.ranking.iter().take(5).any(|id| id == *gold))
                .collect();
            eprintln!(
                "{:.2} {} {:?} missed {missed:?}",
                run.judged.recall[1], question.id, question.question
            );
        }
    }
    print_json(&summary(&runs))
}

/// A question and its vector.
pub type Asked = (Question, Vec<f32>);

/// The memory of a set with its vectors, and its questions with theirs.
pub fn prepare(set: &Set, vectors: &mut VectorCache) -> Result<(EvalMemory, Vec<Asked>)> {
    let start = Instant::now();
    let mut memory = EvalMemory::build(set);
    memory.embed(vectors)?;
    vectors.complete(Role::Query, set.questions.iter().map(|question| question.question.clone()))?;
    let questions = set
        .questions
        .iter()
        .filter_map(|question| {
            vectors.get(Role::Query, &question.question).map(|vector| (question.clone(), vector))
        })
        .collect();
    eprintln!("{} in {:.1} s", memory.describe(), start.elapsed().as_secs_f64());
    Ok((memory, questions))
}

/// One question asked.
pub struct Run {
    pub judged: Judged,
    pub ranking: Vec<String>,
    pub milliseconds: f64,
}

pub fn ask(
    memory: &EvalMemory,
    questions: &[Asked],
    retriever: &dyn Retriever,
    restrict: Restrict,
) -> Vec<Run> {
    let searched = Memory { graph: &memory.graph, indexes: &memory.indexes };
    let ask = |(question, vector): &Asked| {
        let query = Query { restrict, ..Query::new(&question.question, Some(vector)) };
        let start = Instant::now();
        let found = retriever.retrieve(&searched, &query);
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let mut ranking: Vec<&str> = Vec::new();
        for passage in &found.passages {
            if let Some(id) = memory.passage(passage.episode)
                && !ranking.contains(&id)
            {
                ranking.push(id);
            }
        }
        Run {
            judged: judge(&ranking, &question.supporting),
            ranking: ranking.into_iter().map(str::to_owned).collect(),
            milliseconds,
        }
    };
    questions.iter().map(ask).collect()
}

/// The result object of the contract.
pub fn summary(runs: &[Run]) -> Value {
    let recall = |cut: usize| round(mean(runs.iter().map(|run| run.judged.recall[cut])));
    let recall5: Vec<f64> = runs.iter().map(|run| run.judged.recall[1]).collect();
    let mut milliseconds: Vec<f64> = runs.iter().map(|run| run.milliseconds).collect();
    let cuts: serde_json::Map<String, Value> =
        CUTS.iter().enumerate().map(|(at, cut)| (cut.to_string(), recall(at).into())).collect();
    json!({
        "questions": runs.len(),
        "recall": cuts,
        "all_gold": { "5": round(mean(runs.iter().map(|run| f64::from(u8::from(run.judged.all_gold))))) },
        "mrr": round(mean(runs.iter().map(|run| run.judged.reciprocal_rank))),
        "ci95": { "recall5": bootstrap(&recall5).map(round) },
        "ms_per_question": {
            "p50": round(percentile(&mut milliseconds, 0.5)),
            "p95": round(percentile(&mut milliseconds, 0.95)),
        },
    })
}
