use std::hash::Hash;

use loci_index::Item;
use rustc_hash::FxHashMap;

use crate::baseline::{MOST_FACTS, MOST_PASSAGES};
use crate::{Memory, Path, Query, Retrieved, Retriever, ScoredFact, ScoredPassage};

/// The union of several retrievers by reciprocal-rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009):
/// score = Σ 1 / (60 + rank). A result keeps the path of the retriever that ranked it best.
pub struct Mix {
    parts: Vec<Box<dyn Retriever>>,
}

impl Mix {
    pub fn new(parts: Vec<Box<dyn Retriever>>) -> Mix {
        Mix { parts }
    }
}

impl Retriever for Mix {
    fn name(&self) -> String {
        let names: Vec<String> = self.parts.iter().map(|part| part.name()).collect();
        format!("mix:{}", names.join("+"))
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let found: Vec<Retrieved> = self.parts.iter().map(|part| part.retrieve(memory, query)).collect();
        let facts = fuse(found.iter().map(|found| found.facts.iter().map(|hit| (hit.fact, &hit.path))));
        let passages =
            fuse(found.iter().map(|found| found.passages.iter().map(|hit| (hit.episode, &hit.path))));
        Retrieved {
            facts: facts
                .into_iter()
                .take(MOST_FACTS)
                .map(|(fact, score, path): (Item, _, _)| ScoredFact { fact, score, path })
                .collect(),
            passages: passages
                .into_iter()
                .take(MOST_PASSAGES)
                .map(|(episode, score, path)| ScoredPassage { episode, score, path })
                .collect(),
        }
    }
}

/// Best first, ties by key.
fn fuse<'a, K: Copy + Ord + Hash>(
    rankings: impl Iterator<Item = impl Iterator<Item = (K, &'a Path)>>,
) -> Vec<(K, f32, Path)> {
    /// Keeps the first ranks from deciding everything.
    const RANK_OFFSET: f32 = 60.0;
    let mut fused: FxHashMap<K, (f32, usize, &Path)> = FxHashMap::default();
    for ranking in rankings {
        for (rank, (key, path)) in ranking.enumerate() {
            let entry = fused.entry(key).or_insert((0.0, rank, path));
            entry.0 += 1.0 / (RANK_OFFSET + 1.0 + rank as f32);
            if rank < entry.1 {
                (entry.1, entry.2) = (rank, path);
            }
        }
    }
    let mut fused: Vec<_> =
        fused.into_iter().map(|(key, (score, _, path))| (key, score, path.clone())).collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
}
