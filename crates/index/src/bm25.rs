use rustc_hash::FxHashMap;

use crate::{top::Top, words};

/// Saturation of the term frequency (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3).
pub const K1: f32 = 1.2;
/// Strength of the length normalisation.
pub const B: f32 = 0.75;

/// Okapi BM25 over documents named by a number, with exact insertion and removal: the scores after any sequence of
/// changes equal those of an index built afresh.
#[derive(Debug, Clone, Default)]
pub struct Bm25 {
    terms: FxHashMap<Box<str>, u32>,
    /// Per term: (slot, frequency), in order of the slot.
    postings: Vec<Vec<(u32, u16)>>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    by_id: FxHashMap<u32, u32>,
    total_length: u64,
}

#[derive(Debug, Clone)]
struct Slot {
    id: u32,
    length: u32,
    terms: Box<[u32]>,
}

impl Bm25 {
    /// Number of documents.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Adds or replaces a document.
    pub fn insert(&mut self, id: u32, text: &str) {
        self.remove(id);
        let mut counts: FxHashMap<u32, u16> = FxHashMap::default();
        let mut length = 0;
        for term in crate::terms(text) {
            length += 1;
            let term = self.term(term);
            let count = counts.entry(term).or_default();
            *count = count.saturating_add(1);
        }
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        let mut terms: Vec<u32> = counts.keys().copied().collect();
        terms.sort_unstable();
        for &term in &terms {
            let postings = &mut self.postings[term as usize];
            let at = postings.partition_point(|&(other, _)| other < slot);
            postings.insert(at, (slot, counts[&term]));
        }
        let entry = Slot { id, length, terms: terms.into() };
        match self.slots.get_mut(slot as usize) {
            Some(place) => *place = entry,
            None => self.slots.push(entry),
        }
        self.by_id.insert(id, slot);
        self.total_length += u64::from(length);
    }

    /// Removes a document; `false` when it was not there.
    pub fn remove(&mut self, id: u32) -> bool {
        let Some(slot) = self.by_id.remove(&id) else {
            return false;
        };
        let terms = std::mem::take(&mut self.slots[slot as usize].terms);
        for &term in &terms {
            let postings = &mut self.postings[term as usize];
            if let Ok(at) = postings.binary_search_by_key(&slot, |&(other, _)| other) {
                postings.remove(at);
            }
        }
        self.total_length -= u64::from(self.slots[slot as usize].length);
        self.free.push(slot);
        true
    }

    /// The `k` best documents with their scores, best first; only those that share a term with `text`.
    pub fn search(&self, text: &str, k: usize) -> Vec<(f32, u32)> {
        let mut scores = vec![0.0_f32; self.slots.len()];
        let mut touched = Vec::new();
        let mean_length = self.total_length as f32 / self.len().max(1) as f32;
        let mut terms = crate::terms(text);
        terms.sort_unstable();
        for run in terms.chunk_by(|a, b| a == b) {
            let Some(&term) = self.terms.get(run[0].as_str()) else {
                continue;
            };
            let weight = self.idf(term) * run.len() as f32;
            for &(slot, frequency) in &self.postings[term as usize] {
                let length = self.slots[slot as usize].length as f32;
                let frequency = f32::from(frequency);
                let score = &mut scores[slot as usize];
                if *score == 0.0 {
                    touched.push(slot);
                }
                *score +=
                    weight * frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length / mean_length));
            }
        }
        let mut top = Top::new(k);
        for slot in touched {
            top.push(scores[slot as usize], self.slots[slot as usize].id);
        }
        top.into_sorted()
    }

    /// Documents that hold every one of `words`, in no order; empty for no words.
    pub fn with_all(&self, words: &[String]) -> Vec<u32> {
        let mut postings = Vec::with_capacity(words.len());
        for word in words {
            match self.terms.get(word.as_str()) {
                Some(&term) => postings.push(&self.postings[term as usize]),
                None => return Vec::new(),
            }
        }
        postings.sort_unstable_by_key(|list| list.len());
        let Some((rarest, others)) = postings.split_first() else {
            return Vec::new();
        };
        let in_all = |slot: u32| {
            others.iter().all(|list| list.binary_search_by_key(&slot, |&(other, _)| other).is_ok())
        };
        rarest
            .iter()
            .filter(|&&(slot, _)| in_all(slot))
            .map(|&(slot, _)| self.slots[slot as usize].id)
            .collect()
    }

    /// Inverse document frequency of a folded word, by the number of documents that hold it; the highest for a
    /// word never seen.
    pub fn rarity(&self, word: &str) -> f32 {
        self.terms.get(word).map_or_else(|| idf(self.len(), 0), |&term| self.idf(term))
    }

    /// Mean rarity of the words of a text.
    pub fn mean_rarity(&self, text: &str) -> f32 {
        let words = words(text);
        words.iter().map(|word| self.rarity(word)).sum::<f32>() / words.len().max(1) as f32
    }

    fn idf(&self, term: u32) -> f32 {
        idf(self.len(), self.postings[term as usize].len())
    }

    fn term(&mut self, term: String) -> u32 {
        let next = self.postings.len() as u32;
        let id = *self.terms.entry(term.into_boxed_str()).or_insert(next);
        if id == next {
            self.postings.push(Vec::new());
        }
        id
    }
}

fn idf(documents: usize, with_term: usize) -> f32 {
    let (n, df) = (documents as f32, with_term as f32);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[(u32, &str)]) -> Bm25 {
        let mut bm25 = Bm25::default();
        for (id, text) in texts {
            bm25.insert(*id, text);
        }
        bm25
    }

    #[test]
    fn finds_the_right_document_in_every_script() {
        let bm25 = index(&[
            (1, "Marie Curie discovered radium in Paris."),
            (2, "清华大学位于北京市海淀区。"),
            (3, "北京大学的图书馆很大。"),
            (4, "東京タワーは1958年に完成した。"),
            (5, "Москва — столица России."),
            (6, "Die Straße heißt Hauptstraße."),
        ]);
        let cases =
            [("Curie radium", 1), ("清华", 2), ("图书", 3), ("タワー", 4), ("МОСКВА", 5), ("strasse", 6)];
        for (query, expected) in cases {
            assert_eq!(bm25.search(query, 1).first().map(|hit| hit.1), Some(expected), "{query}");
        }
        assert!(bm25.search("absent", 5).is_empty());
        assert!(bm25.search("", 5).is_empty());
    }

    #[test]
    fn change_equals_fresh_build() {
        let mut changed = index(&[(1, "old text about cats"), (2, "dogs bark"), (3, "cats and dogs")]);
        changed.insert(1, "new text about birds");
        changed.remove(2);
        changed.insert(4, "birds sing, dogs bark");
        assert!(!changed.remove(2));
        let fresh = index(&[(3, "cats and dogs"), (4, "birds sing, dogs bark"), (1, "new text about birds")]);
        for query in ["cats", "dogs bark", "birds", "old", "text about"] {
            assert_eq!(changed.search(query, 9), fresh.search(query, 9), "{query}");
        }
    }

    #[test]
    fn intersects_words() {
        let bm25 = index(&[(1, "new york city"), (2, "york"), (3, "a new city in york")]);
        let mut both = bm25.with_all(&["new".into(), "york".into()]);
        both.sort_unstable();
        assert_eq!(both, [1, 3]);
        assert!(bm25.with_all(&["nowhere".into()]).is_empty());
        assert!(bm25.with_all(&[]).is_empty());
    }
}
