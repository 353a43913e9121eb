use std::{convert::Infallible, time::Instant};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::Response,
};
use futures::stream;
use loci_inference::{Cancel, InferenceError};
use loci_protocol::{NDJSON, Problem, ProblemCode};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::{App, lanes::Place};

/// What a stream carries: an event per line, the last of which may say that it broke.
pub trait Event: Serialize + Send + 'static {
    fn error(problem: Problem) -> Self;
}

/// Throws the switch when its owner goes: the client left, or the companion stops.
pub struct CancelOnDrop(pub Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Answers at once with a stream, waits in the lane and lets `work` emit its events from a thread of its own. The
/// number of events is bounded by the limits of a request, so the buffer needs no bound and a slow reader never holds
/// up the model.
pub fn reply<E, W>(app: &App, place: Place, name: &'static str, work: W) -> Response
where
    E: Event,
    W: FnOnce(&Cancel, &mut dyn FnMut(E)) -> Result<(), InferenceError> + Send + 'static,
{
    let cancel = Cancel::new();
    let (events, lines) = mpsc::unbounded_channel();
    tokio::spawn(run(place, name, cancel.clone(), events, work));

    let source = Source::<E> { lines, cancel: CancelOnDrop(cancel) };
    let stopping = Box::pin(app.stopping());
    let body = stream::unfold(Some((source, stopping)), |open| async {
        let (mut source, mut stopping) = open?;
        tokio::select! {
            biased;
            () = &mut stopping => Some((line(&E::error(stopped())), None)),
            event = source.lines.recv() => Some((line(&event?), Some((source, stopping)))),
        }
    });
    let mut response = Response::new(Body::from_stream(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON));
    response
}

/// What a request is told that the companion's end cuts short.
pub fn stopped() -> Problem {
    Problem::new(
        ProblemCode::Cancelled,
        "The companion was stopped: start it again, the work goes on by itself.",
    )
}

/// The end of the stream's body drops this, and with it the switch is thrown.
struct Source<E> {
    lines: mpsc::UnboundedReceiver<E>,
    #[expect(dead_code, reason = "dropping it is its use")]
    cancel: CancelOnDrop,
}

async fn run<E, W>(
    place: Place,
    name: &'static str,
    cancel: Cancel,
    events: mpsc::UnboundedSender<E>,
    work: W,
) where
    E: Event,
    W: FnOnce(&Cancel, &mut dyn FnMut(E)) -> Result<(), InferenceError> + Send + 'static,
{
    let turn = tokio::select! {
        turn = place.turn() => turn,
        () = events.closed() => return,
    };
    let start = Instant::now();
    let sender = events.clone();
    let done = tokio::task::spawn_blocking(move || {
        // The turn ends when the model has really stopped, not when the client has left.
        let _turn = turn;
        let mut sent = 0_u32;
        let result = work(&cancel, &mut |event| {
            sent += 1;
            if sender.send(event).is_err() {
                cancel.cancel();
            }
        });
        (result, sent)
    })
    .await;

    let ms = start.elapsed().as_millis() as u64;
    match done {
        Ok((Ok(()), sent)) => tracing::info!(work = name, ms, events = sent, "done"),
        Ok((Err(error), sent)) => {
            let problem = error.problem();
            tracing::info!(work = name, ms, events = sent, code = ?problem.code, "broken off");
            log_cause(&error);
            // Nobody reads on when the client has left.
            let _ = events.send(E::error(problem));
        }
        Err(_) => {
            tracing::error!(work = name, ms, "the model panicked");
            let _ = events.send(E::error(failed()));
        }
    }
}

/// Why the computation itself failed. What a server replied may quote the page, so it stays out.
pub fn log_cause(error: &InferenceError) {
    if let InferenceError::Failed(_) | InferenceError::Damaged(_) = error {
        tracing::error!("{error}");
    }
}

/// What a request is told when the model's code panicked.
pub fn failed() -> Problem {
    Problem::new(ProblemCode::ModelFailed, "This is a fault of the companion: please report it with its log.")
}

fn line<E: Event>(event: &E) -> Result<Bytes, Infallible> {
    let mut line = serde_json::to_vec(event).expect("an event is plain data");
    line.push(b'\n');
    Ok(Bytes::from(line))
}
