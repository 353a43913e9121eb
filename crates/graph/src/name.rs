use unicode_normalization::UnicodeNormalization;

/// The form under which names are compared: NFKC, lower case, every kind of space and punctuation folded to one
/// space, every script kept. Signs that carry meaning in a name stay (`C++`, `C#`, `AT&T`), as do the points of
/// `2.0` and `.NET`; the points of `U.S.A.` and apostrophes go. Between Chinese or Japanese characters no space is
/// left.
///
/// A name of nothing but punctuation keeps its own form, so that no two such names fall together.
pub fn normalize_name(name: &str) -> String {
    let folded: Vec<char> = name.nfkc().flat_map(fold_case).nfkc().collect();
    let mut normal = String::with_capacity(name.len());
    let mut gap = false;
    for (index, &c) in folded.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| folded[index]);
        let after = folded.get(index + 1).copied();
        match class(c, before, after) {
            Class::Dropped => {}
            Class::Gap => gap = true,
            Class::Kept => {
                if gap {
                    let last = normal.chars().next_back();
                    if last.is_some_and(|last| !(is_cjk(last) && is_cjk(c))) {
                        normal.push(' ');
                    }
                    gap = false;
                }
                normal.push(c);
            }
        }
    }
    if normal.is_empty() { name.trim().to_lowercase() } else { normal }
}

/// Whether a script writes words without spaces between them (Han, kana).
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

enum Class {
    Kept,
    Gap,
    Dropped,
}

fn class(c: char, before: Option<char>, after: Option<char>) -> Class {
    let alphanumeric = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match c {
        '.' | ',' if digit(before) && digit(after) => Class::Kept,
        // A point that opens a word is part of it (.NET); one inside or after an abbreviation is not (U.S.A.).
        '.' if !alphanumeric(before) && alphanumeric(after) => Class::Kept,
        '.' if alphanumeric(before) && alphanumeric(after) => Class::Dropped,
        '\''
        | '’'
        | '‘'
        | 'ʼ'
        | '`'
        | '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'
        | '\u{FEFF}'
        | '\u{FE00}'..='\u{FE0F}' => Class::Dropped,
        '+' | '#' | '&' | '%' | '@' | '$' | '*' | '=' | '<' | '>' | '^' | '~' => Class::Kept,
        _ if c.is_ascii_punctuation() || c.is_whitespace() || c.is_control() => Class::Gap,
        '\u{A1}'
        | '\u{A7}'
        | '\u{AB}'
        | '\u{B6}'
        | '\u{B7}'
        | '\u{BB}'
        | '\u{BF}'
        | '\u{2010}'..='\u{205E}'
        | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3020}'
        | '\u{3030}'
        | '\u{303D}'
        | '\u{30A0}'
        | '\u{30FB}'
        | '\u{FE10}'..='\u{FE1F}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{060C}'
        | '\u{061B}'
        | '\u{061F}'
        | '\u{066A}'..='\u{066D}'
        | '\u{06D4}'
        | '\u{0964}'
        | '\u{0965}'
        | '\u{0589}'
        | '\u{05BE}' => Class::Gap,
        _ => Class::Kept,
    }
}

/// Full case folding as far as names need it: lower case, and the letters that lower case alone keeps apart.
fn fold_case(c: char) -> impl Iterator<Item = char> {
    let special: &[char] = match c {
        'ß' | 'ẞ' => &['s', 's'],
        'ς' => &['σ'],
        'İ' => &['i'],
        'ı' => &['i'],
        _ => &[],
    };
    let lower = special.is_empty().then(|| c.to_lowercase());
    special.iter().copied().chain(lower.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::normalize_name;

    #[test]
    fn one_thing_written_in_several_ways_has_one_form() {
        for forms in [
            &[
                "Marie Curie",
                "marie  curie",
                "MARIE CURIE",
                "Marie\u{A0}Curie",
                "Ｍａｒｉｅ　Ｃｕｒｉｅ",
                "Marie-Curie",
                "“Marie Curie”",
            ][..],
            &["U.S.A.", "USA", "usa", "U.S.A"],
            &["O'Neil", "O’Neil", "ONeil"],
            &["Straße", "STRASSE", "strasse"],
            &["福尔摩斯", "「福尔摩斯」", "福 尔 摩 斯"],
            &["阿瑟·柯南·道尔", "阿瑟・柯南・道尔", "阿瑟柯南道尔"],
            &["Ｃ＋＋", "c++"],
            &["ﬁnance", "finance"],
            &["Ångström", "A\u{30A}ngstro\u{308}m"],
            &["ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
        ] {
            let normal: Vec<String> = forms.iter().map(|form| normalize_name(form)).collect();
            assert!(normal.windows(2).all(|pair| pair[0] == pair[1]), "{forms:?} → {normal:?}");
        }
    }

    #[test]
    fn different_things_keep_different_forms() {
        for names in [
            &["C", "C++", "C#"][..],
            &["Go", "Google"],
            &["Python 2.0", "Python 20", "Python 2"],
            &["李", "季"],
            &["!!!", "???"],
            &["नदी", "नद"],
            &["й", "и"],
            &["AT&T", "ATT"],
        ] {
            let normal: std::collections::BTreeSet<String> =
                names.iter().map(|name| normalize_name(name)).collect();
            assert_eq!(normal.len(), names.len(), "{names:?} → {normal:?}");
        }
    }

    #[test]
    fn no_name_becomes_empty_and_the_form_is_its_own_form() {
        for name in ["福", "…", "-", "a.b", "الرياض", "서울 시", "🦀", "3.14", "x, y", " . "] {
            let normal = normalize_name(name);
            assert!(!normal.is_empty() || name.trim().is_empty(), "{name:?}");
            assert_eq!(normalize_name(&normal), normal, "{name:?}");
        }
    }
}
