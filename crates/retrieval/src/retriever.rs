use crate::{
    AStar, Activation, BeamSearch, Bm25, Dense, Heuristic, Memory, Mentions, Mix, OneHop, Ppr, Query,
    RetrievalError, Retrieved, ThesisPaths, WaterCircles, auto,
};

/// A way to find what answers a question.
pub trait Retriever {
    /// The name under which [`by_name`] knows it.
    fn name(&self) -> String;

    /// Facts and passages, best first, each with its path. An empty memory gives an empty result.
    fn retrieve(&self, memory: &Memory, query: &Query) -> Retrieved;
}

/// Every retriever that [`by_name`] makes, mixtures apart.
pub const NAMES: [&str; 14] = [
    "dense",
    "bm25",
    "one-hop",
    "astar-ip",
    "astar-wsp",
    "astar-awsp",
    "beam",
    "watercircles",
    "watercircles-strict",
    "ppr",
    "thesis-paths",
    "activation",
    "mentions",
    "auto",
];

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
        "ppr" => Box::new(Ppr),
        "astar-ip" => Box::new(AStar::new(Heuristic::Ip)),
        "astar-wsp" => Box::new(AStar::new(Heuristic::Wsp)),
        "astar-awsp" => Box::new(AStar::new(Heuristic::Awsp)),
        "beam" => Box::new(BeamSearch::default()),
        "watercircles" => Box::new(WaterCircles::default()),
        "watercircles-strict" => Box::new(WaterCircles { strict: true, ..WaterCircles::default() }),
        "activation" => Box::new(Activation::default()),
        "thesis-paths" => Box::new(ThesisPaths::default()),
        "mentions" => Box::new(Mentions),
        "auto" => Box::new(auto()),
        _ => return Err(RetrievalError::UnknownRetriever { name: name.into() }),
    })
}
