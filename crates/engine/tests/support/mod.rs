//! A browser and a companion that the tests have in hand: time stands still unless it is moved, and the stand-in computes by
//! simple rules. What models are worth is measured elsewhere, with real ones.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, VecDeque},
    rc::Rc,
    task::Poll,
};

use futures::{
    executor::LocalPool,
    future::{LocalBoxFuture, poll_fn},
    stream::{self, LocalBoxStream, StreamExt},
    task::LocalSpawnExt,
};
use loci_engine::{
    Answer, AnswerItem, AnswerQuestion, ClientId, Embedded, Engine, Extraction, Host, Inference, Purpose,
    ReadRequest, failure,
};
use loci_graph::{ObjectKind, Timestamp};
use loci_memorize::Extracted;
use loci_messages::{
    CaptureRequest, CompanionState, ErrorKind, Event, Failure, ModelState, Reply, Request, ToCore,
};
use loci_store::MemoryStore;

pub const PAGE: ClientId = ClientId(1);

/// Everything one test holds: the store survives a restart, the engine does not.
pub struct Browser {
    pub store: MemoryStore,
    pub companion: Companion,
    pub host: Rc<TestHost>,
    pub engine: Rc<Engine<MemoryStore, Companion>>,
    pool: LocalPool,
    asked: Cell<u32>,
}

impl Browser {
    pub fn new() -> Browser {
        Browser::on(MemoryStore::new(), Companion::default())
    }

    /// Opens a browser on an existing memory and starts the background work.
    pub fn on(store: MemoryStore, companion: Companion) -> Browser {
        let host = Rc::new(TestHost::default());
        let mut pool = LocalPool::new();
        let opening = Engine::open(store.clone(), companion.clone(), host.clone());
        let engine = Rc::new(pool.run_until(opening).expect("the memory opens"));
        let running = engine.clone();
        pool.spawner().spawn_local(async move { running.run().await }).expect("the pool runs");
        let mut browser = Browser { store, companion, host, engine, pool, asked: Cell::new(0) };
        browser.settle();
        browser
    }

    /// Ends this core in the middle of whatever it does, and starts another on the same memory.
    pub fn restart(self) -> Browser {
        let Browser { store, companion, pool, engine, .. } = self;
        drop(pool);
        drop(engine);
        Browser::on(store, companion)
    }

    /// Lets everything run that can run without time passing.
    pub fn settle(&mut self) {
        self.pool.run_until_stalled();
    }

    /// Lets a minute pass, second by second.
    pub fn pass_a_minute(&mut self) {
        for _ in 0..60 {
            self.host.pass(1_000);
            self.settle();
        }
    }

    pub fn ask(&mut self, request: Request) -> Result<Reply, Failure> {
        let id = self.asked.replace(self.asked.get() + 1);
        let engine = self.engine.clone();
        let reply = Rc::new(RefCell::new(None));
        let filled = reply.clone();
        let handling = async move {
            let handled = engine.handle(PAGE, ToCore { id, request }).await;
            *filled.borrow_mut() = Some(handled);
        };
        self.pool.spawner().spawn_local(handling).expect("the pool runs");
        self.settle();
        let reply = reply.borrow_mut().take();
        reply.expect("answered without waiting for time to pass")
    }

    /// Starts a request and leaves it running; its reply appears in the cell.
    pub fn begin(&mut self, id: u32, request: Request) -> Rc<RefCell<Option<Result<Reply, Failure>>>> {
        let engine = self.engine.clone();
        let reply = Rc::new(RefCell::new(None));
        let filled = reply.clone();
        let handling = async move {
            let handled = engine.handle(PAGE, ToCore { id, request }).await;
            *filled.borrow_mut() = Some(handled);
        };
        self.pool.spawner().spawn_local(handling).expect("the pool runs");
        self.settle();
        reply
    }

    pub fn capture(&mut self, url: &str, paragraphs: &[&str]) -> Result<Reply, Failure> {
        self.ask(Request::Capture(page(url, paragraphs)))
    }
}

