use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use loci_protocol::{Problem, ProblemCode};

use crate::StateError;

/// A [`Problem`] on its way out, as `application/problem+json`.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub problem: Problem,
    /// When it is worth trying again.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    pub fn new(code: ProblemCode, hint: impl Into<String>) -> Refusal {
        Problem::new(code, hint).into()
    }

    pub fn retry_after(self, after: Duration) -> Refusal {
        Refusal { retry_after: Some(after), ..self }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal { problem, retry_after: None }
    }
}

/// The reason goes to the log: paths of the machine are nothing for the wire.
impl From<StateError> for Refusal {
    fn from(error: StateError) -> Refusal {
        tracing::error!("{error}");
        Refusal::new(ProblemCode::Internal, "The companion cannot read or write its state; its log says why.")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.problem).expect("a problem is plain data");
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(after) = self.retry_after {
            let seconds = after.as_secs_f64().ceil().max(1.0) as u64;
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
