use unicode_segmentation::UnicodeSegmentation;

/// A stop after one of these ends no sentence.
const ABBREVIATIONS: [&str; 36] = [
    "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Jr", "Gen", "Col", "Lt", "Sgt", "Capt", "Rev", "Hon",
    "Gov", "Sen", "Rep", "Inc", "Ltd", "Co", "Corp", "vs", "etc", "approx", "ca", "No", "Vol", "Fig", "Mt",
    "Jan", "Feb", "Aug", "Sept", "Oct", "Nov",
];
/// A sentence longer than this is cut at its next comma or semicolon.
const LONGEST: usize = 400;

/// The sentences of a passage, trimmed, in order (Unicode Standard Annex 29, with abbreviations joined again).
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    for (offset, piece) in text.split_sentence_bound_indices() {
        let end = offset + piece.len();
        if !is_abbreviated(&text[start..end]) || end == text.len() {
            push_cut(&text[start..end], &mut out);
            start = end;
        }
    }
    out
}

fn is_abbreviated(text: &str) -> bool {
    let Some(text) = text.trim_end_matches(' ').strip_suffix('.') else { return false };
    let word = text.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    is_initial || ABBREVIATIONS.contains(&word)
}

fn push_cut<'a>(text: &'a str, out: &mut Vec<&'a str>) {
    let mut rest = text.trim();
    while rest.chars().count() > LONGEST {
        let is_pause = |letter: char| matches!(letter, ',' | ';' | '，' | '；' | '、');
        let from = rest.char_indices().nth(LONGEST / 2).map_or(rest.len(), |(offset, _)| offset);
        let Some(pause) = rest[from..].find(is_pause) else { break };
        let cut = from + pause + rest[from + pause..].chars().next().map_or(1, char::len_utf8);
        out.push(rest[..cut].trim());
        rest = rest[cut..].trim();
    }
    if rest.chars().any(char::is_alphanumeric) {
        out.push(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_cut_at_sentence_ends() {
        for (text, expected) in [
            ("One came. Two left!  Three?", vec!["One came.", "Two left!", "Three?"]),
            (
                "Dr. Ruiz met J. Alvarez at Orin Inc. in May.",
                vec!["Dr. Ruiz met J. Alvarez at Orin Inc. in May."],
            ),
            ("It costs 1.2 billion. Really.", vec!["It costs 1.2 billion.", "Really."]),
            ("林岚生于苏州。她现居上海！好吗？", vec!["林岚生于苏州。", "她现居上海！", "好吗？"]),
            ("---\n\n...", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_without_end_is_cut_at_a_pause() {
        let long = "a word and another, ".repeat(60);
        let cut = sentences(&long);
        assert!(cut.len() > 1);
        assert!(cut.iter().all(|sentence| sentence.chars().count() <= LONGEST), "{cut:?}");
    }
}
