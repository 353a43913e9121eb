use std::path::Path;

use loci_protocol::{AnswerEvent, AnswerRequest, ExtractEvent, ExtractRequest, ModelStatus};

use crate::{Cancel, DeviceChoice, InferenceError, LanguageModel};

/// How a GGUF file is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalOptions {
    pub device: DeviceChoice,
    /// As the status shows it; the file's own name when empty.
    pub name: String,
    pub licence: String,
    /// Most tokens of prompt and output together.
    pub context: usize,
}

impl Default for LocalOptions {
    fn default() -> LocalOptions {
        LocalOptions {
            device: DeviceChoice::Auto,
            name: String::new(),
            licence: String::new(),
            context: 8192,
        }
    }
}

/// A language model of the Qwen2 or Llama family, from a GGUF file, computed by candle in this process.
pub struct LocalModel {
    options: LocalOptions,
}

impl LocalModel {
    /// # Errors
    /// When the file is damaged or of an unknown kind, or the device is not there.
    pub fn load(path: &Path, options: LocalOptions) -> Result<LocalModel, InferenceError> {
        let _ = (path, options.device.open()?);
        Err(InferenceError::Damaged("not written yet".into()))
    }
}

impl LanguageModel for LocalModel {
    fn status(&self) -> ModelStatus {
        ModelStatus::Ready { name: self.options.name.clone(), licence: self.options.licence.clone() }
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
