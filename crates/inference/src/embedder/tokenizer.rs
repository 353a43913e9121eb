use std::{collections::HashMap, path::Path};

use tokenizers::{
    Tokenizer,
    models::unigram::Unigram,
    pre_tokenizers::metaspace::{Metaspace, PrependScheme},
};

use super::container::Container;
use crate::InferenceError;

/// XLM-RoBERTa's tokenizer: a unigram model over normalised text.
pub(super) struct TextTokenizer {
    tokenizer: Tokenizer,
    /// Only for vocabularies whose tokenizer file does not normalise by itself.
    normalisation: HashMap<char, String>,
    begin: u32,
    end: u32,
    pub pad: u32,
}

impl TextTokenizer {
    pub(super) fn from_pieces(container: &Container) -> Result<TextTokenizer, InferenceError> {
        let pieces = container.pieces.clone();
        let unigram = Unigram::from(pieces, Some(container.unknown as usize), false).map_err(damaged)?;
        let mut tokenizer = Tokenizer::new(unigram);
        tokenizer.with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Always, true)));
        Ok(TextTokenizer {
            tokenizer,
            normalisation: container.normalisation.clone(),
            begin: container.begin,
            end: container.end,
            pad: container.pad,
        })
    }

    /// A published `tokenizer.json` of XLM-RoBERTa.
    pub(super) fn from_json(path: &Path) -> Result<TextTokenizer, InferenceError> {
        let mut tokenizer = Tokenizer::from_file(path).map_err(damaged)?;
        tokenizer.with_truncation(None).map_err(damaged)?;
        tokenizer.with_padding(None);
        let id = |token| tokenizer.token_to_id(token).ok_or_else(|| damaged(format!("{token} is missing")));
        let (begin, end, pad) = (id("<s>")?, id("</s>")?, id("<pad>")?);
        // Text of a page must not be able to end its own sequence.
        tokenizer.set_encode_special_tokens(true);
        Ok(TextTokenizer { tokenizer, normalisation: HashMap::new(), begin, end, pad })
    }

    /// One piece per ASCII character.
    pub(super) fn of_bytes() -> Result<TextTokenizer, InferenceError> {
        let mut pieces: Vec<(String, f64)> =
            ["<s>", "<pad>", "</s>", "<unk>", "▁"].map(|piece| (piece.to_string(), -1.0)).to_vec();
        pieces.extend(('!'..='~').map(|letter| (letter.to_string(), -2.0)));
        let unigram = Unigram::from(pieces, Some(3), false).map_err(damaged)?;
        let mut tokenizer = Tokenizer::new(unigram);
        tokenizer.with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Always, true)));
        Ok(TextTokenizer { tokenizer, normalisation: HashMap::new(), begin: 0, end: 2, pad: 1 })
    }

    /// Token ids with the two that frame them, at most `limit`.
    pub(super) fn encode(&self, text: &str, limit: usize) -> Result<Vec<u32>, InferenceError> {
        let encoding = self
            .tokenizer
            .encode_fast(self.normalise(text), false)
            .map_err(|error| InferenceError::Failed(error.to_string()))?;
        let room = limit.saturating_sub(2).min(encoding.len());
        let mut ids = Vec::with_capacity(room + 2);
        ids.push(self.begin);
        ids.extend_from_slice(&encoding.get_ids()[..room]);
        ids.push(self.end);
        Ok(ids)
    }

    /// Replaces characters by the table, and runs of white space by one space.
    fn normalise(&self, text: &str) -> String {
        let mut replaced = String::with_capacity(text.len());
        for letter in text.chars() {
            match self.normalisation.get(&letter) {
                Some(other) => replaced.push_str(other),
                None => replaced.push(letter),
            }
        }
        let mut out = String::with_capacity(replaced.len());
        for word in replaced.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        out
    }
}

fn damaged(reason: impl ToString) -> InferenceError {
    InferenceError::Damaged(reason.to_string())
}
