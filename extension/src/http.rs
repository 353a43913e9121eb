//! `fetch` as the companion's client needs it: JSON up, JSON or JSON Lines down, time limits, and a drop that aborts.

use js_sys::{Reflect, Uint8Array};
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, RequestCache, RequestCredentials, RequestInit,
    RequestRedirect, Response, WorkerGlobalScope,
};

use crate::timer::within;

/// Nobody answered, or what came was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

impl From<JsValue> for Lost {
    fn from(_: JsValue) -> Lost {
        Lost
    }
}

/// A request to a port of this machine.
pub(crate) struct Call<'a> {
    pub port: u16,
    pub path: &'a str,
    pub headers: &'a [(&'a str, String)],
    /// JSON; a GET without.
    pub body: Option<String>,
    /// Milliseconds until the reply begins.
    pub patience: u32,
}

/// A reply whose body is still to be read. Dropping it closes the connection.
pub(crate) struct Reply {
    pub status: u16,
    response: Response,
    _abort: AbortOnDrop,
}

struct AbortOnDrop(AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        // After the body is read this does nothing.
        self.0.abort();
    }
}

/// # Errors
/// [`Lost`] when there is no reply in time.
pub(crate) async fn call(call: Call<'_>) -> Result<Reply, Lost> {
    let abort = AbortOnDrop(AbortController::new()?);
    let init = RequestInit::new();
    let headers = Headers::new()?;
    for (name, value) in call.headers {
        headers.set(name, value)?;
    }
    init.set_method(if call.body.is_some() { "POST" } else { "GET" });
    if let Some(body) = call.body {
        headers.set("content-type", "application/json")?;
        init.set_body(&body.into());
    }
    init.set_headers(&headers);
    init.set_signal(Some(&abort.0.signal()));
    init.set_cache(RequestCache::NoStore);
    init.set_credentials(RequestCredentials::Omit);
    // A companion never redirects: whoever does would lead the token elsewhere.
    init.set_redirect(RequestRedirect::Error);
    let scope = js_sys::global().unchecked_into::<WorkerGlobalScope>();
    let url = format!("http://127.0.0.1:{}{}", call.port, call.path);
    let fetching = JsFuture::from(scope.fetch_with_str_and_init(&url, &init));
    let response: Response = within(call.patience, fetching).await.ok_or(Lost)??.unchecked_into();
    Ok(Reply { status: response.status(), response, _abort: abort })
}

impl Reply {
    /// The whole body as JSON.
    ///
    /// # Errors
    /// [`Lost`] when it does not come in time or is something else.
    pub async fn json<T: DeserializeOwned>(self, patience: u32) -> Result<T, Lost> {
        let text = within(patience, JsFuture::from(self.response.text()?)).await.ok_or(Lost)??;
        serde_json::from_str(&text.as_string().ok_or(Lost)?).map_err(|_| Lost)
    }

    /// The body line by line.
    ///
    /// # Errors
    /// [`Lost`] when there is none.
    pub fn lines(self) -> Result<Lines, Lost> {
        let body = self.response.body().ok_or(Lost)?;
        let reader = body.get_reader().unchecked_into();
        Ok(Lines { reader, buffer: Vec::new(), _reply: self })
    }
}

/// A stream of lines.
pub(crate) struct Lines {
    reader: ReadableStreamDefaultReader,
    buffer: Vec<u8>,
    _reply: Reply,
}

/// Bytes of a line, as a bound for whoever answers.
const LONGEST: usize = 4 << 20;

impl Lines {
    /// The next line, `None` at the end.
    ///
    /// # Errors
    /// [`Lost`] when nothing comes for `patience` milliseconds, or the connection breaks.
    pub async fn next(&mut self, patience: u32) -> Result<Option<Vec<u8>>, Lost> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.pop();
                if line.is_empty() {
                    continue;
                }
                return Ok(Some(line));
            }
            if self.buffer.len() > LONGEST {
                return Err(Lost);
            }
            let read = within(patience, JsFuture::from(self.reader.read())).await.ok_or(Lost)??;
            if Reflect::get(&read, &"done".into())?.is_truthy() {
                let line = std::mem::take(&mut self.buffer);
                return Ok((!line.is_empty()).then_some(line));
            }
            let chunk: Uint8Array = Reflect::get(&read, &"value".into())?.unchecked_into();
            self.buffer.extend(chunk.to_vec());
        }
    }
}
