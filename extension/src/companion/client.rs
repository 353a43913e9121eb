use std::cell::{Cell, RefCell};

use futures::stream::{self, LocalBoxStream, StreamExt};
use loci_engine::{
    AnswerItem, AnswerQuestion, Embedded, Extraction, Inference, Purpose, ReadRequest, failure, of_store,
};
use loci_messages::{CompanionState, ErrorKind, Failure};
use loci_protocol::{
    EmbedReply, EmbedRequest, HEADER, PROTOCOL_VERSION, PairReply, PairRequest, Problem, StatusReply, limits,
    trust,
};
use loci_store::{Archive, Batch, Durability, IdbStore, Setting};
use serde::{Serialize, de::DeserializeOwned};

use super::identity::{Answerer, Pairing, find, meet};
use crate::{
    http::{Call, Lines, Lost, Reply, call},
    wire::{self, Line},
};

/// Milliseconds until a reply begins, and between two lines of a stream. A slow processor reads a long prompt before the first.
const QUICK: u32 = 5_000;
const SLOW: u32 = 180_000;

/// The companion as this profile knows it.
pub(crate) struct Companion {
    archive: Archive<IdbStore>,
    pairing: RefCell<Option<Pairing>>,
    preferred: Cell<Option<u16>>,
    /// Port of the companion that proved itself last. Each request asks it anew before the bearer is sent: another
    /// program may have taken the port since.
    proven: Cell<Option<u16>>,
    /// How it was when it last said so.
    last: RefCell<Option<CompanionState>>,
}

impl Companion {
    /// # Errors
    /// A [`Failure`] of the store.
    pub async fn new(archive: Archive<IdbStore>) -> Result<Companion, Failure> {
        let pairing = archive.setting(Setting::Pairing).await.map_err(|error| of_store(&error))?;
        Ok(Companion {
            archive,
            pairing: RefCell::new(pairing),
            preferred: Cell::new(None),
            proven: Cell::new(None),
            last: RefCell::new(None),
        })
    }

    /// The port of a companion that has just proved itself, and the bearer for it.
    async fn connect(&self) -> Result<(u16, String), Failure> {
        let pairing = self.pairing.borrow().clone();
        let bearer = pairing.as_ref().map(|pairing| trust::bearer(&pairing.token));
        let found = match self.proven.get() {
            Some(port) => match meet(port, pairing.as_ref()).await {
                Some(same @ Answerer::Proven { .. }) => Some(same),
                _ => find(self.preferred.get(), pairing.as_ref()).await,
            },
            None => find(self.preferred.get(), pairing.as_ref()).await,
        };
        self.lose();
        match found {
            Some(Answerer::Proven { port, .. }) => {
                self.proven.set(Some(port));
                Ok((port, bearer.ok_or_else(unpaired)?))
            }
            Some(other) => Err(other.refusal()),
            None => Err(away()),
        }
    }

    /// The next request asks for a proof first.
    fn lose(&self) {
        self.proven.set(None);
    }

    async fn send(&self, path: &str, body: Option<String>, patience: u32) -> Result<Reply, Failure> {
        let (port, bearer) = self.connect().await?;
        let headers = [(HEADER, PROTOCOL_VERSION.to_string()), ("authorization", format!("Bearer {bearer}"))];
        let reply = call(Call { port, path, headers: &headers, body, patience }).await;
        let reply = reply.map_err(|lost| self.lost(lost))?;
        if reply.status < 400 { Ok(reply) } else { Err(self.problem(reply).await) }
    }

    fn lost(&self, _: Lost) -> Failure {
        self.lose();
        away()
    }

    async fn problem(&self, reply: Reply) -> Failure {
        match reply.json::<Problem>(QUICK).await {
            Ok(problem) => wire::of_problem(&problem),
            Err(lost) => self.lost(lost),
        }
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Failure> {
        let reply = self.send(path, Some(json(body)?), SLOW).await?;
        reply.json(SLOW).await.map_err(|lost| self.lost(lost))
    }

    /// The items of a stream of events; the request goes out when it is first polled, and dropping it closes the connection.
    fn stream<'a, E: DeserializeOwned + 'a, T: 'a>(
        &'a self,
        path: &'static str,
        body: Result<String, Failure>,
        read: fn(E) -> Line<T>,
    ) -> LocalBoxStream<'a, Result<T, Failure>> {
        stream::unfold(Phase::Begin(body), move |mut phase| async move {
            loop {
                let mut lines = match phase {
                    Phase::Begin(body) => match self.open(path, body).await {
                        Ok(lines) => lines,
                        Err(failure) => return Some((Err(failure), Phase::End)),
                    },
                    Phase::Open(lines) => lines,
                    Phase::End => return None,
                };
                let line = match lines.next(SLOW).await {
                    Ok(Some(line)) => line,
                    // Every stream says when it is whole; one that just ends was cut.
                    Ok(None) | Err(Lost) => return Some((Err(self.lost(Lost)), Phase::End)),
                };
                let Ok(event) = serde_json::from_slice(&line) else {
                    return Some((Err(garbled()), Phase::End));
                };
                match read(event) {
                    Line::Item(item) => return Some((Ok(item), Phase::Open(lines))),
                    Line::End(Some(item)) => return Some((Ok(item), Phase::End)),
                    Line::End(None) => return None,
                    Line::Failed(failure) => return Some((Err(failure), Phase::End)),
                    Line::Skip => phase = Phase::Open(lines),
                }
            }
        })
        .boxed_local()
    }

    async fn open(&self, path: &str, body: Result<String, Failure>) -> Result<Lines, Failure> {
        let reply = self.send(path, Some(body?), SLOW).await?;
        reply.lines().map_err(|lost| self.lost(lost))
    }

    async fn keep(&self, pairing: Option<Pairing>) -> Result<(), Failure> {
        let mut batch = Batch::default();
        match &pairing {
            Some(pairing) => Archive::<IdbStore>::put_setting(&mut batch, Setting::Pairing, pairing),
            None => Archive::<IdbStore>::delete_setting(&mut batch, Setting::Pairing),
        }
        self.archive.write(batch, Durability::Strict).await.map_err(|error| of_store(&error))?;
        *self.pairing.borrow_mut() = pairing;
        self.lose();
        Ok(())
    }

    async fn status(&self) -> Result<CompanionState, Failure> {
        let reply = self.send("/v1/status", None, QUICK).await?;
        let status: StatusReply = reply.json(QUICK).await.map_err(|lost| self.lost(lost))?;
        let port = self.proven.get().unwrap_or(0);
        Ok(CompanionState::Ready {
            port,
            version: status.version,
            device: status.device,
            embedder: wire::model_state(status.embedder),
            llm: wire::model_state(status.llm),
            waiting: status.queue.waiting,
        })
    }
}

