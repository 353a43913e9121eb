use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use loci_protocol::{HelloQuery, HelloReply, PROTOCOL_VERSION, ProblemCode, trust};

use crate::{App, Refusal, VERSION, pairings};

/// The proof is bound to the port that this companion really listens on: a program that took another port and passes
/// the question on gets a proof that does not hold there.
pub async fn hello(
    State(app): State<App>,
    query: Result<Query<HelloQuery>, QueryRejection>,
) -> Result<Json<HelloReply>, Refusal> {
    let bad = || Refusal::new(ProblemCode::BadRequest, "Send nonce=<32 random bytes in hex>.");
    let Query(query) = query.map_err(|_| bad())?;
    if hex::decode(&query.nonce).map(|nonce| nonce.len()) != Ok(32) {
        return Err(bad());
    }
    let pairings = pairings::all(app.state())?;
    let proof = query.profile.and_then(|profile| {
        let pairing = pairings.iter().find(|pairing| pairing.id == profile)?;
        Some(trust::proof(&pairing.proof_key, &query.nonce, app.port(), &profile, VERSION))
    });
    Ok(Json(HelloReply { name: "loci".into(), version: VERSION.into(), protocol: PROTOCOL_VERSION, proof }))
}
