use loci_protocol::{
    AnswerRequest, EmbedRequest, ExtractEpisode, ExtractRequest, Problem, ProblemCode,
    limits::{
        ANSWER_CHARS, ANSWER_FACTS, ANSWER_PASSAGES, ANSWER_TOKENS, EMBED_CHARS, EMBED_TEXTS, EXTRACT_CHARS,
        EXTRACT_EPISODES, EXTRACT_NAMES, LINE_CHARS,
    },
};

/// A request that can tell whether it keeps to [`loci_protocol::limits`].
pub trait Check {
    /// # Errors
    /// `BadRequest` with a hint that names the limit.
    fn check(&self) -> Result<(), Problem>;
}

impl Check for EmbedRequest {
    fn check(&self) -> Result<(), Problem> {
        at_most("texts", self.texts.len(), EMBED_TEXTS)?;
        self.texts.iter().try_for_each(|text| short("a text", text, EMBED_CHARS))
    }
}

impl Check for ExtractRequest {
    fn check(&self) -> Result<(), Problem> {
        at_most("episodes", self.episodes.len(), EXTRACT_EPISODES)?;
        at_most("known names", self.known_names.len(), EXTRACT_NAMES)?;
        short("the title", &self.title, LINE_CHARS)?;
        short("the language", self.language.as_deref().unwrap_or_default(), 35)?;
        self.known_names.iter().try_for_each(|name| short("a name", name, LINE_CHARS))?;
        let size = |episode: &ExtractEpisode| -> usize {
            let headings: usize = episode.headings.iter().map(|heading| heading.chars().count()).sum();
            headings + episode.text.chars().count()
        };
        self.episodes
            .iter()
            .try_for_each(|episode| at_most("characters in an episode", size(episode), EXTRACT_CHARS))
    }
}

impl Check for AnswerRequest {
    fn check(&self) -> Result<(), Problem> {
        at_most("passages", self.passages.len(), ANSWER_PASSAGES)?;
        at_most("facts", self.facts.len(), ANSWER_FACTS)?;
        at_most("tokens", self.max_tokens as usize, ANSWER_TOKENS as usize)?;
        short("the question", &self.question, ANSWER_CHARS)?;
        self.facts.iter().try_for_each(|fact| short("a fact", fact, LINE_CHARS))?;
        self.passages.iter().try_for_each(|passage| {
            short("a title", &passage.title, LINE_CHARS)?;
            short("a date", passage.date.as_deref().unwrap_or_default(), 40)?;
            short("a passage", &passage.text, ANSWER_CHARS)
        })
    }
}

fn at_most(what: &str, number: usize, limit: usize) -> Result<(), Problem> {
    if number <= limit {
        return Ok(());
    }
    Err(Problem::new(ProblemCode::BadRequest, format!("At most {limit} {what} at a time, not {number}.")))
}

fn short(what: &str, text: &str, limit: usize) -> Result<(), Problem> {
    // Bytes bound characters, so only a text near the limit is counted.
    let chars = if text.len() <= limit { 0 } else { text.chars().count() };
    if chars <= limit {
        return Ok(());
    }
    Err(Problem::new(ProblemCode::BadRequest, format!("At most {limit} characters in {what}, not {chars}.")))
}
