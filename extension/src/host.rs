use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures::future::LocalBoxFuture;
use loci_engine::{ClientId, Host};
use loci_graph::Timestamp;
use loci_messages::{Event, FromCore};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use web_sys::MessagePort;

use crate::timer;

/// The ports of all connected pages.
#[derive(Clone, Default)]
pub(crate) struct Ports(Rc<RefCell<BTreeMap<ClientId, MessagePort>>>);

impl Ports {
    pub fn add(&self, client: ClientId, port: MessagePort) {
        self.0.borrow_mut().insert(client, port);
    }

    pub fn remove(&self, client: ClientId) {
        self.0.borrow_mut().remove(&client);
    }

    /// Posts to one page, or to all.
    pub fn post(&self, to: Option<ClientId>, message: &FromCore) {
        let Ok(message) = message.serialize(&Serializer::json_compatible()) else { return };
        for (client, port) in &*self.0.borrow() {
            if to.is_none_or(|to| to == *client) {
                // A page that is gone is not told.
                let _ = port.post_message(&message);
            }
        }
    }
}

/// A SharedWorker as the engine's surroundings.
pub(crate) struct WorkerHost {
    pub ports: Ports,
}

impl Host for WorkerHost {
    fn now(&self) -> Timestamp {
        Timestamp(js_sys::Date::now() as i64)
    }

    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        Box::pin(timer::sleep(milliseconds))
    }

    fn emit(&self, to: Option<ClientId>, event: Event) {
        self.ports.post(to, &FromCore::Event { event });
    }
}
