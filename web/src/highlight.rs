//! Which parts of a text the query found.

/// A stretch of text, and whether it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    pub found: bool,
}

/// Splits `text` at the words of `query`, case aside. The parts joined are the text.
pub fn parts<'a>(text: &'a str, query: &str) -> Vec<Part<'a>> {
    let words: Vec<Vec<char>> =
        query.split_whitespace().map(folded).filter(|word| !word.is_empty()).collect();
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let mut parts = Vec::new();
    let mut plain_from = 0;
    let mut at = 0;
    while at < letters.len() {
        let length = words.iter().filter(|word| begins(&letters[at..], word)).map(Vec::len).max();
        let Some(length) = length else {
            at += 1;
            continue;
        };
        let (from, to) = (letters[at].0, letters.get(at + length).map_or(text.len(), |letter| letter.0));
        if plain_from < from {
            parts.push(Part { text: &text[plain_from..from], found: false });
        }
        parts.push(Part { text: &text[from..to], found: true });
        plain_from = to;
        at += length;
    }
    if plain_from < text.len() {
        parts.push(Part { text: &text[plain_from..], found: false });
    }
    parts
}

fn begins(letters: &[(usize, char)], word: &[char]) -> bool {
    letters.len() >= word.len()
        && word.iter().zip(letters).all(|(wanted, (_, letter))| *wanted == fold(*letter))
}

fn folded(word: &str) -> Vec<char> {
    word.chars().map(fold).collect()
}

/// One character for one, so that positions in the text stay true.
fn fold(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => single,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, query: &str) -> String {
        let parts = parts(text, query);
        assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
        parts
            .iter()
            .map(|part| if part.found { format!("<{}>", part.text) } else { part.text.to_owned() })
            .collect()
    }

    #[test]
    fn matches_are_marked_in_every_script() {
        for (text, query, expected) in [
            ("Marie Curie won", "curie", "Marie <Curie> won"),
            ("Marie Curie won", "MARIE won", "<Marie> Curie <won>"),
            ("居里夫人获奖", "夫人", "居里<夫人>获奖"),
            ("İstanbul ist", "ist", "İstanbul <ist>"),
            ("aaa", "aa", "<aa>a"),
            ("a b", "", "a b"),
            ("", "x", ""),
            ("👩‍🔬 science", "science", "👩‍🔬 <science>"),
        ] {
            assert_eq!(drawn(text, query), expected);
        }
    }
}
