use std::collections::HashMap;

use thiserror::Error;

use crate::blocks::{BlockKind, Blocks, blocks};
use crate::declared::declared;
use crate::dom;
use crate::language::language;
use crate::metadata::metadata;
use crate::page::{CleanPage, Passage, RawPage};
use crate::passages::{Stretch, cut};
use crate::select::select;
use crate::structure::{Text, facts};
use crate::visible::Visible;

/// Largest page taken in, in bytes of HTML.
pub const MAX_HTML_BYTES: usize = 32 << 20;
/// Longest text kept of one page, in characters: four long novels.
const MAX_TEXT_CHARS: usize = 4_000_000;
/// Main content below this many characters is thin: the extraction may have missed it.
const THIN: usize = 200;

/// Why a page cannot be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CleanError {
    /// No readable text: an empty page, or one drawn by scripts alone.
    #[error("the page has no readable text; wait until it has loaded, then capture it again")]
    Empty,
    /// The HTML exceeds [`MAX_HTML_BYTES`].
    #[error("the page is too large ({bytes} bytes, at most {limit}); open a part of it and capture that")]
    TooLarge { bytes: usize, limit: usize },
}

/// Main content, metadata, passages and declared facts of a captured page.
///
/// # Errors
/// [`CleanError::Empty`] when there is nothing to read, [`CleanError::TooLarge`] beyond [`MAX_HTML_BYTES`].
pub fn clean(page: &RawPage) -> Result<CleanPage, CleanError> {
    if page.html.len() > MAX_HTML_BYTES {
        return Err(CleanError::TooLarge { bytes: page.html.len(), limit: MAX_HTML_BYTES });
    }
    let document = dom::parse(&page.html);
    let declared = declared(&document);
    let meta = metadata(page, &declared);
    dom::prune(&document);
    let mut content = Content::of(blocks(&document), &page.visible_text);
    content.drop_title(&meta.title);

    let (stretches, sources) = content.stretches();
    let cuts = cut(&stretches);
    let mut passage_of: HashMap<usize, usize> = HashMap::new();
    for (index, cut) in cuts.iter().enumerate() {
        for &block in sources[cut.stretches.clone()].iter().flatten() {
            passage_of.entry(block).or_insert(index);
        }
    }
    let mut passages: Vec<Passage> = cuts.into_iter().map(|cut| cut.passage).collect();
    let prose: String =
        stretches.iter().take(40).map(|stretch| stretch.text.as_str()).collect::<Vec<_>>().join("\n");
    if passages.is_empty() {
        return Err(CleanError::Empty);
    }
    let text = Text { blocks: &content.page, kept: &content.kept, passage_of: &passage_of };
    let facts = facts(&document, &text, &declared, &meta, &mut passages);
    Ok(CleanPage {
        language: language(meta.declared_language.as_deref(), &prose),
        site: meta.site_name.or(meta.host),
        url: meta.url,
        title: meta.title,
        author: meta.author,
        published: meta.published,
        passages,
        facts,
    })
}

/// The main text alone, block by block: what [`clean`] cuts into passages.
pub fn main_text(page: &RawPage) -> String {
    let document = dom::parse(&page.html);
    dom::prune(&document);
    let content = Content::of(blocks(&document), &page.visible_text);
    let kept = content.page.blocks.iter().zip(&content.kept).filter(|(_, kept)| **kept);
    kept.map(|(block, _)| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The blocks of a page and which of them are its content.
struct Content {
    page: Blocks,
    kept: Vec<bool>,
}

impl Content {
    fn of(mut page: Blocks, visible_text: &str) -> Self {
        if let Some(visible) = Visible::new(visible_text) {
            page.retain(|block| block.in_shadow || visible.shows(&block.text));
        }
        let kept = select(&page);
        let mut content = Self { page, kept };
        if content.chars() < THIN {
            content.widen(visible_text);
        }
        content
    }

    fn chars(&self) -> usize {
        self.page.blocks.iter().zip(&self.kept).filter(|(_, kept)| **kept).map(|(block, _)| block.chars).sum()
    }

    /// Where the main content is thin, takes every block that is no mere link; where the DOM holds next to nothing,
    /// the lines of the visible text.
    fn widen(&mut self, visible_text: &str) {
        let wide: Vec<bool> =
            self.page.blocks.iter().map(|block| block.link_chars * 2 < block.chars).collect();
        let narrow = std::mem::replace(&mut self.kept, wide);
        if self.chars()
            < 2 * self
                .page
                .blocks
                .iter()
                .zip(&narrow)
                .filter(|(_, kept)| **kept)
                .map(|(block, _)| block.chars)
                .sum::<usize>()
                + THIN / 2
        {
            self.kept = narrow;
        }
        if self.chars() < THIN / 4 {
            let lines = visible_text.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines = Blocks::of_lines(lines);
            if lines.blocks.iter().map(|block| block.chars).sum::<usize>() > self.chars() {
                self.kept = vec![true; lines.blocks.len()];
                self.page = lines;
            }
        }
    }

    /// The page's title is shown with every passage; as a heading it says nothing more.
    fn drop_title(&mut self, title: &str) {
        for (block, kept) in self.page.blocks.iter().zip(&mut self.kept) {
            *kept &= !(matches!(block.kind, BlockKind::Heading(_)) && block.text == title);
        }
    }

    /// The text under its headings, and the blocks each stretch came from: its own, and the headings just above it.
    fn stretches(&self) -> (Vec<Stretch>, Vec<Vec<usize>>) {
        let mut path: Vec<(u8, &str)> = Vec::new();
        let mut pending: Vec<usize> = Vec::new();
        let (mut stretches, mut sources) = (Vec::new(), Vec::new());
        let mut chars = 0;
        for (index, block) in self.page.blocks.iter().enumerate().filter(|(index, _)| self.kept[*index]) {
            if let BlockKind::Heading(level) = block.kind {
                path.retain(|(above, _)| *above < level);
                path.push((level, &block.text));
                pending.push(index);
                continue;
            }
            chars += block.chars;
            if chars > MAX_TEXT_CHARS {
                break;
            }
            stretches.push(Stretch {
                text: block.text.clone(),
                headings: path.iter().map(|(_, heading)| (*heading).to_owned()).collect(),
            });
            sources.push(std::mem::take(&mut pending).into_iter().chain([index]).collect());
        }
        if stretches.is_empty() && !path.is_empty() {
            // A page of headings alone: they are the text.
            let text = path.iter().map(|(_, heading)| *heading).collect::<Vec<_>>().join("\n");
            stretches.push(Stretch { text, headings: Vec::new() });
            sources.push(pending);
        }
        (stretches, sources)
    }
}
