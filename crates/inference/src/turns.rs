use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{Cancel, InferenceError};

/// Who computes next. A machine has one CPU or GPU to compute on, so two models at once would only slow each other.
pub(crate) static TURNS: Turns = Turns::new();

/// Turns are taken token by token. While any interactive request is open, background work takes none.
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    computing: bool,
    interactive: usize,
}

/// How long a waiter may overlook that it was cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

impl Turns {
    pub(crate) const fn new() -> Turns {
        Turns { state: Mutex::new(State { computing: false, interactive: 0 }), changed: Condvar::new() }
    }

    /// Announces a request that a person waits for, until the value is dropped.
    pub(crate) fn interactive(&self) -> Interactive<'_> {
        self.lock().interactive += 1;
        Interactive(self)
    }

    /// Waits until it is this caller's turn to compute; others wait until the value is dropped.
    ///
    /// # Errors
    /// When cancelled before or meanwhile.
    pub(crate) fn take(&self, is_interactive: bool, cancel: &Cancel) -> Result<Turn<'_>, InferenceError> {
        let mut state = self.lock();
        loop {
            cancel.check()?;
            if !state.computing && (is_interactive || state.interactive == 0) {
                state.computing = true;
                return Ok(Turn(self));
            }
            state = self.changed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Interactive<'a>(&'a Turns);

impl Drop for Interactive<'_> {
    fn drop(&mut self) {
        self.0.lock().interactive -= 1;
        self.0.changed.notify_all();
    }
}

pub(crate) struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().computing = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;

    #[test]
    fn background_waits_while_a_person_does() {
        static TURNS: Turns = Turns::new();
        let (send, order) = mpsc::channel();
        let never = Cancel::new();
        let person = TURNS.interactive();
        let background = thread::spawn({
            let (send, never) = (send.clone(), never.clone());
            move || {
                let _turn = TURNS.take(false, &never);
                send.send("background").expect("the test listens");
            }
        });
        for _ in 0..3 {
            drop(TURNS.take(true, &never).expect("nothing is cancelled"));
            send.send("token").expect("the test listens");
        }
        drop(person);
        background.join().expect("the thread does not panic");
        let order: Vec<_> = order.try_iter().collect();
        assert_eq!(order, ["token", "token", "token", "background"]);
    }

    #[test]
    fn a_waiter_can_be_cancelled() {
        let turns = Turns::new();
        let _person = turns.interactive();
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(matches!(turns.take(false, &cancel), Err(InferenceError::Cancelled)));
    }
}
