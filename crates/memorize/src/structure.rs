//! What does the structure of a page state, and which passage supports each statement?
//!
//! The instant pass: headings, links, declared data, tables, infoboxes, images. Needs no model.

use std::collections::{HashMap, HashSet};

use dom_query::{Document, NodeId, NodeRef};
use loci_graph::ObjectKind;

use crate::address::target;
use crate::blocks::{BlockKind, Blocks};
use crate::boilerplate::is_ideographic;
use crate::dates::day;
use crate::declared::Declared;
use crate::dom::tag;
use crate::metadata::Metadata;
use crate::page::{Name, Passage, StructureFact};
use crate::passages::{WANTED, hash};
use crate::schema::{MAX_NAME_CHARS, Triple, triples};
use crate::tables::{is_infobox, list_triples, table_triples};

/// Most facts of one page, and of each kind.
const MAX_FACTS: usize = 500;
const MAX_LINKS: usize = 80;
const MAX_SECTIONS: usize = 40;
const MAX_IMAGES: usize = 20;
const MAX_TABLE_TRIPLES: usize = 250;

/// The text of a page and where each block of it went.
pub struct Text<'a> {
    pub blocks: &'a Blocks,
    pub kept: &'a [bool],
    /// Passage of each kept block that is no heading; of a heading, the passage its section begins in.
    pub passage_of: &'a HashMap<usize, usize>,
}

/// Facts in order of worth, each with the passage that supports it. Appends passages for what the text does not say.
pub fn facts(
    document: &Document,
    text: &Text,
    declared: &Declared,
    meta: &Metadata,
    passages: &mut Vec<Passage>,
) -> Vec<StructureFact> {
    let page = Name { text: meta.title.clone(), kind: ObjectKind::Work, aliases: vec![meta.url.clone()] };
    let mut out = Facts::default();
    for (triple, passage) in table_facts(document, text, &page, &meta.url) {
        out.push(triple, passage);
    }
    for triple in metadata_triples(declared, meta, &page) {
        out.push(triple, None);
    }
    for triple in triples(&declared.nodes, &page) {
        out.push(triple, None);
    }
    for triple in images(text, &page) {
        out.push(triple, None);
    }
    for (triple, passage) in sections(text, &page) {
        out.push(triple, Some(passage));
    }
    for (triple, passage) in links(text, &page, &meta.url) {
        out.push(triple, Some(passage));
    }
    out.support(passages)
}

#[derive(Default)]
struct Facts {
    supported: Vec<(Triple, Option<usize>)>,
    known: HashSet<(String, String, String)>,
}

impl Facts {
    fn push(&mut self, triple: Triple, passage: Option<usize>) {
        let key = (
            triple.subject.text.to_lowercase(),
            triple.relation.to_lowercase(),
            triple.object.text.to_lowercase(),
        );
        if self.supported.len() < MAX_FACTS && self.known.insert(key) {
            self.supported.push((triple, passage));
        }
    }

    /// Ties each fact to a passage: the one it was read from, else one that names both ends, else one made of the
    /// declared data itself.
    fn support(self, passages: &mut Vec<Passage>) -> Vec<StructureFact> {
        let folded: Vec<String> = passages.iter().map(|passage| fold(&passage.text)).collect();
        let names_both = |triple: &Triple| {
            let (subject, object) = (fold(&triple.subject.text), fold(&triple.object.text));
            folded.iter().position(|text| contains_words(text, &subject) && contains_words(text, &object))
        };
        let mut facts: Vec<(Triple, Option<usize>)> = Vec::with_capacity(self.supported.len());
        let mut unsupported: Vec<usize> = Vec::new();
        for (triple, passage) in self.supported {
            let passage = passage.or_else(|| names_both(&triple));
            if passage.is_none() {
                unsupported.push(facts.len());
            }
            facts.push((triple, passage));
        }
        for (text, members) in spelled_out(&facts, &unsupported) {
            let index = passages.len();
            passages.push(Passage { hash: hash(&text), text, headings: Vec::new() });
            for member in members {
                facts[member].1 = Some(index);
            }
        }
        let tied = |(triple, passage): (Triple, Option<usize>)| {
            let Triple { subject, relation, object } = triple;
            passage.map(|passage| StructureFact { subject, relation, object, passage })
        };
        facts.into_iter().filter_map(tied).collect()
    }
}

