//! The regression gate: no retriever falls below its stored floor on the project's own fixture, by words and graph
//! alone (no vectors), so that it runs wherever the tests run.

use std::collections::BTreeMap;
use std::path::Path;

use loci_retrieval::{Memory, Query, by_name};

use crate::corpus::Set;
use crate::memory::EvalMemory;
use crate::score::{judge, mean};

#[test]
fn recall_at_5_stays_above_the_floor() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture");
    let set = Set::load(&folder, None, Some(&folder.join("openie.jsonl"))).expect("the fixture");
    let floors = std::fs::read_to_string(folder.join("floor.json")).expect("the floors");
    let floors: BTreeMap<String, f64> = serde_json::from_str(&floors).expect("names and numbers");
    let memory = EvalMemory::build(&set);
    let searched = Memory { graph: &memory.graph, indexes: &memory.indexes };
    assert_eq!(set.questions.len(), 10, "questions without an answer are no part of recall");
    let mut below = Vec::new();
    for (name, floor) in floors {
        let retriever = by_name(&name).expect("a known name");
        let recall = mean(set.questions.iter().map(|question| {
            let found = retriever.retrieve(&searched, &Query::new(&question.question, None));
            let ranking: Vec<&str> =
                found.passages.iter().filter_map(|passage| memory.passage(passage.episode)).collect();
            judge(&ranking, &question.supporting).recall[1]
        }));
        if recall < floor {
            below.push(format!("{name}: recall@5 {recall:.3} is below {floor}"));
        }
    }
    assert!(below.is_empty(), "{}", below.join("; "));
}
