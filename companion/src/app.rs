use std::sync::Arc;

use loci_protocol::trust;
use tokio::sync::watch;

use crate::{Clock, Lanes, Models, Rates, StateDir, SystemClock, pairings, rate::Buckets};

/// What a companion is made of; the default suits everything but tests.
pub struct Settings {
    pub clock: Arc<dyn Clock>,
    pub rates: Rates,
    pub lanes: Lanes,
    pub models: Models,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            clock: Arc::new(SystemClock),
            rates: Rates::default(),
            lanes: Lanes::default(),
            models: Models::default(),
        }
    }
}

/// One running companion, shared by all its requests.
#[derive(Clone)]
pub struct App(Arc<Parts>);

struct Parts {
    port: u16,
    state: StateDir,
    settings: Settings,
    buckets: Buckets,
    local_bearer: String,
    stopping: watch::Sender<bool>,
}

impl App {
    /// `port` is the one that it really listens on: `Host` and the proof of `hello` are held to it.
    pub fn new(port: u16, state: StateDir, settings: Settings) -> App {
        App(Arc::new(Parts {
            port,
            state,
            settings,
            buckets: Buckets::default(),
            local_bearer: trust::bearer(&pairings::random_hex::<32>()),
            stopping: watch::Sender::new(false),
        }))
    }

    pub fn port(&self) -> u16 {
        self.0.port
    }

    pub fn state(&self) -> &StateDir {
        &self.0.state
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.0.settings.clock
    }

    pub fn models(&self) -> &Models {
        &self.0.settings.models
    }

    pub fn lanes(&self) -> &Lanes {
        &self.0.settings.lanes
    }

    /// Opens `GET /v1/status` alone, for `loci status`; it lives as long as this companion runs.
    pub fn local_bearer(&self) -> &str {
        &self.0.local_bearer
    }

    /// Ends every stream with an error event and cancels what computes.
    pub fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Resolves once [`Self::stop`] was called.
    pub(crate) fn stopping(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut stopping = self.0.stopping.subscribe();
        async move {
            // The sender lives in the companion itself; should it be gone, everything has stopped anyway.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }

    pub(crate) fn rates(&self) -> Rates {
        self.0.settings.rates
    }

    pub(crate) fn buckets(&self) -> &Buckets {
        &self.0.buckets
    }
}
