//! The program itself: its commands, its ports, its log, its end.

use std::{
    io::{BufRead, BufReader, Read},
    net::{IpAddr, Ipv4Addr},
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use loci_companion::listen::{ListenError, first_free};
use loci_protocol::{PairReply, PairRequest, ProblemCode, StatusReply, trust};
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::{client::Ask, companion::CHROMIUM};

/// The program with a state directory of its own, and with files that are no models, so that nothing is fetched.
fn loci(dir: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loci"));
    command
        .args(arguments)
        .env("LOCI_STATE", dir.path().join("state"))
        .env("LOCI_CACHE", dir.path().join("cache"))
        .env("LOCI_HUB", "off")
        .env("LOCI_LOG", "trace")
        .stdin(Stdio::null());
    command
}

fn output(dir: &TempDir, arguments: &[&str]) -> Output {
    loci(dir, arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

struct Served {
    child: Child,
    out: BufReader<ChildStdout>,
    port: u16,
}

impl Served {
    /// Waits for the line that says it listens.
    fn start(dir: &TempDir, port: &str, more: &[&str]) -> Served {
        let none = dir.path().join("none.gguf");
        std::fs::write(&none, "this is no model").expect("writable");
        let none = none.to_str().expect("text");
        let arguments = [&["serve", "--port", port, "--model", none, "--embedder", none], more].concat();
        let mut child = loci(dir, &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("readable");
        let port =
            line.trim().strip_prefix("listening on http://127.0.0.1:").and_then(|port| port.parse().ok());
        Served { child, out, port: port.unwrap_or_else(|| panic!("it listens, not {line:?}")) }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("readable");
        line.trim().to_owned()
    }

    /// Sends a signal, waits for the end and gives success and log.
    fn end(mut self, signal: &str) -> (bool, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill is there").success());
        let status = self.child.wait().expect("it ends");
        let mut log = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut log).expect("text");
        (status.success(), log)
    }
}

async fn pair(port: u16, code: &str) -> PairReply {
    let request = PairRequest { code: code.into(), label: "Chromium on Linux".into() };
    Ask::post("/v1/pair", &request).set("origin", CHROMIUM).send(port).await.json()
}

#[tokio::test]
async fn a_user_pairs_lists_and_revokes() {
    let dir = TempDir::new().expect("a directory");
    // The code may be asked for before the companion runs.
    let early = output(&dir, &["pair"]);
    assert!(text(&early.stderr).contains("loci serve"), "{}", text(&early.stderr));
    assert!(!output(&dir, &["status"]).status.success());

    let served = Served::start(&dir, "0", &[]);
    let first = pair(served.port, &text(&early.stdout)).await;
    let late = output(&dir, &["pair"]);
    assert!(text(&late.stderr).contains(&format!("port {}", served.port)), "{}", text(&late.stderr));
    let second = pair(served.port, &text(&late.stdout)).await;

    let devices = text(&output(&dir, &["devices"]).stdout);
    assert_eq!(devices.lines().count(), 2, "{devices}");
    assert!(devices.contains(&first.profile) && devices.contains("Chromium on Linux"), "{devices}");

    let status = text(&output(&dir, &["status"]).stdout);
    assert!(status.contains(&format!("http://127.0.0.1:{}", served.port)), "{status}");
    let status: StatusReply =
        serde_json::from_slice(&output(&dir, &["status", "--json"]).stdout).expect("JSON");
    assert!(status.queue.capacity > 0);

    assert!(output(&dir, &["revoke", &first.profile]).status.success());
    let again = output(&dir, &["revoke", &first.profile]);
    assert!(!again.status.success() && text(&again.stderr).contains("loci devices"));
    let ask = |token: &str| Ask::get("/v1/status").bearer(token).send(served.port);
    assert_eq!(ask(&first.token).await.refusal(), ProblemCode::Unpaired);
    assert_eq!(ask(&second.token).await.status, 200);

    let (success, log) = served.end("-TERM");
    assert!(success, "{log}");
}

#[tokio::test]
async fn killed_and_started_again_it_knows_its_browsers() {
    let dir = TempDir::new().expect("a directory");
    let mut served = Served::start(&dir, "0", &["--pair"]);
    let line = served.line();
    let code = line.strip_prefix("pairing code ").unwrap_or_else(|| panic!("a code, not {line:?}"));
    let paired = pair(served.port, code).await;
    served.end("-KILL");
    assert!(!output(&dir, &["status"]).status.success(), "what it left behind does not pass for running");

    let served = Served::start(&dir, "0", &[]);
    assert_eq!(Ask::get("/v1/status").bearer(&paired.token).send(served.port).await.status, 200);
    let second = output(&dir, &["serve", "--port", "0"]);
    assert!(!second.status.success());
    assert!(text(&second.stderr).contains(&format!("port {}", served.port)), "{}", text(&second.stderr));
    assert!(served.end("-INT").0);
}

/// At the finest level of logging, after every route was used.
#[tokio::test]
async fn neither_log_nor_reply_nor_disk_holds_a_secret_or_page_text() {
    let dir = TempDir::new().expect("a directory");
    let served = Served::start(&dir, "0", &[]);
    let code = text(&output(&dir, &["pair"]).stdout);
    let paired = pair(served.port, &code).await;
    let page = "PAGETEXT";
    let nonce = "5a".repeat(32);
    let episodes = json!([{ "id": 1, "headings": [page], "text": page }]);
    let hello = format!("/v1/hello?nonce={nonce}&profile={}", paired.profile);
    let mut replies = String::new();
    for ask in [
        Ask::get(&hello),
        Ask::get("/v1/status"),
        Ask::get("/v1/openapi.json"),
        Ask::get(&format!("/v1/status?{page}")),
        Ask::post("/v1/pair", &json!({ "code": "000000", "label": page })),
        Ask::post("/v1/embed", &json!({ "kind": "passage", "texts": [page] })),
        Ask::post("/v1/embed", &json!({ "kind": page, "texts": [page] })),
        Ask::post(
            "/v1/extract",
            &json!({ "title": page, "language": null, "known_names": [page], "episodes": episodes }),
        ),
        Ask::post(
            "/v1/answer",
            &json!({ "question": page, "passages": [], "facts": [page], "max_tokens": 9 }),
        ),
    ] {
        replies += &ask.bearer(&paired.token).send(served.port).await.everything();
    }
    let (success, log) = served.end("-TERM");
    assert!(success && log.contains("/v1/embed") && log.contains("stopped"), "{log}");

    let bearer = trust::bearer(&paired.token);
    for (name, secret) in [
        ("token", paired.token.as_str()),
        ("bearer", &bearer),
        ("hash of the bearer", &trust::bearer_hash(&bearer)),
        ("proof key", &trust::proof_key(&paired.token)),
        ("page text", page),
        ("nonce", &nonce),
    ] {
        assert!(!log.contains(secret), "the log holds the {name}: {log}");
        assert!(!replies.contains(secret), "a reply holds the {name}: {replies}");
    }
    for entry in std::fs::read_dir(dir.path().join("state")).expect("readable") {
        let path = entry.expect("readable").path();
        assert!(!std::fs::read_to_string(&path).expect("text").contains(page), "{}", path.display());
    }
}

#[tokio::test]
async fn a_file_that_is_no_model_is_refused_with_a_hint() {
    let dir = TempDir::new().expect("a directory");
    let served = Served::start(&dir, "0", &[]);
    let paired = pair(served.port, &text(&output(&dir, &["pair"]).stdout)).await;
    let refused = async {
        loop {
            let embed = Ask::post("/v1/embed", &json!({ "kind": "query", "texts": ["a"] }));
            let reply = embed.bearer(&paired.token).send(served.port).await;
            // The file is looked at in the background.
            match reply.refusal() {
                ProblemCode::ModelMissing | ProblemCode::TooMany => tokio::task::yield_now().await,
                code => return (code, reply.text()),
            }
        }
    };
    let refused = tokio::time::timeout(std::time::Duration::from_secs(30), refused);
    let (code, reply) = refused.await.expect("the file is looked at");
    assert_eq!(code, ProblemCode::ModelDamaged);
    assert!(reply.contains("--embedder") && !reply.contains("Delete"), "a user's own file: {reply}");
    let status = text(&output(&dir, &["status"]).stdout);
    assert!(status.contains("failed: "), "{status}");
    served.end("-TERM");
}

#[tokio::test]
async fn a_taken_port_is_told_with_its_program() {
    let dir = TempDir::new().expect("a directory");
    let holder = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = holder.local_addr().expect("an address").port().to_string();
    let refused = output(&dir, &["serve", "--port", &port]);
    let message = text(&refused.stderr);
    assert!(!refused.status.success());
    assert!(message.contains(&format!("port {port}")) && message.contains("--port"), "{message}");
    #[cfg(target_os = "linux")]
    assert!(message.contains(&format!("(process {})", std::process::id())), "{message}");
}

#[tokio::test]
async fn the_first_free_port_is_taken_on_the_loopback_alone() {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let holders = [TcpListener::bind("127.0.0.1:0").await, TcpListener::bind("127.0.0.1:0").await];
    let taken = holders
        .each_ref()
        .map(|holder| holder.as_ref().expect("a port").local_addr().expect("an address").port());
    let fallen = first_free(local, &[taken[0], taken[1], 0]).await.expect("the last is free");
    assert!(!taken.contains(&fallen.local_addr().expect("an address").port()));
    let error = first_free(local, &taken).await.expect_err("all are taken");
    assert!(matches!(&error, ListenError::Taken(ports) if ports.len() == 2), "{error}");
    for address in ["0.0.0.0", "192.168.1.2", "::", "10.0.0.1"] {
        let address: IpAddr = address.parse().expect("an address");
        assert!(matches!(first_free(address, &[0]).await, Err(ListenError::NotLoopback(_))), "{address}");
    }
}

#[test]
fn wrong_usage_is_explained() {
    let dir = TempDir::new().expect("a directory");
    for (arguments, word) in [
        (&["serve", "--llm-url", "http://x/v1"] as &[&str], "--llm-model"),
        (&["serve", "--profile", "huge"], "tiny, cpu or gpu"),
        (
            &["serve", "--llm-url", "u", "--llm-model", "m", "--llm-key", "LOCI_TEST_NO_SUCH"],
            "LOCI_TEST_NO_SUCH",
        ),
        (&["revoke"], "<ID>"),
        (&["devices"], "loci pair"),
    ] {
        let output = output(&dir, arguments);
        assert!(text(&output.stderr).contains(word), "{arguments:?}: {}", text(&output.stderr));
    }
}
