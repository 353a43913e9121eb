//! The page as a sequence of blocks in reading order, and the stretch of blocks each element covers.

use dom_query::{Document, NodeId, NodeRef};

use crate::dom::{FLATTENED, attribute, is_inline, push_folded, tag, text};

/// What kind of line a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Level 1 to 6.
    Heading(u8),
    Paragraph,
    Item,
    /// One row of a data table, cells joined.
    Row,
    /// Preformatted text; its line breaks are kept.
    Code,
    /// The caption of a figure or table.
    Caption,
}

/// A link inside a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub text: String,
    pub href: String,
}

/// A run of text between two block boundaries.
#[derive(Debug, Clone)]
pub struct Block {
    pub text: String,
    pub kind: BlockKind,
    pub links: Vec<Link>,
    /// Characters of the text, and how many of them are link text.
    pub chars: usize,
    pub link_chars: usize,
    /// The block-level element the text lies in.
    pub element: NodeId,
    /// Whether it came from a shadow root, into which `innerText` does not see.
    pub in_shadow: bool,
}

/// An element and the half-open range of blocks below it.
#[derive(Debug, Clone)]
pub struct Region {
    pub element: NodeId,
    pub start: usize,
    pub end: usize,
    /// Index of the enclosing region.
    pub parent: Option<usize>,
    /// Class and id names, lower case, split at signs; with the tag and role.
    pub names: String,
    pub tag: String,
}

/// An image with words that stand for it.
#[derive(Debug, Clone)]
pub struct Image {
    pub alt: String,
    /// Index of the block that follows it.
    pub before: usize,
}

/// Blocks and regions of a pruned document.
#[derive(Debug, Default)]
pub struct Blocks {
    pub blocks: Vec<Block>,
    /// In document order: a parent comes before its children.
    pub regions: Vec<Region>,
    pub images: Vec<Image>,
    /// `table` and `dl` elements in document order, with the index of the block that follows their start.
    pub tables: Vec<(NodeId, usize)>,
}

pub fn blocks(document: &Document) -> Blocks {
    let Some(body) = document.body() else { return Blocks::default() };
    let mut walk = Walk::default();
    walk.run(&body);
    Blocks { blocks: walk.blocks, regions: walk.regions, images: walk.images, tables: walk.tables }
}

enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

#[derive(Default)]
struct Walk {
    blocks: Vec<Block>,
    regions: Vec<Region>,
    open: Vec<usize>,
    text: String,
    links: Vec<Link>,
    link_chars: usize,
    /// Start of the open link's text and its address.
    link: Option<(usize, String)>,
    images: Vec<Image>,
    tables: Vec<(NodeId, usize)>,
    /// Open hosts of flattened shadow roots.
    shadow_depth: usize,
    kinds: Vec<BlockKind>,
    elements: Vec<NodeId>,
}

