//! From the code on the screen to a token, and out again.

use std::{sync::Arc, time::Duration};

use loci_companion::{Settings, StateDir, pairing_code, pairings};
use loci_protocol::{PairReply, ProblemCode, trust};

use crate::{
    client::Ask,
    companion::{CHROMIUM, Companion, FIREFOX},
};

/// A code that is surely not this one.
fn other_than(code: &str) -> String {
    code.chars().map(|digit| if digit == '0' { '1' } else { '0' }).collect()
}

#[tokio::test]
async fn a_code_pairs_once() {
    let companion = Companion::start(Settings::default()).await;
    let code = companion.open_pairing();
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    let grouped = format!(" {} {}", &code[..3], &code[3..]);
    let paired: PairReply = companion.type_code(&grouped, Some(CHROMIUM)).await.json();
    assert_eq!(paired.token.len(), 64);
    assert_eq!(companion.type_code(&code, Some(FIREFOX)).await.refusal(), ProblemCode::PairingClosed);
    assert_eq!(Ask::get("/v1/status").bearer(&paired.token).send(companion.port).await.status, 200);

    let again = companion.pair(Some(CHROMIUM)).await;
    assert!(again.token != paired.token && again.profile != paired.profile);
}

#[tokio::test]
async fn guessing_closes_the_pairing() {
    let companion = Companion::start(Settings::default()).await;
    let code = companion.open_pairing();
    for left in (0..pairing_code::TRIES).rev() {
        let reply = companion.type_code(&other_than(&code), Some(CHROMIUM)).await;
        assert_eq!(reply.refusal(), ProblemCode::WrongCode);
        assert!(left == 0 || reply.text().contains(&format!("left: {left}")), "{}", reply.text());
    }
    assert_eq!(companion.type_code(&code, Some(CHROMIUM)).await.refusal(), ProblemCode::PairingClosed);
    assert!(pairings::all(companion.app.state()).expect("readable").is_empty());
}

#[tokio::test]
async fn a_code_lives_two_minutes_whatever_the_clock_does() {
    type Turn = fn(&Companion);
    let cases: [(&str, Turn, bool); 4] = [
        ("at once", |_| (), true),
        ("a second before the end", |companion| companion.clock.forward(Duration::from_secs(119)), true),
        ("at the end", |companion| companion.clock.forward(Duration::from_secs(120)), false),
        ("with the clock set back", |companion| companion.clock.back(Duration::from_secs(3600)), false),
    ];
    for (name, turn, pairs) in cases {
        let companion = Companion::start(Settings::default()).await;
        let code = companion.open_pairing();
        turn(&companion);
        let reply = companion.type_code(&code, Some(CHROMIUM)).await;
        assert_eq!(reply.status == 200, pairs, "{name}: {}", reply.text());
        assert!(pairs || reply.refusal() == ProblemCode::PairingClosed, "{name}");
    }
}

#[tokio::test]
async fn a_new_code_replaces_the_old_and_a_restart_gives_no_new_tries() {
    let companion = Companion::start(Settings::default()).await;
    let old = companion.open_pairing();
    let code = loop {
        let code = companion.open_pairing();
        if code != old {
            break code;
        }
    };
    assert_eq!(companion.type_code(&old, None).await.refusal(), ProblemCode::WrongCode);
    for _ in 0..3 {
        companion.type_code(&other_than(&code), None).await;
    }
    let state = Arc::clone(&companion.state);
    companion.stop().await;
    let companion = Companion::start_in(state, Settings::default()).await;
    assert!(companion.type_code(&other_than(&code), None).await.text().contains("last try"));
    assert_eq!(companion.type_code(&code, None).await.refusal(), ProblemCode::PairingClosed);
}

