//! A language model whose pace the test sets, for what the queue and the streams do around one.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loci_companion::{Models, Slot};
use loci_inference::{Cancel, InferenceError, LanguageModel};
use loci_protocol::{
    AnswerDone, AnswerEvent, AnswerRequest, ExtractEvent, ExtractRequest, ModelStatus, Usage,
};
use tokio::sync::mpsc;

/// What the model tells the test.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    Started(&'static str),
    Cancelled(&'static str),
    Finished(&'static str),
}

/// Works until it is released or cancelled. A question that reads `panic` makes it panic, with the question in the
/// message.
pub struct Scripted {
    tell: mpsc::UnboundedSender<Told>,
    released: Arc<Mutex<u32>>,
}

/// The test's end of it.
pub struct Script {
    pub told: mpsc::UnboundedReceiver<Told>,
    released: Arc<Mutex<u32>>,
}

impl Script {
    /// Lets one call finish.
    pub fn release(&self) {
        *self.released.lock().expect("no panic holds it") += 1;
    }

    pub async fn expect(&mut self, told: Told) {
        let next = tokio::time::timeout(Duration::from_secs(30), self.told.recv());
        assert_eq!(next.await.expect("the model tells something in time"), Some(told));
    }
}

pub fn scripted() -> (Models, Script) {
    let (tell, told) = mpsc::unbounded_channel();
    let released = Arc::new(Mutex::new(0));
    let model = Scripted { tell, released: released.clone() };
    let status = model.status();
    let models = Models { llm: Slot::ready(Arc::new(model), status), ..Models::default() };
    (models, Script { told, released })
}

impl Scripted {
    fn work(&self, name: &'static str, cancel: &Cancel) -> Result<(), InferenceError> {
        let _ = self.tell.send(Told::Started(name));
        let start = Instant::now();
        // Ends some time, so that a test that fails ends too.
        while start.elapsed() < Duration::from_secs(60) {
            if cancel.is_cancelled() {
                let _ = self.tell.send(Told::Cancelled(name));
                return Err(InferenceError::Cancelled);
            }
            let mut released = self.released.lock().expect("no panic holds it");
            if *released > 0 {
                *released -= 1;
                let _ = self.tell.send(Told::Finished(name));
                return Ok(());
            }
            drop(released);
            std::thread::park_timeout(Duration::from_millis(1));
        }
        Err(InferenceError::Failed("the test forgot its model".into()))
    }
}

impl LanguageModel for Scripted {
    fn status(&self) -> ModelStatus {
        ModelStatus::Ready { name: "scripted".into(), licence: "MIT".into() }
    }

    fn extract(
        &self,
        _: &ExtractRequest,
        cancel: &Cancel,
        emit: &mut dyn FnMut(ExtractEvent),
    ) -> Result<(), InferenceError> {
        emit(ExtractEvent::Progress { done: 0, total: 1 });
        self.work("extract", cancel)?;
        emit(ExtractEvent::Done { usage: Usage::default() });
        Ok(())
    }

    fn answer(
        &self,
        request: &AnswerRequest,
        cancel: &Cancel,
        emit: &mut dyn FnMut(AnswerEvent),
    ) -> Result<(), InferenceError> {
        emit(AnswerEvent::Token { text: "Well".into() });
        assert!(request.question != "panic", "{}", request.question);
        self.work("answer", cancel)?;
        emit(AnswerEvent::Done(AnswerDone { no_answer: false, truncated: false, usage: Usage::default() }));
        Ok(())
    }
}
