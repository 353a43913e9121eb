mod container;
mod encoder;
mod gelu;
mod tokenizer;

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use loci_protocol::EmbedKind;

use self::{encoder::Encoder, tokenizer::TextTokenizer};
use crate::{Cancel, DeviceChoice, InferenceError, turns::TURNS};

/// multilingual-e5-small: texts in any language to vectors in one space (Wang et al., arXiv 2402.05672).
pub struct Embedder {
    model_id: String,
    tokenizer: TextTokenizer,
    encoder: Encoder,
    device: Device,
}

/// Longest input in tokens, the two that frame it included; what is longer is cut.
const MAX_TOKENS: usize = 512;
/// Padded tokens computed at once. Longer batches gain nothing on a CPU and delay what waits.
const BATCH_TOKENS: usize = 1024;
const BATCH_TOKENS_GPU: usize = 16 * 1024;

impl Embedder {
    /// Reads an E5S1 container, or a folder with `model.safetensors` and `tokenizer.json`.
    ///
    /// # Errors
    /// When the file is damaged or the device is not there.
    pub fn load(path: &Path, device: DeviceChoice) -> Result<Embedder, InferenceError> {
        let device = device.open()?;
        if path.is_dir() {
            let encoder = Encoder::from_safetensors(&path.join("model.safetensors"), &device)?;
            let tokenizer = TextTokenizer::from_json(&path.join("tokenizer.json"))?;
            return Ok(Embedder { model_id: "multilingual-e5-small".into(), tokenizer, encoder, device });
        }
        let bytes = std::fs::read(path).map_err(|error| InferenceError::Damaged(error.to_string()))?;
        let container = container::Container::parse(&bytes)?;
        let tokenizer = TextTokenizer::from_pieces(&container)?;
        let encoder = Encoder::from_container(&container, &device)?;
        Ok(Embedder { model_id: "multilingual-e5-small:q4_0".into(), tokenizer, encoder, device })
    }

    /// Random weights of the real shapes and no vocabulary to speak of, for measuring where no model is.
    pub(crate) fn random(device: &Device) -> Result<Embedder, InferenceError> {
        let encoder = Encoder::random(device)?;
        let tokenizer = TextTokenizer::of_bytes()?;
        Ok(Embedder { model_id: "random".into(), tokenizer, encoder, device: device.clone() })
    }

    /// The same weights on another device.
    pub(crate) fn to_device(&self, device: &Device) -> Result<Embedder, InferenceError> {
        let encoder = self.encoder.to_device(device)?;
        let tokenizer = TextTokenizer::of_bytes()?;
        Ok(Embedder { model_id: self.model_id.clone(), tokenizer, encoder, device: device.clone() })
    }

    /// Names the weights: vectors of different models are never compared.
    pub fn model_id(&self) -> &str {
        &self.model_id
    }

    /// What computes, e.g. `cpu, 2 threads`.
    pub fn device(&self) -> String {
        crate::device::describe(&self.device)
    }

    /// One L2-normalised vector of 384 values per text, in order. A [`EmbedKind::Query`] overtakes other work.
    ///
    /// # Errors
    /// When cancelled or the computation fails.
    pub fn embed(
        &self,
        kind: EmbedKind,
        texts: &[String],
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, InferenceError> {
        let is_interactive = kind == EmbedKind::Query;
        let _presence = is_interactive.then(|| TURNS.interactive());
        let prefix = match kind {
            EmbedKind::Query => "query: ",
            EmbedKind::Passage => "passage: ",
        };
        let encode = |text| self.tokenizer.encode(&format!("{prefix}{text}"), MAX_TOKENS);
        let inputs = texts.iter().map(encode).collect::<Result<Vec<_>, _>>()?;

        // Texts of like length share a batch, so that little of it is padding.
        let mut order: Vec<usize> = (0..inputs.len()).collect();
        order.sort_by_key(|index| inputs[*index].len());
        let budget = if self.device.is_cpu() { BATCH_TOKENS } else { BATCH_TOKENS_GPU };
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let fitting =
                (1..=rest.len()).take_while(|count| count * inputs[rest[count - 1]].len() <= budget);
            let (batch, after) = rest.split_at(fitting.last().unwrap_or(1));
            let batch_inputs: Vec<&[u32]> = batch.iter().map(|index| inputs[*index].as_slice()).collect();
            let _turn = TURNS.take(is_interactive, cancel)?;
            for (index, vector) in batch.iter().zip(self.embed_batch(&batch_inputs)?) {
                vectors[*index] = vector;
            }
            rest = after;
        }
        Ok(vectors)
    }

    /// Mean of the last hidden states over the real tokens, scaled to length one.
    fn embed_batch(&self, inputs: &[&[u32]]) -> Result<Vec<Vec<f32>>, InferenceError> {
        let longest = inputs.iter().map(|input| input.len()).max().unwrap_or(0);
        let mut ids = Vec::with_capacity(inputs.len() * longest);
        let mut mask = Vec::with_capacity(ids.capacity());
        for input in inputs {
            let padding = longest - input.len();
            ids.extend_from_slice(input);
            ids.extend(std::iter::repeat_n(self.tokenizer.pad, padding));
            mask.extend(std::iter::repeat_n(1f32, input.len()));
            mask.extend(std::iter::repeat_n(0f32, padding));
        }
        let mask = Tensor::from_vec(mask, (inputs.len(), longest), &self.device)?;
        let hidden = self.encoder.forward(&ids, inputs.len(), longest, &mask)?;
        let weights = mask.unsqueeze(2)?;
        let sum = hidden.broadcast_mul(&weights)?.sum(1)?;
        let length = sum.sqr()?.sum_keepdim(1)?.sqrt()?;
        Ok(sum.broadcast_div(&length)?.to_dtype(DType::F32)?.to_vec2()?)
    }
}