#[tokio::test]
async fn a_restart_keeps_pairings_and_a_revoked_one_is_out_at_once() {
    let companion = Companion::start(Settings::default()).await;
    let (first, second) = (companion.pair(Some(CHROMIUM)).await, companion.pair(Some(CHROMIUM)).await);
    let state = Arc::clone(&companion.state);
    companion.stop().await;

    let companion = Companion::start_in(state, Settings::default()).await;
    let status =
        |token: &str| Ask::get("/v1/status").bearer(token).set("origin", CHROMIUM).send(companion.port);
    assert_eq!(status(&first.token).await.status, 200);
    // Another process opens the directory for itself.
    let elsewhere = StateDir::open(companion.state.path()).expect("opens");
    assert!(pairings::revoke(&elsewhere, &first.profile).expect("writable").is_some());
    assert_eq!(status(&first.token).await.refusal(), ProblemCode::Unpaired);
    assert_eq!(status(&second.token).await.status, 200);
    assert!(pairings::revoke(&elsewhere, &first.profile).expect("writable").is_none());
    pairings::revoke(&elsewhere, &second.profile).expect("writable");
    assert_eq!(
        status(&second.token).await.refusal(),
        ProblemCode::ForeignOrigin,
        "no pairing has this origin now"
    );
}

#[tokio::test]
async fn what_is_stored_opens_nothing_and_is_its_owners_alone() {
    let companion = Companion::start(Settings::default()).await;
    let paired = companion.pair(Some(CHROMIUM)).await;
    companion.open_pairing();
    let mut files = 0;
    for entry in std::fs::read_dir(companion.state.path()).expect("readable") {
        let path = entry.expect("readable").path();
        let stored = std::fs::read_to_string(&path).expect("text");
        for secret in [&paired.token, &trust::bearer(&paired.token)] {
            assert!(!stored.contains(secret.as_str()), "{} holds a secret", path.display());
        }
        #[cfg(unix)]
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        files += 1;
    }
    assert!(files >= 2, "pairings and code are there");
}

#[cfg(unix)]
#[test]
fn a_state_directory_is_private_even_when_it_was_not() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::TempDir::new().expect("a directory");
    let path = parent.path().join("new/state");
    let state = StateDir::open(&path).expect("opens");
    assert_eq!(mode(&path), 0o700);
    state.write("pairings.json", &serde_json::json!({ "version": 1, "pairings": [] })).expect("writable");
    let file = path.join("pairings.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("ours");
    StateDir::open(&path).expect("opens");
    assert_eq!(mode(&file), 0o600);
}

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).expect("there").permissions().mode() & 0o777
}

/// A damaged or newer file is neither used nor overwritten, and its content is not told.
#[tokio::test]
async fn a_state_file_that_cannot_be_read_lets_nobody_in() {
    for content in ["{\"version\":1,\"pairings\":[{\"id\":\"SECRET\"", "{\"version\":9,\"pairings\":[]}", ""]
    {
        let companion = Companion::start(Settings::default()).await;
        let token = companion.pair(None).await.token;
        let file = companion.state.path().join("pairings.json");
        std::fs::write(&file, content).expect("writable");
        let reply = Ask::get("/v1/status").bearer(&token).send(companion.port).await;
        assert_eq!(reply.refusal(), ProblemCode::Internal, "{content}");
        let code = companion.open_pairing();
        assert_eq!(companion.type_code(&code, None).await.refusal(), ProblemCode::Internal, "{content}");
        assert_eq!(std::fs::read_to_string(&file).expect("there"), content);
        let error = pairings::all(companion.app.state()).expect_err("damaged").to_string();
        assert!(error.contains("pairings.json") && !error.contains("SECRET"), "{error}");
    }
}

#[tokio::test]
async fn a_label_is_one_harmless_line() {
    let companion = Companion::start(Settings::default()).await;
    let long = "x".repeat(500);
    for (label, stored) in [
        ("Chromium on Linux", "Chromium on Linux"),
        ("\u{1b}[31mred\n\u{202e}der", "[31mredder"),
        ("  ", "unnamed browser"),
        ("火狐 🦊", "火狐 🦊"),
        (&long, &long[..80]),
    ] {
        let code = companion.open_pairing();
        let ask = Ask::post("/v1/pair", &serde_json::json!({ "code": code, "label": label }));
        assert_eq!(ask.send(companion.port).await.status, 200);
        companion.clock.forward(Duration::from_secs(10));
        let pairings = pairings::all(companion.app.state()).expect("readable");
        assert_eq!(pairings.last().expect("one").label, stored);
    }
}
