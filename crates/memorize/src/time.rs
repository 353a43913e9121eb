use std::ops::Range;

use jiff::{ToSpan, civil::Date, tz::TimeZone};
use loci_graph::{Timestamp, Validity};

/// A date or period named in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dated {
    /// Bytes of the text that name it.
    pub at: Range<usize>,
    pub valid: Validity,
}

/// The dates and periods that a text names, in order. Relative ones ("last week", 去年三月) count from `written`, the
/// date of the page, never from today. A partial date is the interval it may mean: "2019" is a year.
pub(crate) fn dates(text: &str, written: Timestamp) -> Vec<Dated> {
    let Some(today) = civil(written) else { return Vec::new() };
    let lower = text.to_ascii_lowercase();
    let points = points(&lower, today);
    let mut dates = Vec::new();
    let mut rest = points.iter().peekable();
    while let Some(point) = rest.next() {
        let joined = rest.peek().is_some_and(|next| joins(&lower, point, next));
        let until = if joined { rest.next() } else { None };
        dates.push(dated(&lower, point, until));
    }
    dates
}

/// A day or a longer stretch, `[from, to)`.
#[derive(Debug, Clone)]
struct Point {
    at: Range<usize>,
    from: Date,
    to: Date,
}

fn points(text: &str, today: Date) -> Vec<Point> {
    let mut points = Vec::new();
    let mut index = 0;
    while index < text.len() {
        if text.is_char_boundary(index)
            && starts_word(text, index)
            && let Some((length, from, to)) = point_at(&text[index..], today)
            && (to > from)
        {
            points.push(Point { at: index..index + length, from, to });
            index += length;
        } else {
            index += 1;
        }
    }
    points
}

/// Whether a date may begin here: not within a Latin word or a number, its decimals among it.
fn starts_word(text: &str, index: usize) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric();
    let mut before = text[..index].chars().rev();
    let (last, here) = (before.next(), text[index..].chars().next());
    let decimals = last.is_some_and(|c| matches!(c, '.' | ','))
        && before.next().is_some_and(|c| c.is_ascii_digit())
        && here.is_some_and(|c| c.is_ascii_digit());
    let within = last.is_some_and(inside) && here.is_some_and(inside);
    !within && !decimals
}

type Found = (usize, Date, Date);

fn point_at(text: &str, today: Date) -> Option<Found> {
    numeric(text)
        .or_else(|| english(text))
        .or_else(|| chinese(text, today))
        .or_else(|| relative_english(text, today))
        .or_else(|| relative_chinese(text, today))
        .or_else(|| year(text))
}

/// `2024-03-15`, `2024/3/15`, `2024-03`.
fn numeric(text: &str) -> Option<Found> {
    let (y, after_year) = number(text, 4, 4)?;
    let separator = after_year.chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    let (m, after_month) = number(&after_year[1..], 1, 2)?;
    let length = |rest: &str| text.len() - rest.len();
    if let Some(rest) = after_month.strip_prefix(separator)
        && let Some((d, rest)) = number(rest, 1, 2)
        && ends_number(rest)
    {
        return day(y, m, d, length(rest));
    }
    if separator == '.' || !ends_number(after_month) {
        return None;
    }
    month(y, m, length(after_month))
}

/// `March 15, 2024`, `15 March 2024`, `March 2024`.
fn english(text: &str) -> Option<Found> {
    let length = |rest: &str| text.len() - rest.len();
    if let Some((m, rest)) = month_name(text) {
        let rest = rest.trim_start_matches(['.', ' ', ',']);
        if let Some((d, rest)) = number(rest, 1, 2)
            && let Some((y, rest)) = number(ordinal(rest).trim_start_matches([',', ' ']), 4, 4)
            && ends_number(rest)
        {
            return day(y, m, d, length(rest));
        }
        let (y, rest) = number(rest.strip_prefix("of ").unwrap_or(rest), 4, 4)?;
        return ends_number(rest).then(|| month(y, m, length(rest)))?;
    }
    let (d, rest) = number(text, 1, 2)?;
    let rest = ordinal(rest).strip_prefix(' ')?;
    let (m, rest) = month_name(rest.strip_prefix("of ").unwrap_or(rest))?;
    let (y, rest) = number(rest.trim_start_matches(['.', ',', ' ']), 4, 4)?;
    ends_number(rest).then(|| day(y, m, d, length(rest)))?
}

