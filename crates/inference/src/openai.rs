use loci_protocol::{AnswerEvent, AnswerRequest, ExtractEvent, ExtractRequest, ModelStatus};

use crate::{Cancel, InferenceError, LanguageModel};

/// Where an OpenAI-compatible server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAiOptions {
    /// Up to and including `/v1`.
    pub url: String,
    pub model: String,
    /// Bearer token, when the server asks for one.
    pub key: Option<String>,
}

/// A language model behind the OpenAI protocol: Ollama, llama.cpp's server, vLLM, SGLang, TGI.
pub struct OpenAiModel {
    options: OpenAiOptions,
}

impl OpenAiModel {
    /// # Errors
    /// When the address is not an http(s) one.
    pub fn new(options: OpenAiOptions) -> Result<OpenAiModel, InferenceError> {
        Ok(OpenAiModel { options })
    }
}

impl LanguageModel for OpenAiModel {
    fn status(&self) -> ModelStatus {
        ModelStatus::Ready {
            name: self.options.model.clone(),
            licence: "as the server's operator states".into(),
        }
    }

    fn extract(
        &self,
        _request: &ExtractRequest,
        cancel: &Cancel,
        _emit: &mut dyn FnMut(ExtractEvent),
    ) -> Result<(), InferenceError> {
        cancel.check()
    }

    fn answer(
        &self,
        _request: &AnswerRequest,
        cancel: &Cancel,
        _emit: &mut dyn FnMut(AnswerEvent),
    ) -> Result<(), InferenceError> {
        cancel.check()
    }
}
