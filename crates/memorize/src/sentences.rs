//! Where does a sentence end? In any script.

use unicode_segmentation::UnicodeSegmentation;

use crate::boilerplate::is_ideographic;

/// Abbreviations after which a full stop does not end a sentence; lower case, without the stop.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "gen", "col", "lt", "sgt", "capt", "rev", "hon",
    "gov", "sen", "rep", "vs", "etc", "inc", "ltd", "corp", "co", "no", "nos", "vol", "pp", "ed", "eds",
    "al", "cf", "approx", "fig", "figs", "e.g", "i.e", "u.s", "u.k", "u.n", "a.m", "p.m", "ph.d", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "z.b", "d.h", "u.a", "bzw",
    "ca", "nr", "str", "usw", "vgl", "evtl", "ggf", "hr", "fr", "abs", "art", "bd", "jh", "mio", "mrd", "s",
    "m", "mme", "mlle", "p", "ex", "av", "env", "sra", "ud", "uds", "pág",
];

/// Cuts a text into sentences. Joined again they are the text; white space stays with the sentence before it.
///
/// Unicode sentence boundaries (UAX #29), corrected: no cut after an abbreviation, an initial or an ordinal number;
/// a cut after the full stops of Chinese and Japanese together with the closing quotes that follow.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    for piece in text.split_sentence_bounds() {
        for end in ideographic_ends(piece).chain([piece.len()]) {
            let end = at + end;
            if end > start && !continues(&text[start..end], &text[end..]) {
                out.push(&text[start..end]);
                start = end;
            }
        }
        at += piece.len();
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

/// Byte offsets just past 。！？ and the closing marks after them.
fn ideographic_ends(piece: &str) -> impl Iterator<Item = usize> + '_ {
    let mut chars = piece.char_indices().peekable();
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            if matches!(c, '。' | '！' | '？' | '｡') {
                let mut end = at + c.len_utf8();
                while let Some(&(at, c)) = chars.peek() {
                    if !matches!(c, '。' | '！' | '？' | '”' | '’' | '」' | '』' | '）' | '》' | '"')
                    {
                        break;
                    }
                    end = at + c.len_utf8();
                    chars.next();
                }
                return Some(end);
            }
        }
        None
    })
}

/// Whether the sentence so far goes on after what looked like its end.
fn continues(sentence: &str, rest: &str) -> bool {
    // An opening quote by itself belongs to what it opens.
    if !sentence.chars().any(char::is_alphanumeric) {
        return true;
    }
    let body = sentence.trim_end();
    if sentence.ends_with('\n') || rest.is_empty() || !body.ends_with('.') {
        return false;
    }
    let word = body[..body.len() - 1]
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '„'))
        .next()
        .unwrap_or_default();
    if word.is_empty() || word.chars().any(is_ideographic) {
        return false;
    }
    let lower = word.to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    // "am 3. Mai", "the 5. edition": a short number before a word is an ordinal, at a text's usual sentence end it is a year.
    let ordinal = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    let lower_follows = rest.chars().next().is_some_and(char::is_lowercase);
    initial || ordinal || lower_follows || ABBREVIATIONS.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn cuts_at_sentence_ends_of_any_script() {
        let cases: &[&[&str]] = &[
            &["Marie Curie was born in Warsaw. ", "She moved to Paris."],
            &["Dr. Smith met J. R. Oppenheimer at 3 p.m. in Washington. ", "They talked."],
            &["The U.S. Senate voted, e.g. on taxes. ", "It passed!"],
            &["Am 3. Mai 1867 kam sie z. B. nach Wien. ", "Dort blieb sie."],
            &["玛丽·居里出生于华沙。", "她后来搬到巴黎！", "“为什么？”", "他问。"],
            &["東京は日本の首都です。", "人口は約1400万人。"],
            &["Москва — столица России. ", "Она стоит на реке."],
            &["Version 2.5 is out. ", "It costs $3.50."],
            &["पहला वाक्य। ", "दूसरा वाक्य।"],
            &["One line\n", "another line"],
        ];
        for expected in cases {
            let text = expected.concat();
            assert_eq!(&sentences(&text), expected, "{text}");
        }
    }

    #[test]
    fn joins_to_the_same_text() {
        for text in ["", " ", "a", "。。。", "A. B. C. ", "…\n\n…", "Ends with Dr.", "3. 4. 5."] {
            assert_eq!(sentences(text).concat(), text);
        }
    }
}
