use loci_protocol::{Problem, ProblemCode};

/// Why a model did not do what it was asked. No variant holds text of a page.
#[derive(Debug, thiserror::Error)]
pub enum InferenceError {
    /// The file is no model, a part of it is missing, or its kind is unknown.
    #[error("the model file cannot be used: {0}")]
    Damaged(String),
    /// The caller threw the [`crate::Cancel`] switch.
    #[error("cancelled")]
    Cancelled,
    /// The request is beyond what the model can hold or the protocol allows.
    #[error("the request cannot be served: {0}")]
    BadRequest(String),
    /// The OpenAI-compatible server did not answer, or not in its protocol.
    #[error("the model server failed: {0}")]
    Server(String),
    /// The computation itself failed, e.g. for lack of memory.
    #[error("the model failed: {0}")]
    Failed(String),
}

impl InferenceError {
    /// As it goes over the wire, with a hint that says what to do.
    pub fn problem(&self) -> Problem {
        let (code, hint) = match self {
            InferenceError::Damaged(_) => (
                ProblemCode::ModelDamaged,
                "Delete the model file and start the companion again: it is fetched anew.",
            ),
            InferenceError::Cancelled => (ProblemCode::Cancelled, "Nothing needs to be done."),
            InferenceError::BadRequest(_) => {
                (ProblemCode::BadRequest, "The request is too large for this model: send less at a time.")
            }
            InferenceError::Server(_) => {
                (ProblemCode::ModelFailed, "Check that the model server runs and that its address is right.")
            }
            InferenceError::Failed(_) => {
                (ProblemCode::ModelFailed, "Close other programs to free memory, or choose a smaller model.")
            }
        };
        Problem::new(code, hint)
    }
}

impl From<candle_core::Error> for InferenceError {
    fn from(error: candle_core::Error) -> InferenceError {
        InferenceError::Failed(error.to_string())
    }
}
