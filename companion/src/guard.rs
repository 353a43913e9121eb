use std::time::Duration;

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use loci_protocol::{HEADER, PROTOCOL_VERSION, ProblemCode};
use subtle::ConstantTimeEq;

use crate::{
    App, Refusal,
    pairings::{self, Pairing},
    routes::{self, Access},
};

/// A body that takes longer than this to arrive is given up.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Who asks, for the handler.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The extension, where the browser says so.
    pub origin: Option<String>,
}

/// The trust checks, in this order: Host, Origin, protocol header, content type, bearer, size of the body, rate. The
/// first that fails is the answer, so that a stranger learns nothing from the later ones.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    match admit(&app, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

async fn admit(app: &App, request: Request) -> Result<Request, Refusal> {
    let (mut head, body) = request.into_parts();
    let terms = routes::terms(&head.method, head.uri.path());

    check_host(&head, app.port())?;
    let pairings = pairings::all(app.state())?;
    let origin = check_origin(&head.headers, terms.access, &pairings)?;
    if terms.access != Access::Anyone {
        check_protocol(&head.headers)?;
        check_content_type(&head)?;
    }
    let bucket = match terms.access {
        Access::Anyone => "hello".to_owned(),
        Access::Pairing => "pair".to_owned(),
        Access::Paired => check_bearer(&head.headers, origin.as_deref(), &pairings)?,
        Access::PairedOrLocal if is_local(app, &head.headers, origin.as_deref()) => "local".to_owned(),
        Access::PairedOrLocal => check_bearer(&head.headers, origin.as_deref(), &pairings)?,
    };
    let body = read_body(&head.headers, body, terms.body_limit).await?;
    check_rate(app, terms.access, &bucket)?;

    head.extensions.insert(Caller { origin });
    Ok(Request::from_parts(head, Body::from(body)))
}

/// The request must name this companion exactly: a page that points a name of its own at 127.0.0.1 (DNS rebinding)
/// does not.
fn check_host(head: &Parts, port: u16) -> Result<(), Refusal> {
    let ours =
        |host: &str| [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host.to_owned());
    let host = single(&head.headers, header::HOST);
    // In a request line with a whole URL its authority stands above the header.
    let line = head.uri.authority().is_none_or(|authority| ours(authority.as_str()));
    if line && host.is_some_and(ours) {
        return Ok(());
    }
    Err(Refusal::new(ProblemCode::WrongHost, format!("Use http://127.0.0.1:{port}.")))
}

/// A browser sets `Origin` itself. It may be absent (requests that are no page's), a paired extension's, or, to pair,
/// any extension's.
fn check_origin(
    headers: &HeaderMap,
    access: Access,
    pairings: &[Pairing],
) -> Result<Option<String>, Refusal> {
    let foreign = || {
        let hint = "Only the Loci extension may use the companion; pair it first.";
        Refusal::new(ProblemCode::ForeignOrigin, hint)
    };
    // A page's image, script, form or link bears no `Origin` when it gets, but says what it is (Fetch Metadata).
    let mode = headers.get("sec-fetch-mode").map(HeaderValue::as_bytes);
    if mode.is_some_and(|mode| mode != b"cors" && mode != b"same-origin") {
        return Err(foreign());
    }
    if !headers.contains_key(header::ORIGIN) {
        return Ok(None);
    }
    let known = |origin: &str| pairings.iter().any(|pairing| pairing.origin.as_deref() == Some(origin));
    match single(headers, header::ORIGIN) {
        Some(origin) if known(origin) || (access == Access::Pairing && is_extension(origin)) => {
            Ok(Some(origin.to_owned()))
        }
        _ => Err(foreign()),
    }
}

fn is_extension(origin: &str) -> bool {
    let id = origin.strip_prefix("chrome-extension://").or_else(|| origin.strip_prefix("moz-extension://"));
    id.is_some_and(|id| {
        (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    })
}

/// A form, an image or a link cannot carry a header of its own; a fetch of a page that does is asked for leave by its
/// browser first (CORS preflight), which no reply here gives.
fn check_protocol(headers: &HeaderMap) -> Result<(), Refusal> {
    match single(headers, HeaderName::from_static(HEADER)).map(str::parse::<u32>) {
        Some(Ok(PROTOCOL_VERSION)) => Ok(()),
        Some(Ok(other)) => Err(Refusal::new(
            ProblemCode::OtherVersion,
            format!(
                "The extension speaks version {other}, the companion version {PROTOCOL_VERSION}: update the older one."
            ),
        )),
        _ => Err(Refusal::new(ProblemCode::MissingHeader, format!("Send {HEADER}: {PROTOCOL_VERSION}."))),
    }
}

fn check_content_type(head: &Parts) -> Result<(), Refusal> {
    if head.method == Method::GET {
        return Ok(());
    }
    let essence = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if single(&head.headers, header::CONTENT_TYPE).map(essence).as_deref() == Some("application/json") {
        return Ok(());
    }
    Err(Refusal::new(ProblemCode::WrongContentType, "Send content-type: application/json."))
}

/// The profile of the bearer, which must be used by the extension that paired.
fn check_bearer(headers: &HeaderMap, origin: Option<&str>, pairings: &[Pairing]) -> Result<String, Refusal> {
    let pairing = bearer(headers).and_then(|bearer| pairings::authenticate(pairings, bearer));
    match pairing {
        Some(pairing) if origin.is_none() || pairing.origin.as_deref() == origin => Ok(pairing.id.clone()),
        _ => Err(Refusal::new(
            ProblemCode::Unpaired,
            "Pair this browser: run `loci pair` and type the code in the settings of the extension.",
        )),
    }
}

fn is_local(app: &App, headers: &HeaderMap, origin: Option<&str>) -> bool {
    origin.is_none()
        && bearer(headers).is_some_and(|bearer| bearer.as_bytes().ct_eq(app.local_bearer().as_bytes()).into())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    single(headers, header::AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// The whole body, so that a handler never meets half of one.
async fn read_body(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let too_large = || {
        Refusal::new(ProblemCode::TooLarge, format!("Send at most {limit} bytes at a time on this route."))
    };
    let declared = single(headers, header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_over_limit(&error) => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::new(ProblemCode::BadRequest, "The body was cut short: send it again.")),
        Err(_) => {
            Err(Refusal::new(ProblemCode::BadRequest, "The body did not arrive in time: send it again."))
        }
    }
}

fn is_over_limit(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<http_body_util::LengthLimitError>())
}

fn check_rate(app: &App, access: Access, bucket: &str) -> Result<(), Refusal> {
    let rates = app.rates();
    let rate = match access {
        Access::Anyone => rates.hello,
        Access::Pairing => rates.pair,
        Access::Paired | Access::PairedOrLocal => rates.profile,
    };
    app.buckets().take(bucket, rate, app.clock().now()).map_err(|after| {
        Refusal::new(ProblemCode::TooMany, "Wait a moment and try again.").retry_after(after)
    })
}

/// The header's value when it is there exactly once and is text.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
