//! How does the browser run the core?
//!
//! The glue between a SharedWorker and the engine: message ports in, `fetch` to the companion out. Everything that decides
//! anything about the memory is in `loci-engine`; the trust in the companion is decided in [`companion`].

mod wire;

#[cfg(target_arch = "wasm32")]
mod companion;
#[cfg(target_arch = "wasm32")]
mod core;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(target_arch = "wasm32")]
mod http;
#[cfg(target_arch = "wasm32")]
mod timer;

#[cfg(target_arch = "wasm32")]
pub use core::{Core, start_core};
