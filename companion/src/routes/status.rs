use axum::{Json, extract::State};
use loci_protocol::StatusReply;

use crate::{App, VERSION};

pub async fn status(State(app): State<App>) -> Json<StatusReply> {
    let models = app.models();
    Json(StatusReply {
        version: VERSION.into(),
        device: models.device.clone(),
        embedder: models.embedder.status(),
        llm: models.llm.status(),
        queue: app.lanes().status(),
    })
}
