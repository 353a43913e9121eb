use std::{borrow::Cow, sync::Arc};

use candle_core::{
    D, Device, Tensor,
    quantized::{GgmlDType, QStorage, QTensor},
};
use rayon::prelude::*;

use crate::InferenceError;

/// A linear map with quantised weights.
pub(super) struct Projection {
    /// Side by side: their outputs follow one another.
    parts: Vec<Part>,
    bias: Option<Tensor>,
}

struct Part {
    /// `[outputs, inputs]`, the inputs perhaps padded with zeros.
    weight: Arc<QTensor>,
    padded_inputs: usize,
    /// Whether the quantised kernel is also the fastest for many rows at once.
    is_fast_for_batches: bool,
}

/// From so many rows on, dequantising the weights and multiplying in f32 beats a quantised product row by row.
const BATCH_ROWS: usize = 24;
/// The block of candle's fast kernels.
const FAST_BLOCK: usize = 256;

impl Projection {
    /// Tensors that share their input are joined where their types allow it, which saves waits between threads.
    pub(super) fn new(weights: Vec<QTensor>, bias: Option<Tensor>) -> Result<Projection, InferenceError> {
        let prepared = weights.into_iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let parts = join(prepared)?.into_iter().map(Part::new).collect::<Result<_, _>>()?;
        Ok(Projection { parts, bias })
    }

    /// `[rows, inputs]` → `[rows, outputs]`.
    pub(super) fn forward(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        let outputs =
            self.parts.iter().map(|part| part.forward(x)).collect::<candle_core::Result<Vec<_>>>()?;
        let output = if outputs.len() == 1 { outputs[0].clone() } else { Tensor::cat(&outputs, 1)? };
        match &self.bias {
            Some(bias) => output.broadcast_add(bias),
            None => Ok(output),
        }
    }
}

impl Part {
    fn new(weight: QTensor) -> Result<Part, InferenceError> {
        let (_, padded_inputs) = weight.shape().dims2()?;
        let is_fast_for_batches = match weight.dtype() {
            _ if !weight.device().is_cpu() => true,
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => false,
            GgmlDType::Q4K | GgmlDType::Q6K => cfg!(target_arch = "x86_64"),
            GgmlDType::Q8_0 => has_integer_dot_product() && padded_inputs.is_multiple_of(FAST_BLOCK),
            _ => false,
        };
        Ok(Part { weight: Arc::new(weight), padded_inputs, is_fast_for_batches })
    }

    fn forward(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        let (rows, inputs) = x.dims2()?;
        let x = if inputs < self.padded_inputs {
            x.pad_with_zeros(D::Minus1, 0, self.padded_inputs - inputs)?
        } else {
            x.contiguous()?
        };
        if rows >= BATCH_ROWS && !self.is_fast_for_batches {
            return x.matmul(&self.weight.dequantize(x.device())?.t()?);
        }
        x.apply_op1_no_bwd(self.weight.as_ref())
    }
}

/// On a CPU: types without a fast kernel become Q8_0, and Q8_0 rows are padded to the block of the fast kernel.
fn prepare(weight: QTensor) -> Result<QTensor, InferenceError> {
    if !weight.device().is_cpu() {
        return Ok(weight);
    }
    let (rows, inputs) = weight.shape().dims2()?;
    let padded = if has_integer_dot_product() { inputs.next_multiple_of(FAST_BLOCK) } else { inputs };
    let bytes = match weight.dtype() {
        GgmlDType::Q8_0 if padded == inputs => return Ok(weight),
        GgmlDType::Q8_0 => to_q8_0::<34>(&weight.data()?, inputs, padded, |block| *block),
        GgmlDType::Q5_0 => to_q8_0(&weight.data()?, inputs, padded, from_q5_0),
        GgmlDType::Q4_0 => to_q8_0(&weight.data()?, inputs, padded, from_q4_0),
        GgmlDType::Q4_1 | GgmlDType::Q5_1 => {
            let values = weight.dequantize(&Device::Cpu)?;
            let values = if padded > inputs { values.pad_with_zeros(1, 0, padded - inputs)? } else { values };
            return Ok(QTensor::quantize(&values, GgmlDType::Q8_0)?);
        }
        _ => return Ok(weight),
    };
    let storage = QStorage::from_data(Cow::Owned(bytes), &Device::Cpu, GgmlDType::Q8_0)?;
    Ok(QTensor::new(storage, (rows, padded))?)
}

/// A scale (f16) and 32 signed bytes.
type BlockQ8_0 = [u8; 34];
/// Values of one block of any of these types.
const BLOCK: usize = 32;

