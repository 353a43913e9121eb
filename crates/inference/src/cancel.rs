use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::InferenceError;

/// Stops work from another thread: it is looked at between tokens and between batches. Clones share one switch.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn new() -> Cancel {
        Cancel::default()
    }

    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// # Errors
    /// [`InferenceError::Cancelled`] once the switch is thrown.
    pub(crate) fn check(&self) -> Result<(), InferenceError> {
        if self.is_cancelled() { Err(InferenceError::Cancelled) } else { Ok(()) }
    }
}
