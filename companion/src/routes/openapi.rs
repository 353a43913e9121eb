use axum::Json;
use loci_protocol::{HEADER, NDJSON, PROTOCOL_VERSION, Problem};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{Access, ROUTES, Reply, Route, schema_of};
use crate::VERSION;

pub async fn openapi() -> Json<Value> {
    Json(describe())
}

/// The OpenAPI 3.1 description of [`ROUTES`], with a schema for every wire type.
pub fn describe() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    for route in &ROUTES {
        let operation = operation(route, &mut schemas);
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[route.method.as_str().to_ascii_lowercase()] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Loci companion",
            "version": VERSION,
            "description": "Inference for a paired browser extension, on the loopback address alone.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "Hex HMAC-SHA256 of \"loci authenticate\" under the token of the pairing."
            }},
            "schemas": schemas.take_definitions(true)
        }
    })
}

fn operation(route: &Route, schemas: &mut SchemaGenerator) -> Value {
    let (media_type, schema) = match route.reply {
        Reply::Json(schema) => ("application/json", schema(schemas)),
        Reply::Lines(schema) => (NDJSON, schema(schemas)),
    };
    let mut operation = json!({
        "summary": route.summary,
        "operationId": route.path.trim_start_matches("/v1/").trim_end_matches(".json"),
        "parameters": parameters(route),
        "security": match route.terms.access {
            Access::Anyone | Access::Pairing => json!([]),
            Access::Paired | Access::PairedOrLocal => json!([{ "bearer": [] }]),
        },
        "responses": {
            "200": { "description": "Done", "content": { media_type: { "schema": schema } } },
            "default": {
                "description": "Refused or failed",
                "content": { "application/problem+json": { "schema": schema_of::<Problem>(schemas) } }
            }
        }
    });
    if let Some(request) = route.request {
        operation["requestBody"] = json!({
            "required": true,
            "description": format!("At most {} bytes", route.terms.body_limit),
            "content": { "application/json": { "schema": request(schemas) } }
        });
    }
    operation
}

fn parameters(route: &Route) -> Value {
    if route.terms.access == Access::Anyone {
        return json!([
            {
                "name": "nonce", "in": "query", "required": true,
                "description": "32 random bytes in hex; the proof is made over them",
                "schema": { "type": "string", "pattern": "^[0-9a-fA-F]{64}$" }
            },
            {
                "name": "profile", "in": "query", "required": false,
                "description": "The id given at pairing", "schema": { "type": "string" }
            }
        ]);
    }
    json!([{ "name": HEADER, "in": "header", "required": true, "schema": { "const": PROTOCOL_VERSION.to_string() } }])
}
