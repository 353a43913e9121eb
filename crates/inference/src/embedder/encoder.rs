use std::{borrow::Cow, path::Path};

use candle_core::{
    D, DType, Device, Tensor,
    quantized::{GgmlDType, QStorage, QTensor},
    safetensors::MmapedSafetensors,
};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use super::{
    container::{Container, Shape},
    gelu::gelu,
};
use crate::InferenceError;

/// The encoder of BERT (Devlin et al., arXiv 1810.04805), computed in f32.
pub(super) struct Encoder {
    shape: Shape,
    device: Device,
    words: WordTable,
    positions: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
}

/// The largest tensor by far; only rows of it are ever used, so it stays as compact as it came.
enum WordTable {
    Quantised(QTensor),
    Plain(Tensor),
}

struct Layer {
    /// Query, key and value in one product.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    feed_forward: Linear,
    feed_forward_output: Linear,
    output_norm: Norm,
}

struct Linear {
    /// `[inputs, outputs]`, so that the product needs no transposition.
    weight: Tensor,
    bias: Tensor,
}

struct Norm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f32,
}

const E5_SMALL: Shape = Shape {
    hidden: 384,
    layers: 12,
    heads: 12,
    feed_forward: 1536,
    vocabulary: 250_037,
    positions: 512,
    epsilon: 1e-12,
};

impl Encoder {
    pub(super) fn from_container(container: &Container, device: &Device) -> Result<Encoder, InferenceError> {
        let shape = container.shape;
        let hidden = shape.hidden;
        let plain = |name: &str| -> Result<Tensor, InferenceError> {
            let values = container.plain(name)?;
            let length = values.len();
            Ok(Tensor::from_vec(values, length, device)?)
        };
        let norm = |name: &str| -> Result<Norm, InferenceError> {
            let [weight, bias] = [plain(&format!("{name}.w"))?, plain(&format!("{name}.b"))?];
            Ok(Norm { weight, bias, epsilon: shape.epsilon })
        };
        let linear = |names: &[String], outputs: usize, inputs: usize| -> Result<Linear, InferenceError> {
            let mut weights = Vec::new();
            let mut biases = Vec::new();
            for name in names {
                let blocks = container.blocks(&format!("{name}.w"))?;
                weights.push(q4_0(blocks, outputs, inputs, &Device::Cpu)?.dequantize(device)?);
                biases.push(plain(&format!("{name}.b"))?);
            }
            Ok(Linear {
                weight: Tensor::cat(&weights, 0)?.t()?.contiguous()?,
                bias: Tensor::cat(&biases, 0)?,
            })
        };
        let mut layers = Vec::new();
        for number in 0..shape.layers {
            let name = |part: &str| format!("l{number}.{part}");
            layers.push(Layer {
                attention: linear(&[name("q"), name("k"), name("v")], hidden, hidden)?,
                attention_output: linear(&[name("ao")], hidden, hidden)?,
                attention_norm: norm(&name("aln"))?,
                feed_forward: linear(&[name("fi")], shape.feed_forward, hidden)?,
                feed_forward_output: linear(&[name("fo")], hidden, shape.feed_forward)?,
                output_norm: norm(&name("oln"))?,
            });
        }
        let words = q4_0(container.blocks("emb.word")?, shape.vocabulary, hidden, &Device::Cpu)?;
        // All tokens are of the first type, so its vector is added to every position once and for all.
        let kind = plain("emb.type")?.narrow(0, 0, hidden)?;
        let positions = plain("emb.pos")?.reshape((shape.positions, hidden))?.broadcast_add(&kind)?;
        let norm = norm("emb.ln")?;
        let words = WordTable::Quantised(words);
        Ok(Encoder { shape, device: device.clone(), words, positions, norm, layers })
    }

