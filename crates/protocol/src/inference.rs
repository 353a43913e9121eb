use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};

/// How a text is embedded: e5 puts `query: ` or `passage: ` before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EmbedKind {
    Query,
    Passage,
}

/// `POST /v1/embed`. At most 64 texts of at most 8,000 characters each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedRequest {
    pub kind: EmbedKind,
    pub texts: Vec<String>,
}

/// One vector per text, in order, L2-normalised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedReply {
    /// Names the weights; vectors of different models are never compared.
    pub model: String,
    pub vectors: Vec<VectorBytes>,
}

/// Little-endian f32 values as base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct VectorBytes(pub String);

impl From<&[f32]> for VectorBytes {
    fn from(vector: &[f32]) -> Self {
        let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        VectorBytes(BASE64_STANDARD.encode(bytes))
    }
}

impl VectorBytes {
    /// The values, or `None` when the text is not base64 of whole f32 values.
    pub fn decode(&self) -> Option<Vec<f32>> {
        let bytes = BASE64_STANDARD.decode(&self.0).ok()?;
        let (values, rest) = bytes.as_chunks::<4>();
        rest.is_empty().then(|| values.iter().map(|value| f32::from_le_bytes(*value)).collect())
    }
}

/// `POST /v1/extract`: read facts out of episodes of one page. The reply is a stream of [`ExtractEvent`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractRequest {
    /// Page title: part of the grounding text.
    pub title: String,
    /// BCP 47, lower case; guessed from the text when absent.
    pub language: Option<String>,
    /// Names already known on this page: a pronoun may be resolved to them.
    pub known_names: Vec<String>,
    /// At most 32 episodes of at most 4,000 characters each.
    pub episodes: Vec<ExtractEpisode>,
}

/// A passage to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractEpisode {
    /// Comes back with the result.
    pub id: u32,
    pub headings: Vec<String>,
    pub text: String,
}

/// One line of the extraction stream. Every episode ends in exactly one `Episode`, unless the stream breaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ExtractEvent {
    /// Sentences read of all sentences.
    Progress {
        done: u32,
        total: u32,
    },
    Episode(ExtractedEpisode),
    /// The stream ends here, whole.
    Done {
        usage: Usage,
    },
    Error {
        problem: crate::Problem,
    },
}

/// What was read out of one episode. Every name is a verbatim piece of the grounding text (title, headings, known
/// names, passage).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractedEpisode {
    pub id: u32,
    pub objects: Vec<ExtractedObject>,
    pub triples: Vec<ExtractedTriple>,
    pub theses: Vec<ExtractedThesis>,
    pub counts: ExtractCounts,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractedObject {
    pub name: String,
    /// `person`, `organisation`, `place`, `work`, `product`, `event`, `concept`, `value`; anything else is unknown.
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractedTriple {
    pub subject: String,
    pub relation: String,
    pub object: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractedThesis {
    pub text: String,
    /// Names of the objects it mentions.
    pub objects: Vec<String>,
}

/// What was lost, so that it can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExtractCounts {
    /// Names or theses that did not occur in the grounding text.
    pub ungrounded: u32,
    /// Items cut off by a token limit.
    pub truncated: u32,
}

/// `POST /v1/answer`: answer from numbered passages. The reply is a stream of [`AnswerEvent`]; closing it stops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerRequest {
    pub question: String,
    /// Numbered from 1 in this order. At most 20.
    pub passages: Vec<AnswerPassage>,
    /// Facts from the graph, one sentence each.
    pub facts: Vec<String>,
    pub max_tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerPassage {
    pub title: String,
    /// ISO 8601 date of publication or capture.
    pub date: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AnswerEvent {
    /// Text to append.
    Token {
        text: String,
    },
    /// The passage (from 1) that the text so far rests on.
    Citation {
        passage: u32,
    },
    Done(AnswerDone),
    Error {
        problem: crate::Problem,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerDone {
    /// The passages do not hold the answer; no text was sent.
    pub no_answer: bool,
    /// The token limit ended the text.
    pub truncated: bool,
    pub usage: Usage,
}

/// What the model spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    pub calls: u32,
    /// Prompt tokens computed anew, those of a reused prefix not counted.
    pub prompt_tokens: u32,
    pub reused_tokens: u32,
    pub output_tokens: u32,
}
