use axum::{Extension, Json, extract::State};
use loci_protocol::{PairReply, PairRequest, ProblemCode};

use super::body;
use crate::{
    App, Refusal,
    guard::Caller,
    pairing_code::{self, Typed},
    pairings,
};

/// The state lock is held from the try to the new pairing, so that one code makes one pairing.
pub async fn pair(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body::Json(request): body::Json<PairRequest>,
) -> Result<Json<PairReply>, Refusal> {
    // People type the code as it is shown, in two groups.
    let typed: String = request.code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let pairing = move || {
        let now = app.clock().now();
        let _lock = app.state().lock()?;
        match pairing_code::enter(app.state(), now, &typed)? {
            Typed::Right => {
                let reply = pairings::add(app.state(), &request.label, caller.origin, now.as_secs())?;
                tracing::info!(profile = reply.profile, "paired");
                Ok(Json(reply))
            }
            Typed::Wrong { tries_left: 0 } => Err(Refusal::new(
                ProblemCode::WrongCode,
                "That was the last try. Run `loci pair` for a new code.",
            )),
            Typed::Wrong { tries_left } => Err(Refusal::new(
                ProblemCode::WrongCode,
                format!("Type the six digits that `loci pair` shows. Tries left: {tries_left}."),
            )),
            Typed::Closed => Err(Refusal::new(
                ProblemCode::PairingClosed,
                "Run `loci pair` and type the code it shows within two minutes.",
            )),
        }
    };
    // Another process may hold the lock for a moment.
    tokio::task::spawn_blocking(pairing)
        .await
        .unwrap_or_else(|_| Err(Refusal::new(ProblemCode::Internal, "Pairing failed: try again.")))
}
