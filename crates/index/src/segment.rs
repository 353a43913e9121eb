use instant_distance::{Builder, Hnsw, Point, PointId, Search};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::LoadError;
use crate::dense::Row;
use crate::dot::dot_i8;
use crate::frame;

/// Vectors to build into a segment: plain data that can travel to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentJob {
    pub(crate) dimension: usize,
    pub(crate) ids: Vec<u32>,
    /// `dimension` components per id.
    pub(crate) values: Vec<i8>,
    pub(crate) inverse_norms: Vec<f32>,
}

impl SegmentJob {
    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        frame::write(*b"LOjb", self)
    }

    /// # Errors
    /// [`LoadError`] when the bytes are not a whole job.
    pub fn from_bytes(bytes: &[u8]) -> Result<SegmentJob, LoadError> {
        let job: SegmentJob = frame::read(*b"LOjb", bytes)?;
        let fits =
            job.values.len() == job.ids.len() * job.dimension && job.inverse_norms.len() == job.ids.len();
        if fits { Ok(job) } else { Err(LoadError::Damaged) }
    }
}

/// Where a vector stands inside its segment.
pub(crate) type Place = PointId;

/// An immutable HNSW graph over int8 vectors (Malkov & Yashunin, arXiv 1603.09320), with tombstones.
pub struct Segment {
    hnsw: Hnsw<Row>,
    /// The id of each point.
    ids: Vec<u32>,
    /// Live points only.
    places: FxHashMap<u32, Place>,
    dimension: usize,
}

#[derive(Serialize, Deserialize)]
struct Stored<H> {
    hnsw: H,
    ids: Vec<u32>,
    live: Vec<u32>,
    dimension: usize,
}

impl Point for Row {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - dot_i8(&self.values, &other.values) as f32 * self.inverse_norm * other.inverse_norm
    }
}

/// Builds the segment. Takes seconds for tens of thousands of vectors and cannot be sliced, so it belongs in a
/// worker.
pub fn build_segment(job: &SegmentJob) -> Segment {
    /// Reaches recall@10 ≥ 0.99 on clustered vectors without the time of the library's default of 100.
    const EF_CONSTRUCTION: usize = 48;
    const EF_SEARCH: usize = 96;
    let rows: Vec<Row> = job
        .values
        .chunks_exact(job.dimension.max(1))
        .zip(&job.inverse_norms)
        .map(|(values, &inverse_norm)| Row { values: values.into(), inverse_norm })
        .collect();
    let builder = Builder::default().seed(7).ef_construction(EF_CONSTRUCTION).ef_search(EF_SEARCH);
    let (hnsw, points) = builder.build_hnsw(rows);
    let mut ids = vec![0; job.ids.len()];
    for (&id, &point) in job.ids.iter().zip(&points) {
        ids[point.into_inner() as usize] = id;
    }
    let places = job.ids.iter().copied().zip(points).collect();
    Segment { hnsw, ids, places, dimension: job.dimension }
}

impl Segment {
    pub fn to_bytes(&self) -> Vec<u8> {
        let live = self.places.keys().copied().collect();
        frame::write(
            *b"LOsg",
            &Stored { hnsw: &self.hnsw, ids: self.ids.clone(), live, dimension: self.dimension },
        )
    }

    /// # Errors
    /// [`LoadError`] when the bytes are not a whole segment.
    pub fn from_bytes(bytes: &[u8]) -> Result<Segment, LoadError> {
        let stored: Stored<Hnsw<Row>> = frame::read(*b"LOsg", bytes)?;
        let live: rustc_hash::FxHashSet<u32> = stored.live.into_iter().collect();
        let mut places = FxHashMap::default();
        for (point, _) in stored.hnsw.iter() {
            let id = *stored.ids.get(point.into_inner() as usize).ok_or(LoadError::Damaged)?;
            if live.contains(&id) {
                places.insert(id, point);
            }
        }
        Ok(Segment { hnsw: stored.hnsw, ids: stored.ids, places, dimension: stored.dimension })
    }

    /// Memory held, in bytes: components, two layers of links, ids and look-up table.
    pub(crate) fn bytes(&self) -> usize {
        /// 64 neighbours of four bytes on the lowest layer, 32 on each of the thinner ones above (0.41 in sum).
        const LINKS: usize = 64 * 4 + 52;
        let row = self.dimension + size_of::<Row>() + LINKS + 4;
        self.ids.len() * row + self.places.len() * 10
    }

    /// Number of live vectors.
    pub fn live(&self) -> usize {
        self.places.len()
    }

    /// Number of tombstones.
    pub fn buried(&self) -> usize {
        self.ids.len() - self.places.len()
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The numbers of the live vectors, in no order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.places.keys().copied()
    }

    pub(crate) fn place(&self, id: u32) -> Option<Place> {
        self.places.get(&id).copied()
    }

    pub(crate) fn row(&self, place: Place) -> &Row {
        &self.hnsw[place]
    }

    /// Turns a vector into a tombstone; `false` when it was not live here.
    pub(crate) fn bury(&mut self, id: u32) -> bool {
        self.places.remove(&id).is_some()
    }

    /// About the `k` nearest live vectors, and up to 96 where tombstones leave room.
    pub(crate) fn search(&self, query: &Row, k: usize) -> impl Iterator<Item = (u32, &Row)> {
        let mut search = Search::default();
        let found: Vec<Place> = self.hnsw.search(query, &mut search).map(|item| item.pid).collect();
        let live = |&place: &Place| {
            let id = self.ids[place.into_inner() as usize];
            (self.place(id) == Some(place)).then_some((id, self.row(place)))
        };
        found.into_iter().filter_map(move |place| live(&place)).take(k.max(32))
    }
}
