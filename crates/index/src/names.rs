use std::hash::Hasher;

use loci_graph::{Object, ObjectKind, Page, PageId, VertexId};
use rustc_hash::{FxHashMap, FxHasher};

use crate::{text, words};

/// What a name in a text can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    Object(VertexId),
    /// The page that bears the name as its title: the page about it.
    Page(PageId),
}

/// A known name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSpan {
    /// Range of [`words`].
    pub start: usize,
    pub end: usize,
    /// Everything that bears the name.
    pub named: Vec<Named>,
}

/// The dictionary of known names as sequences of folded words: titles of pages, names and aliases of objects.
#[derive(Debug, Clone, Default)]
pub struct Names {
    bearers: FxHashMap<u64, Vec<Named>>,
    phrases: FxHashMap<Named, Box<[u64]>>,
}

/// What [`Names::set`] changed.
pub(crate) struct Renamed {
    /// The word sequences that are new for the bearer.
    pub added: Vec<Vec<String>>,
    /// Whether it no longer bears one that it did.
    pub lost: bool,
}

/// Longer names are cut here: nothing is mentioned by more words than this.
const LONGEST: usize = 12;

/// Separators between the title proper and the name of the site.
const SITE_SEPARATORS: [&str; 6] = [" | ", " - ", " – ", " — ", " · ", "_"];

impl Names {
    /// Sets what bears which names; no names removes it.
    pub(crate) fn set(&mut self, named: Named, names: Vec<Vec<String>>) -> Renamed {
        let before = self.phrases.remove(&named).unwrap_or_default();
        let mut hashes = Vec::new();
        let mut added = Vec::new();
        for words in names {
            let hash = hash(&words);
            if words.is_empty() || words.len() > LONGEST || hashes.contains(&hash) {
                continue;
            }
            hashes.push(hash);
            if !before.contains(&hash) {
                added.push(words);
            }
        }
        let mut lost = false;
        for gone in before.iter().filter(|hash| !hashes.contains(hash)) {
            lost = true;
            if let Some(bearers) = self.bearers.get_mut(gone) {
                bearers.retain(|&other| other != named);
                if bearers.is_empty() {
                    self.bearers.remove(gone);
                }
            }
        }
        for &new in hashes.iter().filter(|hash| !before.contains(hash)) {
            self.bearers.entry(new).or_default().push(named);
        }
        if !hashes.is_empty() {
            self.phrases.insert(named, hashes.into());
        }
        Renamed { added, lost }
    }

    /// The known names in a sequence of folded words, in order; a name inside a longer one is left out.
    pub fn find(&self, words: &[String]) -> Vec<NamedSpan> {
        let mut spans: Vec<NamedSpan> = Vec::new();
        let mut covered = 0;
        for start in 0..words.len() {
            let mut hasher = FxHasher::default();
            let mut longest = None;
            for (offset, word) in words[start..].iter().take(LONGEST).enumerate() {
                step(&mut hasher, word);
                if let Some(named) = self.bearers.get(&hasher.finish()) {
                    longest = Some((start + offset + 1, named));
                }
            }
            if let Some((end, named)) = longest
                && end > covered
            {
                covered = end;
                spans.push(NamedSpan { start, end, named: named.clone() });
            }
        }
        spans
    }
}

/// The names of an object that a text may mention. A value (a date, a quantity) is no name.
pub(crate) fn of_object(object: &Object) -> Vec<Vec<String>> {
    if object.kind == ObjectKind::Value {
        return Vec::new();
    }
    object.names().map(words).filter(|words| is_name(words)).collect()
}

/// A page's title, the title without its bracketed qualifier, and the title without the name of the site.
pub(crate) fn of_page(page: &Page) -> Vec<Vec<String>> {
    let mut titles = vec![page.title.as_str()];
    if let Some(at) = SITE_SEPARATORS.iter().filter_map(|separator| page.title.rfind(separator)).max() {
        titles.push(&page.title[..at]);
    }
    for index in 0..titles.len() {
        if let Some(at) = titles[index].rfind(['(', '（']) {
            titles.push(&titles[index][..at]);
        }
    }
    titles.into_iter().map(words).filter(|words| is_name(words)).collect()
}

/// One letter of a spaced script, or a bare number, names nothing. One Chinese character may be a name.
fn is_name(words: &[String]) -> bool {
    match words {
        [] => false,
        [word] => {
            let mut chars = word.chars();
            let unspaced = chars.next().is_some_and(text::is_unspaced);
            unspaced || (chars.next().is_some() && !word.chars().all(|c| c.is_ascii_digit()))
        }
        _ => true,
    }
}

/// Whether a name is so short that running text holds it by chance: one character of an unspaced script.
pub(crate) fn is_chance(words: &[String]) -> bool {
    matches!(words, [word] if word.chars().all(text::is_unspaced))
}

fn hash(words: &[String]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|word| step(&mut hasher, word));
    hasher.finish()
}

fn step(hasher: &mut FxHasher, word: &str) {
    hasher.write(word.as_bytes());
    hasher.write_u8(0xff);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(names: &[(u32, &str)]) -> Names {
        let mut dictionary = Names::default();
        for (id, name) in names {
            dictionary.set(Named::Object(VertexId(*id)), vec![words(name)]);
        }
        dictionary
    }

    fn found(dictionary: &Names, text: &str) -> Vec<u32> {
        let spans = dictionary.find(&words(text));
        let ids = spans.iter().flat_map(|span| &span.named).map(|named| match named {
            Named::Object(VertexId(id)) | Named::Page(PageId(id)) => *id,
        });
        ids.collect()
    }

    #[test]
    fn finds_names_in_every_script_longest_first() {
        let dictionary =
            dictionary(&[(1, "New York"), (2, "New York City"), (3, "清华大学"), (4, "大学"), (5, "Ørsted")]);
        let cases: &[(&str, &[u32])] = &[
            ("Who lives in New York City?", &[2]),
            ("new york's mayor", &[1]),
            ("清华大学的校长是谁？", &[3]),
            ("北京大学", &[4]),
            ("orsted discovered it", &[5]),
            ("newer york", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(&dictionary, text), *expected, "{text}");
        }
    }

    #[test]
    fn a_changed_name_leaves_nothing_of_the_old_one() {
        let mut dictionary = dictionary(&[(1, "Old Name"), (2, "Old Name")]);
        let added = dictionary.set(Named::Object(VertexId(1)), vec![words("New Name")]);
        assert_eq!(added.added, [words("New Name")]);
        assert!(added.lost);
        assert_eq!(found(&dictionary, "old name, new name"), [2, 1]);
        dictionary.set(Named::Object(VertexId(2)), Vec::new());
        assert_eq!(found(&dictionary, "old name, new name"), [1]);
    }

    #[test]
    fn titles_lose_their_site_and_their_bracket() {
        let page = |title: &str| Page {
            id: PageId(0),
            url: String::new(),
            title: title.into(),
            site: None,
            author: None,
            language: None,
            published: None,
            first_captured: Default::default(),
            captured: Default::default(),
            version: 1,
            episodes: Vec::new(),
        };
        let cases: &[(&str, &[&str])] = &[
            ("Marie Curie - Wikipedia", &["marie curie wikipedia", "marie curie"]),
            ("Theodred II (Bishop of Elmham)", &["theodred ii bishop of elmham", "theodred ii"]),
            ("X", &[]),
            ("1984", &[]),
        ];
        for (title, expected) in cases {
            let names: Vec<String> = of_page(&page(title)).iter().map(|words| words.join(" ")).collect();
            assert_eq!(names, *expected, "{title}");
        }
    }
}
