//! The whole memory, erased on purpose.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::Failure;

use super::super::core;
use super::super::load::load;
use super::super::parts::{FailureNote, Modal};
use super::super::text::{number, t, tf};
use crate::catalogue::Key;

#[component]
pub fn EraseAll() -> impl IntoView {
    let asking = RwSignal::new(false);
    let erased = RwSignal::new(false);
    view! {
        <section aria-labelledby="erase-all">
            <h2 id="erase-all">{t(Key::EraseAllHeading)}</h2>
            <p class="meta">{t(Key::EraseAllHelp)}</p>
            <button type="button" class="plain danger" on:click=move |_| { erased.set(false); asking.set(true); }>{t(Key::EraseAllDo)}</button>
            <p role="status">{move || erased.get().then(|| t(Key::Erased))}</p>
            <Modal open=asking heading=t(Key::EraseAllSure)>
                <Question asking erased />
            </Modal>
        </section>
    }
}

#[component]
fn Question(asking: RwSignal<bool>, erased: RwSignal<bool>) -> impl IntoView {
    let counts = load(|| (), |()| core::diagnostics());
    let sure = RwSignal::new(false);
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<Failure>);
    let erase = move |_| {
        busy.set(true);
        failed.set(None);
        spawn_local(async move {
            let result = core::erase_everything().await;
            busy.set(false);
            match result {
                Ok(()) => {
                    erased.set(true);
                    asking.set(false);
                }
                Err(failure) => failed.set(Some(failure)),
            }
        });
    };
    view! {
        {move || counts.state.get().ready().map(|counts| {
            let (pages, passages) = (number(f64::from(counts.pages)), number(f64::from(counts.passages)));
            view! { <p>{tf(Key::EraseAllCounts, &[("pages", &pages), ("passages", &passages)])}</p> }
        })}
        <label class="check">
            <input type="checkbox" prop:checked=sure on:change:target=move |event| sure.set(event.target().checked()) />
            {t(Key::EraseAllTick)}
        </label>
        {move || failed.get().map(|failure| view! { <FailureNote failure /> })}
        <p class="dialog-actions">
            <button type="button" class="plain" autofocus on:click=move |_| asking.set(false)>{t(Key::Cancel)}</button>
            <button type="button" class="primary danger" disabled=move || busy.get() || !sure.get() on:click=erase>
                {move || t(if busy.get() { Key::Erasing } else { Key::EraseAllHeading })}
            </button>
        </p>
    }
}
