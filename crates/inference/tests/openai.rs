//! The OpenAI protocol against a real HTTP server in this process.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
    routing::post,
};
use loci_inference::{Cancel, InferenceError, LanguageModel, OpenAiModel, OpenAiOptions};
use loci_protocol::{
    AnswerDone, AnswerEvent, AnswerPassage, AnswerRequest, ExtractEpisode, ExtractEvent, ExtractRequest,
    ExtractedEpisode,
};
use serde_json::{Value, json};

#[derive(Clone)]
struct Server {
    /// What it says, in pieces.
    pieces: Vec<String>,
    finish: &'static str,
    refuses_schema: bool,
    /// Holds the connection open after the pieces.
    stalls: bool,
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    fn saying(reply: &str) -> Server {
        let letters: Vec<char> = reply.chars().collect();
        let pieces = letters.chunks(7).map(|piece| piece.iter().collect()).collect();
        Server { pieces, finish: "stop", refuses_schema: false, stalls: false, seen: Arc::default() }
    }

    /// Starts it and returns a model that talks to it.
    fn start(self) -> OpenAiModel {
        let (send, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be built").block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
                send.send(listener.local_addr().expect("it is bound")).expect("the test listens");
                let app = Router::new().route("/v1/chat/completions", post(complete)).with_state(self);
                axum::serve(listener, app).await.expect("it serves until the test ends");
            });
        });
        let address = address.recv().expect("the server starts");
        let options = OpenAiOptions {
            url: format!("http://{address}/v1/"),
            model: "test".into(),
            key: Some("key".into()),
        };
        OpenAiModel::new(options).expect("the address is one")
    }
}