/// `2024年3月15日`, `2024年3月`, `2024年`, `二〇二四年三月`; without a year the one before or in the page's.
fn chinese(text: &str, today: Date) -> Option<Found> {
    let length = |rest: &str| text.len() - rest.len();
    if let Some((y, rest)) = chinese_number(text)
        && let Some(rest) = rest.strip_prefix('年')
        && (1000..3000).contains(&y)
    {
        return match chinese_month_day(rest) {
            Some((m, Some(d), rest)) => day(y, m, d, length(rest)),
            Some((m, None, rest)) => month(y, m, length(rest)),
            None => stretch(Date::new(y as i16, 1, 1).ok()?, 1.year(), length(rest)),
        };
    }
    let (m, d, rest) = chinese_month_day(text)?;
    let y = i32::from(today.year());
    match d {
        Some(d) => day(y, m, d, length(rest)),
        None => month(y, m, length(rest)),
    }
}

fn chinese_month_day(text: &str) -> Option<(i32, Option<i32>, &str)> {
    let (m, rest) = chinese_number(text)?;
    let rest =
        rest.strip_prefix('月').or_else(|| rest.strip_prefix("月份")).filter(|_| (1..=12).contains(&m))?;
    let rest = rest.strip_prefix('份').unwrap_or(rest);
    let with_day = chinese_number(rest)
        .and_then(|(d, rest)| Some((d, rest.strip_prefix('日').or_else(|| rest.strip_prefix('号'))?)));
    Some(match with_day {
        Some((d, rest)) => (m, Some(d), rest),
        None => (m, None, rest),
    })
}

fn relative_english(text: &str, today: Date) -> Option<Found> {
    for (word, days) in [("yesterday", -1), ("today", 0), ("tonight", 0), ("tomorrow", 1)] {
        if let Some(rest) = word_prefix(text, word) {
            return stretch(today.checked_add(days.days()).ok()?, 1.day(), text.len() - rest.len());
        }
    }
    if let Some((n, rest)) = count(text) {
        let (unit, rest) = unit(rest.trim_start())?;
        let rest =
            rest.trim_start().strip_prefix("ago").or_else(|| rest.trim_start().strip_prefix("earlier"))?;
        return ago(today, n, unit, text.len() - rest.len());
    }
    for (word, shift) in [("last ", -1), ("previous ", -1), ("this ", 0), ("next ", 1), ("earlier this ", 0)]
    {
        let Some(rest) = text.strip_prefix(word) else { continue };
        if let Some((unit, rest)) = unit(rest) {
            return around(today, shift, unit, text.len() - rest.len());
        }
        if let Some((m, rest)) = month_name(rest) {
            return named_month(today, shift, m, text.len() - rest.len());
        }
        if let Some((weekday, rest)) = weekday(rest) {
            let back = (i32::from(today.weekday().to_monday_zero_offset()) - weekday).rem_euclid(7);
            let days = match shift {
                0 => -back,
                1 => {
                    if back == 0 {
                        7
                    } else {
                        7 - back
                    }
                }
                _ => {
                    if back == 0 {
                        -7
                    } else {
                        -back
                    }
                }
            };
            return stretch(today.checked_add(days.days()).ok()?, 1.day(), text.len() - rest.len());
        }
    }
    // "in March": the last one before the page was written.
    let rest = text.strip_prefix("in ")?;
    let (m, after) = month_name(rest).filter(|(_, after)| {
        !after.trim_start_matches([' ', ',']).starts_with(|c: char| c.is_ascii_digit())
    })?;
    let shift = if m > i32::from(today.month()) { -1 } else { 0 };
    let (from, _) = month_of(i32::from(today.year()) + shift, m)?;
    stretch(from, 1.month(), text.len() - after.len())
}

