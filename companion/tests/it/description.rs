//! The description that is served is of the routes that are served.

use std::collections::BTreeSet;

use loci_companion::{Settings, routes::ROUTES};
use loci_protocol::ProblemCode;
use serde_json::Value;

use crate::{client::Ask, companion::Companion};

#[tokio::test]
async fn every_route_is_served_and_described() {
    let companion = Companion::start(Settings::default()).await;
    let token = companion.pair(None).await.token;
    let described: Value = Ask::get("/v1/openapi.json").bearer(&token).send(companion.port).await.json();
    assert_eq!(described["openapi"], "3.1.0");

    let paths = described["paths"].as_object().expect("paths");
    let names: BTreeSet<&str> = paths.keys().map(String::as_str).collect();
    assert_eq!(names, ROUTES.iter().map(|route| route.path).collect());
    for route in &ROUTES {
        let operation = &paths[route.path][route.method.as_str().to_lowercase()];
        assert_eq!(operation["summary"], route.summary);
        assert!(operation["responses"]["200"]["content"].is_object(), "{}", route.path);
        assert_eq!(operation["requestBody"].is_object(), route.method == "POST", "{}", route.path);
        let reply = Ask::method(route.method.as_str(), route.path)
            .set("content-type", "application/json")
            .body(if route.method == "POST" { b"{".to_vec() } else { Vec::new() })
            .bearer(&token)
            .send(companion.port)
            .await;
        let unknown = reply.status != 200 && reply.refusal() == ProblemCode::NotFound;
        assert!(!unknown, "{} {} is described and not served", route.method, route.path);
    }
}

/// Every `$ref` leads somewhere, and the problem codes are all named.
#[tokio::test]
async fn the_description_is_whole() {
    let companion = Companion::start(Settings::default()).await;
    let token = companion.pair(None).await.token;
    let described: Value = Ask::get("/v1/openapi.json").bearer(&token).send(companion.port).await.json();
    let mut references = Vec::new();
    collect(&described, &mut references);
    assert!(references.len() > 10, "{references:?}");
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("inside this document");
        assert!(described.pointer(pointer).is_some_and(Value::is_object), "{reference}");
    }
    let codes = described["components"]["schemas"]["ProblemCode"].to_string();
    for code in [ProblemCode::WrongHost, ProblemCode::OtherVersion, ProblemCode::Internal] {
        let name = serde_json::to_string(&code).expect("a name");
        assert!(codes.contains(&name), "{name} in {codes}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(ToOwned::to_owned));
            fields.values().for_each(|field| collect(field, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
