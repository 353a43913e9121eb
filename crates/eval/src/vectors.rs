//! Vectors by the hash of the embedded text, kept in one append-only file.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

/// Components of a vector of multilingual-e5-small.
pub const DIMENSION: usize = 384;
const RECORD: usize = 16 + DIMENSION * 4;

/// Which of e5's two prefixes a text bears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Query,
    Passage,
}

pub struct VectorCache {
    path: Option<PathBuf>,
    bytes: Vec<u8>,
    places: FxHashMap<[u8; 16], usize>,
    /// Whether a missing vector is left missing.
    pub cached_only: bool,
    #[cfg(feature = "inference")]
    embedder: Option<loci_inference::Embedder>,
}

impl VectorCache {
    /// The cache in the folder `cache`, in memory only when there is none. A record cut short at the end of the
    /// file (a run that was stopped) is dropped.
    pub fn open(cache: Option<&Path>) -> Result<VectorCache> {
        let mut vectors = VectorCache {
            path: cache.map(|folder| folder.join("vectors-e5-small.bin")),
            bytes: Vec::new(),
            places: FxHashMap::default(),
            cached_only: false,
            #[cfg(feature = "inference")]
            embedder: None,
        };
        if let (Some(folder), Some(path)) = (cache, &vectors.path) {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            if path.exists() {
                File::open(path)
                    .and_then(|mut file| file.read_to_end(&mut vectors.bytes))
                    .with_context(|| format!("cannot read {}", path.display()))?;
                let whole = vectors.bytes.len() / RECORD * RECORD;
                if whole < vectors.bytes.len() {
                    OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
                    vectors.bytes.truncate(whole);
                }
            }
        }
        for (number, record) in vectors.bytes.chunks_exact(RECORD).enumerate() {
            let key = std::array::from_fn(|i| record[i]);
            vectors.places.insert(key, number * RECORD);
        }
        Ok(vectors)
    }

    pub fn get(&self, role: Role, text: &str) -> Option<Vec<f32>> {
        let &place = self.places.get(&key(role, text))?;
        let (numbers, _) = self.bytes[place + 16..place + RECORD].as_chunks::<4>();
        Some(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// Keeps vectors, on disk too.
    pub fn put(&mut self, role: Role, items: impl IntoIterator<Item = (String, Vec<f32>)>) -> Result<usize> {
        let start = self.bytes.len();
        for (text, vector) in items {
            ensure!(
                vector.len() == DIMENSION,
                "a vector of {} components instead of {DIMENSION}",
                vector.len()
            );
            let key = key(role, &text);
            if self.places.contains_key(&key) {
                continue;
            }
            self.places.insert(key, self.bytes.len());
            self.bytes.extend_from_slice(&key);
            vector.iter().for_each(|x| self.bytes.extend_from_slice(&x.to_le_bytes()));
        }
        if let (Some(path), true) = (&self.path, self.bytes.len() > start) {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(&self.bytes[start..])
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok((self.bytes.len() - start) / RECORD)
    }

    /// Makes sure that every text has its vector, computing those that are missing.
    pub fn complete(&mut self, role: Role, texts: impl IntoIterator<Item = String>) -> Result<()> {
        let mut missing: Vec<String> =
            texts.into_iter().filter(|text| !self.places.contains_key(&key(role, text))).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        if self.cached_only {
            eprintln!("{} vectors are not in the cache and stay missing", missing.len());
            return Ok(());
        }
        self.compute(role, missing)
    }

    #[cfg(feature = "inference")]
    fn compute(&mut self, role: Role, mut missing: Vec<String>) -> Result<()> {
        use loci_inference::{Cancel, DeviceChoice, Embedder};
        use loci_protocol::EmbedKind;
        const BATCH: usize = 32;
        let embedder = match self.embedder.take() {
            Some(embedder) => embedder,
            None => {
                let model = loci_models::fetch(
                    &loci_models::EMBEDDER,
                    &loci_models::FetchOptions::from_env(),
                    &mut |_| {},
                )?;
                Embedder::load(&model.path, DeviceChoice::Auto)?
            }
        };
        let kind = match role {
            Role::Query => EmbedKind::Query,
            Role::Passage => EmbedKind::Passage,
        };
        // Texts of one length pad each other least.
        missing.sort_by_key(String::len);
        let total = missing.len();
        for (batch, texts) in missing.chunks(BATCH).enumerate() {
            if batch % 8 == 0 {
                eprintln!("computing vectors: {} of {total}", batch * BATCH);
            }
            let vectors = embedder.embed(kind, texts, &Cancel::new())?;
            self.put(role, texts.iter().cloned().zip(vectors))?;
        }
        self.embedder = Some(embedder);
        Ok(())
    }

    #[cfg(not(feature = "inference"))]
    fn compute(&mut self, _role: Role, missing: Vec<String>) -> Result<()> {
        anyhow::bail!(
            "{} vectors are not in the cache (first: {:?}) and this build has no inference; fill the cache by \
             `loci-eval warm`, or build with the feature `inference`",
            missing.len(),
            missing[0]
        )
    }
}

fn key(role: Role, text: &str) -> [u8; 16] {
    let prefix = match role {
        Role::Query => "query: ",
        Role::Passage => "passage: ",
    };
    let digest = Sha256::new().chain_update(prefix).chain_update(text).finalize();
    std::array::from_fn(|i| digest[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_a_file_cut_short() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vector = |x: f32| (0..DIMENSION).map(|i| x + i as f32).collect::<Vec<_>>();
        let mut cache = VectorCache::open(Some(folder.path())).expect("opens");
        let items = [("a".to_string(), vector(1.0)), ("b".to_string(), vector(2.0))];
        assert_eq!(cache.put(Role::Passage, items).expect("writes"), 2);

        let path = folder.path().join("vectors-e5-small.bin");
        let length = std::fs::metadata(&path).expect("written").len();
        OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(length - 5)).expect("cut");
        let mut cache = VectorCache::open(Some(folder.path())).expect("opens");
        assert_eq!(cache.get(Role::Passage, "a"), Some(vector(1.0)));
        assert_eq!(cache.get(Role::Passage, "b"), None);
        assert_eq!(cache.get(Role::Query, "a"), None);
        cache.put(Role::Passage, [("b".to_string(), vector(3.0))]).expect("writes");
        let cache = VectorCache::open(Some(folder.path())).expect("opens");
        assert_eq!(cache.get(Role::Passage, "b"), Some(vector(3.0)));
    }
}
