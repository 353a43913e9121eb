//! Triples read out of sentences against gold triples, matched softly.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use loci_inference::{
    Cancel, DeviceChoice, LanguageModel, LocalModel, LocalOptions, OpenAiModel, OpenAiOptions,
};
use loci_models::{FetchOptions, Profile, Progress, StoredModel, fetch};
use loci_protocol::{ExtractEpisode, ExtractEvent, ExtractRequest, ExtractedEpisode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Extraction quality on a gold set.
#[derive(Args)]
pub struct Options {
    #[arg(long)]
    set: Set,
    /// The folder that holds the set's items.jsonl.
    #[arg(long, env = "LOCI_EVAL_DATA")]
    data: PathBuf,
    /// A profile (tiny, cpu, gpu), a GGUF file, or the address of an OpenAI-compatible server up to `/v1`.
    #[arg(long, default_value = "tiny")]
    llm: String,
    /// Passages, evenly spread over the set; all when absent.
    #[arg(long)]
    limit: Option<usize>,
    /// A plain two-shot prompt that asks for JSON, over the same local model.
    #[arg(long)]
    plain: bool,
    /// Each passage with what was found and what was looked for, on standard error.
    #[arg(long)]
    verbose: bool,
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Set {
    Carb,
    Benchie,
    Webnlg,
    #[value(name = "zh_relations")]
    ZhRelations,
}

/// A passage with the triples it states.
struct Item {
    text: String,
    gold: Vec<[String; 3]>,
}

#[derive(Serialize)]
struct Report {
    passages: usize,
    parse_failures: usize,
    truncated_items: u32,
    ungrounded_names: usize,
    pair: Score,
    triple: Score,
    seconds_per_passage: f64,
}

#[derive(Serialize)]
struct Score {
    /// Absent where the gold set is not complete.
    precision: Option<f64>,
    recall: f64,
    f1: Option<f64>,
}

/// What a system said about one passage.
#[derive(Default)]
struct Output {
    triples: Vec<[String; 3]>,
    truncated: u32,
    parses: bool,
}

enum Model {
    Local(Box<LocalModel>),
    Server(OpenAiModel),
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let items = read(options)?;
    let model = load(&options.llm)?;
    if options.plain && matches!(model, Model::Server(_)) {
        bail!("--plain compares prompts of a local model: name a profile or a GGUF file with --llm");
    }
    // The fixed prompt is read once per process, not per passage.
    if let Some(first) = items.first() {
        output(&model, &first.text, options.plain)?;
    }
    let mut report = Tally { is_undirected: options.set == Set::ZhRelations, ..Tally::default() };
    let start = Instant::now();
    for item in &items {
        let output = output(&model, &item.text, options.plain)?;
        if options.verbose {
            show(item, &output);
        }
        report.add(item, &output);
    }
    let seconds_per_passage = start.elapsed().as_secs_f64() / items.len().max(1) as f64;
    let is_complete = options.set != Set::ZhRelations;
    let report = Report {
        passages: items.len(),
        parse_failures: report.parse_failures,
        truncated_items: report.truncated,
        ungrounded_names: report.ungrounded,
        pair: report.pair.score(is_complete),
        triple: report.triple.score(is_complete),
        seconds_per_passage,
    };
    if !options.json {
        eprintln!("{} passages, {seconds_per_passage:.1} s each", report.passages);
    }
    crate::print_json(&report)
}

#[expect(clippy::print_stderr, reason = "asked for by --verbose")]
fn show(item: &Item, output: &Output) {
    eprintln!("{}\n  found {:?}\n  gold  {:?}", item.text, output.triples, item.gold);
}

fn load(name: &str) -> anyhow::Result<Model> {
    if name.starts_with("http://") || name.starts_with("https://") {
        let options = OpenAiOptions { url: name.into(), model: "default".into(), key: None };
        return Ok(Model::Server(OpenAiModel::new(options)?));
    }
    let stored = match name.parse::<Profile>() {
        Ok(profile) => fetch(profile.language_model(), &FetchOptions::from_env(), &mut |progress| {
            if let Progress::Note(note) = progress {
                eprintln!("{note}");
            }
        }),
        Err(_) => StoredModel::configured(Path::new(name)),
    };
    let stored = stored.map_err(|error| anyhow::anyhow!("{error}. {}", error.hint()))?;
    let options = LocalOptions {
        device: DeviceChoice::Auto,
        name: stored.name,
        licence: stored.licence,
        ..LocalOptions::default()
    };
    Ok(Model::Local(Box::new(LocalModel::load(&stored.path, options)?)))
}

fn output(model: &Model, text: &str, is_plain: bool) -> anyhow::Result<Output> {
    let model: &dyn LanguageModel = match model {
        Model::Local(local) if is_plain => return plain(local, text),
        Model::Local(local) => local.as_ref(),
        Model::Server(server) => server,
    };
    let episode = ExtractEpisode { id: 0, headings: Vec::new(), text: text.into() };
    let request = ExtractRequest {
        title: String::new(),
        language: None,
        known_names: Vec::new(),
        episodes: vec![episode],
    };
    let mut extracted: Option<ExtractedEpisode> = None;
    model.extract(&request, &Cancel::new(), &mut |event| {
        if let ExtractEvent::Episode(episode) = event {
            extracted = Some(episode);
        }
    })?;
    let episode = extracted.context("the stream ended without its episode")?;
    let triples =
        episode.triples.into_iter().map(|triple| [triple.subject, triple.relation, triple.object]).collect();
    Ok(Output { triples, truncated: episode.counts.truncated, parses: true })
}

const PLAIN_SYSTEM: &str =
    "Extract all facts from the text as a JSON array of [subject, relation, object]. Answer with JSON only.";
const PLAIN_SHOTS: [(&str, &str); 2] = [
    (
        "The Alden Bridge, designed by Karl Brandt, crosses the Mirel River.",
        r#"[["Alden Bridge","designed by","Karl Brandt"],["Alden Bridge","crosses","Mirel River"]]"#,
    ),
    ("林岚出生于苏州，毕业于浙江大学。", r#"[["林岚","出生于","苏州"],["林岚","毕业于","浙江大学"]]"#),
];

fn plain(model: &LocalModel, text: &str) -> anyhow::Result<Output> {
    let reply = model.complete(PLAIN_SYSTEM, &PLAIN_SHOTS, text, 300, &Cancel::new())?;
    let parsed = serde_json::from_str::<Vec<[String; 3]>>(reply.trim());
    Ok(Output { parses: parsed.is_ok(), triples: parsed.unwrap_or_default(), truncated: 0 })
}

fn read(options: &Options) -> anyhow::Result<Vec<Item>> {
    let path = options.data.join("items.jsonl");
    let text = fs::read_to_string(&path).with_context(|| {
        format!("{} cannot be read: name the folder of the set with --data", path.display())
    })?;
    let mut items = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line: Value =
            serde_json::from_str(line).with_context(|| format!("line {} is not JSON", number + 1))?;
        items.extend(item(&line).with_context(|| format!("line {} is no item of this set", number + 1))?);
    }
    let count = options.limit.unwrap_or(items.len()).min(items.len());
    let step = items.len() as f64 / count.max(1) as f64;
    let chosen: HashSet<usize> = (0..count).map(|number| (number as f64 * step) as usize).collect();
    let mut number = 0;
    items.retain(|_| {
        number += 1;
        chosen.contains(&(number - 1))
    });
    Ok(items)
}

/// `None` for a passage without gold triples.
fn item(line: &Value) -> anyhow::Result<Option<Item>> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(alias = "sentence")]
        text: Option<String>,
        texts: Option<Vec<String>>,
        triples: Option<Vec<Vec<String>>>,
        /// Facts told in several ways, of which the first serves.
        #[serde(alias = "fact_synsets")]
        facts: Option<Vec<Vec<Vec<String>>>>,
    }
    let line: Line = serde_json::from_value(line.clone())?;
    let text = line.text.or_else(|| line.texts?.into_iter().next()).context("it has no text")?;
    let first =
        line.facts.map(|facts| facts.into_iter().filter_map(|ways| ways.into_iter().next()).collect());
    let triples: Vec<Vec<String>> = line.triples.or(first).unwrap_or_default();
    let mut gold: Vec<[String; 3]> = Vec::new();
    for triple in triples.iter().filter(|triple| triple.len() >= 3) {
        // One set gives each pair in both directions under inverse names; it is one fact.
        let is_inverse = |other: &[String; 3]| other[0] == triple[2] && other[2] == triple[0];
        if !gold.iter().any(is_inverse) {
            gold.push([triple[0].clone(), triple[1].clone(), triple[2].clone()]);
        }
    }
    Ok((!gold.is_empty()).then_some(Item { text, gold }))
}

