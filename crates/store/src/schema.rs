use serde::{Deserialize, Serialize};

/// The tables of the current schema. Keys are numbers, values bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Table {
    /// Settings, counters, pairing: one entry per [`crate::Setting`].
    Settings,
    /// Blocks of pages.
    Pages,
    /// Blocks of objects, theses and episodes.
    Vertices,
    /// Blocks of triples.
    Triples,
    /// One entry per transaction: every change with its before and after.
    Journal,
    /// Blocks of vectors of vertices.
    VertexVectors,
    /// Blocks of vectors of triples.
    TripleVectors,
    /// One entry per page: further addresses under which it was captured.
    Addresses,
}

impl Table {
    pub const ALL: [Table; 8] = [
        Table::Settings,
        Table::Pages,
        Table::Vertices,
        Table::Triples,
        Table::Journal,
        Table::VertexVectors,
        Table::TripleVectors,
        Table::Addresses,
    ];

    /// Name of the object store.
    pub fn name(self) -> &'static str {
        match self {
            Table::Settings => "settings",
            Table::Pages => "pages",
            Table::Vertices => "vertices",
            Table::Triples => "triples",
            Table::Journal => "journal",
            Table::VertexVectors => "vertex_vectors",
            Table::TripleVectors => "triple_vectors",
            Table::Addresses => "addresses",
        }
    }
}

/// Version of the schema: tables and encoding of their entries. Every change of either is a new version with a step in
/// [`STEPS`] and a fixture in `tests/fixtures`.
pub const SCHEMA: u32 = STEPS.len() as u32;

/// What brings a database from one version to the next; step `i` leads to version `i + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub creates: &'static [Table],
    pub deletes: &'static [&'static str],
}

pub(crate) const STEPS: &[Step] = &[Step { creates: &Table::ALL, deletes: &[] }];

/// The steps from version `old` (0 for a new database) to the current one.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) fn steps_from(old: u32) -> &'static [Step] {
    &STEPS[STEPS.len().min(old as usize)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_database_gets_every_table_exactly_once() {
        let mut created: Vec<&str> = Vec::new();
        for step in steps_from(0) {
            created.retain(|name| !step.deletes.contains(name));
            created.extend(step.creates.iter().map(|table| table.name()));
        }
        created.sort_unstable();
        let mut expected: Vec<&str> = Table::ALL.iter().map(|table| table.name()).collect();
        expected.sort_unstable();
        assert_eq!(created, expected);
    }

    #[test]
    fn an_up_to_date_database_needs_no_step() {
        assert!(steps_from(SCHEMA).is_empty());
    }
}
