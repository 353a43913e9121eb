use thiserror::Error;

use crate::page::{CleanPage, RawPage};
use crate::passages::passages;

/// Largest page taken in, in bytes of HTML.
pub const MAX_HTML_BYTES: usize = 32 << 20;

/// Why a page cannot be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CleanError {
    /// No readable text: an empty page, or one drawn by scripts alone.
    #[error("the page has no readable text; wait until it has loaded, then capture it again")]
    Empty,
    /// The HTML exceeds [`MAX_HTML_BYTES`].
    #[error("the page is too large ({bytes} bytes, at most {limit}); select the part you want and capture the selection")]
    TooLarge { bytes: usize, limit: usize },
}

/// Main content, metadata, passages and declared facts of a captured page.
pub fn clean(page: &RawPage) -> Result<CleanPage, CleanError> {
    if page.html.len() > MAX_HTML_BYTES {
        return Err(CleanError::TooLarge { bytes: page.html.len(), limit: MAX_HTML_BYTES });
    }
    let extracted = rs_trafilatura::extract(&page.html).unwrap_or_default();
    let text = if extracted.content_text.trim().is_empty() { &page.visible_text } else { &extracted.content_text };
    let passages = passages(text);
    if passages.is_empty() {
        return Err(CleanError::Empty);
    }
    let meta = extracted.metadata;
    Ok(CleanPage {
        url: page.url.clone(),
        title: meta.title.unwrap_or_else(|| page.title.clone()),
        site: meta.sitename.or(meta.hostname),
        author: meta.author,
        language: meta.language,
        published: meta.date.map(|date| loci_graph::Timestamp(date.timestamp_millis())),
        passages,
        facts: Vec::new(),
    })
}
