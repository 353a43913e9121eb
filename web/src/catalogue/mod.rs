//! Every text of the screens, by key, in every language.
//!
//! A language is one file with two exhaustive matches, [`Key`] and [`ErrorKind`]: leaving one out does not compile.
//! A text may hold places, `{name}`, and forms chosen by a number, `{n:page|pages}` (the first form for exactly one).

mod en;
mod key;
mod zh;

use loci_messages::ErrorKind;

pub use key::Key;

/// A language of the screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    /// Simplified characters.
    Chinese,
}

/// What to tell when something was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Help {
    /// What happened, one short sentence.
    pub what: &'static str,
    /// What to do about it.
    pub advice: &'static str,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// The language for a BCP 47 tag such as `navigator.language` gives; English for one not spoken here.
    pub fn of_tag(tag: &str) -> Language {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("zh") { Language::Chinese } else { Language::English }
    }

    /// For `lang` attributes and `Intl`.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-CN",
        }
    }

    pub fn text(self, key: Key) -> &'static str {
        match self {
            Language::English => en::text(key),
            Language::Chinese => zh::text(key),
        }
    }

    pub fn help(self, kind: ErrorKind) -> Help {
        let (what, advice) = match self {
            Language::English => en::help(kind),
            Language::Chinese => zh::help(kind),
        };
        Help { what, advice }
    }
}

/// Puts values into the places of a text. A place without a value stays as it is, so that the mistake is seen.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((place, after)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        let (name, forms) = place.split_once(':').map_or((place, None), |(name, forms)| (name, Some(forms)));
        let value = values.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        match (value, forms.and_then(|forms| forms.split_once('|'))) {
            (Some(value), Some((one, many))) => filled.push_str(if value == "1" { one } else { many }),
            (Some(value), None) => filled.push_str(value),
            (None, _) => filled.extend(["{", place, "}"]),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// The key for a kind of vertex as the core names it.
pub fn kind_key(kind: &str) -> Key {
    match kind {
        "person" => Key::KindPerson,
        "organisation" => Key::KindOrganisation,
        "place" => Key::KindPlace,
        "work" => Key::KindWork,
        "product" => Key::KindProduct,
        "event" => Key::KindEvent,
        "concept" => Key::KindConcept,
        "value" => Key::KindValue,
        "thesis" => Key::KindThesis,
        "page" => Key::KindPage,
        "episode" => Key::KindEpisode,
        _ => Key::KindUnknown,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn places(text: &str) -> BTreeSet<&str> {
        let inner = text.split('{').skip(1).filter_map(|part| part.split('}').next());
        inner.map(|place| place.split(':').next().unwrap_or(place)).collect()
    }

    #[test]
    fn every_language_has_the_same_places() {
        for &key in Key::ALL {
            let english = places(Language::English.text(key));
            for language in Language::ALL {
                assert_eq!(places(language.text(key)), english, "{key:?} in {language:?}");
            }
        }
    }

    #[test]
    fn no_text_is_empty_or_left_in_english() {
        let han = |text: &str| text.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter));
        for &key in Key::ALL {
            assert!(!Language::English.text(key).trim().is_empty(), "{key:?}");
            let name = matches!(key, Key::Product);
            assert!(han(Language::Chinese.text(key)) || name, "{key:?}");
        }
        for kind in ErrorKind::ALL {
            let (english, chinese) = (Language::English.help(kind), Language::Chinese.help(kind));
            assert!(!english.what.is_empty() && !english.advice.is_empty(), "{kind:?}");
            assert!(han(chinese.what) && han(chinese.advice), "{kind:?}");
        }
    }

    #[test]
    fn every_kind_of_error_has_a_help_of_its_own() {
        for language in Language::ALL {
            let texts: BTreeSet<_> = ErrorKind::ALL.iter().map(|&kind| language.help(kind).what).collect();
            assert_eq!(texts.len(), ErrorKind::ALL.len(), "{language:?}");
        }
    }

    #[test]
    fn places_are_filled() {
        for (text, values, expected) in [
            ("{n} {n:page|pages}", vec![("n", "1")], "1 page"),
            ("{n} {n:page|pages}", vec![("n", "0")], "0 pages"),
            ("{a} of {b}", vec![("b", "{a}"), ("a", "1")], "1 of {a}"),
            ("{x} stays", vec![], "{x} stays"),
            ("open { stays", vec![("x", "1")], "open { stays"),
        ] {
            assert_eq!(fill(text, &values), expected);
        }
    }

    #[test]
    fn a_tag_finds_its_language() {
        for (tag, language) in [
            ("zh", Language::Chinese),
            ("zh-TW", Language::Chinese),
            ("ZH_hans", Language::Chinese),
            ("en-GB", Language::English),
            ("de", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
    }
}