    /// The tensors as the publisher names them.
    pub(super) fn from_safetensors(path: &Path, device: &Device) -> Result<Encoder, InferenceError> {
        #[expect(
            unsafe_code,
            reason = "candle maps the file; it lies in the model cache, which nothing rewrites"
        )]
        // SAFETY: files of the model cache are complete before they get their name and are not changed afterwards.
        let file = unsafe { MmapedSafetensors::new(path) }
            .map_err(|error| InferenceError::Damaged(error.to_string()))?;
        let tensor = |name: &str| -> Result<Tensor, InferenceError> {
            let prefixed = format!("bert.{name}");
            let loaded = file.load(name, device).or_else(|_| file.load(&prefixed, device));
            let tensor = loaded.map_err(|error| InferenceError::Damaged(error.to_string()))?;
            Ok(tensor.to_dtype(DType::F32)?)
        };
        Encoder::build(E5_SMALL, device, &tensor)
    }

    /// Random weights of the real shapes.
    pub(super) fn random(device: &Device) -> Result<Encoder, InferenceError> {
        let shape = Shape { vocabulary: 1024, ..E5_SMALL };
        let (hidden, wide) = (shape.hidden, shape.feed_forward);
        let tensor = |name: &str| -> Result<Tensor, InferenceError> {
            let is_norm = name.contains("LayerNorm");
            let deviation = if is_norm { 0.0 } else { 0.05 };
            let mean = if is_norm && name.ends_with("weight") { 1.0f32 } else { 0.0 };
            let dims: &[usize] = match name {
                "embeddings.word_embeddings.weight" => &[shape.vocabulary, hidden],
                "embeddings.position_embeddings.weight" => &[shape.positions, hidden],
                "embeddings.token_type_embeddings.weight" => &[2, hidden],
                _ if name.ends_with("intermediate.dense.weight") => &[wide, hidden],
                _ if name.ends_with("intermediate.dense.bias") => &[wide],
                _ if is_norm || name.ends_with("bias") => &[hidden],
                _ if !name.contains("attention") => &[hidden, wide],
                _ => &[hidden, hidden],
            };
            Ok(Tensor::randn(mean, deviation, dims, &Device::Cpu)?.to_device(device)?)
        };
        Encoder::build(shape, device, &tensor)
    }

    /// The same weights on another device; for random ones, whose words are plain.
    pub(super) fn to_device(&self, device: &Device) -> Result<Encoder, InferenceError> {
        let norm = |norm: &Norm| -> candle_core::Result<Norm> {
            let [weight, bias] = [norm.weight.to_device(device)?, norm.bias.to_device(device)?];
            Ok(Norm { weight, bias, epsilon: norm.epsilon })
        };
        let linear = |linear: &Linear| -> candle_core::Result<Linear> {
            Ok(Linear { weight: linear.weight.to_device(device)?, bias: linear.bias.to_device(device)? })
        };
        let layer = |layer: &Layer| -> candle_core::Result<Layer> {
            Ok(Layer {
                attention: linear(&layer.attention)?,
                attention_output: linear(&layer.attention_output)?,
                attention_norm: norm(&layer.attention_norm)?,
                feed_forward: linear(&layer.feed_forward)?,
                feed_forward_output: linear(&layer.feed_forward_output)?,
                output_norm: norm(&layer.output_norm)?,
            })
        };
        let words = match &self.words {
            WordTable::Quantised(table) => table.dequantize(device)?,
            WordTable::Plain(table) => table.to_device(device)?,
        };
        Ok(Encoder {
            shape: self.shape,
            device: device.clone(),
            words: WordTable::Plain(words),
            positions: self.positions.to_device(device)?,
            norm: norm(&self.norm)?,
            layers: self.layers.iter().map(layer).collect::<candle_core::Result<_>>()?,
        })
    }

    fn build(
        shape: Shape,
        device: &Device,
        tensor: &dyn Fn(&str) -> Result<Tensor, InferenceError>,
    ) -> Result<Encoder, InferenceError> {
        let norm = |name: &str| -> Result<Norm, InferenceError> {
            let [weight, bias] = [tensor(&format!("{name}.weight"))?, tensor(&format!("{name}.bias"))?];
            Ok(Norm { weight, bias, epsilon: shape.epsilon })
        };
        let linear = |names: &[String]| -> Result<Linear, InferenceError> {
            let part = |suffix: &str| -> Result<Tensor, InferenceError> {
                let parts = names.iter().map(|name| tensor(&format!("{name}.{suffix}")));
                Ok(Tensor::cat(&parts.collect::<Result<Vec<_>, _>>()?, 0)?)
            };
            Ok(Linear { weight: part("weight")?.t()?.contiguous()?, bias: part("bias")? })
        };
        let mut layers = Vec::new();
        for number in 0..shape.layers {
            let name = |part: &str| format!("encoder.layer.{number}.{part}");
            let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            layers.push(Layer {
                attention: linear(&attention)?,
                attention_output: linear(&[name("attention.output.dense")])?,
                attention_norm: norm(&name("attention.output.LayerNorm"))?,
                feed_forward: linear(&[name("intermediate.dense")])?,
                feed_forward_output: linear(&[name("output.dense")])?,
                output_norm: norm(&name("output.LayerNorm"))?,
            });
        }
        // Half the memory; f16 holds an embedding to three digits, and the norm that follows evens out the rest.
        let words = tensor("embeddings.word_embeddings.weight")?.to_dtype(DType::F16)?;
        let kind = tensor("embeddings.token_type_embeddings.weight")?.get(0)?;
        let positions = tensor("embeddings.position_embeddings.weight")?.broadcast_add(&kind)?;
        let norm = norm("embeddings.LayerNorm")?;
        Ok(Encoder { shape, device: device.clone(), words: WordTable::Plain(words), positions, norm, layers })
    }

    /// Last hidden states `[batch, length, hidden]` of `batch` × `length` token ids. `mask` `[batch, length]` is 1 for
    /// a token and 0 for padding.
    pub(super) fn forward(
        &self,
        ids: &[u32],
        batch: usize,
        length: usize,
        mask: &Tensor,
    ) -> candle_core::Result<Tensor> {
        let Shape { hidden, heads, .. } = self.shape;
        let words = self.words.rows(ids, &self.device)?.reshape((batch, length, hidden))?;
        let words = words.broadcast_add(&self.positions.narrow(0, 0, length)?)?;
        let mut x = self.norm.forward(&words.reshape((batch * length, hidden))?)?;
        // A large finite penalty: an infinite one gives NaN where a row holds nothing else.
        let penalty = ((mask - 1.0)? * 1e9)?.reshape((batch, 1, 1, length))?;
        let scale = 1.0 / ((hidden / heads) as f64).sqrt();
        for layer in &self.layers {
            let qkv = layer.attention.forward(&x)?.reshape((batch, length, 3, heads, hidden / heads))?;
            let part = |number| qkv.narrow(2, number, 1)?.squeeze(2)?.transpose(1, 2)?.contiguous();
            let scores = (part(0)? * scale)?.matmul(&part(1)?.t()?)?.broadcast_add(&penalty)?;
            let mixed = softmax_last_dim(&scores)?.matmul(&part(2)?)?;
            let mixed = mixed.transpose(1, 2)?.reshape((batch * length, hidden))?;
            x = layer.attention_norm.forward(&(layer.attention_output.forward(&mixed)? + x)?)?;
            let wide = gelu(&layer.feed_forward.forward(&x)?)?;
            x = layer.output_norm.forward(&(layer.feed_forward_output.forward(&wide)? + x)?)?;
        }
        x.reshape((batch, length, hidden))
    }
}

