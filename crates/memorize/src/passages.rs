//! How is a page's text cut into passages?
//!
//! As Knuth and Plass break a paragraph into lines: the cut with the least total cost over the whole page, where a
//! passage costs by its distance from the wanted length and by the headings it runs across.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::page::Passage;
use crate::sentences::sentences;

/// Wanted length of a passage, in characters (PersonalAI, arXiv 2506.17001).
pub const WANTED: std::ops::RangeInclusive<usize> = 550..=650;
/// Most sentences in a passage; more are joined first.
const MAX_UNITS: usize = 64;
/// Cost of a heading inside a passage; a passage of half the wanted length costs 0.25.
const CROSSED_HEADING: f32 = 0.35;
/// Cost of a cut inside a paragraph.
const CUT_PARAGRAPH: f32 = 0.02;

/// A run of text under one heading path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub text: String,
    /// Headings above, outermost first.
    pub headings: Vec<String>,
}

/// A passage and the stretches it holds, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub passage: Passage,
    pub stretches: Range<usize>,
}

/// Cuts stretches of text into passages, in order.
pub fn cut(stretches: &[Stretch]) -> Vec<Cut> {
    let units = units(stretches);
    let breaks = best_breaks(&units);
    let mut out = Vec::with_capacity(breaks.len());
    let mut start = 0;
    for end in breaks {
        out.extend(compose(&units[start..end], stretches));
        start = end;
    }
    out
}

/// First eight bytes, big endian, of the SHA-256 of the text with runs of white space folded.
pub fn hash(text: &str) -> u64 {
    let mut digest = Sha256::new();
    for word in text.split_whitespace() {
        digest.update(word.as_bytes());
        digest.update(b" ");
    }
    let digest = digest.finalize();
    digest.iter().take(8).fold(0, |hash, &byte| hash << 8 | u64::from(byte))
}

/// A sentence, or a part of one that is longer than a passage.
struct Unit<'a> {
    text: &'a str,
    chars: usize,
    stretch: usize,
    /// Whether it begins its stretch, and whether it begins a section.
    begins_stretch: bool,
    begins_section: bool,
}

fn units(stretches: &[Stretch]) -> Vec<Unit<'_>> {
    let mut out: Vec<Unit> = Vec::new();
    for (index, stretch) in stretches.iter().enumerate() {
        let new_section = index > 0 && stretches[index - 1].headings != stretch.headings;
        let mut first = true;
        for sentence in sentences(&stretch.text) {
            for text in bounded(sentence) {
                if text.trim().is_empty() {
                    continue;
                }
                out.push(Unit {
                    text,
                    chars: text.chars().count(),
                    stretch: index,
                    begins_stretch: first,
                    begins_section: first && new_section,
                });
                first = false;
            }
        }
    }
    out
}

/// Cuts a sentence longer than a passage at its clauses, else between words, else anywhere between characters.
fn bounded(sentence: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = sentence;
    while let Some((limit, _)) = rest.char_indices().nth(*WANTED.end()) {
        let window = &rest[..limit];
        let half = window.len() / 2;
        let after =
            |found: Option<(usize, char)>| found.map(|(at, c)| at + c.len_utf8()).filter(|&at| at > half);
        let at = after(
            window
                .char_indices()
                .rfind(|(_, c)| matches!(c, ';' | '；' | ':' | '：' | ',' | '，' | '、' | '\n')),
        )
        .or_else(|| after(window.char_indices().rfind(|(_, c)| c.is_whitespace())))
        .unwrap_or(limit);
        out.push(&rest[..at]);
        rest = &rest[at..];
    }
    out.push(rest);
    out
}

/// The ends of the passages with the least total cost.
fn best_breaks(units: &[Unit]) -> Vec<usize> {
    // best[i]: least cost of the first i units, and where its last passage begins.
    let mut best = vec![(0.0_f32, 0_usize); units.len() + 1];
    for end in 1..=units.len() {
        let mut least = (f32::INFINITY, end - 1);
        let (mut chars, mut crossed) = (0, 0.0);
        let cut = match units.get(end) {
            Some(next) if !next.begins_stretch => CUT_PARAGRAPH,
            _ => 0.0,
        };
        for start in (0..end).rev().take(MAX_UNITS) {
            chars += units[start].chars;
            if chars > 3 * WANTED.end() && start + 1 < end {
                break;
            }
            let total = best[start].0 + length_cost(chars) + crossed + cut;
            if total < least.0 {
                least = (total, start);
            }
            crossed += if units[start].begins_section { CROSSED_HEADING } else { 0.0 };
        }
        best[end] = least;
    }
    let mut breaks = Vec::new();
    let mut at = units.len();
    while at > 0 {
        breaks.push(at);
        at = best[at].1;
    }
    breaks.reverse();
    breaks
}

