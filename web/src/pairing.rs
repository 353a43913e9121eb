//! The six digits as people type or paste them.

/// Digits of a pairing code.
pub const DIGITS: usize = 6;

/// ASCII digits out of what was typed: spaces and dashes fall away, full-width digits (a Chinese input method gives
/// them) are folded; at most [`DIGITS`].
pub fn clean(typed: &str) -> String {
    typed.chars().filter_map(ascii_digit).take(DIGITS).collect()
}

/// Whether the code can be sent.
pub fn is_whole(code: &str) -> bool {
    code.len() == DIGITS && code.bytes().all(|byte| byte.is_ascii_digit())
}

fn ascii_digit(letter: char) -> Option<char> {
    match letter {
        '0'..='9' => Some(letter),
        '０'..='９' => char::from_digit(u32::from(letter) - u32::from('０'), 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_however_they_are_typed() {
        for (typed, code) in [
            ("123 456", "123456"),
            ("123-456", "123456"),
            ("１２３４５６", "123456"),
            ("12a3", "123"),
            ("1234567", "123456"),
        ] {
            assert_eq!(clean(typed), code);
        }
        assert!(is_whole("012345"));
        assert!(!is_whole("12345"));
    }
}