/// Writes facts out as text, grouped by subject and cut into passages: the subject on a line of its own, then
/// "relation: object" lines.
fn spelled_out(facts: &[(Triple, Option<usize>)], which: &[usize]) -> Vec<(String, Vec<usize>)> {
    let mut subjects: Vec<&str> = Vec::new();
    let mut by_subject: HashMap<&str, Vec<usize>> = HashMap::new();
    for &index in which {
        let subject = facts[index].0.subject.text.as_str();
        let group = by_subject.entry(subject).or_default();
        if group.is_empty() {
            subjects.push(subject);
        }
        group.push(index);
    }
    let mut out: Vec<(String, Vec<usize>)> = Vec::new();
    let mut chars = 0;
    for subject in subjects {
        let mut begun = false;
        for &index in &by_subject[subject] {
            let triple = &facts[index].0;
            let line = format!("{}: {}", triple.relation, triple.object.text);
            let line_chars = line.chars().count() + 1;
            if out.is_empty() || chars + line_chars > *WANTED.end() {
                out.push((subject.to_owned(), Vec::new()));
                (chars, begun) = (subject.chars().count(), true);
            }
            let Some((text, members)) = out.last_mut() else { continue };
            if !begun {
                text.push('\n');
                text.push_str(subject);
                chars += subject.chars().count() + 1;
                begun = true;
            }
            text.push('\n');
            text.push_str(&line);
            chars += line_chars;
            members.push(index);
        }
    }
    out
}

/// Author, publisher, date and topics from `<meta>`.
fn metadata_triples(declared: &Declared, meta: &Metadata, page: &Name) -> Vec<Triple> {
    let triple = |relation: &str, text: &str, kind| Triple {
        subject: page.clone(),
        relation: relation.to_owned(),
        object: Name::new(text, kind),
    };
    let mut out = Vec::new();
    for author in meta.author.iter().flat_map(|authors| authors.split(", ")) {
        out.push(triple("author", author, ObjectKind::Person));
    }
    if let Some(site) = &meta.site_name {
        out.push(triple("publisher", site, ObjectKind::Organisation));
    }
    let dated = declared.nodes.iter().any(|node| node.get("datePublished").is_some());
    if let Some(day) = meta.published.filter(|_| !dated).and_then(day) {
        out.push(triple("date published", &day, ObjectKind::Value));
    }
    let described = || {
        declared
            .meta(&["og:description", "description", "twitter:description"])
            .and_then(crate::schema::readable)
    };
    if let Some(description) = described() {
        out.push(triple("description", &description, ObjectKind::Value));
    }
    if let Some(section) = declared.meta(&["article:section"]).and_then(crate::schema::readable) {
        out.push(triple("section", &section, ObjectKind::Concept));
    }
    for tag in declared.all_meta("article:tag").iter().take(20).filter_map(|tag| crate::schema::readable(tag))
    {
        out.push(triple("keyword", &tag, ObjectKind::Concept));
    }
    out
}

/// Triples of the tables and lists that belong to the text, and of infoboxes wherever they stand.
fn table_facts(document: &Document, text: &Text, page: &Name, url: &str) -> Vec<(Triple, Option<usize>)> {
    let block_of: HashMap<NodeId, usize> =
        text.blocks.blocks.iter().enumerate().map(|(i, block)| (block.element, i)).collect();
    let region_of: HashMap<NodeId, (usize, usize)> =
        text.blocks.regions.iter().map(|region| (region.element, (region.start, region.end))).collect();
    let mut out = Vec::new();
    for &(id, _) in &text.blocks.tables {
        let node = NodeRef::new(id, &document.tree);
        let Some(&(start, end)) = region_of.get(&id) else { continue };
        let kept = (start..end).any(|i| text.kept[i]);
        if (!kept && !is_infobox(&node)) || out.len() >= MAX_TABLE_TRIPLES {
            continue;
        }
        let resolve = |href: &str| target(url, href);
        let rows = if &*tag(&node) == "dl" {
            list_triples(&node, page, resolve)
        } else {
            table_triples(&node, page, resolve)
        };
        for row in rows.into_iter().take(MAX_TABLE_TRIPLES - out.len()) {
            let passage = block_of.get(&row.row).and_then(|block| text.passage_of.get(block)).copied();
            let passage =
                passage.or_else(|| if row.row == id { stating(text, start..end, &row.triple) } else { None });
            out.push((row.triple, passage));
        }
    }
    out
}

/// The passage of the block in a range that holds a fact's object.
fn stating(text: &Text, range: std::ops::Range<usize>, triple: &Triple) -> Option<usize> {
    range
        .filter(|&i| text.kept[i] && text.blocks.blocks[i].text.contains(&triple.object.text))
        .find_map(|i| text.passage_of.get(&i).copied())
}

