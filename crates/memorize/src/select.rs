//! Which blocks are the main content?
//!
//! Each block has a weight: prose counts by its length, links and labels against. The main content is the element
//! with the largest sum (a maximum-sum subtree, after the text-to-tag and link-density features of Kohlschütter et
//! al., "Boilerplate detection using shallow text features", WSDM 2010), less what names, repeated cards, section
//! headings and its edges give away as boilerplate.

use std::collections::HashMap;
use std::ops::Range;

use crate::blocks::{Block, BlockKind, Blocks, Region};
use crate::boilerplate::{
    is_boilerplate_name, is_content_name, is_foreign_section, is_ideographic, is_label,
};

/// Largest share of a page's prose that an element may hold and still be dropped for its name.
const NAMED_SHARE: f32 = 0.35;
/// Largest share of a page's prose that repeated cards may hold and still be dropped.
const CARD_SHARE: f32 = 0.6;
/// Weight from which a block marks the beginning and the end of the article's text.
const STRONG: f32 = 20.0;

/// Marks the blocks that are main content.
pub fn select(page: &Blocks) -> Vec<bool> {
    let mut selection = Selection::new(page);
    selection.drop_named();
    selection.drop_cards();
    let range = selection.largest_sum();
    if selection.strong(&range).next().is_some() {
        selection.trim_start(&range);
        selection.drop_foreign_sections(&range);
        selection.drop_link_lines(&range);
        selection.trim_end(&range);
        selection.drop_empty_headings(&range);
    }
    (0..page.blocks.len()).map(|i| range.contains(&i) && !selection.dropped[i]).collect()
}

struct Selection<'a> {
    blocks: &'a [Block],
    regions: &'a [Region],
    weights: Vec<f32>,
    dropped: Vec<bool>,
    /// Sum of the positive weights.
    prose: f32,
}

impl<'a> Selection<'a> {
    fn new(page: &'a Blocks) -> Self {
        let weights: Vec<f32> = page.blocks.iter().map(weight).collect();
        let prose = weights.iter().map(|w| w.max(0.0)).sum();
        Self {
            blocks: &page.blocks,
            regions: &page.regions,
            dropped: vec![false; weights.len()],
            weights,
            prose,
        }
    }

    fn prose_in(&self, range: Range<usize>) -> f32 {
        self.weights[range].iter().map(|w| w.max(0.0)).sum()
    }

    fn drop_range(&mut self, range: Range<usize>) {
        self.dropped[range].fill(true);
    }

