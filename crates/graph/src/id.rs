use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl From<$name> for u32 {
            fn from(id: $name) -> u32 {
                id.0
            }
        }
    };
}

id!(
    /// An object, thesis or episodic vertex. Stable for life, never derived from a name, never used again.
    VertexId
);
id!(
    /// A triple.
    FactId
);
id!(
    /// A captured page; all versions of one canonical URL share it.
    PageId
);
id!(
    /// A transaction in the journal.
    TransactionId
);
