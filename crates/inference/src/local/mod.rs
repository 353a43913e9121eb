mod decoder;
mod projection;
mod session;
pub(crate) mod tokenizer;
pub(crate) mod transformer;

use std::path::Path;

use llguidance::ParserFactory;
use loci_protocol::{AnswerEvent, AnswerRequest, ExtractEvent, ExtractRequest, ModelStatus, Usage};

use self::{
    session::Sessions,
    tokenizer::{Role, TextTokenizer},
    transformer::Transformer,
};
use crate::{Cancel, DeviceChoice, InferenceError, LanguageModel, answer, extract};

pub(crate) use self::decoder::Decoder;

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
    name: String,
    licence: String,
    pub(crate) transformer: Transformer,
    pub(crate) tokenizer: TextTokenizer,
    pub(crate) sessions: Sessions,
    /// Makes constraints of grammars.
    pub(crate) grammars: ParserFactory,
}

impl LocalModel {
    /// # Errors
    /// When the file is damaged or of an unknown kind, or the device is not there.
    pub fn load(path: &Path, options: LocalOptions) -> Result<LocalModel, InferenceError> {
        let device = options.device.open()?;
        let (transformer, content) = Transformer::load(path, options.context, &device)?;
        let tokenizer = TextTokenizer::from_gguf(&content)?;
        let mut grammars = ParserFactory::new_simple(tokenizer.environment())
            .map_err(|error| InferenceError::Damaged(error.to_string()))?;
        grammars.quiet();
        let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = if options.name.is_empty() { stem() } else { options.name };
        let sessions = Sessions::new();
        Ok(LocalModel { name, licence: options.licence, transformer, tokenizer, sessions, grammars })
    }

    /// A plain chat without constraints, greedy: instructions, examples of user and assistant, and the user's turn. For
    /// comparisons; what the product needs goes through [`LanguageModel`].
    ///
    /// # Errors
    /// When cancelled or the model fails.
    pub fn complete(
        &self,
        system: &str,
        shots: &[(&str, &str)],
        user: &str,
        max_tokens: usize,
        cancel: &Cancel,
    ) -> Result<String, InferenceError> {
        let mut turns = vec![(Role::System, system)];
        turns.extend(
            shots.iter().flat_map(|(user, assistant)| [(Role::User, *user), (Role::Assistant, *assistant)]),
        );
        let fixed = self.tokenizer.chat(&turns)?.len() - self.tokenizer.chat(&[])?.len();
        turns.push((Role::User, user));
        let mut usage = Usage::default();
        let mut decoder = Decoder::new(self, self.tokenizer.chat(&turns)?, fixed, false, cancel, &mut usage)?;
        let mut bytes = Vec::new();
        for _ in 0..max_tokens.min(decoder.room()) {
            let token = decoder.likeliest()?;
            let piece = self.tokenizer.bytes(token);
            if piece.is_empty() {
                break;
            }
            bytes.extend_from_slice(piece);
            decoder.push(token);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What computes, e.g. `cpu, 2 threads`.
    pub fn device(&self) -> String {
        crate::device::describe(self.transformer.device())
    }
}

impl LanguageModel for LocalModel {
    fn status(&self) -> ModelStatus {
        ModelStatus::Ready { name: self.name.clone(), licence: self.licence.clone() }
    }

    fn extract(
        &self,
        request: &ExtractRequest,
        cancel: &Cancel,
        emit: &mut dyn FnMut(ExtractEvent),
    ) -> Result<(), InferenceError> {
        extract::extract(self, request, cancel, emit)
    }

    fn answer(
        &self,
        request: &AnswerRequest,
        cancel: &Cancel,
        emit: &mut dyn FnMut(AnswerEvent),
    ) -> Result<(), InferenceError> {
        answer::answer(self, request, cancel, emit)
    }
}
