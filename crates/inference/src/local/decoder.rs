use llguidance::{Matcher, api::TopLevelGrammar};
use loci_protocol::Usage;

use super::{LocalModel, session::Session};
use crate::{Cancel, InferenceError, turns::TURNS};

/// Writes one text token by token. Nothing is read before it is needed: a token that ends an item waits for the first
/// of the next one, and both go through the model together.
pub(crate) struct Decoder<'a> {
    model: &'a LocalModel,
    cancel: &'a Cancel,
    is_interactive: bool,
    session: Option<Session>,
    /// Chosen but not yet read by the model.
    pending: Vec<u32>,
    logits: Vec<f32>,
    usage: &'a mut Usage,
}

/// What a grammar let the model write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub text: String,
    /// Whether the grammar was satisfied; else the token limit came first.
    pub is_complete: bool,
}

/// Tokens read between two looks at the cancel switch.
const CHUNK: usize = 128;

impl<'a> Decoder<'a> {
    /// `fixed`: so many first tokens of the prompt come back in later prompts.
    pub(crate) fn new(
        model: &'a LocalModel,
        prompt: Vec<u32>,
        fixed: usize,
        is_interactive: bool,
        cancel: &'a Cancel,
        usage: &'a mut Usage,
    ) -> Result<Decoder<'a>, InferenceError> {
        if prompt.is_empty() || prompt.len() >= model.transformer.context() {
            let context = model.transformer.context();
            return Err(InferenceError::BadRequest(format!("{} tokens of {context}", prompt.len())));
        }
        let session = model.sessions.take(&prompt, fixed);
        let reused = session.tokens.len();
        usage.calls += 1;
        usage.reused_tokens += reused as u32;
        usage.prompt_tokens += (prompt.len() - reused) as u32;
        let pending = prompt[reused..].to_vec();
        Ok(Decoder {
            model,
            cancel,
            is_interactive,
            session: Some(session),
            pending,
            logits: Vec::new(),
            usage,
        })
    }

    /// Scores of the next token over the vocabulary.
    pub(crate) fn logits(&mut self) -> Result<&[f32], InferenceError> {
        let session = self.session.as_mut().expect("the session is there until the decoder is dropped");
        for chunk in std::mem::take(&mut self.pending).chunks(CHUNK) {
            let _turn = TURNS.take(self.is_interactive, self.cancel)?;
            self.logits = self.model.transformer.forward(chunk, &mut session.cache)?;
            session.tokens.extend_from_slice(chunk);
        }
        Ok(&self.logits)
    }

    /// The likeliest next token, whatever it is.
    pub(crate) fn likeliest(&mut self) -> Result<u32, InferenceError> {
        let logits = self.logits()?;
        let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        Ok(best.map_or(0, |(token, _)| token as u32))
    }

    /// Appends a token, chosen by the caller.
    pub(crate) fn push(&mut self, token: u32) {
        self.pending.push(token);
        self.usage.output_tokens += 1;
    }

    /// Tokens there is room for.
    pub(crate) fn room(&self) -> usize {
        let read = self.session.as_ref().map_or(0, |session| session.tokens.len());
        self.model.transformer.context().saturating_sub(read + self.pending.len() + 1)
    }

    /// Lets the model write what the Lark grammar allows, greedily, at most `limit` tokens.
    pub(crate) fn write(&mut self, grammar: &str, limit: usize) -> Result<Written, InferenceError> {
        let parser = self.model.grammars.create_parser(TopLevelGrammar::from_lark(grammar.to_owned()));
        let mut matcher = Matcher::new(parser);
        if let Some(error) = matcher.get_error() {
            return Err(InferenceError::Failed(error));
        }
        let limit = limit.min(self.room());
        let end = self.model.tokenizer.end_of_turn;
        let failed = |error| InferenceError::Failed(format!("{error:#}"));
        let mut bytes = Vec::new();
        let mut count = 0;
        let is_complete = loop {
            let mut tokens = matcher.compute_ff_tokens();
            if tokens.is_empty() {
                if matcher.is_stopped() {
                    break true;
                }
                let mask = matcher.compute_mask_or_eos().map_err(failed)?;
                let logits = self.logits()?;
                let mut best: Option<u32> = None;
                mask.iter_set_entries(|token| {
                    if token < logits.len() && best.is_none_or(|best| logits[token] > logits[best as usize]) {
                        best = Some(token as u32);
                    }
                });
                match best {
                    Some(token) if token != end => tokens = vec![token],
                    _ => break true,
                }
            }
            if count + tokens.len() > limit {
                break false;
            }
            count += tokens.len();
            matcher.consume_tokens(&tokens).map_err(failed)?;
            for token in tokens {
                bytes.extend_from_slice(self.model.tokenizer.bytes(token));
                self.push(token);
            }
        };
        Ok(Written { text: String::from_utf8_lossy(&bytes).into_owned(), is_complete })
    }
}

impl Drop for Decoder<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            self.model.sessions.put(session);
        }
    }
}