impl Inference for Companion {
    async fn state(&self) -> CompanionState {
        let failure = match self.status().await {
            Ok(state) => {
                *self.last.borrow_mut() = Some(state.clone());
                return state;
            }
            Err(failure) => failure,
        };
        // Too busy to tell is still there.
        if failure.kind == ErrorKind::CompanionBusy
            && let Some(last) = self.last.borrow().clone()
        {
            return last;
        }
        // Why not is told by who answers now.
        let pairing = self.pairing.borrow().clone();
        match find(self.preferred.get(), pairing.as_ref()).await {
            // It proved itself and yet gives no status: it does not know the token any more, or is just going.
            Some(Answerer::Proven { .. }) if failure.kind != ErrorKind::CompanionUnpaired => {
                CompanionState::Away
            }
            Some(answerer) => answerer.state(),
            None => CompanionState::Away,
        }
    }

    async fn embed(&self, purpose: Purpose, texts: Vec<String>) -> Result<Embedded, Failure> {
        let texts: Vec<String> =
            texts.into_iter().map(|text| text.chars().take(limits::EMBED_CHARS).collect()).collect();
        let request = EmbedRequest { kind: wire::embed_kind(purpose), texts };
        let reply: EmbedReply = self.post("/v1/embed", &request).await?;
        let vectors: Option<Vec<Vec<f32>>> = reply.vectors.iter().map(|vector| vector.decode()).collect();
        match vectors {
            Some(vectors) if vectors.len() == request.texts.len() => {
                Ok(Embedded { model: reply.model, vectors })
            }
            _ => Err(garbled()),
        }
    }

    fn read(&self, request: ReadRequest) -> LocalBoxStream<'_, Result<Extraction, Failure>> {
        self.stream("/v1/extract", json(&wire::extract_request(request)), wire::extract_line)
    }

    fn answer(&self, question: AnswerQuestion) -> LocalBoxStream<'_, Result<AnswerItem, Failure>> {
        self.stream("/v1/answer", json(&wire::answer_request(question)), wire::answer_line)
    }

    async fn pair(&self, code: String) -> Result<(), Failure> {
        let port = match find(self.preferred.get(), None).await {
            Some(Answerer::Stranger { port } | Answerer::Proven { port, .. }) => port,
            Some(other) => return Err(other.refusal()),
            None => return Err(away()),
        };
        let request = PairRequest { code: code.trim().to_owned(), label: label() };
        let headers = [(HEADER, PROTOCOL_VERSION.to_string())];
        let body = Some(json(&request)?);
        let reply = call(Call { port, path: "/v1/pair", headers: &headers, body, patience: QUICK }).await;
        let reply = reply.map_err(|lost| self.lost(lost))?;
        if reply.status >= 400 {
            return Err(self.problem(reply).await);
        }
        let PairReply { profile, token } = reply.json(QUICK).await.map_err(|lost| self.lost(lost))?;
        let pairing = Pairing { profile, token };
        // Whoever gave the token must know it.
        match meet(port, Some(&pairing)).await {
            Some(Answerer::Proven { .. }) => self.keep(Some(pairing)).await,
            Some(other) => Err(other.refusal()),
            None => Err(away()),
        }
    }

    async fn unpair(&self) -> Result<(), Failure> {
        self.keep(None).await
    }

    fn prefer_port(&self, port: Option<u16>) {
        if self.preferred.replace(port) != port {
            self.lose();
        }
    }
}

/// Where a stream stands.
enum Phase {
    Begin(Result<String, Failure>),
    Open(Lines),
    End,
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| failure(ErrorKind::Internal, error.to_string()))
}

/// What the user sees in the companion's list of devices.
fn label() -> String {
    let navigator = js_sys::Reflect::get(&js_sys::global(), &"navigator".into()).unwrap_or_default();
    let agent =
        js_sys::Reflect::get(&navigator, &"userAgent".into()).ok().and_then(|agent| agent.as_string());
    let agent = agent.unwrap_or_default();
    let pick = |names: &[(&str, &'static str)], other| {
        names.iter().find(|(sign, _)| agent.contains(sign)).map_or(other, |(_, name)| *name)
    };
    let browser = pick(&[("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chromium")], "Browser");
    let system = pick(
        &[("Windows", "Windows"), ("Mac OS", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux")],
        "this machine",
    );
    format!("{browser} on {system}")
}

fn away() -> Failure {
    failure(ErrorKind::CompanionAway, "The companion is not running. Start it with `loci serve`.")
}

fn unpaired() -> Failure {
    Answerer::Stranger { port: 0 }.refusal()
}

fn garbled() -> Failure {
    failure(
        ErrorKind::CompanionOtherVersion,
        "The companion's reply cannot be read. Update both to the same version.",
    )
}
