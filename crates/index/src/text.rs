//! Unicode folding and tokens for every script.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Compatibility forms, case and the diacritics of European scripts folded away; marks that carry meaning in other
/// scripts (Japanese voicing, Indic vowels) stay.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).nfc() {
        match c {
            'ß' | 'ẞ' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            'ø' | 'Ø' => folded.push('o'),
            'ł' | 'Ł' => folded.push('l'),
            'đ' | 'Đ' => folded.push('d'),
            'æ' | 'Æ' => folded.push_str("ae"),
            'œ' | 'Œ' => folded.push_str("oe"),
            'ı' | 'İ' => folded.push('i'),
            '’' => folded.push('\''),
            _ => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// Whether the script of `c` puts no spaces between words, so that every character is a word of its own here.
pub fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF        // Thai, Lao
        | 0x1000..=0x109F      // Myanmar
        | 0x1780..=0x17FF      // Khmer
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF // Japanese kana and iteration marks
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF) // Han
}

/// The folded words of a text in order; a character of an unspaced script is a word of its own. Possessive endings
/// and full stops inside abbreviations are cut, so that "Curie's" is "curie" and "U.S." is "us".
pub fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut words = Vec::new();
    for word in folded.unicode_words() {
        let mut spaced = String::new();
        for c in word.chars() {
            if is_unspaced(c) {
                push_spaced(&mut words, &mut spaced);
                words.push(c.to_string());
            } else {
                spaced.push(c);
            }
        }
        push_spaced(&mut words, &mut spaced);
    }
    words
}

fn push_spaced(words: &mut Vec<String>, word: &mut String) {
    let mut text = std::mem::take(word);
    if let Some(stem) = text.strip_suffix("'s") {
        text.truncate(stem.len());
    }
    let number = text.starts_with(|c: char| c.is_ascii_digit());
    text.retain(|c| c != '\'' && (c != '.' || number));
    if !text.is_empty() {
        words.push(text);
    }
}

/// What BM25 counts: the words, and for unspaced scripts each pair of neighbouring characters as well, so that
/// two-character words are found without a dictionary.
pub fn terms(text: &str) -> Vec<String> {
    let words = words(text);
    let mut terms = Vec::with_capacity(words.len() * 2);
    let mut previous: Option<&str> = None;
    for word in &words {
        let unspaced = word.chars().next().is_some_and(is_unspaced);
        if let (true, Some(before)) = (unspaced, previous) {
            terms.push(format!("{before}{word}"));
        }
        previous = unspaced.then_some(word.as_str());
        terms.push(word.clone());
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_scripts() {
        let cases: &[(&str, &[&str])] = &[
            ("Marie Curie's Nobel", &["marie", "curie", "nobel"]),
            ("Maria Skłodowska–Curie", &["maria", "sklodowska", "curie"]),
            ("Ｆｕｌｌ　ｗｉｄｔｈ", &["full", "width"]),
            ("U.S. Straße 3.5", &["us", "strasse", "3.5"]),
            ("清华大学2024", &["清", "华", "大", "学", "2024"]),
            ("東京タワー", &["東", "京", "タ", "ワ", "ー"]),
            ("서울 대학교", &["서울", "대학교"]),
            ("Москва", &["москва"]),
            ("हिन्दी भाषा", &["हिन्दी", "भाषा"]),
            ("", &[]),
            ("--- !!", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn pairs_of_unspaced_characters_do_not_cross_spaced_words() {
        assert_eq!(terms("清华 ai 大学"), ["清", "清华", "华", "ai", "大", "大学", "学"]);
    }
}
