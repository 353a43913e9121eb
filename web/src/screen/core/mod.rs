//! The way to the core: one SharedWorker port, requests by id, events, and a new connection when the core is gone.

mod calls;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::oneshot;
use leptos::prelude::*;
use loci_messages::{ErrorKind, Event, Failure, FromCore, Reply, Request, ToCore};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort, SharedWorker, WorkerOptions, WorkerType};

use crate::pulse::{BEAT, Beat, Pulse};

pub use calls::*;

/// Milliseconds before a lost core is looked for again: doubled with each try in vain, up to the second value.
const PAUSE: (u64, u64) = (250, 8_000);

/// How it stands with the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// Nothing heard yet.
    Opening,
    Open,
    /// Gone; a new connection is being made.
    Lost,
}

type Answer = Result<Reply, Failure>;
type Listener = Rc<dyn Fn(&Event)>;

struct Client {
    port: Option<MessagePort>,
    pulse: Pulse,
    waiting: HashMap<u32, oneshot::Sender<Answer>>,
    listeners: Vec<(u32, Listener)>,
    last_id: u32,
    /// Milliseconds to wait before the next try to connect.
    pause: u64,
    reopening: bool,
    connection: ArcRwSignal<Connection>,
    /// Counts the times a core was reached.
    epoch: ArcRwSignal<u32>,
    on_message: Closure<dyn Fn(MessageEvent)>,
    on_loss: Closure<dyn Fn()>,
}

thread_local! {
    static CLIENT: RefCell<Option<Client>> = const { RefCell::new(None) };
}

/// Opens the connection and keeps it open for as long as the page lives.
pub fn connect() {
    CLIENT.with_borrow_mut(|client| {
        *client = Some(Client {
            port: None,
            pulse: Pulse::new(now()),
            waiting: HashMap::new(),
            listeners: Vec::new(),
            last_id: 0,
            pause: PAUSE.0,
            reopening: false,
            connection: ArcRwSignal::new(Connection::Opening),
            epoch: ArcRwSignal::new(0),
            on_message: Closure::new(|event: MessageEvent| receive(event.data())),
            on_loss: Closure::new(lose),
        });
    });
    open();
    let beat = Closure::<dyn Fn()>::new(look_at_pulse);
    let _ = window()
        .set_interval_with_callback_and_timeout_and_arguments_0(beat.as_ref().unchecked_ref(), BEAT as i32);
    beat.forget();
}

pub fn connection() -> ArcRwSignal<Connection> {
    with_client(|client| client.connection.clone())
}

/// Changes whenever a core was reached anew: what came from an earlier one is to be asked again.
pub fn epoch() -> ArcRwSignal<u32> {
    with_client(|client| client.epoch.clone())
}

/// Sends a request. The id lets an answer be followed and stopped; the future ends when the core replies or is lost.
pub fn send(request: Request) -> (u32, impl Future<Output = Answer> + 'static) {
    let (sender, receiver) = oneshot::channel();
    let id = with_client(|client| {
        client.last_id += 1;
        let id = client.last_id;
        client.waiting.insert(id, sender);
        client.post(&ToCore { id, request });
        id
    });
    (id, async move { receiver.await.unwrap_or_else(|_| Err(lost())) })
}

pub async fn request(request: Request) -> Answer {
    send(request).1.await
}

/// Calls `listener` with every event until the owner of the caller is cleaned up.
pub fn on_event(listener: impl Fn(&Event) + 'static) {
    let id = with_client(|client| {
        client.last_id += 1;
        client.listeners.push((client.last_id, Rc::new(listener)));
        client.last_id
    });
    on_cleanup(move || with_client(|client| client.listeners.retain(|(other, _)| *other != id)));
}

impl Client {
    /// Posts if there is a port. Without one the request waits in `waiting` only to fail with the next loss, so a
    /// screen never waits for ever.
    fn post(&self, message: &ToCore) {
        let posted = self.port.as_ref().is_some_and(|port| {
            let message = message.serialize(&serde_wasm_bindgen::Serializer::json_compatible());
            message.is_ok_and(|message| port.post_message(&message).is_ok())
        });
        if !posted {
            leptos::task::spawn_local(async { lose() });
        }
    }
}

/// Starts or joins the core and pings it.
fn open() {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name("loci-core");
    let worker = SharedWorker::new_with_worker_options("core.js", &options);
    with_client(|client| {
        client.pulse = Pulse::new(now());
        client.reopening = false;
        let Ok(worker) = worker else { return };
        let port = worker.port();
        port.set_onmessage(Some(client.on_message.as_ref().unchecked_ref()));
        // A port whose other end died says so in recent browsers; the pulse finds out in the others.
        let _ = port.add_event_listener_with_callback("close", client.on_loss.as_ref().unchecked_ref());
        worker.set_onerror(Some(client.on_loss.as_ref().unchecked_ref()));
        client.port = Some(port);
    });
    drop(send(Request::Ping));
}

fn receive(data: JsValue) {
    let message = match serde_wasm_bindgen::from_value::<FromCore>(data) {
        Ok(message) => message,
        // A message this page does not know: of a newer core. The request it may answer fails when the core is lost.
        Err(error) => return web_sys::console::warn_1(&error.to_string().into()),
    };
    let reached = with_client(|client| {
        client.pulse.heard(now());
        client.pause = PAUSE.0;
        (client.connection.get_untracked() != Connection::Open)
            .then(|| (client.connection.clone(), client.epoch.clone()))
    });
    if let Some((connection, epoch)) = reached {
        connection.set(Connection::Open);
        epoch.update(|epoch| *epoch += 1);
    }
    match message {
        FromCore::Closed => lose(),
        FromCore::Reply { id, result } => {
            if let Some(waiting) = with_client(|client| client.waiting.remove(&id)) {
                // The screen that asked may be gone.
                let _ = waiting.send(result);
            }
        }
        FromCore::Event { event } => {
            let listeners: Vec<Listener> = with_client(|client| {
                client.listeners.iter().map(|(_, listener)| Rc::clone(listener)).collect()
            });
            listeners.iter().for_each(|listener| listener(&event));
        }
    }
}

fn look_at_pulse() {
    match with_client(|client| client.pulse.beat(now())) {
        Beat::Wait => {}
        Beat::Ping => drop(send(Request::Ping)),
        Beat::Reconnect => lose(),
    }
}

/// Everything that waits fails; a new connection follows after a pause.
fn lose() {
    let (waiting, connection, pause) = with_client(|client| {
        if let Some(port) = client.port.take() {
            port.set_onmessage(None);
            port.close();
        }
        let pause = (!client.reopening).then_some(client.pause);
        client.reopening = true;
        client.pause = (client.pause * 2).min(PAUSE.1);
        (std::mem::take(&mut client.waiting), client.connection.clone(), pause)
    });
    for (_, waiting) in waiting {
        let _ = waiting.send(Err(lost()));
    }
    connection.set(Connection::Lost);
    if let Some(pause) = pause {
        set_timeout(open, std::time::Duration::from_millis(pause));
    }
}

fn lost() -> Failure {
    Failure { kind: ErrorKind::CoreLost, hint: "The memory stopped while working on this; try again.".into() }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

fn with_client<T>(use_it: impl FnOnce(&mut Client) -> T) -> T {
    CLIENT.with_borrow_mut(|client| {
        use_it(client.as_mut().expect("the page connects before it shows anything"))
    })
}
