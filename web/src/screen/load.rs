//! Values that come from the core.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::{ErrorKind, Failure};

use super::core;

/// A value on its way, there, or not to be had.
#[derive(Debug, Clone, PartialEq)]
pub enum Load<T> {
    Loading,
    Ready(T),
    Failed(Failure),
}

impl<T> Load<T> {
    pub fn ready(&self) -> Option<&T> {
        if let Load::Ready(value) = self { Some(value) } else { None }
    }
}

/// Loads now, and again whenever what `source` reads changes, the core comes back, or `again` is counted up. While it
/// loads again the earlier value stays, so that nothing flickers; a reply that a later one overtook is dropped.
pub fn load<S, T, F>(source: impl Fn() -> S + 'static, call: impl Fn(S) -> F + 'static) -> Loaded<T>
where
    S: 'static,
    T: Clone + Send + Sync + 'static,
    F: Future<Output = Result<T, Failure>> + 'static,
{
    let state = RwSignal::new(Load::Loading);
    let again = RwSignal::new(0_u32);
    let newest = StoredValue::new(0_u32);
    Effect::new(move |_| {
        core::epoch().track();
        again.track();
        let future = call(source());
        let mine = newest.get_value().wrapping_add(1);
        newest.set_value(mine);
        spawn_local(async move {
            let result = future.await;
            if newest.try_get_value() != Some(mine) {
                return;
            }
            state.update(|state| match result {
                Ok(value) => *state = Load::Ready(value),
                // The next core is asked again by itself.
                Err(failure) if failure.kind == ErrorKind::CoreLost && state.ready().is_some() => {}
                Err(failure) => *state = Load::Failed(failure),
            });
        });
    });
    Loaded { state, again }
}

pub struct Loaded<T: Send + Sync + 'static> {
    pub state: RwSignal<Load<T>>,
    again: RwSignal<u32>,
}

impl<T: Send + Sync + 'static> Clone for Loaded<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Send + Sync + 'static> Copy for Loaded<T> {}

impl<T: Send + Sync + 'static> Loaded<T> {
    pub fn reload(self) {
        self.again.update(|again| *again = again.wrapping_add(1));
    }
}
