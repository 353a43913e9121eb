use std::{collections::HashMap, sync::LazyLock};

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::normalize_name;

/// Words before a name that say how a person is addressed, not who it is.
const TITLES: &[&str] = &[
    "the",
    "mr",
    "mrs",
    "ms",
    "miss",
    "mister",
    "dr",
    "doctor",
    "prof",
    "professor",
    "sir",
    "dame",
    "madame",
    "monsieur",
    "herr",
    "frau",
    "señor",
    "señora",
];

/// Words after a name that say what legal form a company has.
const LEGAL_FORMS: &[&str] = &[
    "inc",
    "incorporated",
    "ltd",
    "limited",
    "corp",
    "corporation",
    "co",
    "company",
    "llc",
    "llp",
    "plc",
    "gmbh",
    "ag",
    "sa",
    "nv",
    "bv",
    "oy",
    "ab",
    "kk",
    "spa",
    "sarl",
    "pty",
    "jr",
    "esq",
    "phd",
];

/// The same for names written without spaces, longest first.
const CJK_ENDINGS: &[&str] = &[
    "股份有限公司",
    "有限责任公司",
    "有限公司",
    "株式会社",
    "公司",
    "先生",
    "女士",
    "小姐",
    "博士",
    "教授",
    "老师",
];

/// A looser form than [`normalize_name`]: two names with the same loose form are very likely spellings of one
/// name. Diacritics of Latin and Greek letters go, traditional Chinese characters become simplified ones, forms of
/// address, articles and legal forms of companies go, `&` becomes `and`, and no space is left. Never empty for a
/// name that is not.
pub fn loose_name(name: &str) -> String {
    let plain: String = normalize_name(name).nfd().fold(String::new(), |mut plain, c| {
        let on_letter = plain.chars().next_back().is_some_and(bears_diacritics);
        if !(is_combining_mark(c) && on_letter) {
            plain.push(SIMPLIFIED.get(&c).copied().unwrap_or_else(|| plain_letter(c)));
        }
        plain
    });
    let plain: String = plain.nfc().collect();
    let words: Vec<&str> = plain.split(' ').map(|word| if word == "&" { "and" } else { word }).collect();
    let mut core = words.as_slice();
    while let [title, rest @ ..] = core
        && !rest.is_empty()
        && TITLES.contains(title)
    {
        core = rest;
    }
    while let [rest @ .., form] = core
        && !rest.is_empty()
        && LEGAL_FORMS.contains(form)
    {
        core = rest;
    }
    let joined = core.concat();
    let stem = CJK_ENDINGS.iter().find_map(|ending| joined.strip_suffix(ending));
    match stem {
        Some(stem) if !stem.is_empty() => stem.to_owned(),
        _ => joined,
    }
}

/// A traditional Chinese text in simplified characters; every other character as it is.
pub fn simplified(text: &str) -> String {
    text.chars().map(|c| SIMPLIFIED.get(&c).copied().unwrap_or(c)).collect()
}

static SIMPLIFIED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let pair = |line: &str| {
        let mut characters = line.chars();
        Some((characters.next()?, characters.next()?))
    };
    include_str!("../data/simplified.txt").lines().filter_map(pair).collect()
});

fn bears_diacritics(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{0100}'..='\u{024F}' | '\u{0370}'..='\u{03FF}')
}

/// Letters whose stroke or ligature is no combining mark.
fn plain_letter(c: char) -> char {
    match c {
        'ø' => 'o',
        'ł' => 'l',
        'đ' | 'ð' => 'd',
        'ħ' => 'h',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::loose_name;

    #[test]
    fn spellings_of_one_name_fall_together() {
        for names in [
            &["Zürich", "Zurich"][..],
            &["Mr. Holmes", "Holmes"],
            &["The Beatles", "Beatles"],
            &["Acme Inc.", "ACME", "Acme, Inc", "Acme Corporation"],
            &["周杰倫", "周杰伦"],
            &["腾讯", "騰訊公司"],
            &["Johnson & Johnson", "Johnson and Johnson"],
            &["YouTube", "You Tube"],
            &["Łódź", "Lodz"],
            &["王先生", "王"],
        ] {
            let loose: Vec<String> = names.iter().map(|name| loose_name(name)).collect();
            assert!(loose.windows(2).all(|pair| pair[0] == pair[1]), "{names:?} → {loose:?}");
        }
    }

    #[test]
    fn other_names_stay_apart_and_none_becomes_empty() {
        for (a, b) in [
            ("Go", "Google"),
            ("Python 2", "Python 3"),
            ("й", "и"),
            ("か", "が"),
            ("李", "季"),
            ("The", "Mr"),
        ] {
            assert_ne!(loose_name(a), loose_name(b));
        }
        for name in ["The", "Co", "公司", "Inc.", "!"] {
            assert!(!loose_name(name).is_empty(), "{name}");
        }
    }
}
