use futures::{
    StreamExt,
    channel::oneshot,
    future::{Either, select},
};
use loci_ask::{Budget, context};
use loci_messages::{AnswerEnd, AskEvent, Citation, CompanionState, ErrorKind, Event, Failure, ModelState};
use loci_retrieval::{Query, Retriever, auto};
use loci_store::Store;

use crate::{AnswerItem, AnswerPassage, AnswerQuestion, ClientId, Engine, Inference, failure::failure, view};

/// The longest question, in characters.
const QUESTION: usize = 2_000;
/// Milliseconds that a question waits for its vector: longer than a search, since the answer takes its time too.
const PATIENCE: u32 = 10_000;
const ANSWER_TOKENS: u32 = 400;
/// Passages shown when the memory does not hold the answer.
const NEAREST: usize = 5;

impl<S: Store, I: Inference> Engine<S, I> {
    /// Answers from the memory: what is found is numbered and told to the page that asked, then the answer streams.
    pub(crate) async fn ask(&self, client: ClientId, id: u32, question: &str) -> Result<AnswerEnd, Failure> {
        let question = question.trim();
        if question.is_empty() {
            return Err(failure(ErrorKind::BadRequest, "Type a question first."));
        }
        if question.chars().count() > QUESTION {
            return Err(failure(ErrorKind::BadRequest, format!("Ask in at most {QUESTION} characters.")));
        }
        let (stop, stopped) = oneshot::channel();
        self.answers.borrow_mut().insert((client, id), stop);
        let end = self.answer(client, id, question, stopped).await;
        self.answers.borrow_mut().remove(&(client, id));
        end
    }

    pub(crate) fn stop(&self, client: ClientId, ask: u32) {
        if let Some(stop) = self.answers.borrow_mut().remove(&(client, ask)) {
            // The answer may have ended just now.
            let _ = stop.send(());
        }
    }

    async fn answer(
        &self,
        client: ClientId,
        id: u32,
        question: &str,
        mut stopped: oneshot::Receiver<()>,
    ) -> Result<AnswerEnd, Failure> {
        let began = self.host.now();
        let (request, sources) = {
            let finding = self.find(question);
            futures::pin_mut!(finding);
            match select(finding, &mut stopped).await {
                Either::Left((found, _)) => found,
                Either::Right(_) => {
                    return Ok(AnswerEnd::Stopped {
                        text: String::new(),
                        cited: Vec::new(),
                        sources: Vec::new(),
                    });
                }
            }
        };
        let nearest = || sources.iter().take(NEAREST).cloned().collect::<Vec<Citation>>();
        if sources.is_empty() {
            return Ok(AnswerEnd::NotInMemory { nearest: Vec::new() });
        }
        if !self.can_answer().await {
            return Ok(AnswerEnd::LexicalOnly { nearest: nearest() });
        }
        self.emit_ask(client, id, AskEvent::Sources { citations: sources.clone() });

        let mut text = String::new();
        let mut cited: Vec<u32> = Vec::new();
        let mut items = self.inference.answer(request);
        loop {
            let item = match select(items.next(), &mut stopped).await {
                Either::Left((item, _)) => item,
                // Dropping the stream stops the model.
                Either::Right(_) => return Ok(AnswerEnd::Stopped { text, cited, sources }),
            };
            match item {
                Some(Ok(AnswerItem::Token(token))) => {
                    text.push_str(&token);
                    self.emit_ask(client, id, AskEvent::Token { text: token });
                }
                Some(Ok(AnswerItem::Cited(number))) => {
                    // A number beyond the passages cannot come from a well-behaved model; it would cite nothing.
                    if (1..=sources.len()).contains(&(number as usize)) {
                        if !cited.contains(&number) {
                            cited.push(number);
                        }
                        self.emit_ask(client, id, AskEvent::Cited { number });
                    }
                }
                Some(Ok(AnswerItem::Done(done))) if done.no_answer => {
                    return Ok(AnswerEnd::NotInMemory { nearest: nearest() });
                }
                Some(Ok(AnswerItem::Done(done))) => {
                    return Ok(AnswerEnd::Answered {
                        text,
                        cited,
                        sources,
                        model_calls: done.usage.calls,
                        tokens: done.usage.tokens,
                        milliseconds: (self.host.now().0 - began.0) as f64,
                    });
                }
                Some(Err(lost)) if text.is_empty() && lost.kind == ErrorKind::CompanionAway => {
                    return Ok(AnswerEnd::LexicalOnly { nearest: nearest() });
                }
                Some(Err(failure)) => return Err(failure),
                None => {
                    return Err(failure(
                        ErrorKind::CompanionAway,
                        "The companion went away. Start it and ask again.",
                    ));
                }
            }
        }
    }

    /// What the memory holds near the question: the request for the model, and its passages as citations.
    async fn find(&self, question: &str) -> (AnswerQuestion, Vec<Citation>) {
        let vector = self.vector(question, PATIENCE).await;
        let memory = self.memory.borrow();
        let query = Query::new(question, vector.as_deref());
        let searchable = memory.searchable();
        let found = auto().retrieve(&searchable, &query);
        let packed = context(searchable, &query, &found, Budget::default());
        let sources =
            packed.passages.iter().enumerate().filter_map(|(index, passage)| {
                view::citation(&memory.graph, passage.episode, index as u32 + 1)
            });
        let sources = sources.collect();
        let request = AnswerQuestion {
            question: question.to_owned(),
            passages: packed
                .passages
                .into_iter()
                .map(|passage| AnswerPassage {
                    title: passage.title,
                    date: Some(view::date(passage.date)),
                    text: passage.text,
                })
                .collect(),
            facts: packed.facts.into_iter().map(|(_, text)| text).collect(),
            max_tokens: ANSWER_TOKENS,
        };
        (request, sources)
    }

    async fn can_answer(&self) -> bool {
        matches!(self.companion().await, CompanionState::Ready { llm: ModelState::Ready { .. }, .. })
    }

    fn emit_ask(&self, client: ClientId, id: u32, event: AskEvent) {
        self.host.emit(Some(client), Event::Ask { id, event });
    }
}
