use std::{panic::AssertUnwindSafe, time::Instant};

use axum::{
    body::HttpBody,
    extract::Request,
    http::{HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use loci_protocol::ProblemCode;

use crate::Refusal;

/// Around every request, whatever its route: a log line without query or body, headers that keep web pages away from
/// the reply, and an answer even when a handler panics.
pub async fn edge(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let bytes_in = request.body().size_hint().exact();
    let start = Instant::now();

    let mut response = match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => Refusal::new(
            ProblemCode::Internal,
            "This is a fault of the companion: please report it with the line of its log.",
        )
        .into_response(),
    };

    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // No page may embed a reply, not even as an image whose failure it could time.
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));

    tracing::info!(
        %method,
        // The path of an unknown route is a stranger's text: only its head is logged, escaped.
        path = %path.chars().take(60).collect::<String>().escape_debug(),
        status = response.status().as_u16(),
        ms = start.elapsed().as_millis() as u64,
        bytes_in,
        bytes_out = response.body().size_hint().exact(),
        "request"
    );
    response
}

/// Makes a panic name its place only: the message of a string slice out of bounds quotes the string, which may be text
/// of a page.
pub fn hide_panic_messages() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!("panic at {place}");
    }));
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, http::Request as HttpRequest, middleware, routing::get};
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;
    use loci_protocol::Problem;

    use super::*;

    #[tokio::test]
    async fn a_panic_in_a_handler_is_an_answer_and_tells_nothing() {
        async fn panics() -> &'static str {
            panic!("PAGETEXT")
        }
        let router = Router::new().route("/", get(panics)).layer(middleware::from_fn(edge));
        let request = HttpRequest::get("/").body(Body::empty()).expect("a request");
        let response = TowerToHyperService::new(router).call(request).await.expect("an answer");
        let body = axum::body::to_bytes(response.into_body(), 1 << 16).await.expect("a body");
        let problem: Problem = serde_json::from_slice(&body).expect("a problem");
        assert_eq!(problem.code, ProblemCode::Internal);
        assert!(!String::from_utf8_lossy(&body).contains("PAGETEXT"));
    }
}
