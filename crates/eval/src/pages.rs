//! How well is the main content of a page found?
//!
//! Against human text: precision and recall of 4-gram shingles per page, averaged over pages, F1 their harmonic mean
//! (article-extraction-benchmark, `evaluate.py`). Against snippets: the share of those that must be there and are,
//! and of those that must not be there and are not.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use loci_graph::Timestamp;
use loci_memorize::{RawPage, main_text};
use serde::{Deserialize, Serialize};

/// Words in a shingle.
const SHINGLE: usize = 4;

#[derive(clap::Args)]
pub struct Options {
    /// Folder that holds pages.jsonl and the pages it names.
    #[arg(long, env = "LOCI_EVAL_DATA")]
    data: PathBuf,
    /// Whose extraction to measure; all but `loci` need the feature `extractors`.
    #[arg(long, value_enum, default_value_t = Extractor::Loci)]
    extractor: Extractor,
    /// Print the scores of each page to standard error.
    #[arg(long)]
    pages: bool,
    /// Print the result as JSON (it always is; accepted for uniformity).
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Extractor {
    Loci,
    RsTrafilatura,
    DomSmoothie,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    html: String,
    #[serde(default)]
    url: Option<String>,
    expected_text: Option<String>,
    with: Option<Vec<String>>,
    without: Option<Vec<String>>,
    tool_output: Option<ToolOutput>,
}

/// What another tool found: no human's text, good for a smoke test.
#[derive(Deserialize)]
struct ToolOutput {
    content: String,
}

#[derive(Default, Serialize)]
struct Report {
    pages: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    f1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    with_kept: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    without_dropped: Option<f64>,
    /// Median time of one page, in milliseconds.
    milliseconds: f64,
}

pub fn run(options: &Options) -> Result<()> {
    let path = options.data.join("pages.jsonl");
    let lines = fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}; --data names the folder of one page set, such as pages_aeb", path.display())
    })?;
    let mut shingles = Vec::new();
    let (mut kept, mut dropped) = (Share::default(), Share::default());
    let mut times = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let item: Item = serde_json::from_str(line).with_context(|| format!("in {}", path.display()))?;
        let html = read_html(&options.data.join(&item.html))?;
        let start = Instant::now();
        let text = extract(options.extractor, item.url.as_deref().unwrap_or("https://page.test/"), html)?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        if let Some(expected) =
            item.expected_text.as_deref().or(item.tool_output.as_ref().map(|tool| tool.content.as_str()))
        {
            let overlap = Overlap::of(expected, &text);
            if options.pages {
                eprintln!("{} precision {:?} recall {:?}", item.id, overlap.precision(), overlap.recall());
            }
            shingles.push(overlap);
        }
        let text = squeeze(&text);
        for snippet in item.with.iter().flatten() {
            kept.count(text.contains(&squeeze(snippet)));
        }
        for snippet in item.without.iter().flatten() {
            dropped.count(!text.contains(&squeeze(snippet)));
        }
    }
    if times.is_empty() {
        bail!("{} holds no pages", path.display());
    }
    let precision = mean(shingles.iter().filter_map(Overlap::precision));
    let recall = mean(shingles.iter().filter_map(Overlap::recall));
    crate::print_json(&Report {
        pages: times.len(),
        f1: precision.zip(recall).map(|(p, r)| if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }),
        precision,
        recall,
        with_kept: kept.share(),
        without_dropped: dropped.share(),
        milliseconds: median(times),
    })
}

fn extract(extractor: Extractor, url: &str, html: String) -> Result<String> {
    match extractor {
        Extractor::Loci => Ok(main_text(&RawPage {
            url: url.to_owned(),
            html,
            visible_text: String::new(),
            title: String::new(),
            captured: Timestamp(0),
        })),
        #[cfg(feature = "extractors")]
        Extractor::RsTrafilatura => Ok(rs_trafilatura::extract(&html)?.content_text),
        #[cfg(feature = "extractors")]
        Extractor::DomSmoothie => {
            // A page on which it finds nothing counts as empty text.
            let article = dom_smoothie::Readability::new(html.as_str(), Some(url), None)
                .and_then(|mut page| page.parse());
            Ok(article.map(|article| article.text_content.to_string()).unwrap_or_default())
        }
        #[cfg(not(feature = "extractors"))]
        Extractor::RsTrafilatura | Extractor::DomSmoothie => {
            bail!("built without the other extractors; build again with `--features extractors`")
        }
    }
}

/// Pages come gzip-compressed, in UTF-8 with the odd stray byte.
fn read_html(path: &Path) -> Result<String> {
    let packed = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .with_context(|| format!("{} is no gzip file", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Shingles of two texts: in both, only in the extracted one, only in the expected one; counted as multisets.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Overlap {
    both: usize,
    extra: usize,
    missing: usize,
}

impl Overlap {
    fn of(expected: &str, extracted: &str) -> Self {
        let (expected, extracted) = (shingles(expected), shingles(extracted));
        let both =
            expected.iter().map(|(shingle, &n)| n.min(extracted.get(shingle).copied().unwrap_or(0))).sum();
        let all = |counts: &HashMap<_, usize>| counts.values().sum::<usize>();
        Self { both, extra: all(&extracted) - both, missing: all(&expected) - both }
    }

    /// `None` where nothing was extracted: such pages do not count.
    fn precision(&self) -> Option<f64> {
        (self.both + self.extra > 0).then(|| self.both as f64 / (self.both + self.extra) as f64)
    }

    fn recall(&self) -> Option<f64> {
        (self.both + self.missing > 0).then(|| self.both as f64 / (self.both + self.missing) as f64)
    }
}

/// Four consecutive words each; a shorter text is one shingle.
fn shingles(text: &str) -> HashMap<Vec<&str>, usize> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let mut counts = HashMap::new();
    let size = SHINGLE.min(words.len());
    if size > 0 {
        for window in words.windows(size) {
            *counts.entry(window.to_vec()).or_insert(0) += 1;
        }
    }
    counts
}

#[derive(Default)]
struct Share {
    hits: usize,
    all: usize,
}

impl Share {
    fn count(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.all += 1;
    }

    fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.hits as f64 / self.all as f64)
    }
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::Overlap;

    #[test]
    fn shingles_as_the_benchmark_counts_them() {
        let cases = [
            ("a b c d e", "a b c d e", (2, 0, 0)),
            ("a b c d e", "a b c d", (1, 0, 1)),
            ("a b c d", "x a, b; c. d", (1, 1, 0)),
            ("a b", "a b", (1, 0, 0)),
            ("a b", "a c", (0, 1, 1)),
            ("a a a a a", "a a a a", (1, 0, 1)),
            ("", "a b c d", (0, 1, 0)),
            ("a b c d", "", (0, 0, 1)),
        ];
        for (expected, extracted, (both, extra, missing)) in cases {
            assert_eq!(
                Overlap::of(expected, extracted),
                Overlap { both, extra, missing },
                "{expected} / {extracted}"
            );
        }
        assert_eq!(Overlap::of("a b c d", "").precision(), None);
        assert_eq!(Overlap::of("a b c d", "").recall(), Some(0.0));
    }
}
