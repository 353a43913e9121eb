//! The six digits.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::Failure;

use super::super::core;
use super::super::live::live;
use super::super::parts::FailureNote;
use super::super::text::t;
use crate::catalogue::Key;
use crate::pairing::{clean, is_whole};

#[component]
pub fn PairForm() -> impl IntoView {
    let live = live();
    let code = RwSignal::new(String::new());
    let short = RwSignal::new(false);
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<Failure>);
    let field = NodeRef::<html::Input>::new();
    let pair = move || {
        let digits = clean(&code.get_untracked());
        short.set(!is_whole(&digits));
        if short.get_untracked() || busy.get_untracked() {
            return;
        }
        busy.set(true);
        failed.set(None);
        spawn_local(async move {
            let result = core::pair(digits).await;
            // The form is gone when an event already brought the new state.
            let _ = busy.try_set(false);
            match result {
                Ok(companion) => live.companion.set(Some(companion)),
                Err(failure) => {
                    let _ = failed.try_set(Some(failure));
                    if let Some(Some(field)) = field.try_get_untracked() {
                        let _ = field.focus();
                        field.select();
                    }
                }
            }
        });
    };
    view! {
        <form class="pair" on:submit=move |event| { event.prevent_default(); pair(); }>
            <label for="pair-code">{t(Key::PairLabel)}</label>
            <input
                id="pair-code"
                node_ref=field
                inputmode="numeric"
                autocomplete="one-time-code"
                maxlength="12"
                prop:value=code
                aria-invalid=move || (short.get() || failed.with(Option::is_some)).to_string()
                aria-describedby="pair-problem"
                on:input:target=move |event| {
                    short.set(false);
                    code.set(event.target().value());
                }
            />
            <button type="submit" class="primary" disabled=busy>{move || t(if busy.get() { Key::Pairing } else { Key::PairDo })}</button>
            <div id="pair-problem">
                {move || short.get().then(|| view! { <p class="note failure" role="alert">{t(Key::PairTooShort)}</p> })}
                {move || failed.get().map(|failure| view! { <FailureNote failure /> })}
            </div>
        </form>
    }
}
