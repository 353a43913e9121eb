//! A companion in this process, on a port of its own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use loci_companion::{App, Clock, Settings, StateDir, pairing_code, server};
use loci_protocol::{PairReply, PairRequest};
use tempfile::TempDir;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::client::{Ask, Reply};

pub const CHROMIUM: &str = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";
pub const FIREFOX: &str = "moz-extension://5d3a3c2e-6f0a-4c1e-9a7b-0123456789ab";

/// A clock that a test sets.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicU64>);

impl Default for TestClock {
    fn default() -> TestClock {
        TestClock(Arc::new(AtomicU64::new(1_800_000_000)))
    }
}

impl TestClock {
    pub fn forward(&self, by: Duration) {
        self.0.fetch_add(by.as_secs(), Ordering::SeqCst);
    }

    pub fn back(&self, by: Duration) {
        self.0.fetch_sub(by.as_secs(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

pub struct Companion {
    pub port: u16,
    pub app: App,
    pub clock: TestClock,
    pub state: Arc<TempDir>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Companion {
    pub async fn start(settings: Settings) -> Companion {
        Companion::start_in(Arc::new(TempDir::new().expect("a directory")), settings).await
    }

    pub async fn start_in(state: Arc<TempDir>, settings: Settings) -> Companion {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let clock = TestClock::default();
        let settings = Settings { clock: Arc::new(clock.clone()), ..settings };
        let app = App::new(port, StateDir::open(state.path()).expect("the directory opens"), settings);
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(server::serve(listener, app.clone(), async {
            let _ = stopped.await;
        }));
        Companion { port, app, clock, state, stop, served }
    }

    /// Stops it as a signal would, and waits for the end.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        self.served.await.expect("the server ends");
    }

    pub fn open_pairing(&self) -> String {
        pairing_code::open(self.app.state(), self.clock.now()).expect("the state can be written")
    }

    pub async fn type_code(&self, code: &str, origin: Option<&str>) -> Reply {
        let ask = Ask::post("/v1/pair", &PairRequest { code: code.into(), label: "Test".into() });
        let ask = match origin {
            Some(origin) => ask.set("origin", origin),
            None => ask,
        };
        ask.send(self.port).await
    }

    /// Pairs as a user does.
    pub async fn pair(&self, origin: Option<&str>) -> PairReply {
        let reply = self.type_code(&self.open_pairing(), origin).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }
}