async fn complete(State(server): State<Server>, headers: HeaderMap, body: Bytes) -> Response {
    assert_eq!(headers["authorization"], "Bearer key");
    let request: Value = serde_json::from_slice(&body).expect("the client sends JSON");
    let asks_schema = request["response_format"]["type"] == "json_schema";
    server.seen.lock().expect("no test panicked with it").push(request);
    if asks_schema && server.refuses_schema {
        return Response::builder()
            .status(StatusCode::BAD_REQUEST)
            .body(Body::from("{\"error\":{\"message\":\"no schema\"}}"))
            .expect("it is a response");
    }
    let mut events =
        String::from(": a comment\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n");
    for piece in &server.pieces {
        events += &format!("data: {}\n\n", json!({"choices": [{"delta": {"content": piece}}]}));
    }
    let body = if server.stalls {
        let silence = futures::stream::pending();
        let first = futures::stream::once(async { Ok::<_, std::io::Error>(events) });
        Body::from_stream(futures::StreamExt::chain(first, silence))
    } else {
        events +=
            &format!("data: {}\n\n", json!({"choices": [{"delta": {}, "finish_reason": server.finish}]}));
        events += &format!(
            "data: {}\n\ndata: [DONE]\n\n",
            json!({"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 30}}})
        );
        Body::from(events)
    };
    Response::builder().header("content-type", "text/event-stream").body(body).expect("it is a response")
}

fn extract(model: &OpenAiModel) -> Result<Vec<ExtractEvent>, InferenceError> {
    let request = ExtractRequest {
        title: "Vestrel Shipyards".into(),
        language: None,
        known_names: Vec::new(),
        episodes: vec![ExtractEpisode {
            id: 3,
            headings: Vec::new(),
            text: "Henrik Aalto founded it in Turku. It built the icebreaker Karhu.".into(),
        }],
    };
    let mut events = Vec::new();
    model.extract(&request, &Cancel::new(), &mut |event| events.push(event))?;
    Ok(events)
}

fn episode(events: &[ExtractEvent]) -> ExtractedEpisode {
    let episode = events.iter().find_map(|event| match event {
        ExtractEvent::Episode(episode) => Some(episode.clone()),
        _ => None,
    });
    episode.expect("each episode ends in one")
}

fn fact(subject: &str, relation: &str, object: &str) -> Value {
    json!({"subject": subject, "subject_kind": "organisation", "relation": relation, "object": object, "object_kind": "nonsense"})
}

#[test]
fn facts_are_held_to_the_text() {
    let facts = json!({"facts": [
        fact("Vestrel Shipyards", "built", "Karhu"),
        fact("Vestrel Shipyards", "built", "Titanic"),
        fact("Vestrel Shipyards", "built", "Karhu"),
    ]});
    let server = Server::saying(&facts.to_string());
    let seen = server.seen.clone();
    let events = extract(&server.start()).expect("the server answers");
    let episode = episode(&events);
    assert_eq!(episode.id, 3);
    assert_eq!(episode.triples.len(), 1, "{episode:#?}");
    assert_eq!(episode.counts.ungrounded, 1, "the Titanic is not in the text");
    assert_eq!(episode.objects[0].kind, "organisation");
    assert_eq!(episode.objects[1].kind, "unknown");
    assert!(
        episode.theses.iter().any(|thesis| thesis.text == "Vestrel Shipyards built the icebreaker Karhu."),
        "{episode:#?}"
    );
    let Some(ExtractEvent::Done { usage }) = events.last() else { panic!("{events:?}") };
    assert_eq!((usage.prompt_tokens, usage.reused_tokens, usage.output_tokens), (10, 30, 9));
    let seen = seen.lock().expect("the server did not panic");
    assert_eq!(seen[0]["stream"], true);
    assert_eq!(seen[0]["response_format"]["type"], "json_schema");
}

#[test]
fn a_server_without_schemas_is_asked_without() {
    let facts = json!({"facts": [fact("Vestrel Shipyards", "built", "Karhu")]});
    let server = Server { refuses_schema: true, ..Server::saying(&format!("Sure! {facts}")) };
    let seen = server.seen.clone();
    let model = server.start();
    for _ in 0..2 {
        assert_eq!(episode(&extract(&model).expect("it falls back")).triples.len(), 1);
    }
    let formats: Vec<Value> = seen
        .lock()
        .expect("the server did not panic")
        .iter()
        .map(|body| body["response_format"]["type"].clone())
        .collect();
    assert_eq!(
        formats,
        [json!("json_schema"), json!("json_object"), Value::Null],
        "the refusal is remembered"
    );
}

#[test]
fn a_reply_cut_short_loses_its_last_fact_alone() {
    let whole = fact("Vestrel Shipyards", "built", "Karhu");
    let cut = format!("{{\"facts\":[{whole},{{\"subject\":\"Henrik");
    let server = Server { finish: "length", ..Server::saying(&cut) };
    let episode = episode(&extract(&server.start()).expect("the server answers"));
    assert_eq!(episode.triples.len(), 1);
    assert_eq!(episode.counts.truncated, 1);
}

/// Text and citations as `text|passage`.
fn answer(model: &OpenAiModel, cancel: &Cancel) -> Result<(String, AnswerDone), InferenceError> {
    let passage = |text: &str| AnswerPassage { title: String::new(), date: None, text: text.into() };
    let request = AnswerRequest {
        question: "Who founded it?".into(),
        passages: vec![
            passage("Karhu is an icebreaker."),
            passage("Henrik Aalto founded Vestrel Shipyards."),
        ],
        facts: vec!["Vestrel Shipyards built Karhu".into()],
        max_tokens: 64,
    };
    let (mut out, mut done) = (String::new(), None);
    model.answer(&request, cancel, &mut |event| match event {
        AnswerEvent::Token { text } => {
            out += &text;
            if text.contains("stall") {
                cancel.cancel();
            }
        }
        AnswerEvent::Citation { passage } => out += &format!("|{passage}"),
        AnswerEvent::Done(outcome) => done = Some(outcome),
        AnswerEvent::Error { problem } => panic!("{problem:?}"),
    })?;
    Ok((out, done.expect("the stream ends in Done")))
}

#[test]
fn answers_are_held_to_their_passages() {
    for (reply, expected, no_answer) in [
        ("Henrik Aalto founded it. [2]", "Henrik Aalto founded it. |2", false),
        ("Henrik Aalto founded it. [9]", "Henrik Aalto founded it. |2", false),
        ("NO_ANSWER", "", true),
        ("", "", true),
    ] {
        let (text, done) =
            answer(&Server::saying(reply).start(), &Cancel::new()).expect("the server answers");
        assert_eq!(text, expected);
        assert_eq!(done.no_answer, no_answer, "{reply}");
    }
}

#[test]
fn a_silent_server_can_be_left() {
    let server = Server { stalls: true, ..Server::saying("Here it stalls. [1]") };
    let outcome = answer(&server.start(), &Cancel::new());
    assert!(matches!(outcome, Err(InferenceError::Cancelled)), "{outcome:?}");
}

#[test]
fn a_server_that_is_not_there_is_said() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let url = format!("http://{}/v1", port.expect("a port is free"));
    let model =
        OpenAiModel::new(OpenAiOptions { url, model: "test".into(), key: None }).expect("the address is one");
    let error = extract(&model).expect_err("nobody is there");
    assert!(matches!(error, InferenceError::Server(_)), "{error}");
    assert!(error.problem().hint.contains("server"));
    let bad = OpenAiOptions { url: "ftp://somewhere".into(), model: String::new(), key: None };
    assert!(OpenAiModel::new(bad).is_err());
}
