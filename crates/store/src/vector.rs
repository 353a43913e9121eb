use std::collections::BTreeMap;

/// A vector as it is kept: one signed byte a dimension and a common scale, the precision of the index itself.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVector {
    /// [`text_hash`] of the text it stands for: a vector of a text that has changed since is of no use.
    pub text: u32,
    pub scale: f32,
    pub values: Vec<i8>,
}

/// Tells two texts apart: FNV-1a (Fowler, Noll, Vo), 32 bits, the same on every machine.
pub fn text_hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

impl StoredVector {
    /// Symmetric quantisation: the largest magnitude becomes 127. A vector that came out of [`StoredVector::to_f32`] stays as
    /// it is. Values that are not finite count as zero.
    pub fn new(text: &str, vector: &[f32]) -> StoredVector {
        let finite = |value: &f32| if value.is_finite() { *value } else { 0.0 };
        let largest = vector.iter().map(|value| finite(value).abs()).fold(0.0, f32::max);
        let scale = largest / 127.0;
        let values = vector
            .iter()
            .map(|value| if scale > 0.0 { (finite(value) / scale).round() as i8 } else { 0 })
            .collect();
        StoredVector { text: text_hash(text), scale, values }
    }

    pub fn to_f32(&self) -> Vec<f32> {
        self.values.iter().map(|value| f32::from(*value) * self.scale).collect()
    }
}

/// Vectors by id as bytes: dimensions (u16), then per vector id (u32), text hash (u32), scale (f32) and one byte a dimension, little-endian.
/// All vectors of a block have the dimensions of the first.
pub(crate) fn encode(vectors: &BTreeMap<u32, StoredVector>) -> Vec<u8> {
    let dimensions = vectors.values().next().map_or(0, |vector| vector.values.len());
    let mut bytes = Vec::with_capacity(2 + vectors.len() * (12 + dimensions));
    bytes.extend((dimensions as u16).to_le_bytes());
    for (id, vector) in vectors.iter().filter(|(_, vector)| vector.values.len() == dimensions) {
        bytes.extend(id.to_le_bytes());
        bytes.extend(vector.text.to_le_bytes());
        bytes.extend(vector.scale.to_le_bytes());
        bytes.extend(vector.values.iter().map(|value| value.to_le_bytes()[0]));
    }
    bytes
}

/// The inverse of [`encode`]; `None` for bytes that are not whole vectors.
pub(crate) fn decode(bytes: &[u8]) -> Option<BTreeMap<u32, StoredVector>> {
    let (dimensions, vectors) = bytes.split_first_chunk::<2>()?;
    let size = 12 + usize::from(u16::from_le_bytes(*dimensions));
    if !vectors.len().is_multiple_of(size) {
        return None;
    }
    let vector = |bytes: &[u8]| {
        let (id, rest) = bytes.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_first_chunk::<4>()?;
        let (scale, values) = rest.split_first_chunk::<4>()?;
        let values = values.iter().map(|value| i8::from_le_bytes([*value])).collect();
        let (text, scale) = (u32::from_le_bytes(*text), f32::from_le_bytes(*scale));
        Some((u32::from_le_bytes(*id), StoredVector { text, scale, values }))
    };
    vectors.chunks_exact(size).map(vector).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u32) -> Vec<f32> {
        (0..384).map(|i| ((i * 37 + seed * 101) % 97) as f32 / 97.0 - 0.5).collect()
    }

    #[test]
    fn quantising_keeps_the_direction_and_twice_is_once() {
        let exact = vector(3);
        let stored = StoredVector::new("text", &exact);
        let back = stored.to_f32();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let cosine = dot(&exact, &back) / (dot(&exact, &exact) * dot(&back, &back)).sqrt();
        assert!(cosine > 0.9998, "{cosine}");
        assert_eq!(StoredVector::new("text", &back).values, stored.values);
    }

    #[test]
    fn odd_vectors_become_harmless_ones() {
        for odd in [vec![], vec![0.0; 384], vec![f32::NAN; 4], vec![f32::INFINITY, 1.0]] {
            let stored = StoredVector::new("text", &odd);
            assert_eq!(stored.values.len(), odd.len());
            assert!(stored.to_f32().iter().all(|value| value.is_finite()), "{odd:?}");
        }
    }

    #[test]
    fn blocks_read_back_and_cut_ones_are_refused() {
        let vectors: BTreeMap<u32, StoredVector> =
            [5, 70, 71].map(|id| (id, StoredVector::new("text", &vector(id)))).into();
        let bytes = encode(&vectors);
        assert_eq!(decode(&bytes), Some(vectors));
        assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
        assert_eq!(decode(&encode(&BTreeMap::new())), Some(BTreeMap::new()));
    }
}
