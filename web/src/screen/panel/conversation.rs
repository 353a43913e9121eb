//! The questions of this panel and the state of each answer.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::{AnswerEnd, AskEvent, Citation, Event, Failure, Request};

use super::super::core;
use super::super::text::t;
use super::turn::TurnView;
use crate::answer::Answer;
use crate::catalogue::Key;

/// One question.
#[derive(Clone, Copy)]
pub struct Turn {
    pub id: u32,
    pub question: StoredValue<String>,
    pub state: RwSignal<TurnState>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TurnState {
    pub answer: Answer,
    pub sources: Vec<Citation>,
    pub phase: Phase,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// No source is known yet.
    Searching,
    /// Sources are there, the text streams.
    Writing,
    Answered {
        milliseconds: f64,
        tokens: u32,
    },
    Stopped,
    NotInMemory,
    LexicalOnly,
    Failed(Failure),
}

impl Phase {
    pub fn is_streaming(&self) -> bool {
        matches!(self, Phase::Searching | Phase::Writing)
    }
}

/// All turns, the oldest first; at most the last one streams.
#[derive(Clone, Copy)]
pub struct Conversation {
    pub turns: RwSignal<Vec<Turn>>,
    pub draft: RwSignal<String>,
    pub focus_asked: RwSignal<u32>,
}

impl Conversation {
    pub fn new() -> Conversation {
        let conversation = Conversation {
            turns: RwSignal::new(Vec::new()),
            draft: RwSignal::new(String::new()),
            focus_asked: RwSignal::new(0),
        };
        core::on_event(move |event| {
            if let Event::Ask { id, event } = event {
                conversation.take_event(*id, event);
            }
        });
        conversation
    }

    pub fn is_empty(self) -> bool {
        self.turns.with(Vec::is_empty)
    }

    pub fn is_streaming(self) -> bool {
        self.turns.with(|turns| {
            turns.last().is_some_and(|turn| turn.state.with(|state| state.phase.is_streaming()))
        })
    }

    pub fn ask(self, question: String) {
        let (id, reply) = core::send(Request::Ask { question: question.clone() });
        let state = TurnState { answer: Answer::default(), sources: Vec::new(), phase: Phase::Searching };
        let turn = Turn { id, question: StoredValue::new(question), state: RwSignal::new(state) };
        self.turns.update(|turns| turns.push(turn));
        spawn_local(async move {
            let end = reply.await.and_then(core::answer_end);
            // The turn is gone when the conversation was cleared meanwhile.
            let _ = turn.state.try_update(|state| state.end(end));
        });
    }

    pub fn stop(self) {
        let streaming = self.turns.with_untracked(|turns| turns.last().copied());
        if let Some(turn) =
            streaming.filter(|turn| turn.state.with_untracked(|state| state.phase.is_streaming()))
        {
            spawn_local(async move {
                // The reply to the ask itself says that it stopped.
                let _ = core::request(Request::Stop { ask: turn.id }).await;
            });
        }
    }

    /// Puts the question back into the field.
    pub fn edit(self, question: String) {
        self.draft.set(question);
        self.focus_asked.update(|asked| *asked += 1);
    }

    pub fn clear(self) {
        self.stop();
        self.turns.set(Vec::new());
        self.focus_asked.update(|asked| *asked += 1);
    }

    fn take_event(self, id: u32, event: &AskEvent) {
        let turn = self.turns.with_untracked(|turns| turns.iter().rev().find(|turn| turn.id == id).copied());
        let Some(turn) = turn else { return };
        turn.state.update(|state| match event {
            AskEvent::Sources { citations } => {
                state.sources.clone_from(citations);
                state.phase = Phase::Writing;
            }
            AskEvent::Token { text } => state.answer.push_text(text),
            AskEvent::Cited { number } => state.answer.push_citation(*number),
        });
    }
}

impl TurnState {
    pub fn numbers(&self) -> Vec<u32> {
        self.sources.iter().map(|source| source.number).collect()
    }

    fn end(&mut self, end: Result<AnswerEnd, Failure>) {
        match end {
            Ok(AnswerEnd::Answered { text, cited, sources, tokens, milliseconds, .. }) => {
                self.finish(&text, &cited, sources);
                self.phase = Phase::Answered { milliseconds, tokens };
            }
            Ok(AnswerEnd::Stopped { text, cited, sources }) => {
                self.finish(&text, &cited, sources);
                self.phase = Phase::Stopped;
            }
            Ok(AnswerEnd::NotInMemory { nearest }) => self.nearest(nearest, Phase::NotInMemory),
            Ok(AnswerEnd::LexicalOnly { nearest }) => self.nearest(nearest, Phase::LexicalOnly),
            Err(failure) => self.phase = Phase::Failed(failure),
        }
    }

    /// What streamed stays, its citations stand where they were given; what did not stream is taken from the end.
    fn finish(&mut self, text: &str, cited: &[u32], sources: Vec<Citation>) {
        if !sources.is_empty() {
            self.sources = sources;
        }
        let streamed = self.answer.text();
        if streamed.trim() != text.trim() || self.answer.cited(&self.numbers()).is_empty() {
            self.answer = Answer::whole(text, cited);
        }
    }

    fn nearest(&mut self, nearest: Vec<Citation>, phase: Phase) {
        self.answer = Answer::default();
        self.sources = nearest;
        self.phase = phase;
    }
}

#[component]
pub fn Turns(conversation: Conversation) -> impl IntoView {
    view! {
        <section class="turns" role="log" aria-label=t(Key::ConversationLabel) aria-busy=move || conversation.is_streaming().to_string()>
            <For each=move || conversation.turns.get() key=|turn| turn.id let:turn>
                <TurnView turn conversation />
            </For>
        </section>
        {move || (!conversation.is_empty()).then(|| view! {
            <p class="clear"><button type="button" class="quiet" on:click=move |_| conversation.clear()>{t(Key::AskNew)}</button></p>
        })}
    }
}
