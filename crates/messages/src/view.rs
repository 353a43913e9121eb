use serde::{Deserialize, Serialize};

use crate::PageStatus;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageSummary {
    pub page: u32,
    pub url: String,
    pub title: String,
    pub site: Option<String>,
    pub language: Option<String>,
    pub captured: f64,
    pub version: u32,
    pub status: PageStatus,
    pub passages: u32,
    pub facts: u32,
    /// First words of the text, or the part that matched.
    pub snippet: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageDetail {
    pub summary: PageSummary,
    pub author: Option<String>,
    pub published: Option<f64>,
    pub passages: Vec<PassageView>,
    pub facts: Vec<FactView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassageView {
    pub episode: u32,
    pub headings: Vec<String>,
    pub text: String,
    pub link: String,
}

/// A triple or thesis in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactView {
    pub subject: Option<(u32, String)>,
    pub relation: Option<String>,
    pub object: Option<(u32, String)>,
    /// The whole fact as a sentence.
    pub text: String,
    /// `structure`, `llm` or `user`.
    pub origin: String,
    pub retired: bool,
    pub sources: Vec<PassageSource>,
}

/// Where a fact was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassageSource {
    pub page: u32,
    pub title: String,
    pub link: String,
    pub text: String,
}

/// A passage found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub page: u32,
    pub episode: u32,
    pub title: String,
    pub url: String,
    pub link: String,
    pub text: String,
    pub score: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    pub vertices: Vec<GraphVertex>,
    pub edges: Vec<GraphEdge>,
    /// Vertices in the memory, shown or not.
    pub total: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphVertex {
    pub id: u32,
    pub label: String,
    /// `person`, `organisation`, …, `thesis`, `page`.
    pub kind: String,
    pub degree: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphEdge {
    pub from: u32,
    pub to: u32,
    pub label: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VertexDetail {
    pub id: u32,
    pub name: String,
    pub kind: String,
    pub aliases: Vec<String>,
    pub facts: Vec<FactView>,
    pub sources: Vec<PassageSource>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub theme: Theme,
    /// Pause the deep pass.
    pub paused: bool,
    /// A port of the companion to try before the usual ones.
    pub companion_port: Option<u16>,
}

/// Counts for the settings page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diagnostics {
    pub pages: u32,
    pub passages: u32,
    pub objects: u32,
    pub theses: u32,
    pub triples: u32,
    pub queued: u32,
    /// Extracted names and theses that were dropped because no text bears them out.
    pub ungrounded: u32,
    pub truncated: u32,
    /// Bytes used and granted by the browser.
    pub storage_used: f64,
    pub storage_quota: f64,
    pub schema: u32,
}
