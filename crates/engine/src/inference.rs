use futures::stream::LocalBoxStream;
use loci_memorize::Extracted;
use loci_messages::{CompanionState, Failure};

/// Who computes: the companion, or a stand-in. Every failure says what the user can do.
///
/// Dropping a future or a stream gives the work up.
pub trait Inference: 'static {
    /// How things stand, asked anew. Never fails: not being there is a state.
    fn state(&self) -> impl Future<Output = CompanionState>;

    /// One vector per text, L2-normalised.
    fn embed(&self, purpose: Purpose, texts: Vec<String>) -> impl Future<Output = Result<Embedded, Failure>>;

    /// Reads facts out of episodes: one item for each, in the order in which they are done.
    fn read(&self, request: ReadRequest) -> LocalBoxStream<'_, Result<Extraction, Failure>>;

    /// Answers from numbered passages. The last item is [`AnswerItem::Done`], unless the stream fails.
    fn answer(&self, question: AnswerQuestion) -> LocalBoxStream<'_, Result<AnswerItem, Failure>>;

    /// Pairs this profile with the code that the companion shows.
    fn pair(&self, code: String) -> impl Future<Output = Result<(), Failure>>;

    /// Forgets the pairing.
    fn unpair(&self) -> impl Future<Output = Result<(), Failure>>;

    /// A port to try before the usual ones.
    fn prefer_port(&self, port: Option<u16>);
}

/// What a vector is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Question,
    Passage,
}

/// Vectors and the model they are of; those of different models are never compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    pub model: String,
    pub vectors: Vec<Vec<f32>>,
}

/// Episodes of one page to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    pub title: String,
    pub language: Option<String>,
    /// Names already known on the page: a pronoun may be resolved to them.
    pub known_names: Vec<String>,
    pub episodes: Vec<ReadEpisode>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadEpisode {
    pub id: u32,
    pub headings: Vec<String>,
    pub text: String,
}

/// What was read out of one episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    pub id: u32,
    pub extracted: Extracted,
    /// Names and theses that no text bore out, and items cut off: counted, not kept.
    pub ungrounded: u32,
    pub truncated: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerQuestion {
    pub question: String,
    /// Numbered from 1 in this order.
    pub passages: Vec<AnswerPassage>,
    /// One sentence each.
    pub facts: Vec<String>,
    pub max_tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPassage {
    pub title: String,
    /// ISO 8601 date.
    pub date: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerItem {
    /// Text to append.
    Token(String),
    /// The passage (from 1) that the text so far rests on.
    Cited(u32),
    Done(Answer),
}

/// How the model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer {
    /// The passages do not hold the answer; no text was sent.
    pub no_answer: bool,
    pub usage: Usage,
}

/// What the model spent: calls, and tokens read anew or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub calls: u32,
    pub tokens: u32,
}
