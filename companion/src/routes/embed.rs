use axum::{Json, extract::State};
use loci_inference::Cancel;
use loci_protocol::{EmbedKind, EmbedReply, EmbedRequest, VectorBytes};

use super::body::Checked;
use crate::{
    App, Refusal,
    stream::{CancelOnDrop, failed, log_cause, stopped},
};

/// The future of this handler is dropped when the client leaves, and the switch with it.
pub async fn embed(
    State(app): State<App>,
    Checked(request): Checked<EmbedRequest>,
) -> Result<Json<EmbedReply>, Refusal> {
    let embedder = app.models().embedder.get()?;
    let lane = match request.kind {
        EmbedKind::Query => &app.lanes().query,
        EmbedKind::Passage => &app.lanes().passage,
    };
    let place = lane.enter()?;
    let cancel = CancelOnDrop(Cancel::new());
    let switch = cancel.0.clone();
    let work = async move {
        let turn = place.turn().await;
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let vectors = embedder.embed(request.kind, &request.texts, &switch)?;
            let vectors = vectors.iter().map(|vector| VectorBytes::from(vector.as_slice())).collect();
            Ok(EmbedReply { model: embedder.model_id().to_owned(), vectors })
        })
        .await
    };
    tokio::select! {
        done = work => match done {
            Ok(Ok(reply)) => Ok(Json(reply)),
            Ok(Err(error)) => {
                let error: loci_inference::InferenceError = error;
                log_cause(&error);
                Err(error.problem().into())
            }
            Err(_) => Err(failed().into()),
        },
        () = app.stopping() => Err(stopped().into()),
    }
}
