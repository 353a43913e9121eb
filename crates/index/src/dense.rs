use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::dot::{dot_i8, dot_i16};
use crate::segment::{Segment, SegmentJob};
use crate::top::Top;

/// Why a vector was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// A component is NaN or infinite.
    #[error("the vector holds a component that is not a number")]
    NotFinite,
    /// Every component is zero (or the vector is empty), so it has no direction.
    #[error("the vector is zero")]
    Zero,
    /// Vectors of one index have one length; another model was used.
    #[error("the vector has {found} components, the index holds vectors of {expected}")]
    Dimension { expected: usize, found: usize },
}

/// A question's vector, prepared for comparison: unit length, 12 bits a component.
#[derive(Debug, Clone)]
pub struct QueryVector {
    values: Vec<i16>,
    inverse_norm: f32,
    /// The same at 8 bits, for walks through HNSW segments.
    pub(crate) coarse: Row,
}

/// An int8 vector and the inverse of its length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub values: Box<[i8]>,
    pub inverse_norm: f32,
}

impl QueryVector {
    /// # Errors
    /// [`VectorError`] for a zero vector or one with components that are not numbers.
    pub fn new(vector: &[f32]) -> Result<QueryVector, VectorError> {
        /// Keeps the sum of 4,096 products with int8 below 2³¹.
        const LARGEST: f32 = 4095.0;
        let largest = check(vector)?;
        let values: Vec<i16> = vector.iter().map(|x| (x / largest * LARGEST).round() as i16).collect();
        let inverse_norm = 1.0 / values.iter().map(|&x| f32::from(x).powi(2)).sum::<f32>().sqrt();
        Ok(QueryVector { values, inverse_norm, coarse: Row::new(vector)? })
    }

    pub fn dimension(&self) -> usize {
        self.values.len()
    }

    fn cosine(&self, values: &[i8], inverse_norm: f32) -> f32 {
        dot_i16(&self.values, values) as f32 * self.inverse_norm * inverse_norm
    }
}

impl Row {
    fn new(vector: &[f32]) -> Result<Row, VectorError> {
        let largest = check(vector)?;
        let values: Box<[i8]> = vector.iter().map(|x| (x / largest * 127.0).round() as i8).collect();
        let inverse_norm = 1.0 / (dot_i8(&values, &values) as f32).sqrt();
        Ok(Row { values, inverse_norm })
    }
}

/// The largest magnitude of a usable vector.
fn check(vector: &[f32]) -> Result<f32, VectorError> {
    if vector.iter().any(|x| !x.is_finite()) {
        return Err(VectorError::NotFinite);
    }
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest < f32::MIN_POSITIVE { Err(VectorError::Zero) } else { Ok(largest) }
}

/// Vectors named by a number: an exact int8 tail that takes every change at once, and HNSW segments that are built
/// elsewhere and adopted. A removed vector of a segment is a tombstone: the segment stays, the vector is skipped.
#[derive(Default)]
pub struct Dense {
    dimension: usize,
    /// The tail: `dimension` components per row.
    values: Vec<i8>,
    inverse_norms: Vec<f32>,
    ids: Vec<u32>,
    tail: FxHashMap<u32, u32>,
    segments: Vec<Segment>,
}

impl Dense {
    /// Below this many tail rows the exact scan is quicker than it is worth building a segment for.
    pub const CROSSOVER: usize = 20_000;
    /// Segments are merged beyond this number.
    const MOST_SEGMENTS: usize = 4;

