use std::{fs::File, io::BufReader, path::Path};

use candle_core::{
    DType, Device, Tensor,
    quantized::{GgmlDType, QTensor, gguf_file::Content},
};
use candle_nn::{
    ops::{rms_norm, softmax_last_dim},
    rotary_emb,
};

use super::projection::Projection;
use crate::InferenceError;

/// A decoder of the Llama kind (Touvron et al., arXiv 2302.13971; Qwen2, arXiv 2407.10671). The weights never change;
/// what a text leaves behind is in its own [`KvCache`].
pub(crate) struct Transformer {
    shape: Shape,
    device: Device,
    words: QTensor,
    layers: Vec<Layer>,
    norm: Tensor,
    head: Projection,
    /// `[context, head_dimensions / 2]`.
    cosines: Tensor,
    sines: Tensor,
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    layers: usize,
    heads: usize,
    kv_heads: usize,
    head_dimensions: usize,
    epsilon: f32,
    rope_base: f32,
    /// Llama files turn neighbouring values, Qwen2 files values half a head apart.
    rope_is_interleaved: bool,
    context: usize,
}

struct Layer {
    attention_norm: Tensor,
    qkv: Projection,
    attention_output: Projection,
    feed_forward_norm: Tensor,
    gate_up: Projection,
    down: Projection,
}

/// Keys and values of the tokens read so far.
pub(crate) struct KvCache {
    layers: Vec<(Tensor, Tensor)>,
    length: usize,
    capacity: usize,
}

/// The cache grows by so many tokens.
const KV_STEP: usize = 512;

