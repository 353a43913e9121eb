//! `tune`: coordinate search over the settings of `auto`, the questions of all sets taken together.
//!
//! The objective is the mean over sets of Recall@5, so that a large set does not drown a small one, with a little of
//! Recall@2 and Recall@10 to break ties. With `--folds K` the search runs on all folds but one and is scored on the
//! one left out, for an honest estimate beside the settings found on everything.

use std::path::PathBuf;

use anyhow::{Context, Result};
use loci_retrieval::{Auto, Restrict, Spread};
use serde_json::json;

use crate::corpus::Set;
use crate::memory::EvalMemory;
use crate::print_json;
use crate::retrieval::{Asked, Run, ask, prepare};
use crate::score::{mean, round};
use crate::vectors::VectorCache;

#[derive(clap::Args)]
pub struct Options {
    /// A set as FOLDER or FOLDER=OPENIE-FILE; several may be given.
    #[arg(long = "set", required = true)]
    sets: Vec<String>,
    #[arg(long)]
    cache: PathBuf,
    /// Passes over all settings.
    #[arg(long, default_value_t = 2)]
    passes: usize,
    /// Folds of the cross-validation; 0 for none.
    #[arg(long, default_value_t = 0)]
    folds: usize,
    /// Begin with NAME=VALUE instead of the shipped value; several may be given.
    #[arg(long = "from")]
    from: Vec<String>,
    #[arg(long)]
    json: bool,
}

struct Loaded {
    memory: EvalMemory,
    questions: Vec<Asked>,
}

pub fn run(options: &Options) -> Result<()> {
    let mut vectors = VectorCache::open(Some(&options.cache))?;
    vectors.cached_only = true;
    let mut sets = Vec::new();
    for set in &options.sets {
        let (folder, openie) = set
            .split_once('=')
            .map_or((set.as_str(), None), |(folder, file)| (folder, Some(PathBuf::from(file))));
        let set = Set::load(&PathBuf::from(folder), None, openie.as_deref())?;
        let (memory, questions) = prepare(&set, &mut vectors)?;
        sets.push(Loaded { memory, questions });
    }
    let mut start = Auto::TUNED;
    for pair in &options.from {
        let (name, value) = pair.split_once('=').context("--from takes NAME=VALUE")?;
        *start.setting(name).with_context(|| format!("no setting {name:?}"))? = value.parse()?;
    }
    let all = |_: usize| true;
    let best = search(&sets, start, options.passes, &all);
    let mut held_out = vec![Vec::new(); sets.len()];
    for fold in 0..options.folds {
        let inside = |number: usize| number % options.folds != fold;
        let settings = search(&sets, start, options.passes, &inside);
        for (set, scores) in sets.iter().zip(&mut held_out) {
            let outside = select(&set.questions, &|number| !inside(number));
            scores.extend(runs(set, &outside, settings).iter().map(|run| run.judged.recall[1]));
        }
    }
    let per_set: Vec<f64> = sets
        .iter()
        .map(|set| round(mean(runs(set, &set.questions, best).iter().map(|run| run.judged.recall[1]))))
        .collect();
    print_json(&json!({
        "settings": describe(best),
        "recall5": per_set,
        "cross_validated_recall5": held_out.into_iter().map(|scores| round(mean(scores.into_iter()))).collect::<Vec<_>>(),
    }))
}

fn runs(set: &Loaded, questions: &[Asked], settings: Spread) -> Vec<Run> {
    ask(&set.memory, questions, &Auto::with(settings), Restrict::default())
}

fn select(questions: &[Asked], keep: &dyn Fn(usize) -> bool) -> Vec<Asked> {
    questions.iter().enumerate().filter(|(number, _)| keep(*number)).map(|(_, item)| item.clone()).collect()
}

fn objective(sets: &[(&Loaded, Vec<Asked>)], settings: Spread) -> f64 {
    mean(sets.iter().map(|(set, questions)| {
        let runs = runs(set, questions, settings);
        mean(runs.iter().map(|run| {
            let [at2, at5, at10] = run.judged.recall;
            at5 + 0.1 * at2 + 0.1 * at10
        }))
    }))
}

fn search(sets: &[Loaded], start: Spread, passes: usize, keep: &dyn Fn(usize) -> bool) -> Spread {
    const FACTORS: [f32; 4] = [0.33, 0.66, 1.5, 3.0];
    /// Tried for a setting that is off.
    const FIRST: [f32; 3] = [0.03, 0.2, 1.0];
    let parts: Vec<_> = sets.iter().map(|set| (set, select(&set.questions, keep))).collect();
    let mut best = start;
    let mut score = objective(&parts, best);
    eprintln!("start {score:.4}");
    for pass in 0..passes {
        let before = score;
        for name in Spread::SETTINGS {
            let Some(&mut value) = best.clone().setting(name) else { continue };
            let mut candidates = match *name {
                "damping" => vec![0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
                "facts" => vec![3.0, 5.0, 10.0, 20.0, 40.0],
                "passages" => vec![3.0, 5.0, 10.0, 20.0, 50.0, 100.0],
                name if name.ends_with("power") => vec![1.0, 2.0, 4.0, 8.0],
                name if name.ends_with("rarity") => vec![0.0, 0.25, 0.5, 0.75, 1.0],
                _ if value == 0.0 => FIRST.to_vec(),
                _ => FACTORS.iter().map(|factor| value * factor).chain([0.0]).collect(),
            };
            candidates.retain(|&candidate| candidate != value);
            for candidate in candidates {
                let mut tried = best;
                if let Some(setting) = tried.setting(name) {
                    *setting = candidate;
                }
                let found = objective(&parts, tried);
                if found > score + 1e-4 {
                    eprintln!("pass {pass} {name} = {candidate}: {found:.4}");
                    (best, score) = (tried, found);
                }
            }
        }
        if score <= before {
            break;
        }
    }
    best
}

fn describe(mut settings: Spread) -> serde_json::Map<String, serde_json::Value> {
    Spread::SETTINGS
        .iter()
        .filter_map(|name| settings.setting(name).map(|value| ((*name).to_owned(), json!(*value))))
        .collect()
}
