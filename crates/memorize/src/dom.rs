//! The captured DOM, made ready for reading: shadow roots flattened, hidden and non-content parts removed.

use std::borrow::Cow;

use dom_query::{Document, LocalName, NodeId, NodeRef, local_name};

/// Deepest element kept. Browsers stop at 512; articles stay below 60.
const MAX_DEPTH: usize = 256;
/// Most start tags read; a long article has some ten thousand.
const MAX_TAGS: usize = 300_000;

/// Marks the elements whose shadow root was flattened: `innerText` does not see inside them.
pub const FLATTENED: &str = "data-flattened";

/// Parses HTML and flattens declarative shadow roots into what the reader sees.
pub fn parse(html: &str) -> Document {
    let document = Document::from(limit(html).as_ref());
    flatten_shadow_roots(&document);
    document
}

/// Removes what a reader cannot see or what is never content: scripts, hidden elements, controls, navigation,
/// dialogs, consent banners.
pub fn prune(document: &Document) {
    let mut doomed = Vec::new();
    let mut stack: Vec<NodeId> = vec![document.root().id];
    while let Some(id) = stack.pop() {
        let node = NodeRef::new(id, &document.tree);
        if node.is_comment() || (node.is_element() && is_not_content(&node)) {
            doomed.push(id);
            continue;
        }
        stack.extend(node.children_it(false).map(|child| child.id));
    }
    for id in doomed {
        NodeRef::new(id, &document.tree).remove_from_parent();
    }
}

/// The element's tag name, lower case; empty for other nodes.
pub fn tag(node: &NodeRef) -> LocalName {
    node.qual_name_ref().map_or_else(|| local_name!(""), |name| name.local.clone())
}

/// An attribute's value, trimmed; `None` when absent or blank.
pub fn attribute(node: &NodeRef, name: &str) -> Option<String> {
    let element = node.element_ref()?;
    let value = element.attrs.iter().find(|a| &*a.name.local == name).map(|a| a.value.trim().to_owned())?;
    (!value.is_empty()).then_some(value)
}

/// All text below a node with white space folded, scripts and styles left out.
pub fn text(node: &NodeRef) -> String {
    let mut out = String::new();
    let mut stack = vec![(node.id, false)];
    while let Some((id, leaving)) = stack.pop() {
        let node = NodeRef::new(id, node.tree);
        if node.is_text() {
            push_folded(&mut out, &node.text());
        } else if leaving {
            push_folded(&mut out, " ");
        } else {
            let name = tag(&node);
            if matches!(&*name, "script" | "style" | "noscript" | "template") {
                continue;
            }
            if &*name == "br" || !is_inline(&name) {
                push_folded(&mut out, " ");
                stack.push((id, true));
            }
            let children: Vec<_> = node.children_it(true).map(|child| (child.id, false)).collect();
            stack.extend(children);
        }
    }
    out.trim().to_owned()
}

/// Appends text, folding every run of white space into one space.
pub fn push_folded(out: &mut String, text: &str) {
    for c in text.chars() {
        if c.is_whitespace() {
            if !out.ends_with([' ', '\n']) && !out.is_empty() {
                out.push(' ');
            }
        } else if !is_invisible(c) {
            out.push(c);
        }
    }
}

/// Soft hyphens, zero-width spaces and directional marks: they break matching and search.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{200e}' | '\u{200f}')
        || (c.is_control() && c != '\n')
}

/// Elements that run on in a line of text.
pub fn is_inline(tag: &str) -> bool {
    matches!(
        tag,
        "" | "a"
            | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "math"
            | "nobr"
            | "output"
            | "picture"
            | "q"
            | "rb"
            | "rp"
            | "rt"
            | "ruby"
            | "s"
            | "samp"
            | "slot"
            | "small"
            | "source"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
    )
}

fn is_not_content(node: &NodeRef) -> bool {
    let Some(element) = node.element_ref() else { return false };
    let name: &str = &element.name.local;
    if matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "iframe"
            | "object"
            | "embed"
            | "svg"
            | "canvas"
            | "audio"
            | "video"
            | "map"
            | "button"
            | "input"
            | "select"
            | "textarea"
            | "datalist"
            | "progress"
            | "meter"
            | "nav"
            | "dialog"
            | "menu"
            | "rp"
    ) {
        return true;
    }
    if matches!(name, "html" | "body" | "head" | "main" | "article") {
        return false;
    }
    element.attrs.iter().any(|attribute| {
        let value: &str = &attribute.value;
        match &*attribute.name.local {
            "hidden" => !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => value.eq_ignore_ascii_case("true"),
            "style" => hides(value),
            "role" => matches!(
                value,
                "navigation"
                    | "dialog"
                    | "alertdialog"
                    | "menu"
                    | "menubar"
                    | "toolbar"
                    | "search"
                    | "tablist"
                    | "tooltip"
                    | "button"
            ),
            "class" | "id" => value.split_ascii_whitespace().any(is_hidden_or_consent),
            _ => false,
        }
    })
}

fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().trim_end_matches("!important").trim();
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => value.eq_ignore_ascii_case("none"),
            "visibility" => value.eq_ignore_ascii_case("hidden") || value.eq_ignore_ascii_case("collapse"),
            _ => false,
        }
    })
}

/// Class or id names of text for screen readers only, and of the common consent managers.
fn is_hidden_or_consent(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "sr-only"
            | "visually-hidden"
            | "visuallyhidden"
            | "screen-reader-text"
            | "screenreader"
            | "noprint"
            | "mw-editsection"
    ) || [
        "cookie-banner",
        "cookie_banner",
        "cookiebanner",
        "cookie-consent",
        "cookie_consent",
        "cookieconsent",
        "cookie-notice",
        "cookie_notice",
        "cookienotice",
        "cookie-law",
        "cookie-bar",
        "cookiebar",
        "cookie-policy-",
        "cookie-message",
        "cookie-popup",
        "cookie-modal",
        "cookie-overlay",
        "cookie-warning",
        "cookies-banner",
        "cookies-notice",
        "gdpr-",
        "consent-banner",
        "consent-manager",
        "consent-modal",
        "consent-popup",
        "cmp-container",
        "cmpbox",
        "cmpwrapper",
        "onetrust",
        "didomi-",
        "usercentrics",
        "qc-cmp",
        "sp_message_container",
        "truste_",
        "trustarc",
        "cc-window",
        "cybotcookiebot",
        "iubenda-cs",
        "fc-consent",
        "eu-cookie",
    ]
    .iter()
    .any(|known| name.contains(known))
}

/// Puts each declarative shadow root in the place of its template, and the host's own children into its slots
/// (DOM standard, section 4.2.2.3). Children without a slot of theirs are not rendered and are dropped.
fn flatten_shadow_roots(document: &Document) {
    let tree = &document.tree;
    // Document order puts an outer host before the hosts inside its shadow root, so slots pass content inwards.
    let mut stack = vec![document.root().id];
    while let Some(id) = stack.pop() {
        let host = NodeRef::new(id, tree);
        // Only this function may set the mark.
        if host.has_attr(FLATTENED) {
            host.remove_attr(FLATTENED);
        }
        let children: Vec<NodeId> = host.children_it(false).map(|child| child.id).collect();
        let root = children.iter().copied().find_map(|child| shadow_root(&NodeRef::new(child, tree)));
        if let Some((template, contents)) = root {
            attach(&host, template, contents, children);
        }
        stack.extend(host.children_it(true).map(|child| child.id));
    }
}

/// The template element and the root of its contents, when it declares a shadow root.
fn shadow_root(node: &NodeRef) -> Option<(NodeId, NodeId)> {
    let element = node.element_ref()?;
    if &*element.name.local != "template" {
        return None;
    }
    let declared = element.attrs.iter().any(|a| matches!(&*a.name.local, "shadowrootmode" | "shadowroot"));
    Some((node.id, element.template_contents?)).filter(|_| declared)
}

fn attach(host: &NodeRef, template: NodeId, contents: NodeId, children: Vec<NodeId>) {
    let tree = host.tree;
    let mut light: Vec<NodeId> = children.into_iter().filter(|&child| child != template).collect();
    for &child in &light {
        NodeRef::new(child, tree).remove_from_parent();
    }
    NodeRef::new(template, tree).remove_from_parent();
    for slot in slots(&NodeRef::new(contents, tree)) {
        let slot = NodeRef::new(slot, tree);
        let name = attribute(&slot, "name");
        let (assigned, rest): (Vec<_>, Vec<_>) =
            light.into_iter().partition(|&child| attribute(&NodeRef::new(child, tree), "slot") == name);
        light = rest;
        let visible = |&child: &NodeId| {
            let child = NodeRef::new(child, tree);
            child.is_element() || (child.is_text() && !child.text().trim().is_empty())
        };
        if assigned.iter().any(visible) {
            slot.remove_children();
            for child in assigned {
                slot.append_child(&child);
            }
        }
    }
    host.set_attr(FLATTENED, "");
    let moved: Vec<NodeId> = NodeRef::new(contents, tree).children_it(false).map(|child| child.id).collect();
    for child in moved {
        let child = NodeRef::new(child, tree);
        child.remove_from_parent();
        host.append_child(&child.id);
    }
}

