//! What does the page say of itself for machines? JSON-LD, microdata, RDFa and `<meta>`, all brought into one form:
//! JSON-LD nodes.

use std::collections::HashMap;

use dom_query::{Document, NodeId, NodeRef};
use serde_json::{Map, Value};

use crate::dom::{attribute, tag, text};

/// Most bytes of JSON-LD read from one page, and most nodes kept.
const MAX_JSON_BYTES: usize = 1 << 20;
const MAX_NODES: usize = 500;
/// Deepest nesting of microdata items.
const MAX_ITEM_DEPTH: usize = 8;
/// Longest text taken as a microdata value, in characters.
const MAX_VALUE_CHARS: usize = 1000;

/// The declared data of a page.
#[derive(Debug, Default)]
pub struct Declared {
    /// Typed nodes in document order.
    pub nodes: Vec<Value>,
    /// `content` of `<meta>` by name or property, lower case.
    pub meta: HashMap<String, Vec<String>>,
    /// Addresses declared as canonical, in order of trust.
    pub canonical: Vec<String>,
    pub html_language: Option<String>,
    /// Text of `<title>`.
    pub document_title: Option<String>,
    /// The level-one headings.
    pub headlines: Vec<String>,
    /// Dates of `<time>` elements, and names in elements marked as the author's.
    pub times: Vec<String>,
    pub bylines: Vec<String>,
}

impl Declared {
    /// The first non-empty value of the first of these `<meta>` names that has one.
    pub fn meta(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.meta.get(*name)?.first().map(String::as_str))
    }

    pub fn all_meta(&self, name: &str) -> &[String] {
        self.meta.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Reads the declared data of an unpruned document.
pub fn declared(document: &Document) -> Declared {
    let mut out = Declared::default();
    let mut json_bytes = 0;
    let root = document.root();
    for node in root.descendants_it().filter(|node| node.is_element()) {
        match &*tag(&node) {
            "html" => out.html_language = attribute(&node, "lang").or_else(|| attribute(&node, "xml:lang")),
            "title" if out.document_title.is_none() => {
                out.document_title = Some(text(&node)).filter(|title| !title.is_empty())
            }
            "meta" => read_meta(&node, &mut out),
            "link" if attribute(&node, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical")) => {
                out.canonical.extend(attribute(&node, "href"));
            }
            "script"
                if attribute(&node, "type")
                    .is_some_and(|kind| kind.eq_ignore_ascii_case("application/ld+json")) =>
            {
                let json = node.text();
                json_bytes += json.len();
                if json_bytes <= MAX_JSON_BYTES {
                    read_json_ld(&json, &mut out.nodes);
                }
            }
            "h1" if out.headlines.len() < 10 => {
                out.headlines.extend(Some(text(&node)).filter(|headline| !headline.is_empty()))
            }
            "time" if out.times.len() < 50 => out.times.extend(attribute(&node, "datetime")),
            _ => {}
        }
        if is_item(&node) && property(&node).is_none() && out.nodes.len() < MAX_NODES {
            out.nodes.push(item(&node, 0));
        }
        if out.bylines.len() < 20 && is_byline(&node) {
            out.bylines.extend(Some(text(&node)).filter(|name| !name.is_empty()));
        }
    }
    out.canonical.extend(out.meta(&["og:url"]).map(str::to_owned));
    out
}

fn read_meta(node: &NodeRef, out: &mut Declared) {
    let Some(content) = attribute(node, "content") else { return };
    let name = ["property", "name", "itemprop", "http-equiv"].iter().find_map(|key| attribute(node, key));
    if let Some(name) = name.filter(|_| out.meta.len() < MAX_NODES) {
        let values = out.meta.entry(name.to_lowercase()).or_default();
        if values.len() < 50 {
            values.push(content);
        }
    }
}

fn is_byline(node: &NodeRef) -> bool {
    attribute(node, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("author"))
        || attribute(node, "class").is_some_and(|class| {
            class.split_ascii_whitespace().any(|name| {
                matches!(
                    name.to_ascii_lowercase().as_str(),
                    "byline" | "author" | "author-name" | "byline__name" | "article-author" | "p-author"
                )
            })
        })
}

/// Broken JSON declares nothing; it is no reason to lose the page.
fn read_json_ld(json: &str, nodes: &mut Vec<Value>) {
    let json = json.trim().trim_start_matches("<!--").trim_end_matches("-->").trim_end_matches(';');
    let Ok(value) = serde_json::from_str::<Value>(json) else { return };
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(values) => stack.extend(values.into_iter().rev()),
            Value::Object(mut node) => {
                if let Some(graph) = node.remove("@graph") {
                    stack.push(graph);
                }
                if node.contains_key("@type") && nodes.len() < MAX_NODES {
                    nodes.push(Value::Object(node));
                }
            }
            _ => {}
        }
    }
}

