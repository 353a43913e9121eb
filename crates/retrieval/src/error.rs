/// Why a retriever or a restriction could not be made from its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrievalError {
    /// No retriever bears this name.
    #[error("unknown retriever {name:?}; known are {}, and mix:A+B of them", crate::retriever::NAMES.join(", "))]
    UnknownRetriever { name: String },
    /// A restriction is a list of the letters E, T and O.
    #[error("unknown restriction {letter:?}; use E (episodes), T (theses), O (objects), separated by commas")]
    UnknownRestriction { letter: String },
}
