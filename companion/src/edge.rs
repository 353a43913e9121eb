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
