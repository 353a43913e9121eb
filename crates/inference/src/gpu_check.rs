use candle_core::Device;

use crate::{
    Cancel, DeviceChoice, Embedder, InferenceError, Speed,
    local::transformer::{KvCache, Transformer},
    speed::measure,
};
use loci_protocol::EmbedKind;

/// What a GPU computes beside what the CPU does with the same weights.
#[derive(Debug, Clone)]
pub struct GpuReport {
    pub device: String,
    /// Least cosine between a vector of the GPU and the CPU's; 1 is the same.
    pub worst_cosine: f32,
    /// How many of the tokens written greedily are the CPU's, before the first that is not.
    pub same_tokens: usize,
    pub tokens: usize,
    /// Largest difference of a logit, relative to the largest logit.
    pub worst_logit: f32,
    pub passages_per_second: f64,
    pub cpu_passages_per_second: f64,
    /// Of a model of Qwen2.5-7B's shape (32,768 words), or of the file given.
    pub speed: Speed,
}

const TOKENS: usize = 24;

/// Embeds and writes greedily on the GPU and on the CPU and compares them. Without files it makes random weights of
/// the real shapes: of Qwen2.5-0.5B for the comparison, of Qwen2.5-7B for the speed.
///
/// # Errors
/// When there is no GPU, this program was built without the feature `cuda`, or a computation fails.
pub fn gpu_check(
    embedder: Option<&std::path::Path>,
    language_model: Option<&std::path::Path>,
) -> Result<GpuReport, InferenceError> {
    let gpu = DeviceChoice::Cuda(0).open()?;
    let embedders = match embedder {
        Some(path) => {
            [Embedder::load(path, DeviceChoice::Cuda(0))?, Embedder::load(path, DeviceChoice::Cpu)?]
        }
        None => {
            let cpu = Embedder::random(&Device::Cpu)?;
            [cpu.to_device(&gpu)?, cpu]
        }
    };
    let texts: Vec<String> =
        ["A bridge over a river.", "The library opened in 1921.", "x"].map(String::from).to_vec();
    let vectors =
        embedders.each_ref().map(|embedder| embedder.embed(EmbedKind::Passage, &texts, &Cancel::new()));
    let [on_gpu, on_cpu] = vectors;
    let (on_gpu, on_cpu) = (on_gpu?, on_cpu?);
    let cosine = |(a, b): (&Vec<f32>, &Vec<f32>)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let worst_cosine = on_gpu.iter().zip(&on_cpu).map(cosine).fold(1.0, f32::min);

    let models = match language_model {
        Some(path) => {
            [Transformer::load(path, 4096, &gpu)?.0, Transformer::load(path, 4096, &Device::Cpu)?.0]
        }
        None => Transformer::random_pair(&gpu)?,
    };
    let (same_tokens, worst_logit) = compare(&models[0], &models[1])?;
    let speed = match language_model {
        Some(_) => measure(&models[0], 512, 64)?.0,
        None => {
            drop(models);
            measure(&Transformer::random(false, &gpu)?, 512, 64)?.0
        }
    };
    Ok(GpuReport {
        device: crate::device::describe(&gpu),
        worst_cosine,
        same_tokens,
        tokens: TOKENS,
        worst_logit,
        passages_per_second: embedders[0].measure(512)?,
        cpu_passages_per_second: embedders[1].measure(16)?,
        speed,
    })
}

/// Both read the same text; the second's choices are followed by both.
fn compare(a: &Transformer, b: &Transformer) -> Result<(usize, f32), InferenceError> {
    let mut tokens: Vec<u32> = (0..48).map(|number| 100 + number * 37).collect();
    let (mut a_cache, mut b_cache) = (KvCache::new(), KvCache::new());
    let (mut same, mut is_same, mut worst) = (0, true, 0f32);
    for _ in 0..TOKENS {
        let (a_logits, b_logits) = (a.forward(&tokens, &mut a_cache)?, b.forward(&tokens, &mut b_cache)?);
        let best = |logits: &[f32]| {
            let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            best.map_or(0, |(token, _)| token as u32)
        };
        let largest = b_logits.iter().fold(0f32, |most, logit| most.max(logit.abs()));
        let apart = a_logits.iter().zip(&b_logits).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
        worst = worst.max(apart / largest.max(f32::MIN_POSITIVE));
        is_same &= best(&a_logits) == best(&b_logits);
        same += usize::from(is_same);
        tokens = vec![best(&b_logits)];
    }
    Ok((same, worst))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comparison_tells_models_apart() -> Result<(), InferenceError> {
        let [a, b] = Transformer::random_pair(&Device::Cpu)?;
        let (same, worst) = compare(&a, &b)?;
        assert_eq!(same, TOKENS, "the same weights on the same device write the same");
        assert!(worst < 1e-3, "{worst}");
        let other = Transformer::random(true, &Device::Cpu)?;
        assert!(compare(&a, &other)?.0 < TOKENS, "other weights write something else");
        Ok(())
    }
}
