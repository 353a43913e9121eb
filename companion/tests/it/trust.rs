//! Who is let in, and what a stranger is told.

use loci_companion::{Rate, Rates, Settings};
use loci_protocol::{EmbedKind, EmbedRequest, HelloReply, PROTOCOL_VERSION, ProblemCode, StatusReply, trust};

use crate::{
    client::Ask,
    companion::{CHROMIUM, Companion, FIREFOX},
};

fn embed() -> Ask {
    Ask::post("/v1/embed", &EmbedRequest { kind: EmbedKind::Query, texts: vec!["a".into()] })
}

fn nonce() -> String {
    "5a".repeat(32)
}

#[tokio::test]
async fn every_stranger_is_refused() {
    use ProblemCode::*;
    let companion = Companion::start(Settings::default()).await;
    let port = companion.port;
    let token = companion.pair(Some(CHROMIUM)).await.token;
    let other = companion.pair(Some(FIREFOX)).await.token;
    let status = || Ask::get("/v1/status").bearer(&token);
    let hello = || Ask::get(&format!("/v1/hello?nonce={}", nonce())).without("x-loci-protocol");
    let pair = || Ask::post("/v1/pair", &serde_json::json!({ "code": "000000", "label": "x" }));
    let long_form = |host: &str| Ask::get(&format!("http://{host}/v1/status")).bearer(&token);
    let bearer = |value: &str| Ask::get("/v1/status").set("authorization", value);

    let cases: Vec<(&str, Ask, ProblemCode)> = vec![
        ("a name of a page's own (DNS rebinding)", status().set("host", "evil.example"), WrongHost),
        ("that name with our port", status().set("host", &format!("evil.example:{port}")), WrongHost),
        ("no port", status().set("host", "127.0.0.1"), WrongHost),
        ("another port", status().set("host", "127.0.0.1:1"), WrongHost),
        ("another loopback address", status().set("host", &format!("127.0.0.2:{port}")), WrongHost),
        ("a name that only ends like ours", status().set("host", &format!("x.localhost:{port}")), WrongHost),
        ("IPv6 loopback", status().set("host", &format!("[::1]:{port}")), WrongHost),
        (
            "two hosts",
            status().and("host", &format!("127.0.0.1:{port}")).and("host", "evil.example"),
            WrongHost,
        ),
        ("a foreign authority in the request line", long_form("evil.example"), WrongHost),
        ("hello to a wrong host", hello().set("host", "evil.example"), WrongHost),
        ("pair to a wrong host", pair().set("host", "evil.example"), WrongHost),
        ("an unknown route at a wrong host", Ask::get("/").set("host", "evil.example"), WrongHost),
        ("a web page", status().set("origin", "https://evil.example"), ForeignOrigin),
        ("an http page", status().set("origin", "http://evil.example"), ForeignOrigin),
        (
            "a page of our own address",
            status().set("origin", &format!("http://127.0.0.1:{port}")),
            ForeignOrigin,
        ),
        ("a sandboxed page", status().set("origin", "null"), ForeignOrigin),
        ("an empty origin", status().set("origin", ""), ForeignOrigin),
        ("an extension that is not paired", status().set("origin", "chrome-extension://zz"), ForeignOrigin),
        (
            "our extension with a tail",
            status().set("origin", &format!("{CHROMIUM}.evil.example")),
            ForeignOrigin,
        ),
        ("our extension in capitals", status().set("origin", &CHROMIUM.to_uppercase()), ForeignOrigin),
        ("two origins", status().and("origin", CHROMIUM).and("origin", "null"), ForeignOrigin),
        ("an image in a page", status().set("sec-fetch-mode", "no-cors"), ForeignOrigin),
        ("a link to us", hello().set("sec-fetch-mode", "navigate"), ForeignOrigin),
        ("hello of a web page", hello().set("origin", "https://evil.example"), ForeignOrigin),
        ("hello of an unpaired extension", hello().set("origin", "chrome-extension://zz"), ForeignOrigin),
        ("pair by a web page", pair().set("origin", "https://evil.example"), ForeignOrigin),
        ("pair by a sandboxed page", pair().set("origin", "null"), ForeignOrigin),
        ("pair by a file", pair().set("origin", "file://"), ForeignOrigin),
        ("pair by an extension with a path", pair().set("origin", &format!("{CHROMIUM}/x")), ForeignOrigin),
        ("pair by an extension without id", pair().set("origin", "chrome-extension://"), ForeignOrigin),
        (
            "a preflight of a web page",
            Ask::method("OPTIONS", "/v1/pair").set("origin", "https://evil.example"),
            ForeignOrigin,
        ),
        ("no protocol header", status().without("x-loci-protocol"), MissingHeader),
        ("a protocol header that is no number", status().set("x-loci-protocol", "one"), MissingHeader),
        ("two protocol headers", status().and("x-loci-protocol", "1"), MissingHeader),
        (
            "another version",
            status().set("x-loci-protocol", &(PROTOCOL_VERSION + 1).to_string()),
            OtherVersion,
        ),
        ("pair without the header", pair().without("x-loci-protocol"), MissingHeader),
        ("no content type", embed().bearer(&token).without("content-type"), WrongContentType),
        ("a form", embed().bearer(&token).set("content-type", "text/plain"), WrongContentType),
        (
            "a form with a JSON tail",
            embed().bearer(&token).set("content-type", "text/plain; application/json"),
            WrongContentType,
        ),
        ("pair by a form", pair().set("content-type", "application/x-www-form-urlencoded"), WrongContentType),
        ("no bearer", Ask::get("/v1/status"), Unpaired),
        ("the token itself", bearer(&format!("Bearer {token}")), Unpaired),
        ("the proof key", bearer(&format!("Bearer {}", trust::proof_key(&token))), Unpaired),
        (
            "the stored hash",
            bearer(&format!("Bearer {}", trust::bearer_hash(&trust::bearer(&token)))),
            Unpaired,
        ),
        ("an empty bearer", bearer("Bearer "), Unpaired),
        ("another scheme", bearer(&format!("Basic {}", trust::bearer(&token))), Unpaired),
        ("a bearer that is no text", bearer("Bearer \u{fc}"), Unpaired),
        ("an invented token", Ask::get("/v1/status").bearer(&"0".repeat(64)), Unpaired),
        ("another extension's token", status().set("origin", FIREFOX), Unpaired),
        ("the other way round", Ask::get("/v1/status").bearer(&other).set("origin", CHROMIUM), Unpaired),
        ("the description for a stranger", Ask::get("/v1/openapi.json"), Unpaired),
        ("an unknown route for a stranger", Ask::get("/v1/secret"), Unpaired),
        (
            "the key of `loci status` on another route",
            embed().set("authorization", &format!("Bearer {}", companion.app.local_bearer())),
            Unpaired,
        ),
        (
            "the key of `loci status` from an extension",
            Ask::get("/v1/status")
                .set("authorization", &format!("Bearer {}", companion.app.local_bearer()))
                .set("origin", CHROMIUM),
            Unpaired,
        ),
        ("an unknown route", Ask::get("/v1/secret").bearer(&token), NotFound),
        ("a known route by another method", Ask::get("/v1/embed").bearer(&token), NotFound),
    ];
    for (name, ask, code) in cases {
        let reply = ask.send(port).await;
        assert_eq!(reply.refusal(), code, "{name}: {}", reply.text());
        let leave = reply.headers.iter().find(|(name, _)| name.starts_with("access-control-"));
        assert_eq!(leave, None, "{name}: no page gets leave");
    }
}

