//! What do tables, infoboxes and description lists state?

use dom_query::{NodeId, NodeRef};
use loci_graph::ObjectKind;

use crate::dom::{attribute, tag, text};
use crate::page::Name;
use crate::schema::{MAX_NAME_CHARS, Triple};

/// Most rows read of a table, most columns, most triples of one table.
const MAX_ROWS: usize = 200;
const MAX_COLUMNS: usize = 30;
const MAX_TRIPLES: usize = 200;
/// Longest label of a row or column, in characters.
const MAX_LABEL_CHARS: usize = 60;

/// A triple read off one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowTriple {
    pub triple: Triple,
    /// The `tr` or `dl` element that states it.
    pub row: NodeId,
}

/// Whether a table lists the attributes of one thing beside the text: an infobox.
pub fn is_infobox(table: &NodeRef) -> bool {
    attribute(table, "class").is_some_and(|class| {
        let class = class.to_ascii_lowercase();
        ["infobox", "taxobox", "vcard", "biota", "basic-info", "basicinfo"]
            .iter()
            .any(|name| class.contains(name))
    })
}

/// Triples of a table. `page` is the subject of pairs when the table has no title of its own.
pub fn table_triples(
    table: &NodeRef,
    page: &Name,
    mut resolve: impl FnMut(&str) -> Option<String>,
) -> Vec<RowTriple> {
    let rows = rows(table);
    let mut out = Vec::new();
    let pairs = rows.iter().filter(|row| row.is_pair()).count();
    if is_infobox(table) || (pairs >= 2 && pairs * 3 >= rows.len() * 2) {
        let subject = title(table, &rows).map_or_else(
            || page.clone(),
            |title| if title == page.text { page.clone() } else { Name::new(title, ObjectKind::Unknown) },
        );
        for row in rows.iter().filter(|row| row.is_pair()) {
            for value in row.cells[1].values(&mut resolve) {
                push(&mut out, &subject, &row.cells[0].text, value, row.element);
            }
        }
        return out;
    }
    let Some(header) = rows.iter().take(3).rposition(Row::is_header) else { return out };
    let labels: Vec<&str> = rows[header].cells.iter().map(|cell| cell.text.as_str()).collect();
    for row in rows[header + 1..].iter().filter(|row| row.cells.len() == labels.len() && row.cells.len() >= 2)
    {
        // A first column of mere numbers counts the rows; the name stands beside it.
        let key = usize::from(row.cells.len() > 2 && is_counter(&row.cells[0].text));
        let name = &row.cells[key];
        if name.text.is_empty() || name.text.chars().count() > MAX_NAME_CHARS {
            continue;
        }
        let subject = name.values(&mut resolve).into_iter().next().filter(|value| value.text == name.text);
        let subject = subject.unwrap_or_else(|| Name::new(name.text.clone(), ObjectKind::Unknown));
        for (label, cell) in labels.iter().zip(&row.cells).skip(key + 1) {
            for value in cell.values(&mut resolve) {
                push(&mut out, &subject, label, value, row.element);
            }
        }
    }
    out
}

/// Triples of a description list of short terms and values.
pub fn list_triples(
    list: &NodeRef,
    page: &Name,
    mut resolve: impl FnMut(&str) -> Option<String>,
) -> Vec<RowTriple> {
    let mut out = Vec::new();
    let mut term: Option<String> = None;
    let entries = list.descendants_it().filter(|node| matches!(&*tag(node), "dt" | "dd")).take(2 * MAX_ROWS);
    for node in entries {
        if &*tag(&node) == "dt" {
            term = Some(text(&node));
        } else if let Some(term) = &term {
            for value in Cell::of(&node).values(&mut resolve) {
                push(&mut out, page, term, value, list.id);
            }
        }
    }
    out
}

