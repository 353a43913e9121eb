//! When was the page published? Dates as pages write them, in attributes and in text.

use jiff::civil::Date;
use loci_graph::Timestamp;

/// Reads the first date of a text: ISO 8601 with or without time and offset, "20 November 2019", "Nov 20, 2019",
/// "20.11.2019", "2019年11月20日". A date without time is midnight, one without offset is taken as UTC.
///
/// All-numeric dates with slashes are read year first, or else day first when the first number exceeds 12; else
/// month first, as the web mostly writes them.
pub fn parse_date(text: &str) -> Option<Timestamp> {
    let tokens = tokens(text);
    (0..tokens.len())
        .find_map(|at| date_at(&tokens[at..]))
        .map(|(date, rest)| timestamp(date, time_of_day(rest)))
}

/// The date in an address such as `/2019/11/20/title`.
pub fn date_in_path(path: &str) -> Option<Timestamp> {
    let parts: Vec<&str> = path.split(['/', '-', '_']).collect();
    parts.windows(3).find_map(|window| {
        let [year, month, day] = window else { return None };
        let digits = |part: &str, n: usize| {
            (part.len() == n && part.bytes().all(|b| b.is_ascii_digit()))
                .then(|| part.parse::<i64>().ok())
                .flatten()
        };
        civil(digits(year, 4)?, digits(month, 2)?, digits(day, 2)?).map(|date| timestamp(date, 0))
    })
}

/// The day of a point in time, as ISO 8601; `None` outside the years a calendar date can hold.
pub fn day(at: Timestamp) -> Option<String> {
    let days = jiff::Span::new().try_days(at.0.div_euclid(86_400_000)).ok()?;
    jiff::civil::date(1970, 1, 1).checked_add(days).ok().map(|date| date.to_string())
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(i64, usize),
    Word(String),
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for c in text.chars().take(400) {
        match (out.last_mut(), c) {
            (Some(Token::Number(n, digits)), '0'..='9') if *digits < 15 => {
                *n = *n * 10 + i64::from(c as u32 - '0' as u32);
                *digits += 1;
            }
            (_, '0'..='9') => out.push(Token::Number(i64::from(c as u32 - '0' as u32), 1)),
            (_, '年' | '月' | '日' | '년' | '월' | '일') => out.push(Token::Sign(c)),
            (Some(Token::Word(word)), c) if c.is_alphabetic() => word.extend(c.to_lowercase()),
            (_, c) if c.is_alphabetic() => out.push(Token::Word(c.to_lowercase().collect())),
            (_, c) => out.push(Token::Sign(if c.is_whitespace() { ' ' } else { c })),
        }
    }
    out
}

/// The date that begins here, and what follows it.
fn date_at(tokens: &[Token]) -> Option<(Date, &[Token])> {
    use Token::{Number, Sign, Word};
    match tokens {
        [Number(year, 4), Sign('年' | '년'), rest @ ..] => {
            let rest = skip_spaces(rest);
            let [Number(month, 1..=2), Sign('月' | '월'), rest @ ..] = rest else { return None };
            match skip_spaces(rest) {
                [Number(day, 1..=2), Sign('日' | '일'), rest @ ..] => {
                    Some((civil(*year, *month, *day)?, rest))
                }
                rest => Some((civil(*year, *month, 1)?, rest)),
            }
        }
        [
            Number(year, 4),
            Sign(a @ ('-' | '/' | '.')),
            Number(month, 1..=2),
            Sign(b),
            Number(day, 1..=2),
            rest @ ..,
        ] if a == b => Some((civil(*year, *month, *day)?, rest)),
        [Number(compact, 8), rest @ ..] => {
            Some((civil(compact / 10000, compact / 100 % 100, compact % 100)?, rest))
        }
        [Number(day, 1..=2), Sign('.'), Number(month, 1..=2), Sign('.'), Number(year, 4), rest @ ..] => {
            Some((civil(*year, *month, *day)?, rest))
        }
        [Number(a, 1..=2), Sign('/'), Number(b, 1..=2), Sign('/'), Number(year, 4), rest @ ..] => {
            let (day, month) = if *a > 12 { (a, b) } else { (b, a) };
            Some((civil(*year, *month, *day)?, rest))
        }
        [Number(day, 1..=2), rest @ ..] => {
            let [Word(name), rest @ ..] = skip_ordinal(rest) else { return None };
            let month = month(name)?;
            let [Number(year, 4), rest @ ..] = skip_small(rest) else { return None };
            Some((civil(*year, month, *day)?, rest))
        }
        [Word(name), rest @ ..] => {
            let month = month(name)?;
            let [Number(day, 1..=2), rest @ ..] = skip_small(rest) else { return None };
            let [Number(year, 4), rest @ ..] = skip_small(skip_ordinal(rest)) else { return None };
            Some((civil(*year, month, *day)?, rest))
        }
        _ => None,
    }
}

fn skip_spaces(tokens: &[Token]) -> &[Token] {
    let skipped = tokens.iter().take_while(|token| **token == Token::Sign(' ')).count();
    &tokens[skipped..]
}

/// Skips spaces, commas and stops, and "de" as in "20 de noviembre de 2019".
fn skip_small(tokens: &[Token]) -> &[Token] {
    let small = |token: &&Token| match token {
        Token::Sign(sign) => matches!(sign, ' ' | ',' | '.' | '-'),
        Token::Word(word) => matches!(word.as_str(), "de" | "del" | "of"),
        Token::Number(..) => false,
    };
    &tokens[tokens.iter().take_while(small).count().min(4)..]
}

