use serde::{Deserialize, Serialize};

/// A refusal or failure as `application/problem+json` (RFC 9457). Never holds page text or a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// `urn:loci:problem:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    pub code: ProblemCode,
    /// What the user can do about it.
    pub hint: String,
}

/// Each maps to one help text in the UI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    WrongHost,
    ForeignOrigin,
    MissingHeader,
    WrongContentType,
    Unpaired,
    WrongCode,
    PairingClosed,
    TooLarge,
    TooMany,
    Busy,
    BadRequest,
    NotFound,
    ModelMissing,
    ModelDamaged,
    ModelFailed,
    OtherVersion,
    Cancelled,
    Internal,
}

impl ProblemCode {
    /// HTTP status and title.
    fn status_title(self) -> (u16, &'static str) {
        match self {
            ProblemCode::WrongHost => (421, "The request was not addressed to this companion"),
            ProblemCode::ForeignOrigin => (403, "This origin may not use the companion"),
            ProblemCode::MissingHeader => (400, "The protocol header is missing or of another version"),
            ProblemCode::WrongContentType => (415, "The body must be JSON"),
            ProblemCode::Unpaired => (401, "This browser profile is not paired"),
            ProblemCode::WrongCode => (403, "The pairing code is wrong"),
            ProblemCode::PairingClosed => (403, "No pairing is open"),
            ProblemCode::TooLarge => (413, "The request is too large"),
            ProblemCode::TooMany => (429, "Too many requests"),
            ProblemCode::Busy => (503, "The queue is full"),
            ProblemCode::BadRequest => (400, "The request cannot be read"),
            ProblemCode::NotFound => (404, "There is no such route"),
            ProblemCode::ModelMissing => (503, "The model is not there"),
            ProblemCode::ModelDamaged => (503, "The model file is damaged"),
            ProblemCode::ModelFailed => (500, "The model failed"),
            ProblemCode::OtherVersion => (409, "The companion speaks another version"),
            ProblemCode::Cancelled => (499, "The request was cancelled"),
            ProblemCode::Internal => (500, "Something failed inside the companion"),
        }
    }
}

impl Problem {
    pub fn new(code: ProblemCode, hint: impl Into<String>) -> Problem {
        let (status, title) = code.status_title();
        let name = kebab_name(code);
        Problem {
            kind: format!("urn:loci:problem:{name}"),
            title: title.into(),
            status,
            code,
            hint: hint.into(),
        }
    }
}

/// `WrongHost` → `wrong-host`.
fn kebab_name(code: ProblemCode) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
