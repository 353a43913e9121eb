//! `grid`: every retriever under every restriction, against `dense` by paired bootstrap.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use loci_retrieval::{NAMES, by_name};
use serde_json::json;

use crate::corpus::Set;
use crate::print_json;
use crate::retrieval::{Run, ask, prepare};
use crate::score::{bootstrap, mean, percentile, round};
use crate::vectors::VectorCache;

#[derive(clap::Args)]
pub struct Options {
    #[arg(long)]
    data: PathBuf,
    #[arg(long)]
    questions: Option<PathBuf>,
    #[arg(long)]
    openie: Option<PathBuf>,
    #[arg(long)]
    limit: Option<usize>,
    #[arg(long)]
    cache: Option<PathBuf>,
    #[arg(long)]
    cached_only: bool,
    /// Folder for grid.csv, grid.md and grid.svg.
    #[arg(long)]
    out: PathBuf,
    #[arg(long)]
    json: bool,
}

const RESTRICTIONS: [&str; 7] = ["", "E", "T", "O", "E,T", "E,O", "T,O"];

struct Row {
    retriever: String,
    restrict: &'static str,
    recall: [f64; 3],
    mrr: f64,
    /// 95 % interval of the difference in Recall@5 to `dense`, question by question.
    against_dense: [f64; 2],
    p95_ms: f64,
}

pub fn run(options: &Options) -> Result<()> {
    let mut set = Set::load(&options.data, options.questions.as_deref(), options.openie.as_deref())?;
    set.questions.truncate(options.limit.unwrap_or(usize::MAX));
    let mut vectors = VectorCache::open(options.cache.as_deref())?;
    vectors.cached_only = options.cached_only;
    let (memory, questions) = prepare(&set, &mut vectors)?;
    let baseline = ask(&memory, &questions, &*by_name("dense")?, Default::default());
    let names = NAMES.iter().map(|name| (*name).to_owned());
    let names = names.chain(["mix:beam+watercircles".to_owned(), "mix:astar-awsp+watercircles".to_owned()]);
    let mut rows = Vec::new();
    for name in names {
        for restrict in RESTRICTIONS {
            let runs = ask(&memory, &questions, &*by_name(&name)?, restrict.parse()?);
            rows.push(row(name.clone(), restrict, &runs, &baseline));
        }
    }
    std::fs::create_dir_all(&options.out)?;
    for (file, text) in [("grid.csv", csv(&rows)), ("grid.md", markdown(&rows)), ("grid.svg", plot(&rows))] {
        let path = options.out.join(file);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let best = rows.iter().max_by(|a, b| a.recall[1].total_cmp(&b.recall[1]));
    print_json(&json!({
        "rows": rows.len(),
        "best": best.map(|row| json!({ "retriever": row.retriever, "restrict": row.restrict, "recall5": row.recall[1] })),
    }))
}

fn row(retriever: String, restrict: &'static str, runs: &[Run], baseline: &[Run]) -> Row {
    let differences: Vec<f64> =
        runs.iter().zip(baseline).map(|(run, dense)| run.judged.recall[1] - dense.judged.recall[1]).collect();
    let mut times: Vec<f64> = runs.iter().map(|run| run.milliseconds).collect();
    Row {
        retriever,
        restrict,
        recall: [0, 1, 2].map(|cut| round(mean(runs.iter().map(|run| run.judged.recall[cut])))),
        mrr: round(mean(runs.iter().map(|run| run.judged.reciprocal_rank))),
        against_dense: bootstrap(&differences).map(round),
        p95_ms: round(percentile(&mut times, 0.95)),
    }
}

fn csv(rows: &[Row]) -> String {
    let mut text = "retriever,restrict,recall2,recall5,recall10,mrr,dense_low,dense_high,p95_ms\n".to_owned();
    for row in rows {
        let [at2, at5, at10] = row.recall;
        let [low, high] = row.against_dense;
        let restrict = row.restrict.replace(',', "");
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{},{restrict},{at2},{at5},{at10},{},{low},{high},{}",
            row.retriever, row.mrr, row.p95_ms
        );
    }
    text
}

fn markdown(rows: &[Row]) -> String {
    let mut text = "| retriever | without | R@2 | R@5 | R@10 | MRR | R@5 − dense, 95 % | p95 ms |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let [at2, at5, at10] = row.recall;
        let [low, high] = row.against_dense;
        let _ = writeln!(
            text,
            "| {} | {} | {at2:.3} | {at5:.3} | {at10:.3} | {:.3} | {low:+.3} … {high:+.3} | {:.2} |",
            row.retriever, row.restrict, row.mrr, row.p95_ms
        );
    }
    text
}

/// Bars of Recall@5, unrestricted.
fn plot(rows: &[Row]) -> String {
    let bars: Vec<&Row> = rows.iter().filter(|row| row.restrict.is_empty()).collect();
    let height = 24 * bars.len() + 8;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">"
    );
    for (number, row) in bars.iter().enumerate() {
        let (y, width) = (24 * number + 4, row.recall[1] * 360.0);
        let _ = write!(
            svg,
            "<text x=\"4\" y=\"{}\">{}</text><rect x=\"220\" y=\"{y}\" width=\"{width:.0}\" height=\"18\" fill=\"#4a7\"/><text x=\"{:.0}\" y=\"{}\">{:.3}</text>",
            y + 14,
            row.retriever,
            226.0 + width,
            y + 14,
            row.recall[1]
        );
    }
    svg + "</svg>\n"
}
