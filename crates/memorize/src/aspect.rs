use std::{collections::HashMap, sync::LazyLock};

use loci_graph::{is_cjk, normalize_name, simplified};

/// What of its holder a relation tells, and how many values that can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Aspect {
    pub name: &'static str,
    pub nature: Nature,
    /// The holder is the object of the triple, the value its subject.
    pub inverse: bool,
    /// The relation says that the value no longer holds.
    pub ends: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Nature {
    /// One value at a time; a newer one follows the older.
    State,
    /// One value for ever; two different ones contradict each other.
    Fixed,
    /// Several values side by side.
    Many,
}

/// The aspect that a relation is known to tell, if any.
pub(crate) fn aspect(relation: &str) -> Option<Aspect> {
    // "coaches" and "coach" have one stem and opposite directions, so the wording as it is comes first.
    if let Some(exact) = EXACT.get(&simplified(&normalize_name(&spaced(relation)))) {
        return Some(*exact);
    }
    let key = relation_key(relation);
    SEEDS.get(&key).or_else(|| SEEDS.get(&without_adverbs(&key))).copied()
}

/// Whether the wording itself speaks of the past: "former CEO of", "used to live in", 曾任.
pub(crate) fn is_past(relation: &str) -> bool {
    const WORDS: &[&str] =
        &["former", "formerly", "previously", "previous", "once", "ex", "until", "past", "old"];
    const CHINESE: &[&str] = &["曾", "原任", "前任", "以前", "过去", "之前", "旧"];
    let normal = normalize_name(&spaced(relation));
    let tokens: Vec<&str> = normal.split(' ').collect();
    tokens.iter().any(|token| WORDS.contains(token))
        || tokens.windows(2).any(|pair| pair == ["used", "to"])
        || tokens.windows(2).any(|pair| pair == ["had", "been"])
        || CHINESE.iter().any(|word| normal.contains(word))
}

/// The form in which relations are compared: normalised, without auxiliaries, articles and particles, verbs cut to
/// their stem.
pub(crate) fn relation_key(relation: &str) -> String {
    const SMALL: &[&str] = &[
        "is", "was", "are", "were", "be", "been", "being", "has", "have", "had", "the", "a", "an", "its",
        "his", "her", "their", "of", "will", "s",
    ];
    let normal = simplified(&normalize_name(&spaced(relation)));
    if normal.chars().any(is_cjk) {
        const PARTICLES: [&str; 9] = ["目前", "现在", "已经", "了", "着", "的", "是", "被任命为", "将"];
        let bare = PARTICLES.iter().fold(normal.clone(), |text, particle| text.replace(particle, ""));
        return if bare.is_empty() { normal } else { bare };
    }
    let words = || normal.split(' ').filter(|word| !word.is_empty());
    let content: Vec<String> = words().filter(|word| !SMALL.contains(word)).map(stem).collect();
    // "is of" would leave nothing; "of" decides which side holds the aspect, so it stays where it closes a role.
    let closes = words().next_back() == Some("of") && !content.is_empty();
    let mut key = if content.is_empty() { normal.clone() } else { content.join(" ") };
    if closes {
        key.push_str(" of");
    }
    key
}

fn without_adverbs(key: &str) -> String {
    const ADVERBS: &[&str] = &[
        "now",
        "current",
        "currently",
        "recent",
        "recently",
        "new",
        "newly",
        "just",
        "also",
        "still",
        "present",
        "presently",
        "officially",
        "formally",
        "today",
        "later",
        "then",
        "subsequently",
        "permanently",
    ];
    if key.chars().any(is_cjk) {
        const CHINESE: [&str; 12] =
            ["现", "新任", "新", "最近", "刚", "已", "正", "又", "后来", "现任", "在", "于"];
        return CHINESE.iter().fold(key.to_owned(), |text, word| text.replacen(word, "", 1));
    }
    let stems: Vec<String> = ADVERBS.iter().map(|word| stem(word)).collect();
    key.split(' ').filter(|word| !stems.iter().any(|adverb| adverb == word)).collect::<Vec<_>>().join(" ")
}