fn relative_chinese(text: &str, today: Date) -> Option<Found> {
    for (word, days) in [
        ("大前天", -3),
        ("前天", -2),
        ("昨天", -1),
        ("昨日", -1),
        ("今天", 0),
        ("今日", 0),
        ("明天", 1),
        ("后天", 2),
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            return stretch(today.checked_add(days.days()).ok()?, 1.day(), text.len() - rest.len());
        }
    }
    for (word, shift) in [("前年", -2), ("去年", -1), ("今年", 0), ("本年", 0), ("明年", 1), ("后年", 2)]
    {
        let Some(rest) = text.strip_prefix(word) else { continue };
        let y = i32::from(today.year()) + shift;
        let length = |rest: &str| text.len() - rest.len();
        return match chinese_month_day(rest) {
            Some((m, Some(d), rest)) => day(y, m, d, length(rest)),
            Some((m, None, rest)) => month(y, m, length(rest)),
            None => stretch(Date::new(y as i16, 1, 1).ok()?, 1.year(), length(rest)),
        };
    }
    for (words, shift) in
        [(&["上上"][..], -2), (&["上个", "上"], -1), (&["这个", "本", "这"], 0), (&["下个", "下"], 1)]
    {
        for word in words {
            let Some(rest) = text.strip_prefix(word) else { continue };
            for (name, unit) in [
                ("月", Unit::Month),
                ("星期", Unit::Week),
                ("礼拜", Unit::Week),
                ("周", Unit::Week),
                ("年", Unit::Year),
            ] {
                if let Some(rest) = rest.strip_prefix(name) {
                    return around(today, shift, unit, text.len() - rest.len());
                }
            }
        }
    }
    let (n, rest) = chinese_number(text)?;
    let rest = rest.strip_prefix('个').unwrap_or(rest);
    let units = [
        ("天", Unit::Day),
        ("日", Unit::Day),
        ("周", Unit::Week),
        ("星期", Unit::Week),
        ("月", Unit::Month),
        ("年", Unit::Year),
    ];
    let (unit, rest) = units.iter().find_map(|(name, unit)| Some((*unit, rest.strip_prefix(name)?)))?;
    let rest = rest
        .strip_prefix("之前")
        .or_else(|| rest.strip_prefix("以前"))
        .or_else(|| rest.strip_prefix('前'))?;
    ago(today, n, unit, text.len() - rest.len())
}

