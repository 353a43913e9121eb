use loci_graph::{ObjectKind, Timestamp};
use serde::{Deserialize, Serialize};

/// A page as the content script captured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawPage {
    /// The address shown by the browser.
    pub url: String,
    /// The rendered DOM, serialised; open shadow roots as `<template shadowrootmode="open">`.
    pub html: String,
    /// What the reader could see (`innerText`); used when the main content found is thin. May be empty.
    pub visible_text: String,
    /// `document.title`.
    pub title: String,
    pub captured: Timestamp,
}

/// What of a page is worth remembering: its text in passages, and the facts it declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanPage {
    /// Canonical address: the identity of the page.
    pub url: String,
    pub title: String,
    /// The name the site gives itself, else its host.
    pub site: Option<String>,
    pub author: Option<String>,
    /// BCP 47 tag, lower case.
    pub language: Option<String>,
    pub published: Option<Timestamp>,
    /// In reading order; declared data that the text lacks comes last. Never empty.
    pub passages: Vec<Passage>,
    /// Facts declared by the page's structure; each is supported by one passage.
    pub facts: Vec<StructureFact>,
}

/// A stretch of the page, 550 to 650 characters where the text allows, cut at sentence ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    pub text: String,
    /// Headings above the passage, outermost first; the page's title is not repeated.
    pub headings: Vec<String>,
    /// SHA-256 of the normalised text, first eight bytes, big endian.
    pub hash: u64,
}

/// A triple read off the page's structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureFact {
    pub subject: Name,
    /// In words, as a reader would say it: "date published", "links to".
    pub relation: String,
    pub object: Name,
    /// Index into [`CleanPage::passages`] of the passage that states it.
    pub passage: usize,
}

/// How the page names an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    pub text: String,
    pub kind: ObjectKind,
    /// Other names the page gives the same object, its address included where it has one.
    pub aliases: Vec<String>,
}

impl Name {
    pub fn new(text: impl Into<String>, kind: ObjectKind) -> Self {
        Self { text: text.into(), kind, aliases: Vec::new() }
    }
}