impl WordTable {
    fn rows(&self, ids: &[u32], device: &Device) -> candle_core::Result<Tensor> {
        match self {
            WordTable::Quantised(table) => {
                table.embedding(&Tensor::new(ids, &Device::Cpu)?)?.to_dtype(DType::F32)?.to_device(device)
            }
            WordTable::Plain(table) => table.embedding(&Tensor::new(ids, device)?)?.to_dtype(DType::F32),
        }
    }
}

impl Linear {
    fn forward(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        x.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

impl Norm {
    fn forward(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        debug_assert_eq!(x.dim(D::Minus1)?, self.weight.elem_count());
        layer_norm(&x.contiguous()?, &self.weight, &self.bias, self.epsilon)
    }
}

/// A `[rows, columns]` tensor of Q4_0 blocks.
fn q4_0(blocks: &[u8], rows: usize, columns: usize, device: &Device) -> Result<QTensor, InferenceError> {
    if blocks.len() != rows * columns / 32 * 18 {
        return Err(InferenceError::Damaged(format!(
            "a tensor of {rows} × {columns} has {} bytes",
            blocks.len()
        )));
    }
    let storage = QStorage::from_data(Cow::Borrowed(blocks), device, GgmlDType::Q4_0)?;
    Ok(QTensor::new(storage, (rows, columns))?)
}
