use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use loci_protocol::Usage;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::OpenAiOptions;
use crate::{Cancel, InferenceError};

/// `POST {url}/chat/completions`, streamed as server-sent events.
pub(super) struct Client {
    options: OpenAiOptions,
    http: reqwest::Client,
    /// Servers that refuse a JSON schema are not asked for one again.
    takes_schema: AtomicBool,
}

/// How a reply ended.
pub(super) struct Ending {
    /// By the token limit.
    pub is_cut: bool,
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A busy server may think for long before its first token.
const READ_TIMEOUT: Duration = Duration::from_secs(300);
/// How long a reply may stay silent before the cancel switch is looked at.
const PATIENCE: Duration = Duration::from_millis(100);

impl Client {
    pub(super) fn new(mut options: OpenAiOptions) -> Result<Client, InferenceError> {
        if !options.url.starts_with("http://") && !options.url.starts_with("https://") {
            return Err(InferenceError::Server(format!("{} is no http address", options.url)));
        }
        options.url = options.url.trim_end_matches('/').to_string();
        // Another library of this process may have chosen its provider already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            .build()
            .map_err(|error| InferenceError::Server(error.to_string()))?;
        Ok(Client { options, http, takes_schema: AtomicBool::new(true) })
    }

    /// Blocks until the reply has ended; `on_text` gets it as it comes.
    pub(super) fn complete(
        &self,
        messages: Value,
        max_tokens: u32,
        schema: Option<Value>,
        cancel: &Cancel,
        usage: &mut Usage,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Ending, InferenceError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| InferenceError::Failed(error.to_string()))?;
        usage.calls += 1;
        runtime.block_on(async {
            let mut body = json!({
                "model": self.options.model,
                "messages": messages,
                "max_tokens": max_tokens,
                "temperature": 0,
                "seed": 42,
                "stream": true,
                "stream_options": {"include_usage": true},
            });
            let asks_schema = schema.is_some() && self.takes_schema.load(Ordering::Relaxed);
            if let (Some(schema), true) = (schema, asks_schema) {
                let format = json!({"name": "facts", "strict": true, "schema": schema});
                body["response_format"] = json!({"type": "json_schema", "json_schema": format});
            }
            let mut reply = cancellable(self.send(&body), cancel).await?;
            let is_refused =
                matches!(reply.status(), StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
            if asks_schema && is_refused {
                self.takes_schema.store(false, Ordering::Relaxed);
                body["response_format"] = json!({"type": "json_object"});
                reply = cancellable(self.send(&body), cancel).await?;
                if reply.status().is_client_error() {
                    body.as_object_mut().map(|body| body.remove("response_format"));
                    reply = cancellable(self.send(&body), cancel).await?;
                }
            }
            if !reply.status().is_success() {
                return Err(InferenceError::Server(format!("it replied with {}", reply.status())));
            }
            read(reply, cancel, usage, on_text).await
        })
    }

    async fn send(&self, body: &Value) -> Result<reqwest::Response, InferenceError> {
        let request = self.http.post(format!("{}/chat/completions", self.options.url)).json(body);
        let request = match &self.options.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        request.send().await.map_err(|error| server(&error))
    }
}

async fn read(
    mut reply: reqwest::Response,
    cancel: &Cancel,
    usage: &mut Usage,
    on_text: &mut dyn FnMut(&str),
) -> Result<Ending, InferenceError> {
    let mut ending = Ending { is_cut: false };
    let mut buffer = Vec::new();
    loop {
        let bytes =
            cancellable(async { reply.chunk().await.map_err(|error| server(&error)) }, cancel).await?;
        let Some(bytes) = bytes else { return Ok(ending) };
        buffer.extend_from_slice(&bytes);
        while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let Some(data) = line.trim().strip_prefix("data:") else { continue };
            if data.trim() == "[DONE]" {
                return Ok(ending);
            }
            let event: Value = serde_json::from_str(data.trim())
                .map_err(|_| InferenceError::Server("an event of its stream is not JSON".into()))?;
            if event.get("error").is_some_and(|error| !error.is_null()) {
                return Err(InferenceError::Server("it reported an error within the stream".into()));
            }
            if let Some(text) = event.pointer("/choices/0/delta/content").and_then(Value::as_str) {
                on_text(text);
            }
            ending.is_cut |=
                event.pointer("/choices/0/finish_reason").and_then(Value::as_str) == Some("length");
            let count = |name: &str| {
                event.pointer(&format!("/usage/{name}")).and_then(Value::as_u64).unwrap_or(0) as u32
            };
            let reused = count("prompt_tokens_details/cached_tokens");
            usage.prompt_tokens += count("prompt_tokens").saturating_sub(reused);
            usage.reused_tokens += reused;
            usage.output_tokens += count("completion_tokens");
        }
    }
}

/// Drops the work, and with it the connection, once the switch is thrown.
async fn cancellable<T>(
    work: impl Future<Output = Result<T, InferenceError>>,
    cancel: &Cancel,
) -> Result<T, InferenceError> {
    let mut work = std::pin::pin!(work);
    loop {
        cancel.check()?;
        if let Ok(outcome) = tokio::time::timeout(PATIENCE, work.as_mut()).await {
            return outcome;
        }
    }
}

fn server(error: &reqwest::Error) -> InferenceError {
    // Without the address: it may hold a key.
    let reason = if error.is_connect() {
        "it cannot be reached"
    } else if error.is_timeout() {
        "it took too long"
    } else {
        "the connection broke"
    };
    InferenceError::Server(reason.into())
}
