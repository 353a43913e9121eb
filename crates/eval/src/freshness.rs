//! `freshness`: when facts change, does retrieval give the current ones and leave out the superseded?

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use loci_graph::{Cause, Graph, PageId, Timestamp, normalize_name};
use loci_index::{Indexes, Item};
use loci_memorize::{CleanPage, Extracted, Passage, memorize_extracted, memorize_page};
use loci_retrieval::{Memory, Query, Retriever, TimeFilter, auto};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::memory::embed_items;
use crate::print_json;
use crate::vectors::{Role, VectorCache};

#[derive(clap::Args)]
pub struct Options {
    /// Scenarios, one JSON object a line.
    #[arg(long)]
    data: PathBuf,
    /// Folder of the vector cache.
    #[arg(long)]
    cache: Option<PathBuf>,
    /// Leaves vectors that the cache does not hold missing instead of computing them.
    #[arg(long)]
    cached_only: bool,
    /// One JSON object on the last line.
    #[arg(long)]
    json: bool,
    /// Lists each failed scenario on standard error.
    #[arg(long)]
    explain: bool,
}

#[derive(Deserialize)]
struct Scenario {
    id: String,
    episodes: Vec<Episode>,
    question: String,
    /// ISO date: the question asks how things stood then.
    as_of: Option<String>,
    current: Vec<Fact>,
    superseded: Vec<Fact>,
}

/// Subject, relation, object.
type Fact = [String; 3];

#[derive(Deserialize)]
struct Episode {
    date: String,
    text: String,
    triples: Vec<Fact>,
}

#[derive(Serialize)]
struct Summary {
    scenarios: usize,
    current_in_top5: f64,
    superseded_in_top5: f64,
}

/// Facts looked at.
const TOP: usize = 5;

pub fn run(options: &Options) -> Result<()> {
    let text = std::fs::read_to_string(&options.data)
        .with_context(|| format!("cannot read {}", options.data.display()))?;
    let parse = |line| serde_json::from_str::<Scenario>(line).context("not a scenario");
    let scenarios =
        text.lines().filter(|line| !line.trim().is_empty()).map(parse).collect::<Result<Vec<_>>>()?;
    ensure!(!scenarios.is_empty(), "{} holds no scenario", options.data.display());
    let mut vectors = VectorCache::open(options.cache.as_deref())?;
    vectors.cached_only = options.cached_only;
    let (mut current, mut superseded) = (0, 0);
    for scenario in &scenarios {
        let top = ask(scenario, &mut vectors)?;
        let found = |facts: &[Fact]| facts.iter().any(|fact| top.iter().any(|found| same(found, fact)));
        let (has_current, has_superseded) = (found(&scenario.current), found(&scenario.superseded));
        current += usize::from(has_current);
        superseded += usize::from(has_superseded);
        if options.explain && (!has_current || has_superseded) {
            let top: Vec<String> =
                top.iter().map(|(names, relation)| format!("{names:?} {relation}")).collect();
            eprintln!("{}: current {has_current}, superseded {has_superseded}: {top:?}", scenario.id);
        }
    }
    let share = |count: usize| (count as f64 / scenarios.len() as f64 * 1e4).round() / 1e4;
    print_json(&Summary {
        scenarios: scenarios.len(),
        current_in_top5: share(current),
        superseded_in_top5: share(superseded),
    })
}

/// The names (subject's, object's) and the relation of a fact.
type Found = ([Vec<String>; 2], String);

fn ask(scenario: &Scenario, vectors: &mut VectorCache) -> Result<Vec<Found>> {
    let graph = memorize(scenario)?;
    let mut indexes = Indexes::build(&graph);
    embed_items(&graph, &mut indexes, vectors)?;
    vectors.complete(Role::Query, [scenario.question.clone()])?;
    let vector = vectors.get(Role::Query, &scenario.question);
    let time = match &scenario.as_of {
        Some(date) => TimeFilter::AsOf(day(date)?),
        None => TimeFilter::Latest,
    };
    let query = Query { time, ..Query::new(&scenario.question, vector.as_deref()) };
    let found = auto().retrieve(&Memory { graph: &graph, indexes: &indexes }, &query);
    let triples = found.facts.iter().filter_map(|fact| match fact.fact {
        Item::Triple(id) => graph.triple(id),
        Item::Vertex(_) => None,
    });
    let names =
        |id| graph.object(id).map(|object| object.names().map(normalize_name).collect()).unwrap_or_default();
    Ok(triples
        .take(TOP)
        .map(|triple| ([names(triple.subject), names(triple.object)], triple.relation.clone()))
        .collect())
}

/// Every episode is a page published on its date; nothing but the given triples is read out of it.
fn memorize(scenario: &Scenario) -> Result<Graph> {
    let mut graph = Graph::default();
    for (number, episode) in scenario.episodes.iter().enumerate() {
        let hash = Sha256::digest(&episode.text);
        let page = CleanPage {
            url: format!("https://{}.test/{number}", scenario.id),
            title: String::new(),
            site: None,
            author: None,
            language: None,
            published: Some(day(&episode.date)?),
            passages: vec![Passage {
                text: episode.text.clone(),
                headings: Vec::new(),
                hash: u64::from_be_bytes(*hash.first_chunk().context("a digest has 32 bytes")?),
            }],
            facts: Vec::new(),
        };
        let triple = |[subject, relation, object]: &Fact| (subject.clone(), relation.clone(), object.clone());
        let extracted =
            Extracted { triples: episode.triples.iter().map(triple).collect(), ..Extracted::default() };
        let at = Timestamp(day("2030-01-01")?.0 + number as i64 * 1000);
        let mut edit = graph.edit(at, Cause::Capture(PageId(number as u32)));
        let report = memorize_page(&mut edit, &page);
        for episode in report.episodes {
            memorize_extracted(&mut edit, episode, &extracted, &());
        }
        edit.finish();
    }
    Ok(graph)
}

fn same((names, relation): &Found, fact: &Fact) -> bool {
    let [subject, stated, object] = fact;
    names[0].contains(&normalize_name(subject))
        && names[1].contains(&normalize_name(object))
        && relation == stated
}

/// Midnight UTC of an ISO date.
fn day(date: &str) -> Result<Timestamp> {
    let date: jiff::civil::Date = date.parse().with_context(|| format!("{date} is no ISO date"))?;
    let at = jiff::tz::TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0))?;
    Ok(Timestamp(at.as_millisecond()))
}
