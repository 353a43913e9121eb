//! How does a person see, ask and govern what is remembered?
//!
//! The extension's pages: the side panel and the app (memories, graph, settings). They talk [`loci_messages`] to the
//! core over a SharedWorker port and know nothing else of it. Whatever can be decided without a browser (texts,
//! citations, layout, labels, camera, routes) lives in modules free of `web-sys`, tested on the host; the screens are
//! compiled for the browser alone.

pub mod answer;
pub mod catalogue;
pub mod graph;
pub mod highlight;
pub mod link;
pub mod moment;
pub mod pairing;
pub mod pulse;
pub mod route;

#[cfg(target_arch = "wasm32")]
mod screen;