pub fn page(url: &str, paragraphs: &[&str]) -> CaptureRequest {
    let body: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    CaptureRequest {
        url: url.into(),
        html: format!(
            "<!doctype html><html lang=en><head><title>A page about harbours</title></head><body><main><article><h1>A page about \
             harbours</h1>{body}</article></main></body></html>"
        ),
        visible_text: paragraphs.join("\n"),
        title: "A page about harbours".into(),
        content_type: "text/html".into(),
        captured: 1_700_000_000_000.0,
        private_window: false,
    }
}

/// Prose of about one passage that names its subject.
pub fn prose(subject: &str) -> String {
    format!(
        "{subject} lies on the northern coast and has been a harbour for more than nine hundred years. Fishermen from \
         {subject} sail as far as the ice, and every autumn the whole town comes down to the quay to greet the boats. The old \
         lighthouse of {subject} was built by three brothers, who quarried the stone themselves and carried it across the bay \
         on rafts. Visitors come for the market, the long evenings and the museum of ropes, which holds the oldest anchor known \
         in this part of the country. A railway was planned twice and never laid, so that the road along the cliffs remains the \
         only way by land."
    )
}

#[derive(Default)]
pub struct TestHost {
    now: Cell<i64>,
    pub events: RefCell<Vec<(Option<ClientId>, Event)>>,
}

impl TestHost {
    pub fn pass(&self, milliseconds: i64) {
        self.now.set(self.now.get() + milliseconds);
        for waker in WAKERS.with(|wakers| std::mem::take(&mut *wakers.borrow_mut())) {
            waker.wake();
        }
    }
}

thread_local! {
    static WAKERS: RefCell<Vec<std::task::Waker>> = const { RefCell::new(Vec::new()) };
    static NOW: Cell<i64> = const { Cell::new(0) };
}

impl Host for TestHost {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000 + self.now.get())
    }

    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        if milliseconds == 0 {
            // One turn of the executor.
            let mut turned = false;
            return Box::pin(poll_fn(move |context| {
                if std::mem::replace(&mut turned, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            }));
        }
        // Counted in wakes of `pass`, each a second or more.
        let mut left = i64::from(milliseconds.div_ceil(1_000));
        Box::pin(poll_fn(move |context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            WAKERS.with(|wakers| wakers.borrow_mut().push(context.waker().clone()));
            Poll::Pending
        }))
    }

    fn emit(&self, to: Option<ClientId>, event: Event) {
        self.events.borrow_mut().push((to, event));
    }
}

/// A companion that computes by rule: a text's vector counts its letters, every capitalised word of a passage is a place, and
/// an answer repeats the first passage's first words.
#[derive(Clone)]
pub struct Companion(pub Rc<Inner>);

pub struct Inner {
    pub here: Cell<bool>,
    pub llm: Cell<bool>,
    pub model: RefCell<String>,
    /// Episodes after which it goes away, in the middle of a stream.
    pub dies_after: Cell<Option<usize>>,
    /// Episodes whose text holds one of these make the model fail.
    pub poison: RefCell<BTreeSet<String>>,
    /// Every episode that was read to its end, in order.
    pub read: RefCell<Vec<u32>>,
    pub embedded: Cell<usize>,
    /// Answers wait for this many calls of [`Companion::speak`].
    pub silent: Cell<bool>,
    pub answers_dropped: Cell<u32>,
    pub replies: RefCell<VecDeque<Result<AnswerItem, Failure>>>,
}

impl Default for Companion {
    fn default() -> Self {
        Companion(Rc::new(Inner {
            here: Cell::new(false),
            llm: Cell::new(true),
            model: RefCell::new("letters".into()),
            dies_after: Cell::new(None),
            poison: RefCell::default(),
            read: RefCell::default(),
            embedded: Cell::new(0),
            silent: Cell::new(false),
            answers_dropped: Cell::new(0),
            replies: RefCell::default(),
        }))
    }
}

impl Companion {
    pub fn comes(&self) {
        self.0.here.set(true);
    }

    pub fn goes(&self) {
        self.0.here.set(false);
    }

    fn check(&self) -> Result<(), Failure> {
        if self.0.here.get() { Ok(()) } else { Err(failure(ErrorKind::CompanionAway, "away")) }
    }

