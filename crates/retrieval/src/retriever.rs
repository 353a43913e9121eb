use crate::{Bm25, Dense, Memory, Mentions, Mix, OneHop, Ppr, Query, RetrievalError, Retrieved};

/// A way to find what answers a question.
pub trait Retriever {
    /// The name under which [`by_name`] knows it.
    fn name(&self) -> String;

    /// Facts and passages, best first, each with its path. An empty memory gives an empty result.
    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved;
}

/// Every retriever that [`by_name`] makes, mixtures apart.
pub const NAMES: [&str; 6] = ["dense", "bm25", "one-hop", "ppr", "mentions", "auto"];

/// The retriever with this name, or a mixture `mix:A+B` of several.
///
/// # Errors
/// [`RetrievalError::UnknownRetriever`].
pub fn by_name(name: &str) -> Result<Box<dyn Retriever>, RetrievalError> {
    if let Some(parts) = name.strip_prefix("mix:") {
        let parts = parts.split('+').map(by_name).collect::<Result<Vec<_>, _>>()?;
        return Ok(Box::new(Mix::new(parts)));
    }
    Ok(match name {
        "dense" => Box::new(Dense),
        "bm25" => Box::new(Bm25),
        "one-hop" => Box::new(OneHop),
        "ppr" => Box::new(Ppr::default()),
        "mentions" => Box::new(Mentions::default()),
        "auto" => Box::new(auto()),
        _ => return Err(RetrievalError::UnknownRetriever { name: name.into() }),
    })
}

/// The default that Loci ships.
pub fn auto() -> Auto {
    Auto
}

/// Chooses per question.
#[derive(Debug, Clone, Copy)]
pub struct Auto;

impl Retriever for Auto {
    fn name(&self) -> String {
        "auto".into()
    }

    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved {
        let parts: Vec<Box<dyn Retriever>> =
            vec![Box::new(Mentions::default()), Box::new(Ppr::default()), Box::new(Bm25)];
        Mix::new(parts).retrieve(memory, query)
    }
}