/// A bare year, 1000 to 2999.
fn year(text: &str) -> Option<Found> {
    let (y, rest) = number(text, 4, 4)?;
    let plain = ends_number(rest) && !rest.starts_with(['%', '°']) && (1000..3000).contains(&y);
    plain.then(|| stretch(Date::new(y as i16, 1, 1).ok()?, 1.year(), text.len() - rest.len()))?
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// `n` units before today: the day, or the month or year that contains it.
fn ago(today: Date, n: i32, unit: Unit, length: usize) -> Option<Found> {
    let n = i64::from(n);
    match unit {
        Unit::Day => stretch(today.checked_sub(n.days()).ok()?, 1.day(), length),
        Unit::Week => stretch(today.checked_sub((7 * n).days()).ok()?, 1.day(), length),
        Unit::Month => stretch(today.checked_sub(n.months()).ok()?.first_of_month(), 1.month(), length),
        Unit::Year => stretch(today.checked_sub(n.years()).ok()?.first_of_year(), 1.year(), length),
    }
}

/// The calendar unit around today, shifted.
fn around(today: Date, shift: i32, unit: Unit, length: usize) -> Option<Found> {
    let shift = i64::from(shift);
    match unit {
        Unit::Day => stretch(today.checked_add(shift.days()).ok()?, 1.day(), length),
        Unit::Week => {
            let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            stretch(monday.checked_add((7 * shift).days()).ok()?, 7.days(), length)
        }
        Unit::Month => stretch(today.first_of_month().checked_add(shift.months()).ok()?, 1.month(), length),
        Unit::Year => stretch(today.first_of_year().checked_add(shift.years()).ok()?, 1.year(), length),
    }
}

/// "last March": the last one that is over; "this" and "next" likewise.
fn named_month(today: Date, shift: i32, m: i32, length: usize) -> Option<Found> {
    let here = i32::from(today.month());
    let years = match shift {
        -1 => {
            if m < here {
                0
            } else {
                -1
            }
        }
        1 => {
            if m > here {
                0
            } else {
                1
            }
        }
        _ => 0,
    };
    month(i32::from(today.year()) + years, m, length)
}

fn day(y: i32, m: i32, d: i32, length: usize) -> Option<Found> {
    let date = Date::new(i16::try_from(y).ok()?, i8::try_from(m).ok()?, i8::try_from(d).ok()?).ok()?;
    stretch(date, 1.day(), length)
}

fn month(y: i32, m: i32, length: usize) -> Option<Found> {
    let (from, to) = month_of(y, m)?;
    Some((length, from, to))
}

fn month_of(y: i32, m: i32) -> Option<(Date, Date)> {
    let from = Date::new(i16::try_from(y).ok()?, i8::try_from(m).ok()?, 1).ok()?;
    Some((from, from.checked_add(1.month()).ok()?))
}

fn stretch(from: Date, span: jiff::Span, length: usize) -> Option<Found> {
    Some((length, from, from.checked_add(span).ok()?))
}

/// What the words around a date make of it: "since", "until", "from … to …".
fn dated(text: &str, point: &Point, until: Option<&Point>) -> Dated {
    const SINCE: &[&str] = &["since ", "as of ", "starting ", "beginning ", "from ", "自从", "自", "从"];
    const UNTIL: &[&str] = &["until ", "till ", "through ", "up to ", "直到", "截至", "截止"];
    let before = text[..point.at.start].trim_end_matches("in ").trim_end_matches("early ");
    let after = &text[point.at.end..];
    let instants = (instant(point.from), instant(point.to));
    let valid = match until {
        Some(until) => Validity { from: instants.0, to: instant(until.to) },
        None if UNTIL.iter().any(|word| before.ends_with(word)) || after.starts_with("为止") => {
            Validity { from: None, to: instants.1 }
        }
        None if SINCE.iter().any(|word| before.ends_with(word)) => Validity { from: instants.0, to: None },
        None => Validity { from: instants.0, to: None },
    };
    let end = until.unwrap_or(point).at.end;
    Dated { at: point.at.start..end, valid }
}

/// Whether two dates next to each other are the ends of one period.
fn joins(text: &str, first: &Point, second: &Point) -> bool {
    let between = text[first.at.end..second.at.start].trim();
    let before = text[..first.at.start].trim_end();
    let dash = matches!(
        between,
        "-" | "–" | "—" | "to" | "through" | "until" | "till" | "至" | "到" | "~" | "年至" | "年到"
    );
    let between_and = between == "and" && before.ends_with("between");
    second.to > first.from && (dash || between_and)
}

fn instant(date: Date) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok().map(|at| Timestamp(at.as_millisecond()))
}

fn civil(at: Timestamp) -> Option<Date> {
    Some(TimeZone::UTC.to_datetime(jiff::Timestamp::from_millisecond(at.0).ok()?).date())
}

/// A number of `least` to `most` ASCII digits, and what follows.
fn number(text: &str, least: usize, most: usize) -> Option<(i32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (least..=most).contains(&digits).then(|| Some((text[..digits].parse().ok()?, &text[digits..])))?
}

fn ends_number(rest: &str) -> bool {
    let goes_on = rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let decimals = rest.starts_with(['.', ',']) && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    !goes_on && !decimals
}

fn ordinal(text: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|ending| text.strip_prefix(ending)).unwrap_or(text)
}

fn word_prefix<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.strip_prefix(word).filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

fn month_name(text: &str) -> Option<(i32, &str)> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let full = |(index, name): (usize, &&str)| Some((index as i32 + 1, word_prefix(text, name)?));
    let short = |(index, name): (usize, &&str)| Some((index as i32 + 1, word_prefix(text, &name[..3])?));
    let months = || MONTHS.iter().enumerate();
    months()
        .find_map(full)
        .or_else(|| months().find_map(short))
        .or_else(|| Some((9, word_prefix(text, "sept")?)))
}

fn weekday(text: &str) -> Option<(i32, &str)> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    DAYS.iter().enumerate().find_map(|(index, name)| Some((index as i32, word_prefix(text, name)?)))
}