impl Transformer {
    /// Reads a GGUF file.
    pub(crate) fn load(
        path: &Path,
        context: usize,
        device: &Device,
    ) -> Result<(Transformer, Content), InferenceError> {
        let damaged = |error: candle_core::Error| InferenceError::Damaged(error.to_string());
        let file = File::open(path).map_err(|error| InferenceError::Damaged(error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let content = Content::read(&mut reader).map_err(damaged)?;
        let shape = Shape::of(&content, context)?;
        let mut tensor = |name: &str| content.tensor(&mut reader, name, device).map_err(damaged);
        let transformer = Transformer::build(shape, device, &mut |name, _| tensor(name))?;
        Ok((transformer, content))
    }

    /// Random weights of the shape of Qwen2.5-7B or, `small`, of Qwen2.5-0.5B: for measuring where no model is.
    pub(crate) fn random(small: bool, device: &Device) -> Result<Transformer, InferenceError> {
        let (shape, wide) = if small { (Shape::QWEN_0_5B, 4864) } else { (Shape::QWEN_7B, 18_944) };
        Transformer::build(shape, device, &mut |name, hint| {
            Ok(QTensor::quantize_onto(&random_values(&shape, wide, name, hint)?, hint.random_type(), device)?)
        })
    }

    /// The same random weights, of Qwen2.5-0.5B's shape, on a device and on the CPU.
    pub(crate) fn random_pair(device: &Device) -> Result<[Transformer; 2], InferenceError> {
        let (shape, wide) = (Shape { layers: 4, ..Shape::QWEN_0_5B }, 4864);
        let mut values: std::collections::HashMap<String, Tensor> = std::collections::HashMap::new();
        let mut on = |device: &Device| {
            Transformer::build(shape, device, &mut |name, hint| {
                if !values.contains_key(name) {
                    values.insert(name.to_string(), random_values(&shape, wide, name, hint)?);
                }
                Ok(QTensor::quantize_onto(&values[name], hint.random_type(), device)?)
            })
        };
        Ok([on(device)?, on(&Device::Cpu)?])
    }

    fn build(
        shape: Shape,
        device: &Device,
        tensor: &mut dyn FnMut(&str, Hint) -> Result<QTensor, InferenceError>,
    ) -> Result<Transformer, InferenceError> {
        let words = tensor("token_embd.weight", Hint::Words)?;
        let mut layers = Vec::new();
        for number in 0..shape.layers {
            let mut part = |name: &str, hint| tensor(&format!("blk.{number}.{name}"), hint);
            let heads = [("q", shape.heads), ("k", shape.kv_heads), ("v", shape.kv_heads)];
            let mut weights = Vec::new();
            let mut biases = Vec::new();
            for (name, count) in heads {
                weights.push(part(&format!("attn_{name}.weight"), Hint::Heads(count))?);
                // Qwen2 has these, Llama has not.
                if let Ok(bias) = part(&format!("attn_{name}.bias"), Hint::Bias(count)) {
                    biases.push(bias.dequantize(device)?);
                }
            }
            let bias = if biases.is_empty() { None } else { Some(Tensor::cat(&biases, 0)?) };
            let gate_up = vec![part("ffn_gate.weight", Hint::Widen)?, part("ffn_up.weight", Hint::Widen)?];
            layers.push(Layer {
                attention_norm: part("attn_norm.weight", Hint::Norm)?.dequantize(device)?,
                qkv: Projection::new(weights, bias)?,
                attention_output: Projection::new(
                    vec![part("attn_output.weight", Hint::Heads(shape.heads))?],
                    None,
                )?,
                feed_forward_norm: part("ffn_norm.weight", Hint::Norm)?.dequantize(device)?,
                gate_up: Projection::new(gate_up, None)?,
                down: Projection::new(vec![part("ffn_down.weight", Hint::Narrow)?], None)?,
            });
        }
        let norm = tensor("output_norm.weight", Hint::Norm)?.dequantize(device)?;
        // Small models use the word table in both directions.
        let head =
            tensor("output.weight", Hint::Words).or_else(|_| tensor("token_embd.weight", Hint::Words))?;
        let head = Projection::new(vec![head], None)?;
        let (cosines, sines) = shape.rotations(device)?;
        Ok(Transformer { shape, device: device.clone(), words, layers, norm, head, cosines, sines })
    }

    /// Most tokens a text can have.
    pub(crate) fn context(&self) -> usize {
        self.shape.context
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Reads `tokens` after those in the cache. Returns the logits over the vocabulary for the token that follows.
    pub(crate) fn forward(&self, tokens: &[u32], cache: &mut KvCache) -> candle_core::Result<Vec<f32>> {
        let Shape { heads, kv_heads, head_dimensions, epsilon, .. } = self.shape;
        let count = tokens.len();
        let start = cache.length;
        cache.reserve(count, &self.shape, &self.device)?;
        let ids = Tensor::new(tokens, &self.words.device())?;
        let mut x = self.words.embedding(&ids)?.to_dtype(DType::F32)?;
        let mask = if count > 1 { Some(self.causal_mask(start, count)?) } else { None };
        for (number, layer) in self.layers.iter().enumerate() {
            let normed = rms_norm(&x, &layer.attention_norm, epsilon)?;
            let qkv = layer.qkv.forward(&normed)?;
            let part = |from: usize, heads: usize| {
                let part = qkv.narrow(1, from * head_dimensions, heads * head_dimensions)?;
                part.reshape((count, heads, head_dimensions))?.transpose(0, 1)?.contiguous()
            };
            let query = self.rotate(&part(0, heads)?, start)?;
            let key = self.rotate(&part(heads, kv_heads)?, start)?;
            let value = part(heads + kv_heads, kv_heads)?;
            let (keys, values) = cache.append(number, &key, &value)?;
            let mixed = self.attend(&query, &keys, &values, mask.as_ref())?;
            x = (x + layer.attention_output.forward(&mixed)?)?;
            let normed = rms_norm(&x, &layer.feed_forward_norm, epsilon)?;
            let gate_up = layer.gate_up.forward(&normed)?;
            let wide = gate_up.dim(1)? / 2;
            let gated = (gate_up.narrow(1, 0, wide)?.silu()? * gate_up.narrow(1, wide, wide)?)?;
            x = (x + layer.down.forward(&gated)?)?;
        }
        cache.length += count;
        let last = rms_norm(&x.narrow(0, count - 1, 1)?.contiguous()?, &self.norm, epsilon)?;
        self.head.forward(&last)?.squeeze(0)?.to_vec1()
    }

    /// `[heads, count, head_dimensions]`, turned by position (Su et al., arXiv 2104.09864).
    fn rotate(&self, x: &Tensor, start: usize) -> candle_core::Result<Tensor> {
        let count = x.dim(1)?;
        let cosines = self.cosines.narrow(0, start, count)?;
        let sines = self.sines.narrow(0, start, count)?;
        let x = x.unsqueeze(0)?;
        let turned = if self.shape.rope_is_interleaved {
            rotary_emb::rope_i(&x, &cosines, &sines)?
        } else {
            rotary_emb::rope(&x, &cosines, &sines)?
        };
        turned.squeeze(0)
    }

    /// Several query heads share a key head; as further rows of one product they need no copies of it.
    fn attend(
        &self,
        query: &Tensor,
        keys: &Tensor,
        values: &Tensor,
        mask: Option<&Tensor>,
    ) -> candle_core::Result<Tensor> {
        let Shape { heads, kv_heads, head_dimensions, .. } = self.shape;
        let (_, count, _) = query.dims3()?;
        let (_, length, _) = keys.dims3()?;
        let scale = 1.0 / (head_dimensions as f64).sqrt();
        let rows = (query * scale)?.reshape((kv_heads, heads / kv_heads * count, head_dimensions))?;
        let mut scores = rows.matmul(&keys.t()?)?;
        if let Some(mask) = mask {
            scores = scores.reshape((heads, count, length))?.broadcast_add(mask)?.reshape(scores.shape())?;
        }
        let mixed = softmax_last_dim(&scores)?.matmul(values)?.reshape((heads, count, head_dimensions))?;
        mixed.transpose(0, 1)?.reshape((count, heads * head_dimensions))
    }

    /// `[count, start + count]`: no token sees a later one.
    fn causal_mask(&self, start: usize, count: usize) -> candle_core::Result<Tensor> {
        let length = start + count;
        let row =
            |row: usize| (0..length).map(move |column| if column > start + row { f32::MIN } else { 0.0 });
        let mask: Vec<f32> = (0..count).flat_map(row).collect();
        Tensor::from_vec(mask, (count, length), &self.device)
    }
}

/// What a tensor is for, so that random ones get the right shape.
#[derive(Debug, Clone, Copy)]
enum Hint {
    Words,
    Norm,
    Heads(usize),
    Bias(usize),
    Widen,
    Narrow,
}

impl Hint {
    fn random_type(self) -> GgmlDType {
        match self {
            Hint::Norm | Hint::Bias(_) => GgmlDType::F32,
            _ => GgmlDType::Q8_0,
        }
    }
}

fn random_values(shape: &Shape, wide: usize, name: &str, hint: Hint) -> candle_core::Result<Tensor> {
    let hidden = shape.heads * shape.head_dimensions;
    let dims: &[usize] = match hint {
        Hint::Words => &[32_768, hidden],
        Hint::Norm => &[hidden],
        Hint::Heads(count) => &[count * shape.head_dimensions, hidden],
        Hint::Bias(count) => &[count * shape.head_dimensions],
        Hint::Widen => &[wide, hidden],
        Hint::Narrow => &[hidden, wide],
    };
    let mean = if name.contains("norm") { 1.0f32 } else { 0.0 };
    Tensor::randn(mean, if dims.len() == 1 { 0.0 } else { 0.02 }, dims, &Device::Cpu)
}

impl Shape {
    const QWEN_0_5B: Shape = Shape {
        layers: 24,
        heads: 14,
        kv_heads: 2,
        head_dimensions: 64,
        epsilon: 1e-6,
        rope_base: 1e6,
        rope_is_interleaved: false,
        context: 4096,
    };
    const QWEN_7B: Shape =
        Shape { layers: 28, heads: 28, kv_heads: 4, head_dimensions: 128, ..Shape::QWEN_0_5B };

    fn of(content: &Content, context: usize) -> Result<Shape, InferenceError> {
        let value = |key: &str| {
            content
                .metadata
                .get(key)
                .ok_or_else(|| InferenceError::Damaged(format!("it does not state {key}")))
        };
        let architecture = value("general.architecture")?.to_string()?.clone();
        if architecture != "qwen2" && architecture != "llama" {
            let reason =
                format!("models of the kind {architecture} are not supported; use a Qwen2 or Llama one");
            return Err(InferenceError::Damaged(reason));
        }
        let number = |key: &str| -> Result<usize, InferenceError> {
            let value = value(&format!("{architecture}.{key}"))?;
            let read =
                value.to_u32().map_err(|_| InferenceError::Damaged(format!("its {key} is no number")))?;
            Ok(read as usize)
        };
        let real =
            |key: &str| value(&format!("{architecture}.{key}")).ok().and_then(|value| value.to_f32().ok());
        let heads = number("attention.head_count")?;
        let hidden = number("embedding_length")?;
        let kv_heads = number("attention.head_count_kv")?;
        if heads == 0 || kv_heads == 0 || heads % kv_heads != 0 || hidden % heads != 0 {
            return Err(InferenceError::Damaged(format!(
                "{heads} heads of {hidden} with {kv_heads} keys do not fit"
            )));
        }
        Ok(Shape {
            layers: number("block_count")?,
            heads,
            kv_heads,
            head_dimensions: hidden / heads,
            epsilon: real("attention.layer_norm_rms_epsilon").unwrap_or(1e-6),
            rope_base: real("rope.freq_base").unwrap_or(10_000.0),
            rope_is_interleaved: architecture == "llama",
            context: number("context_length")?.min(context),
        })
    }

    fn rotations(&self, device: &Device) -> Result<(Tensor, Tensor), InferenceError> {
        let half = self.head_dimensions / 2;
        let angle = |position: usize, pair: usize| {
            position as f32 / self.rope_base.powf(2.0 * pair as f32 / self.head_dimensions as f32)
        };
        let angles: Vec<f32> =
            (0..self.context).flat_map(|position| (0..half).map(move |pair| angle(position, pair))).collect();
        let angles = Tensor::from_vec(angles, (self.context, half), device)?;
        Ok((angles.cos()?, angles.sin()?))
    }
}

impl KvCache {
    pub(crate) fn new() -> KvCache {
        KvCache { layers: Vec::new(), length: 0, capacity: 0 }
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Forgets all but the first `length` tokens.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Makes room for `count` more tokens.
    fn reserve(&mut self, count: usize, shape: &Shape, device: &Device) -> candle_core::Result<()> {
        let needed = self.length + count;
        if needed > shape.context {
            candle_core::bail!("{needed} tokens do not fit in a context of {}", shape.context);
        }
        if needed <= self.capacity {
            return Ok(());
        }
        let capacity = needed.next_multiple_of(KV_STEP);
        let grown = |old: Option<&Tensor>| {
            let new = Tensor::zeros((shape.kv_heads, capacity, shape.head_dimensions), DType::F32, device)?;
            if let (Some(old), true) = (old, self.length > 0) {
                new.slice_set(&old.narrow(1, 0, self.length)?.contiguous()?, 1, 0)?;
            }
            candle_core::Result::Ok(new)
        };
        let layers = (0..shape.layers)
            .map(|number| {
                let old = self.layers.get(number);
                Ok((grown(old.map(|layer| &layer.0))?, grown(old.map(|layer| &layer.1))?))
            })
            .collect::<candle_core::Result<Vec<_>>>()?;
        self.layers = layers;
        self.capacity = capacity;
        Ok(())
    }

    /// Adds `[kv_heads, count, head_dimensions]` and returns all keys and values so far.
    fn append(&self, layer: usize, key: &Tensor, value: &Tensor) -> candle_core::Result<(Tensor, Tensor)> {
        let (keys, values) = &self.layers[layer];
        let length = self.length + key.dim(1)?;
        keys.slice_set(&key.contiguous()?, 1, self.length)?;
        values.slice_set(&value.contiguous()?, 1, self.length)?;
        Ok((keys.narrow(1, 0, length)?, values.narrow(1, 0, length)?))
    }
}