fn is_item(node: &NodeRef) -> bool {
    node.has_attr("itemscope") || attribute(node, "typeof").is_some()
}

fn property(node: &NodeRef) -> Option<String> {
    attribute(node, "itemprop")
        .or_else(|| attribute(node, "property").filter(|name| &*tag(node) != "meta" || !name.contains(':')))
}

/// A microdata or RDFa item as a JSON-LD node.
fn item(node: &NodeRef, depth: usize) -> Value {
    let mut out: Map<String, Value> = Map::new();
    let kind = attribute(node, "itemtype").or_else(|| attribute(node, "typeof")).unwrap_or_default();
    let kind = kind.split_ascii_whitespace().next().unwrap_or_default();
    out.insert("@type".to_owned(), local_name(kind).into());
    if let Some(id) = attribute(node, "itemid").or_else(|| attribute(node, "resource")) {
        out.insert("@id".to_owned(), id.into());
    }
    let mut stack: Vec<NodeId> = node.children_it(true).map(|child| child.id).collect();
    while let Some(id) = stack.pop() {
        let child = NodeRef::new(id, node.tree);
        if !child.is_element() {
            continue;
        }
        if let Some(names) = property(&child) {
            let value = if !is_item(&child) {
                Some(Value::String(literal(&child)))
            } else if depth < MAX_ITEM_DEPTH {
                Some(item(&child, depth + 1))
            } else {
                None
            };
            for name in names.split_ascii_whitespace() {
                if let (Some(value), true) = (&value, out.len() < MAX_NODES) {
                    insert(&mut out, local_name(name), value.clone());
                }
            }
        }
        if !is_item(&child) {
            stack.extend(child.children_it(true).map(|grandchild| grandchild.id));
        }
    }
    Value::Object(out)
}

/// The last part of a type or property address: "https://schema.org/Person", "schema:Person" → "Person".
pub fn local_name(name: &str) -> &str {
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

fn insert(node: &mut Map<String, Value>, name: &str, value: Value) {
    match node.get_mut(name) {
        None => {
            node.insert(name.to_owned(), value);
        }
        Some(Value::Array(values)) => {
            if values.len() < MAX_NODES {
                values.push(value);
            }
        }
        Some(single) => {
            let first = single.take();
            *single = Value::Array(vec![first, value]);
        }
    }
}

/// The value of a property's element (HTML standard, microdata, section 5.2.4).
fn literal(node: &NodeRef) -> String {
    let from = |name: &str| attribute(node, name);
    let value = from("content").or_else(|| match &*tag(node) {
        "a" | "area" | "link" => from("href"),
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => from("src"),
        "time" => from("datetime"),
        "data" | "meter" => from("value"),
        _ => None,
    });
    // A link's text is worth more than its address where the value names something.
    let value = match (&*tag(node), value) {
        ("a", Some(address)) => Some(text(node)).filter(|text| !text.is_empty()).unwrap_or(address),
        (_, Some(value)) => value,
        (_, None) => text(node),
    };
    value.chars().take(MAX_VALUE_CHARS).collect()
}
