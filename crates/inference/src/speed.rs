use std::time::Instant;

use loci_protocol::EmbedKind;

use crate::{
    Cancel, Embedder, InferenceError, LocalModel,
    local::transformer::{KvCache, Transformer},
};

/// How fast a language model reads and writes, in tokens per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// A prompt read at once.
    pub prefill: f64,
    /// One token after the other.
    pub decode: f64,
}

impl LocalModel {
    /// Reads `prompt` tokens and writes `output` ones, twice, and times the second run.
    ///
    /// # Errors
    /// When the model fails.
    pub fn measure(&self, prompt: usize, output: usize) -> Result<Speed, InferenceError> {
        Ok(measure(&self.transformer, prompt, output)?.0)
    }
}

/// Also returns the tokens written greedily.
pub(crate) fn measure(
    transformer: &Transformer,
    prompt: usize,
    output: usize,
) -> Result<(Speed, Vec<u32>), InferenceError> {
    let tokens: Vec<u32> = (0..prompt.max(1) as u32).map(|number| 100 + number * 37 % 20_000).collect();
    // Weights are unpacked for their kernels at the first use.
    transformer.forward(&tokens, &mut KvCache::new())?;
    let mut cache = KvCache::new();
    let start = Instant::now();
    let mut logits = transformer.forward(&tokens, &mut cache)?;
    let prefill = tokens.len() as f64 / start.elapsed().as_secs_f64();
    let mut written = Vec::new();
    let start = Instant::now();
    for _ in 0..output {
        let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let token = best.map_or(0, |(token, _)| token as u32);
        written.push(token);
        logits = transformer.forward(&[token], &mut cache)?;
    }
    let decode = output as f64 / start.elapsed().as_secs_f64();
    Ok((Speed { prefill, decode }, written))
}

impl Embedder {
    /// Passages of some 120 tokens embedded per second, over `count` of them.
    ///
    /// # Errors
    /// When the model fails.
    pub fn measure(&self, count: usize) -> Result<f64, InferenceError> {
        let words = ["river", "bridge", "harbour", "council", "library", "winter", "museum", "engine"];
        let text =
            |number: usize| (0..100).map(|word| words[(number + word * 3) % 8]).collect::<Vec<_>>().join(" ");
        let texts: Vec<String> = (0..count).map(text).collect();
        let cancel = Cancel::new();
        self.embed(EmbedKind::Passage, &texts[..1], &cancel)?;
        let start = Instant::now();
        self.embed(EmbedKind::Passage, &texts, &cancel)?;
        Ok(count as f64 / start.elapsed().as_secs_f64())
    }
}
