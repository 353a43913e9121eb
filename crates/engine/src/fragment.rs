//! Links to a passage: text fragments (WICG Scroll to Text Fragment).

/// Characters of a passage up to which it is named whole; longer ones are named by start and end.
const WHOLE: usize = 90;
/// Words, or characters of a script without spaces, that a start or end begins with, and may grow to.
const WORDS: usize = 5;
const MOST_WORDS: usize = 20;
const UNSPACED: usize = 14;

/// The address of a passage: the page, scrolled to `text`. `others` are the page's other passages: start and end are chosen so
/// that none of them holds the same; a short passage that another repeats is told by what comes before or after it.
pub fn link(url: &str, text: &str, before: Option<&str>, others: &[&str]) -> String {
    let Some(directive) = directive(text, before, others) else { return url.to_owned() };
    // A page's own fragment stays in front of the directive.
    let joint = if url.contains('#') { "" } else { "#" };
    format!("{url}{joint}:~:text={directive}")
}

fn directive(text: &str, before: Option<&str>, others: &[&str]) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (first, last) = (*lines.first()?, *lines.last()?);
    if lines.len() == 1 && first.chars().count() <= WHOLE {
        let repeated = others.iter().any(|other| other.contains(first));
        let prefix = before
            .filter(|_| repeated)
            .and_then(|before| before.lines().rev().find(|line| !line.trim().is_empty()));
        let prefix = prefix.map(|line| format!("{}-,", encode(tail(line, WORDS))));
        return Some(prefix.unwrap_or_default() + &encode(first));
    }
    // A term must lie within one block of the page, so start and end come from single lines.
    let unique =
        |term: &str| !others.iter().any(|other| other.contains(term)) && text.matches(term).count() == 1;
    let start = (WORDS..=MOST_WORDS).map(|words| head(first, words)).find(|term| unique(term));
    let start = start.unwrap_or_else(|| head(first, MOST_WORDS));
    let rest = &text[text.find(start).map_or(0, |at| at + start.len())..];
    let end = tail(last, WORDS);
    if !rest.contains(end) || end.is_empty() {
        return Some(encode(start));
    }
    Some(format!("{},{}", encode(start), encode(end)))
}

/// The beginning of a line: so many words, or as many clauses as cover [`UNSPACED`] characters where no spaces part the words.
fn head(line: &str, words: usize) -> &str {
    let end = if unspaced(line) {
        let least = UNSPACED * words / WORDS;
        clause_ends(line).find(|(characters, _)| *characters >= least).map(|(_, at)| at)
    } else {
        line.match_indices(char::is_whitespace).map(|(at, _)| at).nth(words - 1)
    };
    trim(&line[..end.unwrap_or(line.len())])
}

/// The end of a line, likewise.
fn tail(line: &str, words: usize) -> &str {
    let start = if unspaced(line) {
        let all = line.chars().count();
        let starts: Vec<(usize, usize)> = clause_ends(line).collect();
        starts.iter().rev().find(|(characters, _)| all - characters >= UNSPACED).map(|(_, at)| *at)
    } else {
        let gaps: Vec<usize> =
            line.match_indices(char::is_whitespace).map(|(at, gap)| at + gap.len()).collect();
        gaps.len().checked_sub(words).map(|index| gaps[index])
    };
    trim(&line[start.unwrap_or(0)..])
}

/// Browsers match whole words. Where no space parts them, a clause's end is a place that every segmenter agrees on.
fn clause_ends(line: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    line.char_indices()
        .enumerate()
        .filter(|(_, (_, c))| {
            matches!(
                c,
                '，' | '。' | '、' | '；' | '：' | '！' | '？' | '「' | '」' | '（' | '）' | ',' | ';'
            )
        })
        .map(|(index, (at, c))| (index + 1, at + c.len_utf8()))
}

fn unspaced(line: &str) -> bool {
    let (spaces, all) =
        line.chars().fold((0, 0), |(spaces, all), c| (spaces + usize::from(c.is_whitespace()), all + 1));
    spaces * 16 < all
}

fn trim(term: &str) -> &str {
    term.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '，' | '。' | '、' | '；' | '：' | '「' | '」' | '（' | '）')
    })
}

/// Percent-encodes all but letters, digits and the harmless marks; `-`, `,` and `&` part the directive and must be encoded.
fn encode(term: &str) -> String {
    let mut encoded = String::with_capacity(term.len() * 3);
    for byte in term.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push(hex_digit(byte >> 4));
            encoded.push(hex_digit(byte & 15));
        }
    }
    encoded
}

fn hex_digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::link;

    const LONG: &str = "The lighthouse was built in 1822 by a family of masons, and it has stood through every storm \
                        since. Its lamp - first oil, then gas, now electric - can be seen from thirty miles away.";

    #[test]
    fn a_long_passage_is_named_by_start_and_end() {
        let cases: [(&str, &[&str], &str); 4] = [
            (
                "https://a.test/x",
                &[],
                "https://a.test/x#:~:text=The%20lighthouse%20was%20built%20in,seen%20from%20thirty%20miles%20away.",
            ),
            (
                "https://a.test/x#part",
                &[],
                "https://a.test/x#part:~:text=The%20lighthouse%20was%20built%20in,seen%20from%20thirty%20miles%20away.",
            ),
            // Another passage begins alike: the start grows until it is the only one.
            (
                "https://a.test/",
                &["The lighthouse was built in 1822 by others."],
                "https://a.test/#:~:text=The%20lighthouse%20was%20built%20in%201822%20by%20a,seen%20from%20thirty%20miles%20away.",
            ),
            (
                "https://a.test/",
                &["Something else."],
                "https://a.test/#:~:text=The%20lighthouse%20was%20built%20in,seen%20from%20thirty%20miles%20away.",
            ),
        ];
        for (url, others, expected) in cases {
            assert_eq!(link(url, LONG, None, others), expected);
        }
    }

    #[test]
    fn short_passages_are_named_whole_and_repeated_ones_by_what_precedes() {
        assert_eq!(
            link("https://a.test/", "Well-known, isn't it?", None, &[]),
            "https://a.test/#:~:text=Well%2Dknown%2C%20isn%27t%20it%3F"
        );
        assert_eq!(
            link("https://a.test/", "Yes.", Some("Is it so, they all asked him?"), &["Yes.", "No."]),
            "https://a.test/#:~:text=so%2C%20they%20all%20asked%20him%3F-,Yes."
        );
    }

    #[test]
    fn terms_never_cross_a_line() {
        let text = "A heading\nand then a very long paragraph that goes on and on until it fills more than ninety characters\nand ends";
        assert_eq!(
            link("https://a.test/", text, None, &[]),
            "https://a.test/#:~:text=A%20heading,and%20ends"
        );
    }

    #[test]
    fn chinese_terms_end_where_clauses_end() {
        let text = "清华大学位于北京市海淀区，是中国著名的高等学府之一。学校的前身是清华学堂，成立于一九一一年，因水木清华而得名。\
                    学校今天设有二十一个学院，五十九个系，以及许多研究机构，在校学生超过五万人。";
        let found = link("https://a.test/", text, None, &[]);
        let encoded = |term: &str| term.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let expected = format!(
            "https://a.test/#:~:text={},{}",
            encoded("清华大学位于北京市海淀区，是中国著名的高等学府之一"),
            encoded("以及许多研究机构，在校学生超过五万人")
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_to_name_is_the_page_itself() {
        assert_eq!(link("https://a.test/", " \n ", None, &[]), "https://a.test/");
    }
}
