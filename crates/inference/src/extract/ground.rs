//! Rules that hold for what any model says: names occur in the text, and a thesis is a sentence of it.

use loci_protocol::{ExtractedThesis, ExtractedTriple};

use super::{grammar::KINDS, language::Language};

/// Words that stand for something named before, at the beginning of a sentence.
const PRONOUNS: &str = " he she it they this these his her its their ";
const HAN_PRONOUNS: [&str; 14] =
    ["他们", "她们", "它们", "该公司", "该", "他", "她", "它", "其", "此", "这", "彼は", "彼女は", "同社"];
/// Phrases that do so anywhere.
const BACK_REFERENCES: &str = " he she it they him them his her its their hers theirs ";
const HAN_BACK_REFERENCES: [&str; 9] = ["他", "她", "它", "该", "其", "公司", "彼", "同社", "本人"];

/// The leading pronoun of a sentence, as it is written.
pub(crate) fn leading_pronoun(sentence: &str, language: Language) -> Option<&str> {
    match language {
        Language::Spaced => {
            let word = sentence.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
            let lower = format!(" {} ", word.to_lowercase());
            (!word.is_empty() && PRONOUNS.contains(&lower)).then_some(word)
        }
        Language::Han => HAN_PRONOUNS
            .iter()
            .find(|pronoun| sentence.starts_with(**pronoun))
            .map(|found| &sentence[..found.len()]),
    }
}

/// Whether a sentence points back at something named before it.
pub(crate) fn points_back(sentence: &str, language: Language) -> bool {
    match language {
        Language::Spaced => sentence
            .split(|letter: char| !letter.is_alphabetic())
            .any(|word| !word.is_empty() && BACK_REFERENCES.contains(&format!(" {} ", word.to_lowercase()))),
        Language::Han => HAN_BACK_REFERENCES.iter().any(|word| sentence.contains(word)),
    }
}

/// The sentence as a statement that stands by itself: a leading pronoun is replaced by the subject, everything else is
/// verbatim. `None` when it names nothing.
pub(crate) fn thesis(
    sentence: &str,
    subject: Option<&str>,
    names: &[String],
    language: Language,
) -> Option<ExtractedThesis> {
    let text = match (leading_pronoun(sentence, language), subject) {
        (None, _) => sentence.to_string(),
        (Some(_), None) => return None,
        (Some(pronoun), Some(subject)) => {
            let rest = &sentence[pronoun.len()..];
            let is_possessive =
                matches!(pronoun.to_lowercase().as_str(), "his" | "her" | "its" | "their") || pronoun == "其";
            match (is_possessive, language) {
                (true, Language::Spaced) => format!("{subject}'s{rest}"),
                (true, Language::Han) => format!("{subject}的{rest}"),
                (false, _) => format!("{subject}{rest}"),
            }
        }
    };
    let mut objects: Vec<String> = names.iter().filter(|name| mentions(&text, name)).cloned().collect();
    // A name inside a longer one is not meant by itself.
    let all = objects.clone();
    objects.retain(|name| !all.iter().any(|other| other.len() > name.len() && other.contains(name.as_str())));
    (!objects.is_empty()).then_some(ExtractedThesis { text, objects })
}

/// Whether a name occurs in a text as a whole: not inside a longer word of a spaced script.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    text.match_indices(name).any(|(offset, _)| {
        let before = text[..offset].chars().next_back();
        let after = text[offset + name.len()..].chars().next();
        let joins = |a: Option<char>, b: Option<char>| {
            a.zip(b).is_some_and(|(a, b)| {
                a.is_alphanumeric()
                    && b.is_alphanumeric()
                    && !super::language::is_han(a)
                    && !super::language::is_han(b)
            })
        };
        !joins(before, name.chars().next()) && !joins(name.chars().next_back(), after)
    })
}

/// Keeps a triple whose names occur in the grounding text, differ, and that is not there yet; the rest is counted.
pub(crate) fn admit(
    triple: ExtractedTriple,
    grounding: &str,
    triples: &mut Vec<ExtractedTriple>,
    ungrounded: &mut u32,
) {
    if !mentions(grounding, &triple.subject)
        || !mentions(grounding, &triple.object)
        || triple.relation.trim().is_empty()
    {
        *ungrounded += 1;
    } else if triple.subject != triple.object && !triples.contains(&triple) {
        triples.push(triple);
    }
}

/// Dates, numbers and amounts are told by their look.
pub(crate) fn is_value(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_month = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    .iter()
    .any(|month| name.contains(month));
    let has_unit = [
        "million", "billion", "percent", "dollars", "euros", "years", "people", "km", "kg", "metres", "miles",
    ]
    .iter()
    .any(|unit| name.contains(unit));
    let is_han_amount = name.chars().next().is_some_and(|first| first.is_ascii_digit())
        && name.chars().any(|letter| "年月日元人万亿米岁个号公里".contains(letter));
    digits > 0 && (letters == 0 || is_month || has_unit || is_han_amount)
}

/// A kind the protocol knows; what a model says beyond that is unknown.
pub(crate) fn known_kind(kind: &str) -> Option<&'static str> {
    KINDS.into_iter().find(|known| *known == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_gives_way_to_the_name() {
        let names = ["Ada Palmer".to_string(), "Lisbon".to_string(), "林岚".into(), "苏州".into()];
        for (sentence, subject, language, expected) in [
            (
                "She moved to Lisbon.",
                Some("Ada Palmer"),
                Language::Spaced,
                Some("Ada Palmer moved to Lisbon."),
            ),
            (
                "Her house is in Lisbon.",
                Some("Ada Palmer"),
                Language::Spaced,
                Some("Ada Palmer's house is in Lisbon."),
            ),
            ("She moved to Lisbon.", None, Language::Spaced, None),
            ("Lisbon is a port.", None, Language::Spaced, Some("Lisbon is a port.")),
            ("It rained.", Some("Nowhere"), Language::Spaced, None),
            ("她现居苏州。", Some("林岚"), Language::Han, Some("林岚现居苏州。")),
        ] {
            let thesis = thesis(sentence, subject, &names, language);
            assert_eq!(thesis.map(|thesis| thesis.text).as_deref(), expected, "{sentence}");
        }
    }

    #[test]
    fn a_name_is_a_whole_word() {
        for (text, name, expected) in [
            ("The Alden Bridge opened.", "Alden Bridge", true),
            ("The Aldens opened.", "Alden", false),
            ("林岚生于苏州。", "苏州", true),
            ("anything", "", false),
        ] {
            assert_eq!(mentions(text, name), expected, "{name} in {text}");
        }
    }

    #[test]
    fn values_are_told_by_their_look() {
        for (name, expected) in [
            ("1921", true),
            ("90 million dollars", true),
            ("12 March 1990", true),
            ("2011年", true),
            ("V2 drone", false),
            ("Lisbon", false),
            ("May", false),
        ] {
            assert_eq!(is_value(name), expected, "{name}");
        }
    }

    #[test]
    fn what_is_not_in_the_text_is_counted() {
        let mut triples = Vec::new();
        let mut ungrounded = 0;
        let triple = |subject: &str, object: &str| ExtractedTriple {
            subject: subject.into(),
            relation: "knows".into(),
            object: object.into(),
        };
        for (subject, object) in [("Ada", "Karl"), ("Ada", "Karl"), ("Ada", "Ada"), ("Ada", "Nobody")] {
            admit(triple(subject, object), "Ada met Karl.", &mut triples, &mut ungrounded);
        }
        assert_eq!((triples.len(), ungrounded), (1, 1));
    }
}
