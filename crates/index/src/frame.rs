use serde::{Serialize, de::DeserializeOwned};

/// Why stored bytes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The bytes end before the length they state.
    #[error("the index file is cut short; it will be built anew")]
    CutShort,
    /// The bytes are not an index part of the expected kind.
    #[error("these bytes are not the expected part of an index")]
    WrongKind,
    /// Written by a version of Loci that this one does not know.
    #[error("the index was written in format {found}, this version reads {expected}; it will be built anew")]
    Version { expected: u32, found: u32 },
    /// The checksum does not match.
    #[error("the index file is damaged; it will be built anew")]
    Damaged,
}

const VERSION: u32 = 1;

/// Header of every persisted part: magic, version, length and checksum of the payload, little-endian.
const HEADER: usize = 4 + 4 + 8 + 8;

pub(crate) fn write(magic: [u8; 4], value: &impl Serialize) -> Vec<u8> {
    let payload = postcard::to_allocvec(value).expect("plain data always serialises");
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&magic);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

pub(crate) fn read<T: DeserializeOwned>(magic: [u8; 4], bytes: &[u8]) -> Result<T, LoadError> {
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or(LoadError::CutShort)?;
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    if header[..4] != magic {
        return Err(LoadError::WrongKind);
    }
    let found = (word(0) >> 32) as u32;
    if found != VERSION {
        return Err(LoadError::Version { expected: VERSION, found });
    }
    match (payload.len() as u64).cmp(&word(8)) {
        std::cmp::Ordering::Less => return Err(LoadError::CutShort),
        std::cmp::Ordering::Greater => return Err(LoadError::Damaged),
        std::cmp::Ordering::Equal => {}
    }
    if checksum(payload) != word(16) {
        return Err(LoadError::Damaged);
    }
    postcard::from_bytes(payload).map_err(|_| LoadError::Damaged)
}

/// FNV-1a over eight bytes at a time: guards against accidents, not against malice.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    let hash = words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| step(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| step(hash, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_and_every_flip_is_refused() {
        let value: Vec<u32> = (0..20).collect();
        let bytes = write(*b"test", &value);
        assert_eq!(read::<Vec<u32>>(*b"test", &bytes), Ok(value));
        for cut in 0..bytes.len() {
            assert_eq!(read::<Vec<u32>>(*b"test", &bytes[..cut]), Err(LoadError::CutShort), "{cut}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x10;
            assert!(read::<Vec<u32>>(*b"test", &flipped).is_err(), "{at}");
        }
        assert_eq!(read::<Vec<u32>>(*b"else", &bytes), Err(LoadError::WrongKind));
    }
}
