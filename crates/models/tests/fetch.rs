//! Fetching against a hub that runs in this process.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use loci_models::{
    Cache, FetchOptions, HubFile, HubSource, ModelError, ModelSpec, Origin, Progress, StoredModel, fetch,
};
use sha2::{Digest, Sha256};

/// A hub with one file. It notes the ranges it was asked for.
struct Hub {
    address: String,
    ranges: Arc<Mutex<Vec<String>>>,
}

impl Hub {
    /// `cut` ends the first transfer after so many bytes, as a broken line would.
    fn start(content: Vec<u8>, sha256: String, cut: Option<usize>) -> Hub {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let address = format!("http://{}", listener.local_addr().expect("the socket is bound"));
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let seen = ranges.clone();
        thread::spawn(move || {
            let mut cut = cut;
            for stream in listener.incoming().flatten() {
                serve(stream, &content, &sha256, &seen, &mut cut);
            }
        });
        Hub { address, ranges }
    }
}

fn serve(
    mut stream: TcpStream,
    content: &[u8],
    sha256: &str,
    seen: &Mutex<Vec<String>>,
    cut: &mut Option<usize>,
) {
    let lines: Vec<String> = BufReader::new(&stream)
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .map(|line| line.to_lowercase())
        .collect();
    let length = content.len();
    if lines.first().is_some_and(|line| line.starts_with("head")) {
        let head = format!(
            "HTTP/1.1 302 Found\r\nlocation: /bytes\r\nx-linked-etag: \"{sha256}\"\r\nx-linked-size: {length}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("the client reads the head");
        return;
    }
    let range = lines.iter().find_map(|line| line.strip_prefix("range: bytes=")).unwrap_or("0-").to_owned();
    let start: usize = range.trim_end_matches('-').parse().expect("a range has a start");
    seen.lock().expect("no test panicked with it").push(range);
    let rest = &content[start..];
    let head = format!(
        "HTTP/1.1 206 Partial Content\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        rest.len()
    );
    let sent = cut.take().map_or(rest, |cut| &rest[..cut]);
    // The client may leave early; its own checks tell.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent));
}

const FILE: &str = "model.gguf";

fn spec() -> ModelSpec {
    ModelSpec {
        name: "test-model",
        licence: "MIT",
        bytes: 0,
        hub: Some(HubSource {
            repository: "someone/test-model",
            files: &[HubFile { name: FILE, sha256: None }],
            stored_as: FILE,
        }),
        wheels: None,
    }
}

fn content() -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend((0..300_000u32).flat_map(u32::to_le_bytes));
    bytes
}

fn options(folder: &std::path::Path, hub: &str) -> FetchOptions {
    FetchOptions { cache: Cache::at(folder), hub: Some(hub.into()), wheels: false }
}

#[test]
fn a_broken_transfer_is_resumed_and_the_result_cached() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let content = content();
    let hub = Hub::start(content.clone(), hex::encode(Sha256::digest(&content)), Some(100_000));
    let options = options(folder.path(), &hub.address);
    let mut last = None;
    let stored = fetch(&spec(), &options, &mut |progress| {
        if let Progress::Bytes { done, total } = progress {
            last = Some((done, total));
        }
    })
    .expect("the second transfer brings the rest");
    assert_eq!(stored.origin, Origin::Hub);
    assert_eq!(fs::read(&stored.path).expect("the file is there"), content);
    assert_eq!(last, Some((content.len() as u64, content.len() as u64)));
    let ranges = hub.ranges.lock().expect("the hub did not panic").clone();
    assert_eq!(ranges.len(), 2, "{ranges:?}");
    assert_eq!(ranges[1], "100000-", "the second transfer goes on where the first ended");

    let again =
        fetch(&spec(), &options, &mut |_| panic!("a cached model needs no work")).expect("it is cached");
    assert_eq!(again.origin, Origin::Cache);
}

#[test]
fn bytes_of_another_checksum_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let hub = Hub::start(content(), "0".repeat(64), None);
    let error = fetch(&spec(), &options(folder.path(), &hub.address), &mut |_| {})
        .expect_err("they are not the model");
    assert!(
        matches!(error, ModelError::Unreachable { ref reason, .. } if reason.contains("SHA-256")),
        "{error}"
    );
    assert_eq!(Cache::at(folder.path()).find(&spec()), None);
    assert!(!error.hint().is_empty());
}

#[test]
fn a_cached_file_cut_short_is_fetched_again() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let content = content();
    let hub = Hub::start(content.clone(), hex::encode(Sha256::digest(&content)), None);
    let options = options(folder.path(), &hub.address);
    let stored = fetch(&spec(), &options, &mut |_| {}).expect("the hub is whole");
    fs::write(&stored.path, &content[..1000]).expect("the cache can be written");
    assert_eq!(options.cache.find(&spec()), None, "a cut file is no model");
    let again = fetch(&spec(), &options, &mut |_| {}).expect("the hub still has it");
    assert_eq!(fs::read(&again.path).expect("the file is there"), content);
}

#[test]
fn concurrent_runs_share_one_download() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let content = content();
    let hub = Hub::start(content.clone(), hex::encode(Sha256::digest(&content)), None);
    let options = options(folder.path(), &hub.address);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fetch(&spec(), &options, &mut |_| {}).expect("one of them fetches it"));
        }
    });
    assert_eq!(hub.ranges.lock().expect("the hub did not panic").len(), 1);
}

#[test]
fn a_configured_path_must_hold_a_model() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("notes.gguf");
    assert!(matches!(StoredModel::configured(&path), Err(ModelError::Missing(_))));
    fs::write(&path, "not a model").expect("the folder can be written");
    assert!(matches!(StoredModel::configured(&path), Err(ModelError::Damaged { .. })));
    fs::write(&path, "GGUF and so on").expect("the folder can be written");
    assert_eq!(StoredModel::configured(&path).expect("it begins like one").origin, Origin::Configured);
}

#[test]
fn no_hub_is_noticed_and_said() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    // A port that was free a moment ago and that nobody listens on.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port is free");
    let mut notes = Vec::new();
    let error = fetch(&spec(), &options(folder.path(), &format!("http://{port}")), &mut |progress| {
        if let Progress::Note(note) = progress {
            notes.push(note);
        }
    })
    .expect_err("nobody is there");
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
    assert!(notes.iter().any(|note| note.contains("did not give it")), "{notes:?}");
}