/// What the images among the text show: captions, else alternative texts that are more than a label.
fn images(text: &Text, page: &Name) -> Vec<Triple> {
    let Some(first) = text.kept.iter().position(|&kept| kept) else { return Vec::new() };
    let last = text.kept.iter().rposition(|&kept| kept).unwrap_or(first);
    let says_something = |words: &str| {
        let chars = words.chars().count();
        chars <= 400
            && (words.split_whitespace().count() >= 3
                || words.chars().filter(|&c| is_ideographic(c)).count() >= 5)
    };
    let captions = text.blocks.blocks.iter().enumerate().filter(|(i, block)| {
        block.kind == BlockKind::Caption && (first.saturating_sub(3)..=last + 3).contains(i)
    });
    let captions = captions.map(|(i, block)| (i, block.text.clone()));
    let alts = text
        .blocks
        .images
        .iter()
        .filter(|image| (first.saturating_sub(1)..=last + 1).contains(&image.before));
    let alts = alts.map(|image| (image.before, image.alt.split_whitespace().collect::<Vec<_>>().join(" ")));
    let mut all: Vec<(usize, String)> =
        alts.chain(captions).filter(|(_, words)| says_something(words)).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter()
        .take(MAX_IMAGES)
        .map(|(_, words)| Triple {
            subject: page.clone(),
            relation: "image shows".to_owned(),
            object: Name::new(words, ObjectKind::Value),
        })
        .collect()
}

/// The headings above text.
fn sections<'a>(text: &'a Text, page: &'a Name) -> impl Iterator<Item = (Triple, usize)> + 'a {
    let headings = text
        .blocks
        .blocks
        .iter()
        .enumerate()
        .filter(|(i, block)| text.kept[*i] && matches!(block.kind, BlockKind::Heading(_)));
    let named = headings
        .filter(|(_, block)| block.chars <= MAX_NAME_CHARS && block.text.chars().any(char::is_alphabetic));
    named
        .filter_map(move |(i, block)| {
            let object = Name::new(block.text.clone(), ObjectKind::Concept);
            Some((
                Triple { subject: page.clone(), relation: "has section".to_owned(), object },
                *text.passage_of.get(&i)?,
            ))
        })
        .take(MAX_SECTIONS)
}

/// The links in the text to other pages, by the words of the link.
fn links(text: &Text, page: &Name, url: &str) -> Vec<(Triple, usize)> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for (i, block) in text.blocks.blocks.iter().enumerate().filter(|(i, _)| text.kept[*i]) {
        let Some(&passage) = text.passage_of.get(&i) else { continue };
        for link in block.links.iter().filter(|link| names_something(&link.text)) {
            let Some(address) = target(url, &link.href) else { continue };
            if out.len() < MAX_LINKS && seen.insert(address.clone()) {
                let object =
                    Name { text: link.text.clone(), kind: ObjectKind::Unknown, aliases: vec![address] };
                out.push((
                    Triple { subject: page.clone(), relation: "links to".to_owned(), object },
                    passage,
                ));
            }
        }
    }
    out
}

/// Whether the words of a link name its target, rather than say "here" or count a footnote.
fn names_something(words: &str) -> bool {
    const EMPTY: &[&str] = &[
        "here",
        "click here",
        "this",
        "link",
        "source",
        "sources",
        "read more",
        "more",
        "see more",
        "learn more",
        "website",
        "edit",
        "hier",
        "mehr",
        "quelle",
        "ici",
        "aquí",
        "aqui",
        "这里",
        "点击这里",
        "来源",
        "链接",
        "こちら",
        "тут",
        "здесь",
    ];
    let words = words.trim();
    let chars = words.chars().count();
    (2..=MAX_NAME_CHARS / 2).contains(&chars)
        && words.chars().any(char::is_alphabetic)
        && !words.contains("://")
        && !(words.starts_with('[') && chars <= 5)
        && !EMPTY.contains(&words.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Letters and digits, case folded, runs of anything else as one space, a space at both ends.
fn fold(text: &str) -> String {
    let mut out = String::from(" ");
    for c in text.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// Whether folded words occur in folded text as whole words; in scripts without spaces, anywhere.
fn contains_words(text: &str, words: &str) -> bool {
    let bare = words.trim();
    !bare.is_empty() && (text.contains(words) || (bare.chars().any(is_ideographic) && text.contains(bare)))
}