/// Rows of blocks of `N` bytes to rows of Q8_0 blocks, padded with zeros.
fn to_q8_0<const N: usize>(
    bytes: &[u8],
    inputs: usize,
    padded: usize,
    convert: impl Fn(&[u8; N]) -> BlockQ8_0 + Sync,
) -> Vec<u8> {
    let row = inputs / BLOCK * N;
    let padded_row = padded / BLOCK * size_of::<BlockQ8_0>();
    let mut out = vec![0; bytes.len() / row * padded_row];
    out.par_chunks_mut(padded_row).zip(bytes.par_chunks(row)).for_each(|(out, row)| {
        let blocks = row.as_chunks::<N>().0;
        for (out, block) in out.as_chunks_mut::<34>().0.iter_mut().zip(blocks) {
            *out = convert(block);
        }
    });
    out
}

/// A scale, 32 high bits, and 16 bytes of two low nibbles. Five bits fit in eight, so nothing is lost.
fn from_q5_0(block: &[u8; 22]) -> BlockQ8_0 {
    let high = u32::from_le_bytes([block[2], block[3], block[4], block[5]]);
    let mut out = [0; 34];
    out[..2].copy_from_slice(&block[..2]);
    for (index, pair) in block[6..].iter().enumerate() {
        let bit = |index: usize| ((high >> index & 1) as u8) << 4;
        out[2 + index] = (pair & 15 | bit(index)).wrapping_sub(16);
        out[2 + index + 16] = (pair >> 4 | bit(index + 16)).wrapping_sub(16);
    }
    out
}

/// A scale, and 16 bytes of two nibbles.
fn from_q4_0(block: &[u8; 18]) -> BlockQ8_0 {
    let mut out = [0; 34];
    out[..2].copy_from_slice(&block[..2]);
    for (index, pair) in block[2..].iter().enumerate() {
        out[2 + index] = (pair & 15).wrapping_sub(8);
        out[2 + index + 16] = (pair >> 4).wrapping_sub(8);
    }
    out
}

fn join(weights: Vec<QTensor>) -> Result<Vec<QTensor>, InferenceError> {
    let Some(first) = weights.first() else { return Ok(weights) };
    let (dtype, device) = (first.dtype(), first.device());
    if weights.len() == 1 || !device.is_cpu() || weights.iter().any(|weight| weight.dtype() != dtype) {
        return Ok(weights);
    }
    let (mut rows, (_, columns)) = (0, first.shape().dims2()?);
    let mut bytes = Vec::new();
    for weight in &weights {
        rows += weight.shape().dims2()?.0;
        bytes.extend_from_slice(&weight.data()?);
    }
    let storage = QStorage::from_data(Cow::Owned(bytes), &device, dtype)?;
    Ok(vec![QTensor::new(storage, (rows, columns))?])
}

/// Whether candle has its packed Q8_0 kernel on this CPU.
fn has_integer_dot_product() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
        wide || is_x86_feature_detected!("avxvnni")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of a type, and the same ones after `prepare`, give the same product as their f32 values.
    #[test]
    fn preparing_changes_no_weight() -> Result<(), InferenceError> {
        let values = Tensor::randn(0f32, 1.0, (48, 96), &Device::Cpu)?;
        let x = Tensor::randn(0f32, 1.0, (3, 96), &Device::Cpu)?;
        for (dtype, tolerance) in [
            (GgmlDType::Q4_0, 0.0),
            (GgmlDType::Q5_0, 0.0),
            (GgmlDType::Q8_0, 0.0),
            (GgmlDType::Q4_1, 0.02),
            (GgmlDType::Q5_1, 0.02),
        ] {
            let weight = QTensor::quantize(&values, dtype)?;
            let plain = weight.dequantize(&Device::Cpu)?;
            let prepared = prepare(weight)?;
            let kept = prepared.dequantize(&Device::Cpu)?.narrow(1, 0, 96)?;
            let apart = (kept - &plain)?.abs()?.max_all()?.to_scalar::<f32>()?;
            assert!(apart <= tolerance, "{dtype:?}: {apart}");
            for rows in [3, 64] {
                let x = x.get(0)?.broadcast_as((rows, 96))?.contiguous()?;
                let expected = x.matmul(&plain.t()?)?;
                let product = Projection::new(vec![QTensor::quantize(&plain, dtype)?], None)?.forward(&x)?;
                let apart = (product - expected)?.abs()?.max_all()?.to_scalar::<f32>()?;
                assert!(apart < 0.5, "{dtype:?} × {rows}: {apart}");
            }
        }
        Ok(())
    }

    #[test]
    fn joined_outputs_follow_one_another() -> Result<(), InferenceError> {
        let part = |seed: f32| Tensor::full(seed, (16, 32), &Device::Cpu);
        let weights = [1.0, 2.0].map(|seed| QTensor::quantize(&part(seed)?, GgmlDType::Q8_0));
        let [a, b] = weights;
        let output = Projection::new(vec![a?, b?], None)?.forward(&Tensor::ones(
            (1, 32),
            candle_core::DType::F32,
            &Device::Cpu,
        )?)?;
        let output = output.to_vec2::<f32>()?.remove(0);
        assert_eq!(output.len(), 32);
        assert!((output[0] - 32.0).abs() < 0.5 && (output[31] - 64.0).abs() < 1.0, "{output:?}");
        Ok(())
    }
}
