use std::time::{Duration, SystemTime};

/// Where the time comes from, so that a test can let a pairing code expire.
pub trait Clock: Send + Sync {
    /// Since the Unix epoch.
    fn now(&self) -> Duration;
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
}
