use loci_graph::{FactMeta, Graph, Timestamp, Vertex};
use loci_index::{Indexes, QueryVector};

use crate::RetrievalError;

/// What is searched: a graph and the indexes kept over it.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    pub graph: &'a Graph,
    pub indexes: &'a Indexes,
}

/// A question.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    pub text: &'a str,
    /// The embedding of `text`; without it retrieval is by words and names alone.
    pub vector: Option<&'a [f32]>,
    pub restrict: Restrict,
    pub time: TimeFilter,
}

impl<'a> Query<'a> {
    /// A question about the present, unrestricted.
    pub fn new(text: &'a str, vector: Option<&'a [f32]>) -> Query<'a> {
        Query { text, vector, ..Query::default() }
    }

    /// The vector made ready; `None` when there is none or it has no direction.
    pub(crate) fn prepared(&self) -> Option<QueryVector> {
        self.vector.and_then(|vector| QueryVector::new(vector).ok())
    }
}

/// Kinds of vertex that traversal may not enter (PersonalAI, section 3.3). Episodes are still *ranked*: a passage is
/// what a fact rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Restrict {
    pub episodes: bool,
    pub theses: bool,
    pub objects: bool,
}

impl std::str::FromStr for Restrict {
    type Err = RetrievalError;

    /// Reads `E,T,O` in any order and case; nothing is no restriction.
    fn from_str(text: &str) -> Result<Restrict, RetrievalError> {
        let mut restrict = Restrict::default();
        for letter in text.split(',').map(str::trim).filter(|letter| !letter.is_empty()) {
            match letter.to_ascii_uppercase().as_str() {
                "E" => restrict.episodes = true,
                "T" => restrict.theses = true,
                "O" => restrict.objects = true,
                _ => return Err(RetrievalError::UnknownRestriction { letter: letter.into() }),
            }
        }
        Ok(restrict)
    }
}

/// Which facts may be used, by when they held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeFilter {
    /// What is believed now: nothing retired, no passage that vanished from its page.
    #[default]
    Latest,
    /// What may have held at this moment, believed now or not.
    AsOf(Timestamp),
    /// What may have held at some moment of `[from, to)`.
    Between(Timestamp, Timestamp),
    /// Everything ever recorded.
    Always,
}

impl TimeFilter {
    pub(crate) fn admits(self, meta: &FactMeta) -> bool {
        match self {
            TimeFilter::Latest => meta.retired.is_none(),
            TimeFilter::AsOf(at) => meta.valid.covers(at),
            TimeFilter::Between(from, to) => {
                meta.valid.from.is_none_or(|start| start < to) && meta.valid.to.is_none_or(|end| from < end)
            }
            TimeFilter::Always => true,
        }
    }

    pub(crate) fn admits_vertex(self, vertex: &Vertex) -> bool {
        match vertex {
            Vertex::Object(_) => true,
            Vertex::Thesis(thesis) => self.admits(&thesis.meta),
            Vertex::Episode(episode) => self != TimeFilter::Latest || episode.vanished.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_graph::{Origin, Retired, Validity};

    use super::*;

    #[test]
    fn restrictions_are_read_or_refused() {
        assert_eq!("".parse(), Ok(Restrict::default()));
        assert_eq!("E,o".parse(), Ok(Restrict { episodes: true, objects: true, theses: false }));
        assert_eq!("E,X".parse::<Restrict>(), Err(RetrievalError::UnknownRestriction { letter: "X".into() }));
    }

    #[test]
    fn time_filters() {
        let mut meta = FactMeta::new(Origin::Llm, Timestamp(0), []);
        meta.valid = Validity { from: Some(Timestamp(10)), to: Some(Timestamp(20)) };
        meta.retired = Some(Retired { at: Timestamp(25), by: None, ended: true });
        let cases = [
            (TimeFilter::Latest, false),
            (TimeFilter::Always, true),
            (TimeFilter::AsOf(Timestamp(9)), false),
            (TimeFilter::AsOf(Timestamp(10)), true),
            (TimeFilter::AsOf(Timestamp(20)), false),
            (TimeFilter::Between(Timestamp(0), Timestamp(10)), false),
            (TimeFilter::Between(Timestamp(0), Timestamp(11)), true),
            (TimeFilter::Between(Timestamp(19), Timestamp(30)), true),
            (TimeFilter::Between(Timestamp(20), Timestamp(30)), false),
        ];
        for (filter, expected) in cases {
            assert_eq!(filter.admits(&meta), expected, "{filter:?}");
        }
    }
}