#[tokio::test]
async fn a_paired_profile_is_let_in() {
    let companion = Companion::start(Settings::default()).await;
    let port = companion.port;
    let (chromium, firefox) = (companion.pair(Some(CHROMIUM)).await, companion.pair(Some(FIREFOX)).await);
    let program = companion.pair(None).await;
    let status = |token: &str| Ask::get("/v1/status").bearer(token);
    for (name, ask) in [
        ("without origin", status(&chromium.token)),
        ("with its origin", status(&chromium.token).set("origin", CHROMIUM)),
        ("under localhost", status(&chromium.token).set("host", &format!("localhost:{port}"))),
        ("as a fetch of an extension", status(&chromium.token).set("sec-fetch-mode", "cors")),
        ("Firefox", status(&firefox.token).set("origin", FIREFOX)),
        ("a program that is no browser", status(&program.token)),
        (
            "the key of `loci status`",
            Ask::get("/v1/status").set("authorization", &format!("Bearer {}", companion.app.local_bearer())),
        ),
        (
            "a whole URL in the request line",
            Ask::get(&format!("http://127.0.0.1:{port}/v1/status")).bearer(&chromium.token),
        ),
    ] {
        let reply = ask.send(port).await;
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        reply.json::<StatusReply>();
        for (header, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(header), Some(value), "{name}");
        }
    }
}

