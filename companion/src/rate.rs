use std::{collections::HashMap, sync::Mutex, time::Duration};

/// A token bucket: `burst` requests at once, then `per_second`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub burst: f64,
    pub per_second: f64,
}

/// What may be asked how often. Only a paired profile has a bucket of its own, so their number is bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    pub hello: Rate,
    pub pair: Rate,
    pub profile: Rate,
}

impl Default for Rates {
    fn default() -> Rates {
        Rates {
            hello: Rate { burst: 60.0, per_second: 10.0 },
            pair: Rate { burst: 10.0, per_second: 0.5 },
            profile: Rate { burst: 240.0, per_second: 60.0 },
        }
    }
}

/// The buckets in use, by name.
#[derive(Debug, Default)]
pub struct Buckets(Mutex<HashMap<String, Bucket>>);

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    filled_at: Duration,
}

impl Buckets {
    /// Takes one token; on refusal the time until there is one again.
    pub fn take(&self, name: &str, rate: Rate, now: Duration) -> Result<(), Duration> {
        let mut buckets = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let bucket = buckets.entry(name.to_owned()).or_insert(Bucket { left: rate.burst, filled_at: now });
        let passed = now.saturating_sub(bucket.filled_at).as_secs_f64();
        bucket.left = (bucket.left + passed * rate.per_second).min(rate.burst);
        bucket.filled_at = now;
        if bucket.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.left) / rate.per_second));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_refills_and_survives_a_clock_set_back() {
        let rate = Rate { burst: 2.0, per_second: 1.0 };
        let buckets = Buckets::default();
        // (seconds on the clock, bucket, is it granted)
        for (step, (at, name, granted)) in [
            (10.0, "a", true),
            (10.0, "a", true),
            (10.0, "a", false),
            (10.0, "b", true),
            (10.5, "a", false),
            (11.0, "a", true),
            (11.0, "a", false),
            (5.0, "a", false),
            (6.0, "a", true),
            (100.0, "a", true),
            (100.0, "a", true),
            (100.0, "a", false),
        ]
        .into_iter()
        .enumerate()
        {
            let taken = buckets.take(name, rate, Duration::from_secs_f64(at));
            assert_eq!(taken.is_ok(), granted, "step {step}");
        }
    }
}
