//! The E5S1 file: multilingual-e5-small with Q4_0 weights, its vocabulary and its text normalisation in one.

use std::collections::HashMap;

use crate::InferenceError;

/// Sizes of the encoder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub feed_forward: usize,
    pub vocabulary: usize,
    pub positions: usize,
    pub epsilon: f32,
}

/// A parsed file. Tensors stay in `bytes` until they are asked for.
pub(super) struct Container<'a> {
    bytes: &'a [u8],
    pub shape: Shape,
    pub pieces: Vec<(String, f64)>,
    pub begin: u32,
    pub end: u32,
    pub pad: u32,
    pub unknown: u32,
    /// What a character is replaced by before it is looked up.
    pub normalisation: HashMap<char, String>,
    tensors: HashMap<String, Span>,
}

#[derive(Clone, Copy)]
struct Span {
    is_quantised: bool,
    offset: usize,
    length: usize,
}

impl<'a> Container<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Container<'a>, InferenceError> {
        parse(bytes).ok_or_else(|| damaged("it is cut short or not an E5S1 file"))
    }

    /// f32 values of a tensor stored plainly.
    pub(super) fn plain(&self, name: &str) -> Result<Vec<f32>, InferenceError> {
        let (values, _) = self.span(name, false)?.as_chunks::<4>();
        Ok(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
    }

    /// Q4_0 blocks of a tensor, laid out as GGML's.
    pub(super) fn blocks(&self, name: &str) -> Result<&'a [u8], InferenceError> {
        self.span(name, true)
    }

    fn span(&self, name: &str, is_quantised: bool) -> Result<&'a [u8], InferenceError> {
        let span = self.tensors.get(name).filter(|span| span.is_quantised == is_quantised);
        span.and_then(|span| self.bytes.get(span.offset..)?.get(..span.length))
            .ok_or_else(|| damaged(&format!("tensor {name} is missing")))
    }
}

fn damaged(reason: &str) -> InferenceError {
    InferenceError::Damaged(reason.into())
}

fn parse(bytes: &[u8]) -> Option<Container<'_>> {
    let mut reader = Reader { rest: bytes.strip_prefix(b"E5S1")? };
    let _version = reader.u32()?;
    let [hidden, layers, heads, feed_forward, vocabulary, positions, _types] = reader.sizes()?;
    let epsilon = f32::from_le_bytes(reader.array()?);
    let block = reader.u32()?;
    if block != 32 {
        return None;
    }
    let shape = Shape { hidden, layers, heads, feed_forward, vocabulary, positions, epsilon };

    let count = reader.u32()? as usize;
    let [begin, end, pad, unknown] = [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
    let text_length = usize::try_from(reader.u64()?).ok()?;
    let offsets = reader.words(count.checked_add(1)?)?;
    let scores = reader.words(count)?;
    let text = reader.take(text_length)?;
    let mut pieces = Vec::with_capacity(count);
    for (span, score) in offsets.windows(2).zip(&scores) {
        let piece = text.get(span[0] as usize..span[1] as usize)?;
        pieces.push((String::from_utf8_lossy(piece).into_owned(), f64::from(f32::from_bits(*score))));
    }

    let count = reader.u32()?;
    let table = reader.u32()? as usize;
    let mut table = Reader { rest: reader.take(table)? };
    let mut normalisation = HashMap::new();
    for _ in 0..count {
        let from = table.u32()?;
        let length = table.take(1)?[0];
        let to = table.words(length.into())?;
        if let Some(from) = char::from_u32(from) {
            normalisation.insert(from, to.into_iter().filter_map(char::from_u32).collect());
        }
    }

    let mut tensors = HashMap::new();
    for _ in 0..reader.u32()? {
        let length = u16::from_le_bytes(reader.array()?);
        let name = String::from_utf8(reader.take(length.into())?.to_vec()).ok()?;
        let is_quantised = reader.take(1)?[0] == 1;
        let _elements = reader.u32()?;
        let offset = usize::try_from(reader.u64()?).ok()?;
        let length = usize::try_from(reader.u64()?).ok()?;
        tensors.insert(name, Span { is_quantised, offset, length });
    }
    Some(Container { bytes, shape, pieces, begin, end, pad, unknown, normalisation, tensors })
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn words(&mut self, count: usize) -> Option<Vec<u32>> {
        let (words, _) = self.take(count.checked_mul(4)?)?.as_chunks::<4>();
        Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn sizes<const N: usize>(&mut self) -> Option<[usize; N]> {
        let words = self.words(N)?;
        words.into_iter().map(|word| word as usize).collect::<Vec<_>>().try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        let mut file = b"E5S1".to_vec();
        for word in [1u32, 384, 12, 12, 1536, 250_037, 512, 2, 0, 32, 9, 0, 2, 1, 3] {
            file.extend(word.to_le_bytes());
        }
        for length in 0..file.len() {
            let outcome = Container::parse(&file[..length]);
            assert!(matches!(outcome, Err(InferenceError::Damaged(_))), "{length} bytes");
        }
    }
}
