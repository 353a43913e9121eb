//! Who may use the models of this machine, how much at once, and how do the results travel?
//!
//! The HTTP edge of inference: a server on the loopback address that a paired browser extension, and nobody else, can
//! use. It holds no model code ([`loci_inference`]) and keeps nothing of any page: on its disk are pairings alone.
//!
//! A request passes, from the outside in: [`edge`] (log line, fixed headers, panics), [`guard`] (the trust checks, in
//! their order), its route ([`routes`]), a lane of the queue ([`lanes`]) and, for long replies, a stream ([`stream`]).

mod app;
mod check;
mod clock;
pub mod cpu;
mod edge;
pub mod guard;
mod lanes;
pub mod listen;
pub mod loading;
mod models;
pub mod pairing_code;
pub mod pairings;
mod problem;
mod rate;
pub mod routes;
pub mod server;
pub mod serving;
mod state_dir;
mod stream;

pub use app::{App, Settings};
pub use clock::{Clock, SystemClock};
pub use edge::hide_panic_messages;
pub use lanes::{Lane, LaneSize, Lanes};
pub use models::{Models, Slot};
pub use problem::Refusal;
pub use rate::{Rate, Rates};
pub use state_dir::{StateDir, StateError, StateLock};

/// As `hello` and the status tell it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