/// `birthPlace` and `birth_place` as words.
fn spaced(relation: &str) -> String {
    let mut words = String::with_capacity(relation.len() + 4);
    let mut lower_before = false;
    for c in relation.chars() {
        if c.is_uppercase() && lower_before {
            words.push(' ');
        }
        lower_before = c.is_lowercase();
        words.push(c);
    }
    words
}

/// A crude stem, enough to bring the forms of one English verb together; the same for every caller.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let cut = ["ing", "ed", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending));
    let stem = cut.filter(|stem| stem.len() >= 3 && !word.ends_with("ss")).unwrap_or(word);
    stem.strip_suffix('e').unwrap_or(stem).to_owned()
}

static SEED_PHRASES: LazyLock<Vec<(&'static str, Aspect)>> = LazyLock::new(|| {
    let mut phrases = Vec::new();
    let mut section = ("", Nature::Many);
    for line in include_str!("../data/aspects.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some((name, nature)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            section = match nature.trim() {
                "state" => (name, Nature::State),
                "fixed" => (name, Nature::Fixed),
                _ => (name, Nature::Many),
            };
            continue;
        }
        for phrase in line.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()) {
            let (ends, phrase) = phrase.strip_prefix('!').map_or((false, phrase), |phrase| (true, phrase));
            let (inverse, phrase) = phrase.strip_prefix('<').map_or((false, phrase), |phrase| (true, phrase));
            phrases.push((phrase, Aspect { name: section.0, nature: section.1, inverse, ends }));
        }
    }
    phrases
});

static EXACT: LazyLock<HashMap<String, Aspect>> = LazyLock::new(|| {
    let phrases = SEED_PHRASES.iter().rev();
    phrases.map(|(phrase, aspect)| (simplified(&normalize_name(phrase)), *aspect)).collect()
});

static SEEDS: LazyLock<HashMap<String, Aspect>> = LazyLock::new(|| {
    let mut seeds = HashMap::new();
    for (phrase, aspect) in SEED_PHRASES.iter() {
        seeds.entry(relation_key(phrase)).or_insert(*aspect);
    }
    seeds
});

#[cfg(test)]
mod tests {
    use super::{Nature, aspect, is_past, relation_key};

    #[test]
    fn wordings_of_one_aspect() {
        for (name, inverse, relations) in [
            (
                "residence",
                false,
                &[
                    "lives in",
                    "lived in",
                    "has moved to",
                    "recently moved to",
                    "relocated to",
                    "住在",
                    "搬到了",
                    "现居",
                ][..],
            ),
            ("employer", false, &["works at", "works_for", "employedBy", "joined", "入职"]),
            ("chief executive", true, &["is CEO of", "became CEO of", "is the CEO of", "CEO of"]),
            ("coach", true, &["coaches", "is head coach of"]),
            ("coach", false, &["coach", "head coach"]),
            ("chief executive", false, &["CEO", "has CEO", "led by"]),
            ("price", false, &["price", "costs", "now costs", "priced at", "售价为", "涨到"]),
            ("birth date", false, &["born on", "date of birth", "出生日期"]),
        ] {
            for relation in relations {
                let found = aspect(relation).unwrap_or_else(|| panic!("{relation} is no seed"));
                assert_eq!((found.name, found.inverse), (name, inverse), "{relation}");
            }
        }
    }

    #[test]
    fn other_relations_are_not_forced_into_an_aspect() {
        for relation in ["admires", "was painted by", "flows through", "批评"] {
            assert_eq!(aspect(relation), None, "{relation}");
        }
        assert_eq!(aspect("visited").map(|aspect| aspect.nature), Some(Nature::Many));
        assert_eq!(aspect("left").map(|aspect| aspect.ends), Some(true));
        assert_ne!(relation_key("CEO of"), relation_key("CEO"));
    }

    #[test]
    fn the_past_in_words() {
        for (relation, expected) in [
            ("former CEO of", true),
            ("used to live in", true),
            ("曾任", true),
            ("lives in", false),
            ("任", false),
        ] {
            assert_eq!(is_past(relation), expected, "{relation}");
        }
    }
}