fn unit(text: &str) -> Option<(Unit, &str)> {
    let units = [("day", Unit::Day), ("week", Unit::Week), ("month", Unit::Month), ("year", Unit::Year)];
    units.iter().find_map(|(name, unit)| {
        let rest = text.strip_prefix(name)?;
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        (!rest.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some((*unit, rest))
    })
}

fn count(text: &str) -> Option<(i32, &str)> {
    const WORDS: [&str; 13] = [
        "a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let in_words =
        || WORDS.iter().enumerate().find_map(|(n, word)| Some(((n as i32).max(1), word_prefix(text, word)?)));
    number(text, 1, 3).or_else(in_words).or_else(|| Some((1, word_prefix(text, "an")?)))
}

/// A number in ASCII or Chinese digits: 2024, 二〇二四, 十二.
fn chinese_number(text: &str) -> Option<(i32, &str)> {
    if let Some(found) = number(text, 1, 4) {
        return Some(found);
    }
    let digit = |c: char| {
        "〇一二三四五六七八九".chars().position(|digit| digit == c).or(match c {
            '零' => Some(0),
            '两' => Some(2),
            _ => None,
        })
    };
    let numeral = |c: &char| digit(*c).is_some() || *c == '十';
    let characters: Vec<char> = text.chars().take_while(numeral).collect();
    let rest = &text[characters.iter().map(|c| c.len_utf8()).sum::<usize>()..];
    let value = |part: &[char]| part.iter().try_fold(0, |sum, c| Some(sum * 10 + digit(*c)? as i32));
    let value = match characters.iter().position(|c| *c == '十') {
        None => value(&characters).filter(|_| !characters.is_empty() && characters.len() <= 4)?,
        Some(ten) => {
            let tens = if ten == 0 { 1 } else { value(&characters[..ten])? };
            tens * 10 + value(&characters[ten + 1..])?
        }
    };
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::{civil, dates, instant};

    fn check(text: &str, written: &str, expected: &[(&str, &str)]) {
        let written = instant(written.parse().expect("a date")).expect("in range");
        let day = |at| civil(at).map_or_else(String::new, |date| date.to_string());
        let found: Vec<(String, String)> = dates(text, written)
            .into_iter()
            .map(|dated| {
                let end = |at: Option<_>| at.map_or_else(String::new, day);
                (end(dated.valid.from), end(dated.valid.to))
            })
            .collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn dates_are_resolved_from_the_page_in_english_and_chinese() {
        for (text, expected) in [
            ("She moved on 2024-03-15.", &[("2024-03-15", "")][..]),
            ("on March 15, 2024 he left", &[("2024-03-15", "")]),
            ("on 15th of March 2024", &[("2024-03-15", "")]),
            ("in March 2021", &[("2021-03-01", "")]),
            ("In 2019 she lived in Paris", &[("2019-01-01", "")]),
            ("since 1998", &[("1998-01-01", "")]),
            ("until 2010", &[("", "2011-01-01")]),
            ("from 2001 to 2003", &[("2001-01-01", "2004-01-01")]),
            ("(1999–2002)", &[("1999-01-01", "2003-01-01")]),
            ("between 2001 and 2003", &[("2001-01-01", "2004-01-01")]),
            ("yesterday", &[("2023-06-13", "")]),
            ("last week", &[("2023-06-05", "")]),
            ("last month", &[("2023-05-01", "")]),
            ("last Monday", &[("2023-06-12", "")]),
            ("last March", &[("2023-03-01", "")]),
            ("last August", &[("2022-08-01", "")]),
            ("in December", &[("2022-12-01", "")]),
            ("three years ago", &[("2020-01-01", "")]),
            ("2 weeks ago", &[("2023-05-31", "")]),
            ("2024年3月15日", &[("2024-03-15", "")]),
            ("二〇二一年十二月", &[("2021-12-01", "")]),
            ("去年三月搬到北京", &[("2022-03-01", "")]),
            ("上个月", &[("2023-05-01", "")]),
            ("上周", &[("2023-06-05", "")]),
            ("三年前", &[("2020-01-01", "")]),
            ("两个月前", &[("2023-04-01", "")]),
            ("昨天", &[("2023-06-13", "")]),
            ("从2001年到2003年", &[("2001-01-01", "2004-01-01")]),
            ("room 12345 costs 1,500 and 3.2019", &[]),
            ("iPhone2019x", &[]),
            ("maybe he may go", &[]),
        ] {
            check(text, "2023-06-14", expected);
        }
    }

    #[test]
    fn the_same_words_on_another_day_mean_another_day() {
        check("last year", "2015-02-01", &[("2014-01-01", "")]);
        check("last year", "2020-02-01", &[("2019-01-01", "")]);
    }
}
