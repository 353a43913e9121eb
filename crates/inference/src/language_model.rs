use loci_protocol::{AnswerEvent, AnswerRequest, ExtractEvent, ExtractRequest, ModelStatus};

use crate::{Cancel, InferenceError};

/// A model that reads facts and writes answers. Calls block: run them on a thread of their own. Several may run at
/// once; answering overtakes extraction between tokens.
pub trait LanguageModel: Send + Sync {
    fn status(&self) -> ModelStatus;

    /// Reads facts out of each episode, in order. Emits `Progress` per sentence, one `Episode` each, and `Done` last.
    /// Every name emitted is a verbatim piece of the grounding text (passage, title, headings, known names).
    ///
    /// # Errors
    /// When cancelled or the model fails; what was emitted before stays true.
    fn extract(
        &self,
        request: &ExtractRequest,
        cancel: &Cancel,
        emit: &mut dyn FnMut(ExtractEvent),
    ) -> Result<(), InferenceError>;

    /// Answers from the passages: `Token` and `Citation` as they come, `Done` last. Every citation names a passage of
    /// the request. When the passages do not hold the answer, `Done` says so and no text is sent.
    ///
    /// # Errors
    /// When cancelled or the model fails.
    fn answer(
        &self,
        request: &AnswerRequest,
        cancel: &Cancel,
        emit: &mut dyn FnMut(AnswerEvent),
    ) -> Result<(), InferenceError>;
}
