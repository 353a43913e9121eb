//! Is the core alive? Decided from the times of what was sent and received.

/// Milliseconds between two looks at the pulse.
pub const BEAT: f64 = 2_000.0;
/// Silence after which a ping is sent.
const QUIET: f64 = 4_000.0;
/// An unanswered ping of this age means that the core is gone.
const GONE: f64 = 10_000.0;
/// The first answer may take longer: the core compiles and opens the memory.
const GONE_AT_START: f64 = 45_000.0;

/// What to do at a beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    Wait,
    Ping,
    /// Connect anew; what was waiting has failed.
    Reconnect,
}

/// Times in milliseconds of any clock that never goes back.
#[derive(Debug, Clone)]
pub struct Pulse {
    heard: Option<f64>,
    waiting_since: Option<f64>,
    last_look: f64,
}

impl Pulse {
    /// A connection that was just opened; its first ping is sent with it.
    pub fn new(now: f64) -> Pulse {
        Pulse { heard: None, waiting_since: Some(now), last_look: now }
    }

    /// Anything at all arrived.
    pub fn heard(&mut self, now: f64) {
        self.heard = Some(now);
        self.waiting_since = None;
    }

    /// Called every [`BEAT`].
    pub fn beat(&mut self, now: f64) -> Beat {
        // A laptop that slept, or a tab the browser froze: the silence was ours, so it is measured anew.
        let slept = now - self.last_look > 3.0 * BEAT;
        self.last_look = now;
        if slept && self.waiting_since.is_some() {
            self.waiting_since = Some(now);
            return Beat::Ping;
        }
        let patience = if self.heard.is_some() { GONE } else { GONE_AT_START };
        match self.waiting_since {
            Some(since) if now - since >= patience => Beat::Reconnect,
            Some(_) => Beat::Wait,
            None if self.heard.is_some_and(|heard| now - heard >= QUIET) => {
                self.waiting_since = Some(now);
                Beat::Ping
            }
            None => Beat::Wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beats from `from` until something is to be done; returns when and what.
    fn next(pulse: &mut Pulse, from: f64) -> (f64, Beat) {
        let mut now = from;
        loop {
            now += BEAT;
            match pulse.beat(now) {
                Beat::Wait => assert!(now < 1e6, "waits for ever"),
                beat => return (now, beat),
            }
        }
    }

    #[test]
    fn a_quiet_core_is_asked_and_a_silent_one_is_left() {
        let mut pulse = Pulse::new(0.0);
        pulse.heard(100.0);
        let (asked, beat) = next(&mut pulse, 0.0);
        assert_eq!((asked, beat), (6_000.0, Beat::Ping));
        let (left, beat) = next(&mut pulse, asked);
        assert_eq!(beat, Beat::Reconnect);
        assert!((GONE..GONE + 2.0 * BEAT).contains(&(left - asked)));
    }

    #[test]
    fn an_answer_in_time_keeps_the_connection() {
        let mut pulse = Pulse::new(0.0);
        pulse.heard(100.0);
        let (asked, _) = next(&mut pulse, 0.0);
        pulse.heard(asked + 10.0);
        assert_eq!(next(&mut pulse, asked).1, Beat::Ping);
    }

    #[test]
    fn a_cold_start_gets_more_time() {
        let (left, beat) = next(&mut Pulse::new(0.0), 0.0);
        assert_eq!(beat, Beat::Reconnect);
        assert!(left >= GONE_AT_START);
    }

    #[test]
    fn waking_from_sleep_is_no_loss() {
        let mut pulse = Pulse::new(0.0);
        pulse.heard(100.0);
        let (asked, _) = next(&mut pulse, 0.0);
        assert_eq!(pulse.beat(asked + 3_600_000.0), Beat::Ping);
    }
}