    fn extract(&self, id: u32, text: &str) -> Result<Extraction, Failure> {
        self.check()?;
        if let Some(left) = self.0.dies_after.get() {
            if left == 0 {
                self.0.dies_after.set(None);
                self.goes();
                return Err(failure(ErrorKind::CompanionAway, "gone in the middle"));
            }
            self.0.dies_after.set(Some(left - 1));
        }
        if self.0.poison.borrow().iter().any(|poison| text.contains(poison)) {
            return Err(failure(ErrorKind::ModelFailed, "this passage makes the model fail"));
        }
        self.0.read.borrow_mut().push(id);
        let names: BTreeSet<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 4 && word.starts_with(char::is_uppercase))
            .collect();
        let names: Vec<String> = names.into_iter().map(String::from).collect();
        let triples = names.windows(2).map(|pair| (pair[0].clone(), "is near".into(), pair[1].clone()));
        Ok(Extraction {
            id,
            extracted: Extracted {
                objects: names.iter().map(|name| (name.clone(), ObjectKind::Place)).collect(),
                triples: triples.collect(),
                theses: names
                    .first()
                    .map(|name| (format!("{name} is a harbour."), vec![name.clone()]))
                    .into_iter()
                    .collect(),
            },
            ungrounded: 1,
            truncated: 0,
        })
    }
}

impl Inference for Companion {
    async fn state(&self) -> CompanionState {
        if !self.0.here.get() {
            return CompanionState::Away;
        }
        let ready = |name: &str| ModelState::Ready { name: name.into() };
        CompanionState::Ready {
            port: 4387,
            version: "0.1.0".into(),
            device: "test".into(),
            embedder: ready(&self.0.model.borrow()),
            llm: if self.0.llm.get() { ready("rule") } else { ModelState::Absent },
            waiting: 0,
        }
    }

    async fn embed(&self, _: Purpose, texts: Vec<String>) -> Result<Embedded, Failure> {
        self.check()?;
        self.0.embedded.set(self.0.embedded.get() + texts.len());
        let vector = |text: &String| {
            let mut counts = vec![0.01_f32; 26];
            for letter in text.bytes().map(|byte| byte.to_ascii_lowercase()).filter(u8::is_ascii_lowercase) {
                counts[usize::from(letter - b'a')] += 1.0;
            }
            let norm = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
            counts.into_iter().map(|count| count / norm).collect()
        };
        Ok(Embedded { model: self.0.model.borrow().clone(), vectors: texts.iter().map(vector).collect() })
    }

    fn read(&self, request: ReadRequest) -> LocalBoxStream<'_, Result<Extraction, Failure>> {
        let mut failed = false;
        stream::iter(request.episodes)
            .map(|episode| self.extract(episode.id, &episode.text))
            .take_while(move |result| {
                let go_on = !failed;
                failed = result.is_err();
                std::future::ready(go_on)
            })
            .boxed_local()
    }

    fn answer(&self, question: AnswerQuestion) -> LocalBoxStream<'_, Result<AnswerItem, Failure>> {
        struct Dropped(Companion);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.0.answers_dropped.set(self.0.0.answers_dropped.get() + 1);
            }
        }
        let watch = Dropped(self.clone());
        let mut items: VecDeque<Result<AnswerItem, Failure>> =
            std::mem::take(&mut *self.0.replies.borrow_mut());
        if items.is_empty() {
            let words: Vec<String> = question.passages[0].text.split(' ').take(3).map(String::from).collect();
            items.extend(words.into_iter().map(|word| Ok(AnswerItem::Token(format!("{word} ")))));
            items.push_back(Ok(AnswerItem::Cited(1)));
            items.push_back(Ok(AnswerItem::Cited(99)));
            items.push_back(Ok(AnswerItem::Done(Answer::default())));
        }
        let silent = self.0.silent.get();
        let mut sent = 0;
        stream::poll_fn(move |_| {
            let _ = &watch;
            // A silent one says its first word and then nothing more.
            if silent && sent > 0 {
                return Poll::Pending;
            }
            sent += 1;
            Poll::Ready(items.pop_front())
        })
        .boxed_local()
    }

    async fn pair(&self, code: String) -> Result<(), Failure> {
        if code == "123456" { Ok(()) } else { Err(failure(ErrorKind::WrongCode, "Type the code again.")) }
    }

    async fn unpair(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn prefer_port(&self, _: Option<u16>) {}
}
