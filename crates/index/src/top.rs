use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The `k` best of a stream of (score, id), ties to the smaller id.
pub(crate) struct Top {
    k: usize,
    heap: BinaryHeap<Reverse<(Ordered, Reverse<u32>)>>,
}

#[derive(Clone, Copy, PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Top {
    pub fn new(k: usize) -> Top {
        Top { k, heap: BinaryHeap::with_capacity(k.min(1 << 12) + 1) }
    }

    pub fn push(&mut self, score: f32, id: u32) {
        if self.k == 0 {
            return;
        }
        let entry = Reverse((Ordered(score), Reverse(id)));
        if self.heap.len() < self.k {
            self.heap.push(entry);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }

    /// Best first.
    pub fn into_sorted(self) -> Vec<(f32, u32)> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse((score, Reverse(id)))| (score.0, id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_in_order() {
        let mut top = Top::new(3);
        for (score, id) in [(0.1, 1), (0.9, 2), (0.5, 3), (0.9, 0), (-1.0, 9)] {
            top.push(score, id);
        }
        assert_eq!(top.into_sorted(), [(0.9, 0), (0.9, 2), (0.5, 3)]);
    }
}
