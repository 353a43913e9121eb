use axum::{extract::State, response::Response};
use loci_protocol::{ExtractEvent, ExtractRequest, Problem};

use super::body::Checked;
use crate::{
    App, Refusal,
    stream::{Event, reply},
};

impl Event for ExtractEvent {
    fn error(problem: Problem) -> ExtractEvent {
        ExtractEvent::Error { problem }
    }
}

pub async fn extract(
    State(app): State<App>,
    Checked(request): Checked<ExtractRequest>,
) -> Result<Response, Refusal> {
    let llm = app.models().llm.get()?;
    let place = app.lanes().extract.enter()?;
    Ok(reply(&app, place, "extract", move |cancel, emit| llm.extract(&request, cancel, emit)))
}
