use unicode_segmentation::UnicodeSegmentation;

/// Which of the prompts and name rules fits a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    /// English prompts, names made of words: for every script that writes spaces.
    Spaced,
    /// Chinese prompts, names made of word segments: Chinese and Japanese.
    Han,
}

impl Language {
    /// By the script of the text, which is certain, and not by what the page says of itself.
    pub(crate) fn of(text: &str) -> Language {
        let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
        let han = text.chars().filter(|letter| is_han(*letter)).count();
        // A Chinese letter says about as much as three of an alphabet.
        if han * 4 > letters { Language::Han } else { Language::Spaced }
    }
}

/// Chinese characters and Japanese syllables.
pub(crate) fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Words that say nothing of what a text is about.
const COMMON: [&str; 16] = [
    "the", "and", "for", "are", "was", "were", "with", "that", "this", "from", "has", "had", "have", "not",
    "but", "its",
];

/// Words of a text for comparing texts: lower case, without short and common ones; of Chinese, pairs of characters.
pub(crate) fn content_words(text: &str) -> std::collections::HashSet<String> {
    let mut words = std::collections::HashSet::new();
    let mut before = None;
    for word in text.unicode_words() {
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if is_han(letter) => {
                if let Some(before) = before {
                    words.insert([before, letter].iter().collect());
                }
                before = Some(letter);
            }
            _ => {
                before = None;
                let word = word.to_lowercase();
                if word.chars().count() > 2 && !COMMON.contains(&word.as_str()) {
                    words.insert(word);
                }
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_decides() {
        for (text, expected) in [
            ("The library opened in 1921.", Language::Spaced),
            ("Библиотека открылась в 1921 году.", Language::Spaced),
            ("图书馆于1921年开放。", Language::Han),
            ("華星科技は iPhone 用チップを作る。", Language::Han),
            ("The poem 静夜思 was written by the poet Li Bai in the Tang dynasty.", Language::Spaced),
            ("", Language::Spaced),
        ] {
            assert_eq!(Language::of(text), expected, "{text}");
        }
    }
}
