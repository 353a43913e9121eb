use std::{collections::HashMap, sync::Arc};

use candle_core::quantized::{gguf_file::Content, tokenizer::TokenizerFromGguf};
use tokenizers::{
    Tokenizer,
    pre_tokenizers::{byte_level::ByteLevel, digits::Digits, sequence::Sequence},
};
use toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};

use crate::InferenceError;

/// Text to tokens and back, for a byte-level BPE vocabulary. Chat markers are never read out of text: a page that
/// contains one gets it spelt out in ordinary tokens.
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
    environment: TokEnv,
    pub end_of_turn: TokenId,
    start_of_turn: TokenId,
}

impl TextTokenizer {
    /// The vocabulary inside a GGUF file.
    pub(crate) fn from_gguf(content: &Content) -> Result<TextTokenizer, InferenceError> {
        let mut tokenizer = Tokenizer::from_gguf(content).map_err(damaged)?;
        let pre = content.metadata.get("tokenizer.ggml.pre").and_then(|value| value.to_string().ok());
        if pre.is_some_and(|pre| pre == "smollm") {
            // candle knows this one as GPT-2's and leaves out that it takes digits one by one.
            let steps = vec![Digits::new(true).into(), ByteLevel::new(false, true, true).into()];
            tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
        }
        TextTokenizer::new(tokenizer)
    }

    pub(crate) fn new(mut tokenizer: Tokenizer) -> Result<TextTokenizer, InferenceError> {
        tokenizer.set_encode_special_tokens(true);
        let marker = |name| tokenizer.token_to_id(name).ok_or_else(|| damaged(format!("it has no {name}")));
        let (start_of_turn, end_of_turn) = (marker("<|im_start|>")?, marker("<|im_end|>")?);
        let trie = trie(&tokenizer, end_of_turn);
        let environment = Arc::new(Environment { tokenizer: tokenizer.clone(), trie });
        Ok(TextTokenizer { tokenizer, environment, end_of_turn, start_of_turn })
    }

    pub(crate) fn encode(&self, text: &str) -> Result<Vec<TokenId>, InferenceError> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.map_err(|error| InferenceError::Failed(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// A chat in the ChatML form: the turns, and the beginning of the assistant's next one.
    pub(crate) fn chat(&self, turns: &[(Role, &str)]) -> Result<Vec<TokenId>, InferenceError> {
        let mut tokens = Vec::new();
        for (role, text) in turns {
            tokens.extend(self.turn(*role)?);
            tokens.extend(self.encode(text)?);
            tokens.push(self.end_of_turn);
            tokens.extend(self.encode("\n")?);
        }
        tokens.extend(self.turn(Role::Assistant)?);
        Ok(tokens)
    }

    fn turn(&self, role: Role) -> Result<Vec<TokenId>, InferenceError> {
        let name = match role {
            Role::System => "system\n",
            Role::User => "user\n",
            Role::Assistant => "assistant\n",
        };
        let mut tokens = vec![self.start_of_turn];
        tokens.extend(self.encode(name)?);
        Ok(tokens)
    }

    /// Bytes of a token; none for a marker.
    pub(crate) fn bytes(&self, token: TokenId) -> &[u8] {
        let bytes = self.environment.tok_trie().token(token);
        if bytes.first() == Some(&TokTrie::SPECIAL_TOKEN_MARKER) { &[] } else { bytes }
    }

    pub(crate) fn environment(&self) -> &TokEnv {
        &self.environment
    }
}

/// Who speaks in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
}

/// The vocabulary as a grammar sees it.
struct Environment {
    tokenizer: Tokenizer,
    trie: TokTrie,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| {
            self.tokenizer
                .encode_fast(text, false)
                .map(|encoding| encoding.get_ids().to_vec())
                .unwrap_or_default()
        })
    }
}

fn trie(tokenizer: &Tokenizer, end_of_turn: TokenId) -> TokTrie {
    let added = tokenizer.get_added_tokens_decoder();
    let to_byte = byte_of_letter();
    let size = tokenizer.get_vocab_size(true) as TokenId;
    let words: Vec<Vec<u8>> = (0..size)
        .map(|id| {
            let name = tokenizer.id_to_token(id).unwrap_or_default();
            if added.contains_key(&id) {
                [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat()
            } else {
                name.chars().filter_map(|letter| to_byte.get(&letter).copied()).collect()
            }
        })
        .collect();
    TokTrie::from(&TokRxInfo::new(size, end_of_turn), &words)
}

/// GPT-2 writes each byte as one printable letter: those that are printable as themselves, the others from U+0100 on.
fn byte_of_letter() -> HashMap<char, u8> {
    let is_printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let themselves = (0..=255u8).filter(is_printable).map(|byte| (char::from(byte), byte));
    let others = (0..=255u8).filter(|byte| !is_printable(byte));
    themselves.chain(('\u{100}'..).zip(others)).collect()
}

fn damaged(reason: impl ToString) -> InferenceError {
    InferenceError::Damaged(format!("its vocabulary cannot be used: {}", reason.to_string()))
}
