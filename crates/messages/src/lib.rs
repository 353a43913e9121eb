//! What do screens and core say to each other?
//!
//! Every extension page holds one message port to the core. It posts [`ToCore`] and receives [`FromCore`], as plain
//! JavaScript objects (serde-wasm-bindgen).

mod ask;
mod capture;
mod companion;
mod error;
mod view;

use serde::{Deserialize, Serialize};

pub use ask::{AnswerEnd, AskEvent, Citation};
pub use capture::{CaptureRequest, CaptureResult, PageState, PageStatus};
pub use companion::{CompanionState, ModelState};
pub use error::{ErrorKind, Failure};
pub use view::{
    Diagnostics, FactView, GraphEdge, GraphVertex, GraphView, Hit, PageDetail, PageSummary, PassageSource,
    PassageView, Settings, Theme, VertexDetail,
};

/// From a page to the core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToCore {
    /// Chosen by the page; the reply carries it back. Answer events of an [`Request::Ask`] carry it too.
    pub id: u32,
    pub request: Request,
}

/// From the core to a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromCore {
    Reply {
        id: u32,
        result: Result<Reply, Failure>,
    },
    Event {
        event: Event,
    },
    /// The core met a fault and stops; nothing stored is touched. Connect again: a fresh core starts.
    Closed,
}

/// What a page can ask of the core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Is the core alive? Answered at once, also while it opens the memory. → [`Reply::Done`]
    Ping,
    /// Memorize a page. → [`Reply::Captured`]
    Capture(CaptureRequest),
    /// The service worker is about to read the page of this tab. Screens learn it by [`Event::PageChanged`].
    /// → [`Reply::Done`]
    CaptureBegun { url: String },
    /// The service worker could not read the page; screens learn why by [`Event::PageChanged`]. → [`Reply::Done`]
    CaptureFailed { url: String, failure: Failure },
    /// What is known of this URL? → [`Reply::PageState`]
    PageState { url: String },
    /// → [`Reply::Pages`], newest first; `query` searches title, site and text.
    Pages { query: String, limit: u32, offset: u32 },
    /// → [`Reply::Page`]
    Page { page: u32 },
    /// What [`Request::ErasePage`] would take. → [`Reply::ErasePreview`]
    ErasePreview { page: u32 },
    /// Physical, for ever. → [`Reply::Done`]
    ErasePage { page: u32 },
    /// → [`Reply::Done`]
    EraseEverything,
    /// Passages near the text: lexical, and dense where the companion is there. → [`Reply::Hits`]
    Search { query: String, limit: u32 },
    /// Streams [`Event::Ask`]. → [`Reply::Answer`]
    Ask { question: String },
    /// Stops the answer to the ask with this message id. → [`Reply::Done`]
    Stop { ask: u32 },
    /// The whole graph up to `limit` vertices by degree, or the surroundings of one vertex. → [`Reply::Graph`]
    Graph { center: Option<u32>, limit: u32 },
    /// → [`Reply::Vertex`]
    Vertex { vertex: u32 },
    /// → [`Reply::Companion`]
    Companion,
    /// Pair with the six digits. → [`Reply::Companion`]
    Pair { code: String },
    /// Forget the pairing. → [`Reply::Companion`]
    Unpair,
    /// → [`Reply::Settings`]
    Settings,
    /// → [`Reply::Settings`]
    SetSettings(Settings),
    /// → [`Reply::Diagnostics`]
    Diagnostics,
}

/// What the core replies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    Captured { page: CaptureResult },
    PageState { state: PageState },
    Pages { pages: Vec<PageSummary>, total: u32 },
    Page { page: PageDetail },
    ErasePreview { passages: u32, facts: u32, objects: u32 },
    Hits { hits: Vec<Hit> },
    Answer { end: AnswerEnd },
    Graph { graph: GraphView },
    Vertex { vertex: VertexDetail },
    Companion { companion: CompanionState },
    Settings { settings: Settings },
    Diagnostics { diagnostics: Diagnostics },
    Done,
}

/// What the core tells every open page by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Event {
    /// A page was captured, read deeper or erased.
    PageChanged {
        url: String,
        state: PageState,
    },
    CompanionChanged {
        companion: CompanionState,
    },
    /// Part of an answer; only to the page that asked.
    Ask {
        id: u32,
        event: AskEvent,
    },
}
