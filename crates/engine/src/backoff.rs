/// Waiting times that double from one to ten seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backoff(u32);

const FIRST: u32 = 1_000;
const LONGEST: u32 = 10_000;

impl Backoff {
    pub fn new() -> Backoff {
        Backoff(FIRST)
    }

    /// Milliseconds to wait now.
    pub fn next(&mut self) -> u32 {
        let now = self.0;
        self.0 = (now * 2).min(LONGEST);
        now
    }
}

#[cfg(test)]
mod tests {
    use super::Backoff;

    #[test]
    fn waits_grow_to_a_bound() {
        let mut backoff = Backoff::new();
        let waits: Vec<u32> = (0..6).map(|_| backoff.next()).collect();
        assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    }
}
