use std::{cell::Cell, rc::Rc};

use js_sys::Reflect;
use loci_engine::{ClientId, Engine, failure, of_store};
use loci_messages::{ErrorKind, Failure, FromCore, ToCore};
use loci_store::{Archive, IdbStore};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, prelude::*};
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageEvent, MessagePort};

use crate::{
    companion::Companion,
    host::{Ports, WorkerHost},
};

/// Name of the database.
const DATABASE: &str = "loci";

/// The running core, as `core.js` holds it.
#[wasm_bindgen]
pub struct Core {
    engine: Rc<Engine<IdbStore, Companion>>,
    ports: Ports,
    clients: Cell<u32>,
}

/// Opens the memory and starts the core. The caller holds the lock that makes a second writer impossible.
///
/// # Errors
/// A [`Failure`] object when the memory cannot be opened; nothing in it was touched.
#[wasm_bindgen]
pub async fn start_core() -> Result<Core, JsValue> {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    let ports = Ports::default();
    let open = async {
        let store = IdbStore::open(DATABASE).await.map_err(|error| of_store(&error))?;
        let companion = Companion::new(Archive::new(store.clone())).await?;
        Engine::open(store, companion, Rc::new(WorkerHost { ports: ports.clone() })).await
    };
    let engine = Rc::new(open.await.map_err(|failure| js(&failure))?);
    let running = engine.clone();
    spawn_local(async move { running.run().await });
    Ok(Core { engine, ports, clients: Cell::new(0) })
}

#[wasm_bindgen]
impl Core {
    /// Serves a page by its port, first what it sent `earlier`, before the core ran.
    pub fn connect(&self, port: MessagePort, earlier: Vec<JsValue>) {
        let client = ClientId(self.clients.replace(self.clients.get() + 1));
        self.ports.add(client, port.clone());
        let (engine, ports) = (self.engine.clone(), self.ports.clone());
        for message in earlier {
            receive(engine.clone(), ports.clone(), client, message);
        }
        let on_message = {
            let (engine, ports) = (engine.clone(), ports.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                receive(engine.clone(), ports.clone(), client, event.data());
            })
        };
        let on_close = Closure::<dyn FnMut()>::new(move || {
            ports.remove(client);
            engine.leave(client);
        });
        // Setting the handler starts the port.
        port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        // The only failure would be a null listener.
        let _ = port.add_event_listener_with_callback("close", on_close.as_ref().unchecked_ref());
        // Both live as long as the port.
        on_message.forget();
        on_close.forget();
    }
}

fn receive(engine: Rc<Engine<IdbStore, Companion>>, ports: Ports, client: ClientId, message: JsValue) {
    spawn_local(async move {
        let id = Reflect::get(&message, &"id".into()).ok().and_then(|id| id.as_f64());
        let Some(id) = id else { return };
        let id = id as u32;
        let result = match serde_wasm_bindgen::from_value::<ToCore>(message) {
            Ok(message) => engine.handle(client, message).await,
            Err(error) => Err(failure(ErrorKind::BadRequest, format!("The request cannot be read: {error}"))),
        };
        ports.post(Some(client), &FromCore::Reply { id, result });
    });
}

fn js(failure: &Failure) -> JsValue {
    failure.serialize(&Serializer::json_compatible()).unwrap_or_else(|_| failure.hint.as_str().into())
}