impl Walk {
    fn run(&mut self, body: &NodeRef) {
        let mut stack = vec![Step::Enter(body.id)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Enter(id) => {
                    let node = NodeRef::new(id, body.tree);
                    if self.enter(&node) {
                        stack.push(Step::Leave(id));
                        stack.extend(node.children_it(true).map(|child| Step::Enter(child.id)));
                    }
                }
                Step::Leave(id) => self.leave(&NodeRef::new(id, body.tree)),
            }
        }
        self.flush();
    }

    /// Returns whether the children are to be visited.
    fn enter(&mut self, node: &NodeRef) -> bool {
        if node.is_text() {
            let content = node.text();
            if self.kinds.last() == Some(&BlockKind::Code) {
                self.text.push_str(&content);
            } else {
                push_folded(&mut self.text, &content);
            }
            return false;
        }
        if !node.is_element() {
            return node.may_have_children();
        }
        let name = tag(node);
        match &*name {
            "br" => {
                self.line_break();
                return false;
            }
            "hr" => {
                self.flush();
                return false;
            }
            "img" => {
                self.images
                    .extend(attribute(node, "alt").map(|alt| Image { alt, before: self.blocks.len() }));
                return false;
            }
            "a" => {
                if let Some(href) = attribute(node, "href") {
                    self.close_link();
                    self.link = Some((self.text.len(), href));
                }
                return true;
            }
            "table" | "dl" => self.tables.push((node.id, self.blocks.len())),
            _ => {}
        }
        self.shadow_depth += usize::from(node.has_attr(FLATTENED));
        if is_inline(&name) {
            return true;
        }
        self.flush();
        self.open_region(node, &name);
        let kind = match &*name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => BlockKind::Heading(name.as_bytes()[1] - b'0'),
            "li" | "dt" | "dd" => BlockKind::Item,
            "pre" => BlockKind::Code,
            "figcaption" | "caption" => BlockKind::Caption,
            "tr" if is_data_row(node) => {
                self.row(node);
                self.close_region();
                return false;
            }
            _ if attribute(node, "role").as_deref() == Some("heading") => {
                let level = attribute(node, "aria-level").and_then(|level| level.parse().ok()).unwrap_or(2);
                BlockKind::Heading(u8::clamp(level, 1, 6))
            }
            _ => self.kinds.last().copied().unwrap_or(BlockKind::Paragraph),
        };
        self.kinds.push(kind);
        self.elements.push(node.id);
        true
    }

    fn leave(&mut self, node: &NodeRef) {
        let name = tag(node);
        if &*name == "a" {
            self.close_link();
        }
        if node.is_element() && !is_inline(&name) {
            self.flush();
            self.kinds.pop();
            self.elements.pop();
            self.close_region();
        }
        self.shadow_depth -= usize::from(node.has_attr(FLATTENED));
    }

    /// One `<br>` breaks a line, two break the paragraph.
    fn line_break(&mut self) {
        if self.text.ends_with('\n') {
            self.flush();
        } else if !self.text.trim().is_empty() {
            while self.text.ends_with(' ') {
                self.text.pop();
            }
            self.text.push('\n');
        }
    }

    fn close_link(&mut self) {
        let Some((start, href)) = self.link.take() else { return };
        // A line break may have cut trailing space off the text that the link began with.
        let text = self.text.get(start..).unwrap_or_default().trim();
        self.link_chars += text.chars().count();
        if !text.is_empty() {
            self.links.push(Link { text: text.replace('\n', " "), href });
        }
    }

    fn flush(&mut self) {
        let reopened = self.link.as_ref().map(|(_, href)| href.clone());
        self.close_link();
        let kind = self.kinds.last().copied().unwrap_or(BlockKind::Paragraph);
        let text = match kind {
            BlockKind::Code => self.text.trim_matches(['\n', '\r']).trim_end(),
            _ => self.text.trim(),
        };
        if let (false, Some(&element)) = (text.trim().is_empty(), self.elements.last()) {
            let chars = text.chars().count();
            self.blocks.push(Block {
                text: text.to_owned(),
                kind,
                links: std::mem::take(&mut self.links),
                chars,
                link_chars: self.link_chars.min(chars),
                element,
                in_shadow: self.shadow_depth > 0,
            });
        }
        self.text.clear();
        self.links.clear();
        self.link_chars = 0;
        self.link = reopened.map(|href| (0, href));
    }

    fn row(&mut self, row: &NodeRef) {
        let cells: Vec<(bool, String)> = row
            .children_it(false)
            .filter(NodeRef::is_element)
            .map(|cell| (&*tag(&cell) == "th", text(&cell)))
            .collect();
        let joined = match cells.as_slice() {
            [(true, label), (false, value)] if !value.is_empty() => {
                format!("{}: {value}", label.trim_end_matches([':', '：']))
            }
            _ => cells
                .iter()
                .map(|(_, text)| text.as_str())
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join(" | "),
        };
        if joined.is_empty() {
            return;
        }
        let links: Vec<Link> = row
            .descendants_it()
            .filter(|node| &*tag(node) == "a")
            .filter_map(|node| Some(Link { href: attribute(&node, "href")?, text: text(&node) }))
            .filter(|link| !link.text.is_empty())
            .collect();
        let chars = joined.chars().count();
        let link_chars = links.iter().map(|link| link.text.chars().count()).sum::<usize>().min(chars);
        self.blocks.push(Block {
            text: joined,
            kind: BlockKind::Row,
            links,
            chars,
            link_chars,
            element: row.id,
            in_shadow: self.shadow_depth > 0,
        });
    }

    fn open_region(&mut self, node: &NodeRef, name: &str) {
        let mut names = String::new();
        for attr in ["class", "id", "role", "itemprop"] {
            if let Some(value) = attribute(node, attr) {
                names.push(' ');
                names.push_str(&value.to_ascii_lowercase());
            }
        }
        let start = self.blocks.len();
        let region = Region {
            element: node.id,
            start,
            end: start,
            parent: self.open.last().copied(),
            names,
            tag: name.to_owned(),
        };
        self.open.push(self.regions.len());
        self.regions.push(region);
    }

    fn close_region(&mut self) {
        if let Some(open) = self.open.pop() {
            self.regions[open].end = self.blocks.len();
        }
    }
}

/// A row of data, not of layout: short cells, no blocks of prose or tables inside.
fn is_data_row(row: &NodeRef) -> bool {
    let mut cells = 0;
    for cell in row.children_it(false).filter(NodeRef::is_element) {
        cells += 1;
        let mut paragraphs = 0;
        for node in cell.descendants_it() {
            match &*tag(&node) {
                "table" | "h1" | "h2" | "h3" | "article" | "section" | "form" => return false,
                "p" | "div" => paragraphs += 1,
                _ => {}
            }
        }
        if paragraphs > 3 {
            return false;
        }
    }
    cells >= 2
}

impl Blocks {
    /// Blocks of plain lines, without elements around them.
    pub fn of_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let element = Document::default().root().id;
        let blocks = lines.map(|line| Block {
            text: line.to_owned(),
            kind: BlockKind::Paragraph,
            links: Vec::new(),
            chars: line.chars().count(),
            link_chars: 0,
            element,
            in_shadow: false,
        });
        Self { blocks: blocks.collect(), ..Self::default() }
    }

    /// Keeps the blocks that satisfy a condition; regions, images and tables move along.
    pub fn retain(&mut self, keep: impl FnMut(&Block) -> bool) {
        let kept: Vec<bool> = self.blocks.iter().map(keep).collect();
        // How many blocks before each index remain.
        let mut before = vec![0; kept.len() + 1];
        for (i, &kept) in kept.iter().enumerate() {
            before[i + 1] = before[i] + usize::from(kept);
        }
        let mut index = 0;
        self.blocks.retain(|_| {
            index += 1;
            kept[index - 1]
        });
        for region in &mut self.regions {
            (region.start, region.end) = (before[region.start], before[region.end]);
        }
        for image in &mut self.images {
            image.before = before[image.before];
        }
        for (_, at) in &mut self.tables {
            *at = before[*at];
        }
    }
}