/// 0 within the wanted length, the squared relative distance below it, steeper above it.
fn length_cost(chars: usize) -> f32 {
    let chars = chars as f32;
    let (least, most) = (*WANTED.start() as f32, *WANTED.end() as f32);
    if chars < least {
        ((least - chars) / least).powi(2)
    } else if chars > most {
        0.05 + 4.0 * ((chars - most) / most).powi(2)
    } else {
        0.0
    }
}

/// Joins units into a passage; a section that begins inside it brings its heading along.
fn compose(units: &[Unit], stretches: &[Stretch]) -> Option<Cut> {
    let (first, last) = (units.first()?, units.last()?);
    let mut text = String::new();
    for (index, unit) in units.iter().enumerate() {
        if unit.begins_stretch && index > 0 {
            text.truncate(text.trim_end().len());
            text.push('\n');
            if let Some(heading) = stretches[unit.stretch].headings.last().filter(|_| unit.begins_section) {
                text.push_str(heading);
                text.push('\n');
            }
        }
        text.push_str(unit.text);
    }
    let text = text.trim().to_owned();
    let hash = hash(&text);
    let passage = Passage { text, headings: stretches[first.stretch].headings.clone(), hash };
    Some(Cut { passage, stretches: first.stretch..last.stretch + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(text: &str, headings: &[&str]) -> Stretch {
        Stretch { text: text.to_owned(), headings: headings.iter().map(|&h| h.to_owned()).collect() }
    }

    fn lengths(cuts: &[Cut]) -> Vec<usize> {
        cuts.iter().map(|cut| cut.passage.text.chars().count()).collect()
    }

    #[test]
    fn prose_falls_into_passages_of_the_wanted_length() {
        let english = "The committee met on Tuesday and spoke at length about the harbour. ".repeat(60);
        let chinese = "委员会在星期二开会，详细讨论了港口的未来发展计划。".repeat(100);
        for text in [english, chinese] {
            let cuts = cut(&[stretch(&text, &[])]);
            let lengths = lengths(&cuts);
            assert!(lengths.iter().all(|length| (500..=660).contains(length)), "{lengths:?}");
            assert!(cuts.iter().all(|cut| cut.passage.text.ends_with(['.', '。'])));
        }
    }

    #[test]
    fn headings_are_not_crossed_by_sections_of_fair_size() {
        let a = "Alpha sentences tell of the first thing in some detail. ".repeat(6);
        let b = "Beta sentences tell of the second thing in some detail. ".repeat(6);
        let cuts = cut(&[stretch(&a, &["A"]), stretch(&b, &["B"])]);
        assert_eq!(cuts.len(), 2);
        assert_eq!(cuts[0].passage.headings, ["A"]);
        assert_eq!(cuts[1].passage.headings, ["B"]);
        assert!(!cuts[0].passage.text.contains("Beta"));
    }

    #[test]
    fn crumbs_join_their_neighbours_with_their_heading() {
        let long = "Alpha sentences tell of the first thing in some detail. ".repeat(8);
        let cuts = cut(&[stretch(&long, &["A"]), stretch("A crumb.", &["B"])]);
        assert_eq!(cuts.len(), 1);
        assert!(cuts[0].passage.text.ends_with("detail.\nB\nA crumb."));
        assert_eq!(cuts[0].stretches, 0..2);
    }

    #[test]
    fn no_text_is_lost_and_none_is_too_long() {
        let endless = "x".repeat(5000);
        let commas = "one, two and three, ".repeat(200);
        for text in [endless.as_str(), commas.as_str(), "短", "a\nb\nc"] {
            let cuts = cut(&[stretch(text, &[])]);
            let joined: String =
                cuts.iter().flat_map(|cut| cut.passage.text.chars()).filter(|c| !c.is_whitespace()).collect();
            assert_eq!(joined, text.chars().filter(|c| !c.is_whitespace()).collect::<String>());
            assert!(lengths(&cuts).iter().all(|&length| length <= 1300));
        }
    }

    #[test]
    fn the_hash_ignores_white_space_alone() {
        assert_eq!(hash("a  b\nc"), hash("a b c"));
        assert_ne!(hash("a b c"), hash("ab c"));
        assert_ne!(hash("a b c"), hash("a b C"));
    }
}
