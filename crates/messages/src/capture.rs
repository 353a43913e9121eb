use serde::{Deserialize, Serialize};

use crate::Failure;

/// A page as the content script serialised it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaptureRequest {
    pub url: String,
    /// The rendered DOM, open shadow roots included as declarative `<template shadowrootmode>`.
    pub html: String,
    /// What a person sees (`innerText`): the fallback when main-content extraction finds little.
    pub visible_text: String,
    pub title: String,
    /// `document.contentType`.
    pub content_type: String,
    /// Milliseconds since the epoch.
    pub captured: f64,
    pub private_window: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaptureResult {
    pub page: u32,
    pub state: PageState,
    /// Passages of this version, and how many of them were not known before.
    pub passages: u32,
    pub new_passages: u32,
}

/// What the panel shows of the page in front of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageState {
    pub page: Option<u32>,
    pub status: PageStatus,
    /// Milliseconds since the epoch of the last capture.
    pub captured: Option<f64>,
    pub passages: u32,
    /// Passages the companion has read so far.
    pub deep_passages: u32,
    pub facts: u32,
    /// Why the last try to capture the page did not succeed; gone after a successful one.
    #[serde(default)]
    pub failure: Option<Failure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageStatus {
    Unknown,
    /// The page is being taken in; not searchable yet.
    Capturing,
    /// Searchable; the deep pass has not begun or waits for the companion.
    Waiting,
    Reading,
    Remembered,
}