#[derive(Default)]
struct Tally {
    /// The gold set does not say which way a pair points.
    is_undirected: bool,
    parse_failures: usize,
    truncated: u32,
    ungrounded: usize,
    pair: Matches,
    triple: Matches,
}

#[derive(Default)]
struct Matches {
    found: usize,
    right: usize,
    gold: usize,
    met: usize,
}

impl Tally {
    fn add(&mut self, item: &Item, output: &Output) {
        self.parse_failures += usize::from(!output.parses);
        self.truncated += output.truncated;
        let names = output.triples.iter().flat_map(|triple| [&triple[0], &triple[2]]);
        self.ungrounded += names.filter(|name| !item.text.contains(name.as_str())).count();
        let either_way = |a: &[String; 3], b: &[String; 3]| {
            pair_matches(a, b)
                || self.is_undirected && pair_matches(a, &[b[2].clone(), b[1].clone(), b[0].clone()])
        };
        self.pair.add(&output.triples, &item.gold, &either_way);
        self.triple
            .add(&output.triples, &item.gold, &|a, b| pair_matches(a, b) && relation_matches(&a[1], &b[1]));
    }
}

impl Matches {
    fn add(
        &mut self,
        found: &[[String; 3]],
        gold: &[[String; 3]],
        same: &dyn Fn(&[String; 3], &[String; 3]) -> bool,
    ) {
        self.found += found.len();
        self.right += found.iter().filter(|a| gold.iter().any(|b| same(a, b))).count();
        self.gold += gold.len();
        self.met += gold.iter().filter(|b| found.iter().any(|a| same(a, b))).count();
    }

