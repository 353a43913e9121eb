//! The invariants of ARCHITECTURE.md that a reader of the source can check.

use loci_tests::texts;

/// Crates that compile for every target and take time, storage and inference as arguments.
const PURE: [&str; 7] = ["graph", "index", "retrieval", "memorize", "ask", "messages", "protocol"];

/// What a source line says when it brings in something; a comment may well name it.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//") && !line.trim_start().starts_with('#'))
}

/// Every `path:line` under these folders whose code names one of the words.
fn named(folders: &[String], words: &[&str]) -> Vec<String> {
    let mut places = Vec::new();
    for folder in folders {
        let files = texts(folder).expect("the folder is part of the repository");
        assert!(!files.is_empty(), "{folder} holds no text: is this check looking in the right place?");
        for (path, text) in files {
            if !path.ends_with(".rs") && !path.ends_with("Cargo.toml") {
                continue;
            }
            for (number, line) in code_lines(&text) {
                for word in words.iter().filter(|word| line.contains(**word)) {
                    places.push(format!("{path}:{number} names {word}"));
                }
            }
        }
    }
    places
}

fn all_rooms_but(exceptions: &[&str]) -> Vec<String> {
    let crates = loci_tests::root().join("crates");
    let entries = std::fs::read_dir(crates).expect("crates/ exists");
    let mut rooms: Vec<String> = entries
        .map(|entry| {
            format!("crates/{}", entry.expect("crates/ can be listed").file_name().to_string_lossy())
        })
        .chain(["companion", "extension", "web", "xtask"].map(String::from))
        .filter(|room| !exceptions.contains(&room.as_str()))
        .collect();
    rooms.sort();
    rooms
}

#[test]
fn pure_crates_know_no_host() {
    let folders: Vec<String> = PURE.iter().map(|name| format!("crates/{name}")).collect();
    let found = named(
        &folders,
        &[
            "web_sys",
            "web-sys",
            "js_sys",
            "js-sys",
            "tokio",
            "time::Instant",
            "Instant::now",
            "SystemTime",
            "std::fs",
            "std::thread",
        ],
    );
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_store_knows_indexeddb() {
    let found =
        named(&all_rooms_but(&["crates/store"]), &["indexed_db_futures", "indexed-db-futures", "IdbFactory"]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_inference_knows_candle() {
    let found = named(
        &all_rooms_but(&["crates/inference"]),
        &["candle_core", "candle-core", "candle_nn", "candle-nn"],
    );
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn screens_know_messages_alone() {
    let found = named(
        &["web".into()],
        &[
            "loci-engine",
            "loci-store",
            "loci-graph",
            "loci-index",
            "loci-retrieval",
            "loci-memorize",
            "loci-protocol",
        ],
    );
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn domain_types_are_not_wire_types() {
    let folders: Vec<String> = ["graph", "index", "retrieval", "memorize", "ask"]
        .iter()
        .map(|name| format!("crates/{name}"))
        .collect();
    let found = named(&folders, &["loci-protocol", "loci_protocol", "loci-messages", "loci_messages"]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn content_scripts_never_talk_to_the_companion() {
    for (path, text) in texts("extension/static").expect("the extension has static files") {
        if path.ends_with("content.js") {
            for word in ["fetch(", "XMLHttpRequest", "WebSocket", "127.0.0.1", "localhost", "sendBeacon"] {
                assert!(!text.contains(word), "{path} names {word}");
            }
        }
    }
}

/// The project stands on its own: no folder beside it, no path of one machine, no package registry's host.
#[test]
fn the_repository_speaks_of_itself_alone() {
    // Written in pieces, so that this file does not hold what it forbids.
    let forbidden: Vec<(String, &[&str])> = vec![
        (["..", "shared"].join("/"), &[".ci/run"]),
        (["", "work", ""].join("/"), &[]),
        (["", "root", ""].join("/"), &[]),
        (["registry", "npmjs"].join("."), &[]),
        (["py", "pi.org"].concat(), &[]),
        (["python", "hosted"].concat(), &[]),
        (["static", "crates", "io"].join("."), &[]),
        (["index", "crates", "io"].join("."), &[]),
        (["deb", "debian", "org"].join("."), &[]),
    ];
    let files = texts("").expect("the repository can be read");
    assert!(files.iter().any(|(path, _)| path == ".ci/run"), "the check sees the whole repository");
    for (path, text) in &files {
        for (word, exceptions) in &forbidden {
            assert!(
                !text.contains(word.as_str()) || exceptions.contains(&path.as_str()),
                "{path} names {word}"
            );
        }
    }
}

/// One version for the extension, the companion and the crates.
#[test]
fn versions_agree() {
    let files = texts("").expect("the repository can be read");
    let manifest = files.iter().find(|(path, _)| path == "manifest.json").expect("manifest.json exists");
    let wanted = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.1.contains(&wanted), "manifest.json does not say {wanted}");
}

/// Tests wait for conditions, and none is left out.
#[test]
fn no_test_sleeps_or_is_skipped() {
    let ignored = ["#[", "ignore"].concat();
    let sleeps = ["thread::", "sleep"].concat();
    for folder in ["crates", "companion", "extension", "web", "tests", "xtask"] {
        for (path, text) in texts(folder).expect("the folder is part of the repository") {
            if path.ends_with(".rs") {
                assert!(!text.contains(&ignored), "{path} leaves a test out");
                let in_tests = path.contains("/tests/") || text.contains("#[cfg(test)]");
                assert!(!in_tests || !text.contains(&sleeps), "{path} sleeps");
            }
            if path.ends_with(".test.mjs") {
                for word in ["{ skip", ".skip(", ".only(", "waitForTimeout"] {
                    assert!(!text.contains(word), "{path} names {word}");
                }
            }
        }
    }
}
