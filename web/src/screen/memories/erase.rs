//! Erasing a page: first what would go, then the question, then for ever.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::Failure;

use super::super::app::go;
use super::super::core;
use super::super::load::{Load, load};
use super::super::parts::{FailureNote, Modal, Waiting};
use super::super::text::{number, t, tf};
use crate::catalogue::Key;
use crate::route::Route;

#[component]
pub fn Erase(page: u32) -> impl IntoView {
    let asking = RwSignal::new(false);
    view! {
        <button type="button" class="quiet danger" on:click=move |_| asking.set(true)>{t(Key::DetailErase)}</button>
        <Modal open=asking heading=t(Key::EraseHeading)>
            <Question page asking />
        </Modal>
    }
}

#[component]
fn Question(page: u32, asking: RwSignal<bool>) -> impl IntoView {
    let preview = load(|| (), move |()| core::erase_preview(page));
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<Failure>);
    let erase = move |_| {
        busy.set(true);
        failed.set(None);
        spawn_local(async move {
            let result = core::erase_page(page).await;
            busy.set(false);
            match result {
                Ok(()) => {
                    asking.set(false);
                    go(Route::Memories { page: None });
                }
                Err(failure) => failed.set(Some(failure)),
            }
        });
    };
    view! {
        {move || match preview.state.get() {
            Load::Loading => view! { <Waiting text=t(Key::EraseCounting) /> }.into_any(),
            Load::Failed(failure) => view! { <FailureNote failure /> }.into_any(),
            Load::Ready((passages, facts, objects)) => {
                let counts = [("passages", passages), ("facts", facts), ("objects", objects)];
                let counts = counts.map(|(name, count)| (name, number(f64::from(count))));
                let counts = counts.each_ref().map(|(name, count)| (*name, count.as_str()));
                view! { <p>{tf(Key::ErasePreview, &counts)}</p> }.into_any()
            }
        }}
        <p>{t(Key::EraseForever)}</p>
        {move || failed.get().map(|failure| view! { <FailureNote failure /> })}
        <p class="dialog-actions">
            <button type="button" class="plain" autofocus on:click=move |_| asking.set(false)>{t(Key::Cancel)}</button>
            <button
                type="button"
                class="primary danger"
                disabled=move || busy.get() || preview.state.with(|preview| preview.ready().is_none())
                on:click=erase
            >
                {move || t(if busy.get() { Key::Erasing } else { Key::EraseDo })}
            </button>
        </p>
    }
}