fn push(out: &mut Vec<RowTriple>, subject: &Name, label: &str, object: Name, row: NodeId) {
    let relation = label.trim().trim_end_matches([':', '：', '?']).trim();
    let relation_chars = relation.chars().count();
    if out.len() < MAX_TRIPLES
        && (1..=MAX_LABEL_CHARS).contains(&relation_chars)
        && object.text != subject.text
    {
        out.push(RowTriple {
            triple: Triple { subject: subject.clone(), relation: relation.to_owned(), object },
            row,
        });
    }
}

struct Row {
    element: NodeId,
    cells: Vec<Cell>,
    in_head: bool,
}

impl Row {
    /// A label and its value.
    fn is_pair(&self) -> bool {
        matches!(self.cells.as_slice(), [label, value] if (label.is_label || label.text.ends_with([':', '：'])) && !value.is_label)
            && !self.cells[0].text.is_empty()
            && !self.cells[1].text.is_empty()
    }

    fn is_header(&self) -> bool {
        self.cells.len() >= 2
            && (self.in_head || self.cells.iter().all(|cell| cell.is_label || cell.text.is_empty()))
    }
}

#[derive(Clone)]
struct Cell {
    text: String,
    is_label: bool,
    /// Text and address of the links, when the cell holds nothing else but separators.
    links: Vec<(String, String)>,
    /// Lines or list items.
    lines: Vec<String>,
}

impl Cell {
    fn of(node: &NodeRef) -> Self {
        let (mut links, mut lines) = (Vec::new(), Vec::new());
        let mut line_starts = false;
        for child in node.descendants_it() {
            match &*tag(&child) {
                "a" => {
                    if let Some(href) = attribute(&child, "href") {
                        links.push((text(&child), href));
                    }
                }
                "li" => lines.push(text(&child)),
                "br" => line_starts = true,
                _ => {}
            }
        }
        if lines.is_empty() && line_starts {
            lines = text_lines(node);
        }
        lines.retain(|line| !line.is_empty());
        links.retain(|(text, _)| !text.is_empty() && !text.starts_with('['));
        Self { text: strip_references(&text(node)), is_label: &*tag(node) == "th", links, lines }
    }

    /// The things a cell names: its links when it holds nothing else, its lines when it lists several, else its text.
    fn values(&self, resolve: &mut impl FnMut(&str) -> Option<String>) -> Vec<Name> {
        let named = |text: &str, resolve: &mut dyn FnMut(&str) -> Option<String>| {
            let mut name = Name::new(text, kind_of_value(text));
            if let Some((_, href)) = self.links.iter().find(|(link, _)| link == text) {
                if name.kind == ObjectKind::Value && text.chars().count() <= MAX_NAME_CHARS {
                    name.kind = ObjectKind::Unknown;
                }
                name.aliases.extend(resolve(href));
            }
            name
        };
        let link_chars: usize =
            self.links.iter().map(|(text, _)| text.chars().filter(|c| c.is_alphanumeric()).count()).sum();
        let chars = self.text.chars().filter(|c| c.is_alphanumeric()).count();
        let texts: Vec<&str> = if self.links.len() > 1 && link_chars == chars {
            self.links.iter().map(|(text, _)| text.as_str()).collect()
        } else if self.lines.len() > 1 {
            self.lines.iter().map(String::as_str).collect()
        } else {
            vec![self.text.as_str()]
        };
        let stated = |text: &&str| text.chars().any(char::is_alphanumeric) && text.chars().count() <= 400;
        texts
            .into_iter()
            .filter(stated)
            .take(MAX_COLUMNS)
            .map(|text| named(&strip_references(text), resolve))
            .collect()
    }
}

/// Marks of footnotes at the end of words: "1903[2]" → "1903".
fn strip_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').map(|at| open + at);
        match close {
            Some(close)
                if close - open <= 4 && rest[open + 1..close].chars().all(|c| c.is_ascii_alphanumeric()) =>
            {
                out.push_str(rest[..open].trim_end());
                rest = &rest[close + 1..];
            }
            _ => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}

