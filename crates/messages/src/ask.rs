use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AskEvent {
    /// The numbered passages the answer may cite, before the first token.
    Sources {
        citations: Vec<Citation>,
    },
    Token {
        text: String,
    },
    /// The text so far rests on the source with this number.
    Cited {
        number: u32,
    },
}

/// A numbered source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// From 1.
    pub number: u32,
    pub page: u32,
    pub episode: u32,
    pub url: String,
    /// URL with a text fragment that scrolls to the passage.
    pub link: String,
    pub title: String,
    /// The passage as captured.
    pub text: String,
    pub captured: f64,
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum AnswerEnd {
    Answered {
        text: String,
        cited: Vec<u32>,
        sources: Vec<Citation>,
        model_calls: u32,
        tokens: u32,
        milliseconds: f64,
    },
    /// The memory does not hold it; the nearest passages.
    NotInMemory {
        nearest: Vec<Citation>,
    },
    /// No companion: the passages that match the words, best first.
    LexicalOnly {
        nearest: Vec<Citation>,
    },
    Stopped {
        text: String,
        cited: Vec<u32>,
        sources: Vec<Citation>,
    },
}
