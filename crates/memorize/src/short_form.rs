use loci_graph::{ObjectKind, loose_name, normalize_name};

/// Words that do not count in an abbreviation.
const SMALL_WORDS: &[&str] =
    &["of", "the", "and", "for", "in", "on", "de", "la", "du", "des", "der", "und", "&"];

/// Whether `short` is how a text that has given `full` may go on to call the same thing: a person's first or last
/// name, an organisation's initials.
pub(crate) fn is_short_for(short: &str, full: &str, kind: ObjectKind) -> bool {
    match kind {
        ObjectKind::Person => is_part_of_person(short, full),
        ObjectKind::Unknown => {
            is_part_of_person(short, full) && short.starts_with(char::is_uppercase) || is_acronym(short, full)
        }
        ObjectKind::Value => false,
        _ => is_acronym(short, full),
    }
}

fn is_part_of_person(short: &str, full: &str) -> bool {
    let (short, full) = (loose_name(short), normalize_name(full));
    let words: Vec<&str> = full.split(' ').collect();
    match words.as_slice() {
        [first, .., last] => {
            [*first, *last].into_iter().any(|word| loose_name(word) == short && word.chars().count() > 1)
        }
        _ => false,
    }
}

/// `WHO` for "World Health Organization": two to six capitals, the first letters of the words that count.
fn is_acronym(short: &str, full: &str) -> bool {
    let letters: String = short.chars().filter(|c| *c != '.').collect();
    let capitals = letters.chars().all(|c| c.is_ascii_uppercase() || c == '&');
    if !capitals || !(2..=6).contains(&letters.len()) {
        return false;
    }
    let normal = normalize_name(full);
    let initials: String = normal
        .split(' ')
        .filter(|word| !SMALL_WORDS.contains(word))
        .filter_map(|word| word.chars().next())
        .collect();
    let all: String = normal.split(' ').filter_map(|word| word.chars().next()).collect();
    let letters = letters.replace('&', "").to_lowercase();
    initials.len() > 1 && (initials == letters || all == letters)
}

#[cfg(test)]
mod tests {
    use loci_graph::ObjectKind::{Organisation, Person, Product, Unknown};

    use super::is_short_for;

    #[test]
    fn short_forms() {
        for (short, full, kind, expected) in [
            ("Holmes", "Sherlock Holmes", Person, true),
            ("Mr. Holmes", "Sherlock Holmes", Person, true),
            ("Sherlock", "Sherlock Holmes", Person, true),
            ("Curie", "Marie Skłodowska Curie", Person, true),
            ("Skłodowska", "Marie Skłodowska Curie", Person, false),
            ("Holm", "Sherlock Holmes", Person, false),
            ("WHO", "World Health Organization", Organisation, true),
            ("U.N.", "United Nations", Organisation, true),
            ("MIT", "Massachusetts Institute of Technology", Organisation, true),
            ("Go", "Google", Product, false),
            ("Go", "Google", Unknown, false),
            ("who", "World Health Organization", Organisation, false),
            ("York", "New York", Organisation, false),
        ] {
            assert_eq!(is_short_for(short, full, kind), expected, "{short} for {full}");
        }
    }
}