fn text_lines(node: &NodeRef) -> Vec<String> {
    let mut lines = vec![String::new()];
    for child in node.descendants_it() {
        if &*tag(&child) == "br" {
            lines.push(String::new());
        } else if let (true, Some(line)) = (child.is_text(), lines.last_mut()) {
            crate::dom::push_folded(line, &child.text());
        }
    }
    lines.iter().map(|line| strip_references(line)).collect()
}

/// Numbers, dates and long texts are values; the rest may be anything.
pub fn kind_of_value(text: &str) -> ObjectKind {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if text.starts_with(|c: char| {
        c.is_ascii_digit() || matches!(c, '$' | '€' | '£' | '¥' | '+' | '-' | '<' | '>' | '~' | '≈')
    }) || digits > letters
        || text.chars().count() > MAX_NAME_CHARS / 2
        || crate::dates::parse_date(text).is_some()
    {
        ObjectKind::Value
    } else {
        ObjectKind::Unknown
    }
}

fn is_counter(text: &str) -> bool {
    text.chars().count() <= 4
        && text.trim_end_matches('.').chars().all(|c| c.is_ascii_digit())
        && !text.is_empty()
}

/// The caption, else a heading across all columns at the top.
fn title(table: &NodeRef, rows: &[Row]) -> Option<String> {
    let caption =
        table.children_it(false).find(|child| &*tag(child) == "caption").map(|caption| text(&caption));
    let across = || {
        rows.first().and_then(|row| {
            matches!(row.cells.as_slice(), [only] if only.is_label).then(|| row.cells[0].text.clone())
        })
    };
    caption.or_else(across).filter(|title| !title.is_empty() && title.chars().count() <= MAX_NAME_CHARS)
}

/// The rows of a table with the cells that span rows or columns repeated; rows of inner tables are not its own.
fn rows(table: &NodeRef) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    // Cells that reach down into the next rows: by column, how many rows are left.
    let mut hanging: Vec<Option<(usize, Cell)>> = Vec::new();
    let mut sections: Vec<(NodeId, bool)> = vec![];
    for child in table.children_it(false).filter(|child| child.is_element()) {
        match &*tag(&child) {
            "tr" => sections.push((child.id, false)),
            name @ ("thead" | "tbody" | "tfoot") => {
                let in_head = name == "thead";
                sections.extend(
                    child.children_it(false).filter(|row| &*tag(row) == "tr").map(|row| (row.id, in_head)),
                );
            }
            _ => {}
        }
    }
    for (id, in_head) in sections.into_iter().take(MAX_ROWS) {
        let row = NodeRef::new(id, table.tree);
        let mut cells: Vec<Cell> = Vec::new();
        let hang = |cells: &mut Vec<Cell>, hanging: &mut Vec<Option<(usize, Cell)>>| {
            while let Some(Some((left, cell))) = hanging.get_mut(cells.len()) {
                *left -= 1;
                let (done, cell) = (*left == 0, cell.clone());
                if done {
                    hanging[cells.len()] = None;
                }
                cells.push(cell);
            }
        };
        for node in row.children_it(false).filter(|node| matches!(&*tag(node), "td" | "th")) {
            hang(&mut cells, &mut hanging);
            let span = |name: &str| {
                attribute(&node, name).and_then(|n| n.parse::<usize>().ok()).unwrap_or(1).clamp(1, MAX_ROWS)
            };
            let (columns, down) = (span("colspan"), span("rowspan"));
            let cell = Cell::of(&node);
            // A lone cell across the table is a title, not many columns.
            let columns = if row.children_it(false).filter(|node| node.is_element()).count() == 1 {
                1
            } else {
                columns.min(MAX_COLUMNS)
            };
            for _ in 0..columns {
                if down > 1 {
                    if hanging.len() <= cells.len() {
                        hanging.resize(cells.len() + 1, None);
                    }
                    hanging[cells.len()] = Some((down - 1, cell.clone()));
                }
                cells.push(cell.clone());
            }
            if cells.len() >= MAX_COLUMNS {
                break;
            }
        }
        hang(&mut cells, &mut hanging);
        if !cells.is_empty() {
            out.push(Row { element: id, cells, in_head });
        }
    }
    out
}
