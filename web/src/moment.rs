//! How long ago, and how large: numbers for people.

/// A unit as `Intl.RelativeTimeFormat` names it.
pub type Unit = &'static str;

const MINUTE: f64 = 60_000.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// The distance from `now` back to `then` (milliseconds since the epoch) in its largest whole unit, negative for the
/// past; `None` when a date says more (over a month ago, or in the future).
pub fn relative(then: f64, now: f64) -> Option<(f64, Unit)> {
    let past = now - then;
    match past {
        _ if past < -MINUTE => None,
        _ if past < MINUTE => Some((0.0, "second")),
        _ if past < HOUR => Some((-(past / MINUTE).floor(), "minute")),
        _ if past < DAY => Some((-(past / HOUR).floor(), "hour")),
        _ if past < 30.0 * DAY => Some((-(past / DAY).floor(), "day")),
        _ => None,
    }
}

/// Bytes with a decimal unit, two or three digits.
pub fn size(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes.max(0.0);
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 9.95);
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_whole_unit_is_taken() {
        let now = 1e12;
        for (ago, expected) in [
            (-10.0 * MINUTE, None),
            (0.0, Some((0.0, "second"))),
            (MINUTE, Some((-1.0, "minute"))),
            (119.0 * MINUTE, Some((-1.0, "hour"))),
            (49.0 * HOUR, Some((-2.0, "day"))),
            (31.0 * DAY, None),
        ] {
            assert_eq!(relative(now - ago, now), expected, "{ago}");
        }
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, expected) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1_000.0, "1.0 kB"),
            (999_600.0, "1.0 MB"),
            (12_340_000.0, "12 MB"),
            (2.5e9, "2.5 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}
