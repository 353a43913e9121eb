//! What can be asked? One table says of each route who may use it, how large its body may be, and what it takes and
//! gives; the router, the guard and the OpenAPI description are all made from it.

mod answer;
mod body;
mod embed;
mod extract;
mod hello;
mod openapi;
mod pair;
mod status;

use axum::{
    Router,
    http::Method,
    middleware,
    routing::{MethodRouter, get, post},
};
use loci_protocol::{
    AnswerEvent, AnswerRequest, EmbedReply, EmbedRequest, ExtractEvent, ExtractRequest, HelloReply,
    PairReply, PairRequest, ProblemCode, StatusReply,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{App, Refusal, edge::edge, guard::guard};

/// What a caller must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Neither header nor bearer; no extension that is not paired.
    Anyone,
    /// No bearer; any extension.
    Pairing,
    /// Header and bearer.
    Paired,
    /// The same, or the key that `loci status` reads from the state directory.
    PairedOrLocal,
}

/// What the guard holds a request to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub access: Access,
    /// Bytes.
    pub body_limit: usize,
}

/// One route.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    /// For the description.
    pub summary: &'static str,
    pub terms: Terms,
    pub request: Option<SchemaOf>,
    pub reply: Reply,
    handler: fn() -> MethodRouter<App>,
}

/// Makes the schema of one wire type.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What a route answers with.
#[derive(Clone, Copy)]
pub enum Reply {
    Json(SchemaOf),
    /// One of these a line.
    Lines(SchemaOf),
}

/// All routes.
pub static ROUTES: [Route; 7] = [
    Route {
        method: Method::GET,
        path: "/v1/hello",
        summary: "Tell versions, and prove to a paired profile that this is its companion",
        terms: Terms { access: Access::Anyone, body_limit: 0 },
        request: None,
        reply: Reply::Json(schema_of::<HelloReply>),
        handler: || get(hello::hello),
    },
    Route {
        method: Method::POST,
        path: "/v1/pair",
        summary: "Pair a browser profile by the code that the companion shows",
        terms: Terms { access: Access::Pairing, body_limit: 4 << 10 },
        request: Some(schema_of::<PairRequest>),
        reply: Reply::Json(schema_of::<PairReply>),
        handler: || post(pair::pair),
    },
    Route {
        method: Method::GET,
        path: "/v1/status",
        summary: "Tell device, models and queue",
        terms: Terms { access: Access::PairedOrLocal, body_limit: 0 },
        request: None,
        reply: Reply::Json(schema_of::<StatusReply>),
        handler: || get(status::status),
    },
    Route {
        method: Method::POST,
        path: "/v1/embed",
        summary: "Turn texts into vectors",
        terms: Terms { access: Access::Paired, body_limit: 4 << 20 },
        request: Some(schema_of::<EmbedRequest>),
        reply: Reply::Json(schema_of::<EmbedReply>),
        handler: || post(embed::embed),
    },
    Route {
        method: Method::POST,
        path: "/v1/extract",
        summary: "Read facts out of the episodes of a page",
        terms: Terms { access: Access::Paired, body_limit: 2 << 20 },
        request: Some(schema_of::<ExtractRequest>),
        reply: Reply::Lines(schema_of::<ExtractEvent>),
        handler: || post(extract::extract),
    },
    Route {
        method: Method::POST,
        path: "/v1/answer",
        summary: "Answer a question from numbered passages, with citations",
        terms: Terms { access: Access::Paired, body_limit: 2 << 20 },
        request: Some(schema_of::<AnswerRequest>),
        reply: Reply::Lines(schema_of::<AnswerEvent>),
        handler: || post(answer::answer),
    },
    Route {
        method: Method::GET,
        path: "/v1/openapi.json",
        summary: "Describe these routes (OpenAPI 3.1)",
        terms: Terms { access: Access::Paired, body_limit: 0 },
        request: None,
        reply: Reply::Json(schema_of::<serde_json::Map<String, serde_json::Value>>),
        handler: || get(openapi::openapi),
    },
];

/// The terms of a request; of one that no route takes, the strictest.
pub fn terms(method: &Method, path: &str) -> Terms {
    ROUTES
        .iter()
        .find(|route| route.method == *method && route.path == path)
        .map_or(Terms { access: Access::Paired, body_limit: 0 }, |route| route.terms)
}

/// The whole service.
pub fn router(app: App) -> Router {
    let router =
        ROUTES.iter().fold(Router::new(), |router, route| router.route(route.path, (route.handler)()));
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_route)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .layer(middleware::from_fn(edge))
        .with_state(app)
}

async fn no_route() -> Refusal {
    Refusal::new(ProblemCode::NotFound, "See /v1/openapi.json for the routes and their methods.")
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
