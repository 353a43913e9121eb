//! Lark grammars for llguidance. Each is rebuilt for its item, which takes milliseconds.

use super::{chunks::Chunk, language::Language};

/// Stands for a barrier among the chunks; no pattern of a name admits it.
const SENTINEL: &str = "\u{1}";

/// Words that no English name begins with, or ends with.
const EDGES: &str = "the|a|an|in|of|to|for|by|on|at|from|with|as|its|their|his|her|and|or|into|over|up|under|between|called|also|near|after|before|during|about|per|but|so|very|more|most|only|just|both|all|new|now|out|off";

/// One triple of an array that holds `written` already, or its end. Subject and object are verbatim runs of chunks.
pub(crate) fn triple(names: &[Chunk], language: Language, is_first: bool) -> String {
    let chunks: Vec<String> = names
        .iter()
        .map(|chunk| match chunk {
            Chunk::Piece(piece) => json_inner(piece),
            Chunk::Barrier => SENTINEL.into(),
        })
        .collect();
    let chunks = serde_json::to_string(&chunks).expect("strings are JSON");
    let (name, relation) = match language {
        Language::Spaced => (
            format!(
                r"/[^ \x01]+( [^ \x01]+){{0,7}}/ & /.{{1,80}}/ & ~/(({EDGES})( .*)?)|((.* )?({EDGES}))|[\W_]+/"
            ),
            r"/[\p{Ll}\p{Lo}][\p{L}'\-]{0,20}( [\p{L}\p{N}'\-]{1,20}){0,3}/",
        ),
        Language::Han => (
            r"/[^\x01]{2,24}/ & ~/[\W_]+|[ \-.·・%].*|.*[ \-·・]/".into(),
            r"/[\p{Han}\p{Hiragana}\p{Katakana}]{1,8}/",
        ),
    };
    let start = if is_first { r#"start: "[" t | "[]""# } else { r#"start: "," t | "]""# };
    format!(
        "{start}\nt: \"[\\\"\" NAME \"\\\",\\\"\" REL \"\\\",\\\"\" NAME \"\\\"]\"\nNAME: %regex {{ \"substring_chunks\": {chunks} }} & {name}\nREL: {relation}\n"
    )
}

/// A kind for each of the names, in order: only the kinds are left to choose.
pub(crate) fn kinds(names: &[String]) -> String {
    let entry = |name: &String| format!("{} KIND \"]\"", literal(&format!("[\"{}\",", json_inner(name))));
    let entries = names.iter().map(entry).collect::<Vec<_>>().join(" \",\" ");
    let kinds = KINDS.map(|kind| literal(&format!("\"{kind}\""))).join(" | ");
    format!("start: \"[\" {entries} \"]\"\nKIND: {kinds}\n")
}

/// One of the choices.
pub(crate) fn choice(choices: &[String]) -> String {
    format!("start: {}\n", choices.iter().map(|choice| literal(choice)).collect::<Vec<_>>().join(" | "))
}

/// What an object can be, as the protocol names it.
pub(crate) const KINDS: [&str; 8] =
    ["person", "organisation", "place", "work", "product", "event", "concept", "value"];

/// The inside of a JSON string.
fn json_inner(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a string is JSON");
    quoted[1..quoted.len() - 1].to_owned()
}

/// A Lark string; it is escaped as JSON's are.
fn literal(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}