/// One request with every fault at once; each repair shows the next.
#[tokio::test]
async fn the_checks_stand_in_their_order() {
    use ProblemCode::*;
    let once = Rate { burst: 1.0, per_second: 0.001 };
    let settings = Settings { rates: Rates { profile: once, ..Rates::default() }, ..Settings::default() };
    let companion = Companion::start(settings).await;
    let token = companion.pair(Some(CHROMIUM)).await.token;
    // Takes the only request that the rate grants.
    assert_eq!(Ask::get("/v1/status").bearer(&token).send(companion.port).await.status, 200);

    let mut ask = embed()
        .set("host", "evil.example")
        .set("origin", "https://evil.example")
        .without("x-loci-protocol")
        .without("content-type")
        .body(vec![b'['; (4 << 20) + 1]);
    type Repair<'a> = Box<dyn Fn(Ask) -> Ask + 'a>;
    let repairs: Vec<(ProblemCode, Repair)> = vec![
        (WrongHost, Box::new(|ask| ask.without("host"))),
        (ForeignOrigin, Box::new(|ask| ask.set("origin", CHROMIUM))),
        (MissingHeader, Box::new(|ask| ask.set("x-loci-protocol", "1"))),
        (WrongContentType, Box::new(|ask| ask.set("content-type", "application/json; charset=utf-8"))),
        (Unpaired, Box::new(|ask| ask.bearer(&token))),
        (TooLarge, Box::new(|ask| ask.body(b"[".to_vec()))),
        (TooMany, Box::new(|ask| ask)),
    ];
    for (code, repair) in repairs {
        let reply = ask.clone().send(companion.port).await;
        assert_eq!(reply.refusal(), code);
        assert_eq!(reply.header("retry-after").is_some(), code == TooMany);
        ask = repair(ask);
    }
    companion.clock.forward(std::time::Duration::from_secs(1000));
    assert_eq!(ask.send(companion.port).await.refusal(), BadRequest, "all checks passed, the body is none");
}

/// An impostor on another port passes `hello` on: the proof it gets does not hold there.
#[tokio::test]
async fn the_proof_holds_on_the_real_port_alone() {
    let companion = Companion::start(Settings::default()).await;
    let paired = companion.pair(Some(CHROMIUM)).await;
    let key = trust::proof_key(&paired.token);
    let hello = |nonce: &str, profile: &str| {
        Ask::get(&format!("/v1/hello?nonce={nonce}&profile={profile}")).without("x-loci-protocol")
    };
    let reply: HelloReply = hello(&nonce(), &paired.profile).send(companion.port).await.json();
    let proof = reply.proof.expect("a known profile gets a proof");
    let holds = |nonce: &str, port: u16| {
        trust::proof_holds(&proof, &key, nonce, port, &paired.profile, &reply.version)
    };
    assert_eq!((reply.name.as_str(), reply.protocol), ("loci", PROTOCOL_VERSION));
    assert!(holds(&nonce(), companion.port));
    assert!(!holds(&nonce(), companion.port ^ 1), "relayed to another port");
    assert!(!holds(&"00".repeat(32), companion.port), "replayed for another nonce");

    let unknown: HelloReply = hello(&nonce(), "nobody").send(companion.port).await.json();
    assert_eq!(unknown.proof, None);
    for bad in ["", "5a", "zz", &"zz".repeat(32), &"5a".repeat(33)] {
        assert_eq!(
            hello(bad, &paired.profile).send(companion.port).await.refusal(),
            ProblemCode::BadRequest,
            "{bad}"
        );
    }
    assert_eq!(Ask::get("/v1/hello").send(companion.port).await.refusal(), ProblemCode::BadRequest);
}