    fn score(&self, is_complete: bool) -> Score {
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (precision, recall) = (share(self.right, self.found), share(self.met, self.gold));
        let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        Score { precision: is_complete.then_some(precision), recall, f1: is_complete.then_some(f1) }
    }
}

/// Subject with subject and object with object.
fn pair_matches(a: &[String; 3], b: &[String; 3]) -> bool {
    name_matches(&a[0], &b[0]) && name_matches(&a[2], &b[2])
}

/// Equal after normalisation, the words of one among the other's, or Jaccard ≥ 0.5; for Chinese one within the other
/// and at least half as long.
fn name_matches(a: &str, b: &str) -> bool {
    let (a, b) = (normalise(a), normalise(b));
    if a == b {
        return !a.is_empty();
    }
    if has_han(&a) || has_han(&b) {
        let (short, long) = if a.chars().count() < b.chars().count() { (&a, &b) } else { (&b, &a) };
        return !short.is_empty()
            && long.contains(short.as_str())
            && short.chars().count() * 2 >= long.chars().count();
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<HashSet<_>>();
    let (a, b) = (words(&a), words(&b));
    let shared = a.intersection(&b).count();
    let (least, all) = (a.len().min(b.len()), a.union(&b).count());
    least > 0 && (shared == least || shared * 2 >= all)
}

/// Half of the words of the shorter relation, camel case taken apart.
fn relation_matches(a: &str, b: &str) -> bool {
    let (a, b) = (normalise(a), normalise(b));
    if has_han(&a) || has_han(&b) {
        return !a.is_empty() && !b.is_empty() && (a.contains(&b) || b.contains(&a));
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<HashSet<_>>();
    let (a, b) = (words(&a), words(&b));
    let least = a.len().min(b.len());
    least > 0 && a.intersection(&b).count() * 2 >= least
}

/// Lower case, words apart, marks gone.
fn normalise(text: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for letter in text.chars() {
        if letter.is_alphanumeric() {
            if letter.is_uppercase() && was_lower {
                out.push(' ');
            }
            out.extend(letter.to_lowercase());
        } else {
            out.push(' ');
        }
        was_lower = letter.is_lowercase();
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn has_han(text: &str) -> bool {
    text.chars().any(|letter| matches!(letter, '\u{3400}'..='\u{9fff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_softly() {
        for (a, b, expected) in [
            ("Abilene, Texas", "Abilene", true),
            ("the Alden Bridge", "Alden Bridge", true),
            ("Ada Palmer", "Karl Brandt", false),
            ("浙江大学", "浙江大学医学院", true),
            ("浙江", "浙江大学附属医院", false),
            ("", "", false),
        ] {
            assert_eq!(name_matches(a, b), expected, "{a} / {b}");
            assert_eq!(name_matches(b, a), expected, "{b} / {a}");
        }
    }

    #[test]
    fn relations_match_by_words() {
        for (a, b, expected) in
            [("cityServed", "served city", true), ("birthPlace", "born in", false), ("出生", "出生于", true)]
        {
            assert_eq!(relation_matches(a, b), expected, "{a} / {b}");
        }
    }

    #[test]
    fn a_score_counts_both_ways() {
        let triple = |a: &str, b: &str| [a.to_string(), "r".into(), b.to_string()];
        let mut matches = Matches::default();
        let found = [triple("A B", "C"), triple("X", "Y")];
        matches.add(&found, &[triple("A B", "C"), triple("D", "E"), triple("F", "G")], &|a, b| {
            pair_matches(a, b)
        });
        let score = matches.score(true);
        assert_eq!(score.precision, Some(0.5));
        assert!((score.recall - 1.0 / 3.0).abs() < 1e-9);
        assert!(score.f1.is_some_and(|f1| (f1 - 0.4).abs() < 1e-9));
    }
}
