//! Where the question is typed.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::super::text::t;
use super::conversation::Conversation;
use crate::catalogue::Key;

/// The key code a browser reports while an input method composes.
const COMPOSING: u32 = 229;

#[component]
pub fn AskBox(conversation: Conversation) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let draft = conversation.draft;
    // The panel is opened to ask: the cursor stands in the field from the start, and after "edit".
    Effect::new(move |_| {
        conversation.focus_asked.track();
        if let Some(field) = field.get() {
            let _ = field.focus();
        }
    });
    let send = move || {
        let question = draft.get_untracked().trim().to_owned();
        if !question.is_empty() && !conversation.is_streaming() {
            draft.set(String::new());
            conversation.ask(question);
        }
    };
    let key = move |event: KeyboardEvent| {
        // Enter that ends a composition chooses a word; it does not send.
        let composing = event.is_composing() || event.key_code() == COMPOSING;
        if event.key() == "Enter" && !event.shift_key() && !composing {
            event.prevent_default();
            send();
        } else if event.key() == "Escape" && conversation.is_streaming() && !composing {
            conversation.stop();
        }
    };
    view! {
        <form class="ask" on:submit=move |event| { event.prevent_default(); send(); }>
            <label class="hidden" for="question">{t(Key::AskLabel)}</label>
            <textarea
                id="question"
                node_ref=field
                rows="2"
                dir="auto"
                autocomplete="off"
                placeholder=t(Key::AskPlaceholder)
                aria-describedby="ask-hint"
                prop:value=draft
                on:input:target=move |event| draft.set(event.target().value())
                on:keydown=key
            ></textarea>
            <div class="ask-row">
                <span id="ask-hint" class="meta">{t(Key::AskHint)}</span>
                {move || if conversation.is_streaming() {
                    view! {
                        <button type="button" class="plain" on:click=move |_| conversation.stop()>{t(Key::AskStop)}</button>
                    }.into_any()
                } else {
                    view! {
                        <button type="submit" class="primary" disabled=move || draft.with(|draft| draft.trim().is_empty())>
                            {t(Key::AskSend)}
                        </button>
                    }.into_any()
                }}
            </div>
        </form>
    }
}