/// Skips "st", "th", "." after the number of a day, and spaces.
fn skip_ordinal(tokens: &[Token]) -> &[Token] {
    match tokens {
        [Token::Word(word), rest @ ..] if matches!(word.as_str(), "st" | "nd" | "rd" | "th" | "er" | "º") => {
            skip_small(rest)
        }
        _ => skip_small(tokens),
    }
}

fn month(name: &str) -> Option<i64> {
    const NAMES: [&[&str]; 12] = [
        &["jan", "jän", "ene", "gen", "янв"],
        &["feb", "fév", "fev", "фев"],
        &["mar", "mär", "мар"],
        &["apr", "avr", "abr", "апр"],
        &["may", "mai", "mag", "мая", "май"],
        &["jun", "juin", "giu", "июн"],
        &["jul", "juil", "lug", "июл"],
        &["aug", "aoû", "ago", "авг"],
        &["sep", "set", "сен"],
        &["oct", "okt", "ott", "out", "окт"],
        &["nov", "ноя"],
        &["dec", "dez", "déc", "dic", "дек"],
    ];
    let index = NAMES.iter().position(|names| names.iter().any(|start| name.starts_with(start)))?;
    (name.chars().count() <= 10).then_some(index as i64 + 1)
}

/// Milliseconds after midnight UTC of a time with an optional offset, found at the start of what follows a date.
fn time_of_day(tokens: &[Token]) -> i64 {
    use Token::{Number, Sign, Word};
    let Some(at) = tokens.iter().take(6).position(|token| matches!(token, Number(_, 1..=2))) else {
        return 0;
    };
    let [Number(hour, _), Sign(':'), Number(minute, _), rest @ ..] = &tokens[at..] else { return 0 };
    if *hour > 24 || *minute > 59 {
        return 0;
    }
    let (second, mut rest) = match rest {
        [Sign(':'), Number(second, _), rest @ ..] => (*second, rest),
        _ => (0, rest),
    };
    if let [Sign('.'), Number(..), after @ ..] = rest {
        rest = after;
    }
    let rest = skip_spaces(rest);
    let hour = match rest.first() {
        Some(Word(word)) if word == "pm" && *hour < 12 => hour + 12,
        Some(Word(word)) if word == "am" && *hour == 12 => 0,
        _ => *hour,
    };
    let offset = match rest {
        [Sign(sign @ ('+' | '-')), Number(hours, 1..=2), Sign(':'), Number(minutes, _), ..] => {
            signed(*sign, hours * 60 + minutes)
        }
        [Sign(sign @ ('+' | '-')), Number(compact, 4), ..] => {
            signed(*sign, compact / 100 * 60 + compact % 100)
        }
        [Sign(sign @ ('+' | '-')), Number(hours, 2), ..] => signed(*sign, hours * 60),
        _ => 0,
    };
    ((hour * 60 + minute - offset) * 60 + second) * 1000
}

fn signed(sign: char, minutes: i64) -> i64 {
    if sign == '-' { -minutes } else { minutes }
}

fn civil(year: i64, month: i64, day: i64) -> Option<Date> {
    if !(1000..=2200).contains(&year) {
        return None;
    }
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

fn timestamp(date: Date, millis: i64) -> Timestamp {
    let epoch = jiff::civil::date(1970, 1, 1);
    let days = date.since(epoch).map_or(0, |span| i64::from(span.get_days()));
    Timestamp(days * 86_400_000 + millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_pages_write_them() {
        let day = 1_574_208_000_000; // 2019-11-20T00:00:00Z
        let hour = 3_600_000;
        let cases = [
            ("2019-11-20", Some(day)),
            ("2019-11-20T12:30:00Z", Some(day + 12 * hour + hour / 2)),
            ("2019-11-20T12:30:00.000+02:00", Some(day + 10 * hour + hour / 2)),
            ("2019-11-20 12:30:15 -0500", Some(day + 17 * hour + hour / 2 + 15_000)),
            ("20191120", Some(day)),
            ("2019/11/20", Some(day)),
            ("20.11.2019, 12:00 Uhr", Some(day + 12 * hour)),
            ("11/20/2019", Some(day)),
            ("20/11/2019", Some(day)),
            ("Nov 20, 2019 01:38 pm", Some(day + 13 * hour + 38 * 60_000)),
            ("First published on Wednesday, November 20th, 2019", Some(day)),
            ("Wed, 20 Nov 2019 12:00:00 GMT", Some(day + 12 * hour)),
            ("20. November 2019", Some(day)),
            ("20 de noviembre de 2019", Some(day)),
            ("20 novembre 2019", Some(day)),
            ("20 ноября 2019", Some(day)),
            ("发布于 2019年11月20日 12:00", Some(day + 12 * hour)),
            ("2019 年 11 月", None),
            ("2019年11月", Some(day - 19 * 24 * hour)),
            ("2019-02-30", None),
            ("no date in 2019 at all", None),
            ("", None),
            ("99999999999999999999", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_date(text).map(|t| t.0), expected, "{text}");
        }
    }

    #[test]
    fn dates_in_addresses() {
        assert_eq!(date_in_path("/news/2019/11/20/title").map(|t| t.0), Some(1_574_208_000_000));
        assert_eq!(date_in_path("/2019-11-20-title").map(|t| t.0), Some(1_574_208_000_000));
        assert_eq!(date_in_path("/12/34/5678"), None);
    }
}
