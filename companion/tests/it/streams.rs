//! The queue, the streams and their ends.

use loci_companion::{Lane, LaneSize, Lanes, Settings};
use loci_protocol::{AnswerEvent, ExtractEvent, ProblemCode, QueueStatus, StatusReply};
use tokio::net::TcpStream;

use crate::{
    client::{Ask, Open},
    companion::Companion,
    limits::{extraction, question},
    scripted::{Script, Told, scripted},
};

/// A companion with room for one extraction that runs and one that waits.
struct Busy {
    companion: Companion,
    script: Script,
    token: String,
}

impl Busy {
    async fn start() -> Busy {
        let (models, script) = scripted();
        let lanes = Lanes { extract: Lane::new(LaneSize { running: 1, waiting: 1 }), ..Lanes::default() };
        let companion = Companion::start(Settings { models, lanes, ..Settings::default() }).await;
        let token = companion.pair(None).await.token;
        Busy { companion, script, token }
    }

    async fn extract(&self) -> Open {
        Ask::post("/v1/extract", &extraction(1, 10)).bearer(&self.token).open(self.companion.port).await
    }

    async fn answer(&self, text: &str) -> Open {
        Ask::post("/v1/answer", &question(text)).bearer(&self.token).open(self.companion.port).await
    }

    async fn queue(&self) -> QueueStatus {
        let status = Ask::get("/v1/status").bearer(&self.token).send(self.companion.port).await;
        status.json::<StatusReply>().queue
    }

    /// Asks until the queue looks so; a stranded test is ended by the time-out.
    async fn until(&self, running: u32, waiting: u32) {
        let reached = async {
            loop {
                // The clock that refills the rate limit is the test's own.
                self.companion.clock.forward(std::time::Duration::from_secs(1));
                let queue = self.queue().await;
                if (queue.running, queue.waiting) == (running, waiting) {
                    return;
                }
            }
        };
        let limit = std::time::Duration::from_secs(30);
        if tokio::time::timeout(limit, reached).await.is_err() {
            panic!("the queue never had {running} running and {waiting} waiting: {:?}", self.queue().await);
        }
    }
}

#[tokio::test]
async fn events_arrive_while_the_model_works() {
    let mut busy = Busy::start().await;
    let mut stream = busy.extract().await;
    assert_eq!(stream.status, 200);
    busy.script.expect(Told::Started("extract")).await;
    assert_eq!(stream.event::<ExtractEvent>().await, Some(ExtractEvent::Progress { done: 0, total: 1 }));
    busy.script.release();
    assert!(matches!(stream.event::<ExtractEvent>().await, Some(ExtractEvent::Done { .. })));
    assert_eq!(stream.event::<ExtractEvent>().await, None);
}

#[tokio::test]
async fn the_model_stops_when_the_client_leaves() {
    let mut busy = Busy::start().await;
    for name in ["extract", "answer"] {
        let stream = if name == "extract" { busy.extract().await } else { busy.answer("?").await };
        busy.script.expect(Told::Started(name)).await;
        drop(stream);
        busy.script.expect(Told::Cancelled(name)).await;
        busy.until(0, 0).await;
    }
}

#[tokio::test]
async fn a_full_queue_refuses_and_answers_overtake() {
    let mut busy = Busy::start().await;
    let first = busy.extract().await;
    busy.script.expect(Told::Started("extract")).await;
    let second = busy.extract().await;
    busy.until(1, 1).await;
    let third = busy.extract().await.finish().await;
    assert_eq!((third.status, third.refusal()), (503, ProblemCode::Busy));
    assert!(third.header("retry-after").is_some());

    let mut answer = busy.answer("?").await;
    busy.script.expect(Told::Started("answer")).await;
    assert_eq!(answer.event::<AnswerEvent>().await, Some(AnswerEvent::Token { text: "Well".into() }));
    drop(answer);
    busy.script.expect(Told::Cancelled("answer")).await;

    // Whoever leaves while it waits frees its place and never starts.
    drop(second);
    busy.until(1, 0).await;
    let fourth = busy.extract().await;
    assert_eq!(fourth.status, 200);
    busy.until(1, 1).await;
    drop(first);
    busy.script.expect(Told::Cancelled("extract")).await;
    busy.script.expect(Told::Started("extract")).await;
    busy.script.release();
    busy.script.expect(Told::Finished("extract")).await;
    assert!(fourth.finish().await.text().contains("\"done\""));
}

#[tokio::test]
async fn stopping_ends_every_stream_with_a_word() {
    let mut busy = Busy::start().await;
    let mut extract = busy.extract().await;
    busy.script.expect(Told::Started("extract")).await;
    let mut waiting = busy.extract().await;
    let mut answer = busy.answer("?").await;
    busy.script.expect(Told::Started("answer")).await;
    assert!(extract.event::<ExtractEvent>().await.is_some());
    assert!(answer.event::<AnswerEvent>().await.is_some());

    let port = busy.companion.port;
    busy.companion.stop().await;
    for stream in [&mut extract, &mut waiting] {
        let Some(ExtractEvent::Error { problem }) = stream.event().await else {
            panic!("no word at the end")
        };
        assert_eq!(problem.code, ProblemCode::Cancelled);
        assert_eq!(stream.event::<ExtractEvent>().await, None);
    }
    let Some(AnswerEvent::Error { problem }) = answer.event().await else { panic!("no word at the end") };
    assert_eq!(problem.code, ProblemCode::Cancelled);
    let mut told = [busy.script.told.recv().await, busy.script.told.recv().await];
    told.sort_by_key(|told| format!("{told:?}"));
    assert_eq!(told, [Some(Told::Cancelled("answer")), Some(Told::Cancelled("extract"))]);
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_panic_of_the_model_ends_its_stream_alone() {
    let mut busy = Busy::start().await;
    for _ in 0..3 {
        let mut answer = busy.answer("panic").await;
        assert!(matches!(answer.event().await, Some(AnswerEvent::Token { .. })));
        let Some(AnswerEvent::Error { problem }) = answer.event().await else { panic!("no word at the end") };
        assert_eq!(problem.code, ProblemCode::ModelFailed);
        assert!(!problem.hint.contains("panic"));
    }
    busy.until(0, 0).await;
    busy.script.release();
    let answer = busy.answer("?").await;
    busy.script.expect(Told::Started("answer")).await;
    assert!(answer.finish().await.text().contains("\"done\""));
}
