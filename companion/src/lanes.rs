use std::sync::Arc;

use loci_protocol::{ProblemCode, QueueStatus};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Refusal;

/// How many jobs of one kind compute at once, and how many may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneSize {
    pub running: usize,
    pub waiting: usize,
}

/// A bounded queue of one kind of work, first come first served.
#[derive(Debug, Clone)]
pub struct Lane {
    size: LaneSize,
    /// One permit per job that runs or waits.
    places: Arc<Semaphore>,
    /// One permit per job that runs.
    turns: Arc<Semaphore>,
}

/// The work of a companion. Each kind has a lane of its own, so a long extraction never stands before an answer; which
/// of two running jobs computes next is the model's own decision, between tokens and batches.
#[derive(Debug, Clone)]
pub struct Lanes {
    pub answer: Lane,
    pub query: Lane,
    pub passage: Lane,
    pub extract: Lane,
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes {
            answer: Lane::new(LaneSize { running: 1, waiting: 4 }),
            query: Lane::new(LaneSize { running: 2, waiting: 16 }),
            passage: Lane::new(LaneSize { running: 1, waiting: 4 }),
            extract: Lane::new(LaneSize { running: 1, waiting: 4 }),
        }
    }
}

impl Lanes {
    pub fn status(&self) -> QueueStatus {
        let lanes = [&self.answer, &self.query, &self.passage, &self.extract].map(Lane::status);
        lanes.iter().fold(QueueStatus { running: 0, waiting: 0, capacity: 0 }, |sum, lane| QueueStatus {
            running: sum.running + lane.running,
            waiting: sum.waiting + lane.waiting,
            capacity: sum.capacity + lane.capacity,
        })
    }
}

/// A place in the queue.
#[derive(Debug)]
pub struct Place {
    place: OwnedSemaphorePermit,
    turns: Arc<Semaphore>,
}

/// The right to compute; the lane is free again when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Lane {
    pub fn new(size: LaneSize) -> Lane {
        Lane {
            size,
            places: Arc::new(Semaphore::new(size.running + size.waiting)),
            turns: Arc::new(Semaphore::new(size.running)),
        }
    }

    /// Back-pressure: a full lane refuses at once and says when to come back.
    pub fn enter(&self) -> Result<Place, Refusal> {
        let busy = |_| {
            Refusal::new(ProblemCode::Busy, "The companion has enough to do: try again in a few seconds.")
                .retry_after(std::time::Duration::from_secs(5))
        };
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(busy)?;
        Ok(Place { place, turns: Arc::clone(&self.turns) })
    }

    pub fn status(&self) -> QueueStatus {
        // Between the two reads a job may move: the difference saturates.
        let running = self.size.running - self.turns.available_permits();
        let capacity = self.size.running + self.size.waiting;
        let inside = capacity - self.places.available_permits();
        QueueStatus {
            running: running as u32,
            waiting: inside.saturating_sub(running) as u32,
            capacity: capacity as u32,
        }
    }
}

impl Place {
    /// Waits for the turn; dropping the future gives the place back.
    pub async fn turn(self) -> Turn {
        let turn = self.turns.acquire_owned().await.expect("the semaphore of a lane is never closed");
        Turn { _place: self.place, _turn: turn }
    }
}