    /// Number of live vectors.
    pub fn len(&self) -> usize {
        self.ids.len() + self.segments.iter().map(Segment::live).sum::<usize>()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of the vectors, 0 while there is none.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn contains(&self, id: u32) -> bool {
        self.tail.contains_key(&id) || self.segments.iter().any(|segment| segment.place(id).is_some())
    }

    /// Adds or replaces a vector.
    ///
    /// # Errors
    /// [`VectorError`]; the index is left as it was.
    pub fn insert(&mut self, id: u32, vector: &[f32]) -> Result<(), VectorError> {
        let row = Row::new(vector)?;
        if self.is_empty() {
            self.dimension = vector.len();
        } else if vector.len() != self.dimension {
            return Err(VectorError::Dimension { expected: self.dimension, found: vector.len() });
        }
        self.remove(id);
        self.push(id, &row);
        Ok(())
    }

    pub(crate) fn push(&mut self, id: u32, row: &Row) {
        self.tail.insert(id, self.ids.len() as u32);
        self.ids.push(id);
        self.values.extend_from_slice(&row.values);
        self.inverse_norms.push(row.inverse_norm);
    }

    /// Removes a vector; `false` when it was not there.
    pub fn remove(&mut self, id: u32) -> bool {
        let in_segment = self.segments.iter_mut().any(|segment| segment.bury(id));
        self.segments.retain(|segment| segment.live() > 0);
        let Some(row) = self.tail.remove(&id) else {
            return in_segment;
        };
        let (row, last) = (row as usize, self.ids.len() - 1);
        if row != last {
            let moved = last * self.dimension..(last + 1) * self.dimension;
            self.values.copy_within(moved, row * self.dimension);
            self.tail.insert(self.ids[last], row as u32);
        }
        self.ids.swap_remove(row);
        self.inverse_norms.swap_remove(row);
        self.values.truncate(last * self.dimension);
        true
    }

    /// The `k` nearest by cosine, best first; empty when the query has another length than the vectors.
    pub fn search(&self, query: &QueryVector, k: usize) -> Vec<(f32, u32)> {
        if query.dimension() != self.dimension {
            return Vec::new();
        }
        let mut top = Top::new(k);
        for (row, &id) in self.ids.iter().enumerate() {
            top.push(query.cosine(self.row(row), self.inverse_norms[row]), id);
        }
        for segment in &self.segments {
            for (id, row) in segment.search(&query.coarse, k) {
                top.push(query.cosine(&row.values, row.inverse_norm), id);
            }
        }
        top.into_sorted()
    }

    /// Cosine of a stored vector with the query.
    pub fn cosine(&self, id: u32, query: &QueryVector) -> Option<f32> {
        if query.dimension() != self.dimension {
            return None;
        }
        self.get(id).map(|(values, inverse_norm)| query.cosine(values, inverse_norm))
    }

    /// The stored components, before division by their length, with the inverse of that length.
    pub(crate) fn get(&self, id: u32) -> Option<(&[i8], f32)> {
        if let Some(&row) = self.tail.get(&id) {
            return Some((self.row(row as usize), self.inverse_norms[row as usize]));
        }
        self.segments.iter().find_map(|segment| {
            let row = segment.row(segment.place(id)?);
            Some((&*row.values, row.inverse_norm))
        })
    }

    /// The stored vector at unit length.
    pub fn vector(&self, id: u32) -> Option<Vec<f32>> {
        let (values, inverse_norm) = self.get(id)?;
        Some(values.iter().map(|&x| f32::from(x) * inverse_norm).collect())
    }

    /// Memory held, in bytes: components, ids and look-up tables.
    pub fn bytes(&self) -> usize {
        /// A look-up entry: key, value and control byte at a load of seven eighths.
        const ENTRY: usize = 10;
        let tail = self.values.len() + self.ids.len() * (4 + 4 + ENTRY);
        tail + self.segments.iter().map(Segment::bytes).sum::<usize>()
    }

    /// The numbers of all live vectors, in no order.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids.iter().copied().chain(self.segments.iter().flat_map(Segment::ids))
    }

    /// What should be built into a segment now, if anything: the tail once it is long, everything once there are
    /// many segments or tombstones.
    pub fn job(&self) -> Option<SegmentJob> {
        let buried: usize = self.segments.iter().map(Segment::buried).sum();
        let merge = self.segments.len() > Self::MOST_SEGMENTS || buried > self.len() / 3;
        if self.ids.len() < Self::CROSSOVER && !merge {
            return None;
        }
        let mut job = SegmentJob {
            dimension: self.dimension,
            ids: self.ids.clone(),
            values: self.values.clone(),
            inverse_norms: self.inverse_norms.clone(),
        };
        for segment in self.segments.iter().filter(|_| merge) {
            for id in segment.ids() {
                if let Some(place) = segment.place(id) {
                    let row = segment.row(place);
                    job.ids.push(id);
                    job.values.extend_from_slice(&row.values);
                    job.inverse_norms.push(row.inverse_norm);
                }
            }
        }
        Some(job)
    }

    /// Takes over a built segment. Vectors that changed or went since the job was cut keep their newer state.
    ///
    /// # Errors
    /// [`VectorError::Dimension`] when it was built from other vectors.
    pub fn adopt(&mut self, mut segment: Segment) -> Result<(), VectorError> {
        if segment.dimension() != self.dimension {
            return Err(VectorError::Dimension { expected: self.dimension, found: segment.dimension() });
        }
        let ids: Vec<u32> = segment.ids().collect();
        for id in ids {
            let unchanged = segment.place(id).is_some_and(|place| {
                self.get(id).is_some_and(|(values, _)| *values == *segment.row(place).values)
            });
            if unchanged {
                self.remove(id);
            } else {
                segment.bury(id);
            }
        }
        if segment.live() > 0 {
            self.segments.push(segment);
        }
        Ok(())
    }

    fn row(&self, row: usize) -> &[i8] {
        &self.values[row * self.dimension..(row + 1) * self.dimension]
    }
}

/// Cosine of two stored vectors of one length.
pub(crate) fn cosine((a, a_inverse): (&[i8], f32), (b, b_inverse): (&[i8], f32)) -> Option<f32> {
    (a.len() == b.len()).then(|| dot_i8(a, b) as f32 * a_inverse * b_inverse)
}
