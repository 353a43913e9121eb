use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;

use crate::page::Passage;

/// Aim of a passage's length, in characters.
const AIM: usize = 600;

/// Cuts running text into passages at sentence ends.
pub fn passages(text: &str) -> Vec<Passage> {
    let mut out = Vec::new();
    let mut current = String::new();
    for sentence in text.unicode_sentences() {
        if !current.is_empty() && current.chars().count() + sentence.chars().count() > AIM + 50 {
            out.push(passage(std::mem::take(&mut current)));
        }
        current.push_str(sentence);
    }
    if !current.trim().is_empty() {
        out.push(passage(current));
    }
    out
}

fn passage(text: String) -> Passage {
    let text = text.trim().to_owned();
    let hash = hash(&text);
    Passage { text, headings: Vec::new(), hash }
}

/// First eight bytes of the SHA-256 of the text with runs of white space folded.
pub fn hash(text: &str) -> u64 {
    let mut digest = Sha256::new();
    for word in text.split_whitespace() {
        digest.update(word.as_bytes());
        digest.update(b" ");
    }
    let bytes = digest.finalize();
    u64::from_be_bytes(bytes[..8].try_into().expect("a SHA-256 digest has 32 bytes"))
}
