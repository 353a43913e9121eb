use std::{cell::Cell, rc::Rc};

use futures::{future::poll_fn, task::AtomicWaker};
use std::task::Poll;

/// Wakes the one task that waits. A call made while nobody waits is kept for the next wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signal {
    called: Rc<Cell<bool>>,
    waker: Rc<AtomicWaker>,
}

impl Signal {
    pub fn call(&self) {
        self.called.set(true);
        self.waker.wake();
    }

    pub async fn wait(&self) {
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.called.replace(false) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
