use serde::{Deserialize, Serialize};

/// Why a request was not done. Nothing already stored was touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: ErrorKind,
    /// One sentence that says what to do, in English; the UI may have its own for the kind.
    pub hint: String,
}

/// Each has a help text in the UI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The page has no text to remember.
    EmptyPage,
    TooLarge,
    /// An image, PDF or other tab without a document.
    NotAPage,
    /// A page of the browser itself or its store, which no extension may read.
    BrowserPage,
    PrivateWindow,
    /// The disk or the browser's quota is full.
    StorageFull,
    StorageBroken,
    /// Another core holds the memory.
    SecondWriter,
    /// The core went away with the request; the screens reconnect and may ask again.
    CoreLost,
    CompanionAway,
    CompanionUnpaired,
    CompanionImpostor,
    CompanionOtherVersion,
    CompanionBusy,
    WrongCode,
    PairingClosed,
    ModelMissing,
    ModelDamaged,
    ModelFailed,
    NotFound,
    BadRequest,
    Internal,
}

impl ErrorKind {
    /// Every kind, so that a catalogue of help texts can be checked for completeness.
    pub const ALL: [ErrorKind; 22] = [
        ErrorKind::EmptyPage,
        ErrorKind::TooLarge,
        ErrorKind::NotAPage,
        ErrorKind::BrowserPage,
        ErrorKind::PrivateWindow,
        ErrorKind::StorageFull,
        ErrorKind::StorageBroken,
        ErrorKind::SecondWriter,
        ErrorKind::CoreLost,
        ErrorKind::CompanionAway,
        ErrorKind::CompanionUnpaired,
        ErrorKind::CompanionImpostor,
        ErrorKind::CompanionOtherVersion,
        ErrorKind::CompanionBusy,
        ErrorKind::WrongCode,
        ErrorKind::PairingClosed,
        ErrorKind::ModelMissing,
        ErrorKind::ModelDamaged,
        ErrorKind::ModelFailed,
        ErrorKind::NotFound,
        ErrorKind::BadRequest,
        ErrorKind::Internal,
    ];
}
