//! Recall, reciprocal rank and their uncertainty.

use rand::{Rng, SeedableRng, rngs::StdRng};

/// One question's ranking, judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Judged {
    /// Share of the gold passages among the first 2, 5, 10.
    pub recall: [f64; 3],
    /// Whether all are among the first 5.
    pub all_gold: bool,
    /// 1 / rank of the first gold passage, 0 when none is ranked.
    pub reciprocal_rank: f64,
}

pub const CUTS: [usize; 3] = [2, 5, 10];

/// Judges a ranking without duplicates.
pub fn judge(ranking: &[&str], gold: &[String]) -> Judged {
    let hits = |cut: usize| ranking.iter().take(cut).filter(|id| gold.iter().any(|gold| gold == *id)).count();
    let first = ranking.iter().position(|id| gold.iter().any(|gold| gold == id));
    Judged {
        recall: CUTS.map(|cut| hits(cut) as f64 / gold.len().max(1) as f64),
        all_gold: hits(5) == gold.len(),
        reciprocal_rank: first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
    }
}

pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// 95 % percentile interval of the mean by 2,000 bootstrap resamples of the questions; seeded.
pub fn bootstrap(values: &[f64]) -> [f64; 2] {
    const RESAMPLES: usize = 2_000;
    if values.is_empty() {
        return [0.0, 0.0];
    }
    let mut rng = StdRng::seed_from_u64(42);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..values.len()).map(|_| values[rng.random_range(0..values.len())])))
        .collect();
    means.sort_by(f64::total_cmp);
    [means[RESAMPLES / 40], means[RESAMPLES - 1 - RESAMPLES / 40]]
}

/// The value below which the share `q` of the values lies (nearest rank).
pub fn percentile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (q * values.len() as f64).ceil() as usize;
    values.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Rounded to four places, so that runs compare as text.
pub fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judging() {
        let gold = ["a".to_string(), "b".to_string()];
        let judged = judge(&["x", "a", "y", "z", "w", "b"], &gold);
        assert_eq!(judged.recall, [0.5, 0.5, 1.0]);
        assert!(!judged.all_gold);
        assert_eq!(judged.reciprocal_rank, 0.5);
        assert!(judge(&["b", "a"], &gold).all_gold);
        assert_eq!(judge(&[], &gold).reciprocal_rank, 0.0);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&mut values, 0.5), 50.0);
        assert_eq!(percentile(&mut values, 0.95), 95.0);
        assert_eq!(percentile(&mut [], 0.5), 0.0);
    }

    #[test]
    fn intervals_hold_the_mean() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i % 2)).collect();
        let [low, high] = bootstrap(&values);
        assert!(low < 0.5 && 0.5 < high && high - low < 0.4);
    }
}
