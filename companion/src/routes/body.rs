use axum::{
    body::{Bytes, to_bytes},
    extract::{FromRequest, Request},
};
use loci_protocol::ProblemCode;
use serde::de::DeserializeOwned;

use crate::{Refusal, check::Check};

/// A JSON body that keeps to the limits of its request.
pub struct Checked<T>(pub T);

/// A JSON body.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Json<T>, Refusal> {
        // The guard has read and bounded the body already.
        let bytes: Bytes = to_bytes(request.into_body(), usize::MAX)
            .await
            .map_err(|_| Refusal::new(ProblemCode::BadRequest, "The body was cut short: send it again."))?;
        // The parser's own message may quote the text it stumbled over: only the place is told.
        serde_json::from_slice(&bytes).map(Json).map_err(|error| {
            let hint = format!(
                "The body is not what /v1/openapi.json describes (line {}, column {}).",
                error.line(),
                error.column()
            );
            Refusal::new(ProblemCode::BadRequest, hint)
        })
    }
}

impl<T: DeserializeOwned + Check, S: Send + Sync> FromRequest<S> for Checked<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Checked<T>, Refusal> {
        let Json(value) = Json::<T>::from_request(request, state).await?;
        value.check()?;
        Ok(Checked(value))
    }
}