    fn strong<'s>(&'s self, range: &Range<usize>) -> impl DoubleEndedIterator<Item = usize> + use<'s> {
        range.clone().filter(|&i| !self.dropped[i] && self.weights[i] >= STRONG)
    }

    /// Drops elements whose tag or names mark boilerplate.
    fn drop_named(&mut self) {
        // Positive weights summed up to each block: the prose of any element in two look-ups.
        let sums = prefix_sums(self.weights.iter().map(|w| w.max(0.0)));
        for region in self.regions.iter().filter(|region| region.end > region.start && region.tag != "body") {
            let prose = sums[region.end] - sums[region.start];
            let named = match region.tag.as_str() {
                "aside" | "footer" | "form" => true,
                "header" if prose < 0.2 * self.prose => true,
                _ => is_boilerplate_name(&region.names),
            };
            if named && prose < NAMED_SHARE * self.prose {
                self.drop_range(region.start..region.end);
            }
        }
    }

    /// Drops three or more alike siblings that begin with a link: teasers of other pages.
    fn drop_cards(&mut self) {
        let mut siblings: HashMap<(usize, &str, String), Vec<&Region>> = HashMap::new();
        for region in self.regions.iter().filter(|region| region.end > region.start) {
            if let Some(parent) = region.parent {
                let names = region.names.chars().filter(|c| !c.is_ascii_digit()).collect();
                siblings.entry((parent, &region.tag, names)).or_default().push(region);
            }
        }
        for group in siblings.into_values().filter(|group| group.len() >= 3) {
            let cards = group.iter().filter(|region| self.is_card(region)).count();
            let prose: f32 = group.iter().map(|region| self.prose_in(region.start..region.end)).sum();
            if cards * 10 >= group.len() * 7 && prose < CARD_SHARE * self.prose {
                for region in group {
                    self.drop_range(region.start..region.end);
                }
            }
        }
    }

    fn is_card(&self, region: &Region) -> bool {
        let blocks = &self.blocks[region.start..region.end];
        let begins_with_link =
            blocks.iter().take(4).any(|block| link_density(block) > 0.8 && block.chars >= 8);
        begins_with_link
            && blocks.iter().map(|block| block.chars).sum::<usize>() < 800
            && (blocks.len() > 1 || region.tag != "p")
    }

    /// The blocks of the element with the largest sum of weights.
    fn largest_sum(&self) -> Range<usize> {
        let sums = prefix_sums(self.weights.iter().zip(&self.dropped).map(|(&weight, &dropped)| {
            match (dropped, weight > 0.0) {
                (true, true) => -3.0,
                (true, false) => 0.3 * weight,
                (false, _) => weight,
            }
        }));
        let mut best: Option<(f32, &Region)> = None;
        for region in self.regions.iter().filter(|region| region.end > region.start) {
            let mut sum = sums[region.end] - sums[region.start];
            if sum > 0.0 && matches!(region.tag.as_str(), "article" | "main") {
                sum *= 1.05;
            }
            if sum > 0.0 && is_content_name(&region.names) {
                sum *= 1.1;
            }
            // Of equals the innermost, which comes last.
            if best.is_none_or(|(most, _)| sum >= most) {
                best = Some((sum, region));
            }
        }
        best.map_or(0..0, |(_, region)| region.start..region.end)
    }

    /// Drops the title and what stands between it and the text: dates, names, labels.
    fn trim_start(&mut self, range: &Range<usize>) {
        let Some(first) = self.strong(range).next() else { return };
        for i in range.start..first {
            let block = &self.blocks[i];
            match block.kind {
                BlockKind::Heading(1) => self.drop_range(range.start..i + 1),
                BlockKind::Heading(_) | BlockKind::Row | BlockKind::Code => {}
                _ => {
                    self.dropped[i] |=
                        !(ends_sentence(&block.text) && block.chars >= 25 && link_density(block) < 0.5)
                }
            }
        }
    }

    /// Drops sections under headings such as "Related articles".
    fn drop_foreign_sections(&mut self, range: &Range<usize>) {
        let total: f32 = range.clone().filter(|&i| !self.dropped[i]).map(|i| self.weights[i].max(0.0)).sum();
        let mut before = 0.0;
        let mut i = range.start;
        while i < range.end {
            let block = &self.blocks[i];
            before += if self.dropped[i] { 0.0 } else { self.weights[i].max(0.0) };
            let level = heading_level(block);
            let short = block.chars < if level.is_some() { 90 } else { 60 }
                && (level.is_some() || self.weights[i] <= 0.0);
            if short && is_foreign_section(&block.text) {
                self.dropped[i] = true;
                let end = match level {
                    Some(level) => (i + 1..range.end)
                        .find(|&j| {
                            heading_level(&self.blocks[j]).is_some_and(|l| l <= level)
                                && link_density(&self.blocks[j]) < 0.5
                        })
                        .unwrap_or(range.end),
                    // A label without a heading's rank ends the article only when nearly all of it came before.
                    None if before > 0.9 * total => range.end,
                    None => i + 1,
                };
                let inside: f32 =
                    (i..end).filter(|&j| !self.dropped[j]).map(|j| self.weights[j].max(0.0)).sum();
                if level.is_none() || inside < 0.3 * total || before > 0.6 * total {
                    self.drop_range(i..end);
                    i = end;
                    continue;
                }
            }
            i += 1;
        }
    }

    /// Drops labels, and lines that are nothing but links.
    fn drop_link_lines(&mut self, range: &Range<usize>) {
        for i in range.clone() {
            let block = &self.blocks[i];
            let density = link_density(block);
            self.dropped[i] |= is_label(&block.text)
                || match block.kind {
                    BlockKind::Paragraph => density > 0.85 && block.chars > 3,
                    BlockKind::Heading(_) => density > 0.8,
                    BlockKind::Item => density > 0.9,
                    BlockKind::Row | BlockKind::Code | BlockKind::Caption => false,
                };
        }
    }

    /// Drops headings and unfinished lines after the last prose.
    fn trim_end(&mut self, range: &Range<usize>) {
        let Some(last) = self.strong(range).next_back() else { return };
        for i in last + 1..range.end {
            let block = &self.blocks[i];
            self.dropped[i] |= match block.kind {
                BlockKind::Heading(_) => true,
                BlockKind::Paragraph => !ends_sentence(&block.text),
                _ => false,
            };
        }
    }

    fn drop_empty_headings(&mut self, range: &Range<usize>) {
        let last = range.clone().rev().find(|&i| !self.dropped[i]);
        if let Some(last) = last.filter(|&last| heading_level(&self.blocks[last]).is_some()) {
            self.dropped[last] = true;
        }
    }
}

/// Prose counts by its characters, links against; short lines hardly count.
fn weight(block: &Block) -> f32 {
    let density = link_density(block);
    if heading_level(block).is_some() {
        return if density < 0.5 { 0.0 } else { -25.0 };
    }
    let ideographs = block.text.chars().filter(|&c| is_ideographic(c)).count();
    let length = block.chars as f32 + 1.5 * ideographs as f32;
    let prose = length - 1.5 * block.link_chars as f32;
    let punctuated = block.text.contains(['.', '!', '?', '。', '！', '？', '…', ':', ';', ',', '，', '、']);
    match block.kind {
        _ if density > 0.6 => -0.6 * (10.0 + 0.3 * length).min(40.0),
        _ if length >= 80.0 && punctuated => prose,
        _ if length >= 40.0 && punctuated => 0.3 * prose,
        BlockKind::Caption => 0.0,
        BlockKind::Code => length,
        BlockKind::Row if density < 0.5 => 0.0,
        BlockKind::Row => -15.0,
        _ if density < 0.3 => -3.0,
        _ => -15.0,
    }
}

fn link_density(block: &Block) -> f32 {
    block.link_chars as f32 / block.chars.max(1) as f32
}

fn heading_level(block: &Block) -> Option<u8> {
    match block.kind {
        BlockKind::Heading(level) => Some(level),
        _ => None,
    }
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?', '。', '！', '？', '…', '”', '"', '»', ')', '’', ':'])
}

fn prefix_sums(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sums = vec![0.0];
    for value in values {
        sums.push(sums[sums.len() - 1] + value);
    }
    sums
}
