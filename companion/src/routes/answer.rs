use axum::{extract::State, response::Response};
use loci_protocol::{AnswerEvent, AnswerRequest, Problem};

use super::body::Checked;
use crate::{
    App, Refusal,
    stream::{Event, reply},
};

impl Event for AnswerEvent {
    fn error(problem: Problem) -> AnswerEvent {
        AnswerEvent::Error { problem }
    }
}

pub async fn answer(
    State(app): State<App>,
    Checked(request): Checked<AnswerRequest>,
) -> Result<Response, Refusal> {
    let llm = app.models().llm.get()?;
    let place = app.lanes().answer.enter()?;
    Ok(reply(&app, place, "answer", move |cancel, emit| llm.answer(&request, cancel, emit)))
}