/// Slots of one shadow root in tree order; those of nested shadow roots lie in templates of their own.
fn slots(root: &NodeRef) -> Vec<NodeId> {
    root.descendants_it().filter(|node| &*tag(node) == "slot").map(|node| node.id).collect()
}

/// Leaves out tags nested deeper than [`MAX_DEPTH`] or beyond [`MAX_TAGS`], never text, so that neither parser nor
/// extractor can be driven into deep recursion or quadratic work.
fn limit(html: &str) -> Cow<'_, str> {
    if !exceeds(html) {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    scan(html, &mut |piece, keep| {
        if keep {
            out.push_str(piece);
        }
    });
    Cow::Owned(out)
}

fn exceeds(html: &str) -> bool {
    let mut exceeded = false;
    scan(html, &mut |_, keep| exceeded |= !keep);
    exceeded
}

/// Cuts HTML into tags and text and says of each piece whether it lies within the limits.
fn scan(html: &str, emit: &mut dyn FnMut(&str, bool)) {
    let bytes = html.as_bytes();
    let (mut at, mut depth, mut tags) = (0, 0_usize, 0_usize);
    while at < bytes.len() {
        let Some(open) = memchr(b'<', bytes, at) else { break };
        emit(&html[at..open], true);
        let closing = bytes.get(open + 1) == Some(&b'/');
        let name_at = open + 1 + usize::from(closing);
        let name_end = name_at
            + bytes[name_at.min(bytes.len())..]
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
                .count();
        let name = &html[name_at.min(html.len())..name_end.min(html.len())];
        if name.is_empty() {
            // Comments, doctypes and stray signs are for the parser to judge.
            emit(&html[open..open + 1], true);
            at = open + 1;
            continue;
        }
        let end = tag_end(bytes, name_end);
        let piece = &html[open..end];
        at = end;
        if closing {
            emit(piece, depth <= MAX_DEPTH);
            depth = depth.saturating_sub(usize::from(is_nesting(name)));
            continue;
        }
        tags += 1;
        depth += usize::from(is_nesting(name) && !piece.ends_with("/>"));
        emit(piece, depth <= MAX_DEPTH && tags <= MAX_TAGS);
        if matches!(name.to_ascii_lowercase().as_str(), "script" | "style" | "textarea" | "title") {
            let close = raw_text_end(html, at, name);
            emit(&html[at..close], true);
            at = close;
        }
    }
    emit(&html[at.min(html.len())..], true);
}

/// Elements whose end tag is always written; the others close by themselves and do not nest.
fn is_nesting(name: &str) -> bool {
    !matches!(
        name.to_ascii_lowercase().as_str(),
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
            | "p"
            | "li"
            | "dt"
            | "dd"
            | "tr"
            | "td"
            | "th"
            | "thead"
            | "tbody"
            | "tfoot"
            | "option"
            | "optgroup"
            | "colgroup"
            | "rt"
            | "rp"
            | "html"
            | "head"
            | "body"
    )
}

fn memchr(byte: u8, bytes: &[u8], from: usize) -> Option<usize> {
    bytes[from..].iter().position(|&b| b == byte).map(|offset| from + offset)
}

/// Just past the `>` that ends a tag, quoted attribute values skipped.
fn tag_end(bytes: &[u8], from: usize) -> usize {
    let mut quote = None;
    for (offset, &b) in bytes[from..].iter().enumerate() {
        match quote {
            Some(q) if b == q => quote = None,
            Some(_) => {}
            None if b == b'>' => return from + offset + 1,
            None if b == b'"' || b == b'\'' => quote = Some(b),
            None => {}
        }
    }
    bytes.len()
}

/// Where the end tag of a raw text element begins.
fn raw_text_end(html: &str, from: usize, name: &str) -> usize {
    let bytes = html.as_bytes();
    let mut at = from;
    while let Some(open) = memchr(b'<', bytes, at) {
        let rest = &bytes[open + 1..];
        if rest.first() == Some(&b'/')
            && rest.len() > name.len()
            && rest[1..=name.len()].eq_ignore_ascii_case(name.as_bytes())
        {
            return open;
        }
        at = open + 1;
    }
    bytes.len()
}
