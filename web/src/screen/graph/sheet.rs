//! What is known of one vertex.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use loci_messages::VertexDetail;

use super::super::app::go;
use super::super::core;
use super::super::load::{Load, load};
use super::super::parts::{Facts, FailureNote, Sources, Waiting};
use super::super::text::t;
use super::palette::swatch;
use crate::catalogue::{Key, kind_key};
use crate::route::Route;

#[component]
pub fn Sheet(id: u32, center: Callback<u32>) -> impl IntoView {
    let detail = load(|| (), move |()| core::vertex(id));
    let sheet = NodeRef::<html::Aside>::new();
    let close = || go(Route::Graph { vertex: None });
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            close();
        }
    };
    view! {
        <aside class="sheet" node_ref=sheet aria-label=t(Key::Details) on:keydown=escape>
            <div class="sheet-tools">
                <button type="button" class="plain" on:click=move |_| center.run(id)>{t(Key::GraphCenter)}</button>
                <button type="button" class="quiet" on:click=move |_| close()>{t(Key::Close)}</button>
            </div>
            {move || match detail.state.get() {
                Load::Loading => view! { <Waiting text=t(Key::Loading) /> }.into_any(),
                Load::Failed(failure) => view! { <FailureNote failure retry=Callback::new(move |()| detail.reload()) /> }.into_any(),
                Load::Ready(detail) => view! { <Loaded detail /> }.into_any(),
            }}
        </aside>
    }
}

#[component]
fn Loaded(detail: VertexDetail) -> impl IntoView {
    let VertexDetail { name, kind, aliases, facts, sources, .. } = detail;
    let no_facts = facts.is_empty();
    view! {
        <h2 dir="auto">{name}</h2>
        <p class="meta"><span class=swatch(&kind)></span>{t(kind_key(&kind))}</p>
        {(!aliases.is_empty()).then(|| view! {
            <p dir="auto"><span class="meta">{t(Key::VertexAliases)}": "</span>{aliases.join(" · ")}</p>
        })}
        <h3 class="small-heading">{t(Key::VertexFacts)}</h3>
        {if no_facts {
            view! { <p class="meta">{t(Key::VertexNoFacts)}</p> }.into_any()
        } else {
            view! { <Facts facts /> }.into_any()
        }}
        {(!sources.is_empty()).then(|| view! {
            <h3 class="small-heading">{t(Key::VertexSources)}</h3>
            <Sources sources />
        })}
    }
}
