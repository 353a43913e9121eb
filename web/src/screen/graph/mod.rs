//! The graph: a map to wander in, a list that holds the same, and what is known of the thing that was chosen.

mod draw;
mod list;
mod map;
mod palette;
mod sheet;
mod worker;

use std::collections::HashMap;

use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use loci_messages::{Event, PageStatus};

use self::list::VertexList;
use self::map::Map;
use self::palette::swatch;
use self::sheet::Sheet;
use super::app::go;
use super::core;
use super::load::{Load, load};
use super::parts::{FailureNote, Waiting};
use super::text::{number, t, tf};
use crate::catalogue::{Key, kind_key};
use crate::graph::Scene;
use crate::route::Route;

/// Vertices shown at a time, the best linked first.
const LIMIT: u32 = 600;
/// Names a search offers.
const OFFERED: usize = 8;

#[component]
pub fn GraphScreen(vertex: Signal<Option<u32>>) -> impl IntoView {
    let center = RwSignal::new(None::<u32>);
    let graph = load(move || center.get(), |center| core::graph(center, LIMIT));
    let scene = Memo::new(move |_| {
        graph
            .state
            .with(|graph| graph.ready().map(|view| Scene::new(view, &HashMap::new())).unwrap_or_default())
    });
    let as_list = RwSignal::new(false);
    let mut refresh = debounce(std::time::Duration::from_millis(2_000), move |()| graph.reload());
    let refresh = StoredValue::new_local(std::cell::RefCell::new(move || refresh(())));
    core::on_event(move |event| {
        if let Event::PageChanged { state, .. } = event
            && state.status != PageStatus::Capturing
        {
            refresh.with_value(|refresh| (refresh.borrow_mut())());
        }
    });
    // A vertex that the address names but the view does not hold: its surroundings are shown instead.
    Effect::new(move |_| {
        if let Some(id) = vertex.get()
            && graph.state.with(|graph| graph.ready().is_some())
            && scene.with(|scene| scene.index_of(id).is_none())
            && center.get_untracked() != Some(id)
        {
            center.set(Some(id));
        }
    });
    let empty = move || graph.state.with(|graph| graph.ready().is_some_and(|view| view.vertices.is_empty()));
    view! {
        <main class="graph" class:has-sheet=move || vertex.get().is_some()>
            <h1 class="hidden">{t(Key::GraphHeading)}</h1>
            <div class="graph-tools">
                <Find scene />
                <ViewChoice as_list />
                {move || graph.state.get().ready().map(|view| {
                    let shown = number(view.vertices.len() as f64);
                    let total = number(f64::from(view.total));
                    view! { <span class="meta" role="status">{tf(Key::GraphShown, &[("shown", &shown), ("total", &total)])}</span> }
                })}
                {move || center.get().map(|_| view! {
                    <button type="button" class="quiet" on:click=move |_| { go(Route::Graph { vertex: None }); center.set(None); }>{t(Key::GraphWhole)}</button>
                })}
            </div>
            <div class="graph-view">
                {move || match graph.state.get() {
                    Load::Loading => view! { <Waiting text=t(Key::Loading) /> }.into_any(),
                    Load::Failed(failure) => view! { <FailureNote failure retry=Callback::new(move |()| graph.reload()) /> }.into_any(),
                    Load::Ready(_) if empty() => view! { <p class="empty">{t(Key::GraphEmpty)}</p> }.into_any(),
                    Load::Ready(_) => ().into_any(),
                }}
                {move || if as_list.get() {
                    view! { <VertexList scene vertex /> }.into_any()
                } else {
                    view! { <Map scene vertex /> <Legend scene /> }.into_any()
                }}
            </div>
            {move || vertex.get().map(|id| view! { <Sheet id center=Callback::new(move |id| center.set(Some(id))) /> })}
        </main>
    }
}

#[component]
fn ViewChoice(as_list: RwSignal<bool>) -> impl IntoView {
    let choice = move |list: bool, name: Key| {
        view! {
            <button type="button" aria-pressed=move || (as_list.get() == list).to_string() on:click=move |_| as_list.set(list)>{t(name)}</button>
        }
    };
    view! {
        <div class="segmented" role="group" aria-label=t(Key::GraphViewLabel)>
            {choice(false, Key::GraphMap)}
            {choice(true, Key::GraphList)}
        </div>
    }
}

/// Offers the things in view whose names hold what was typed.
#[component]
fn Find(scene: Memo<Scene>) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let offers = Memo::new(move |_| {
        scene.with(|scene| {
            let found = scene.find(&typed.get(), OFFERED);
            found.into_iter().map(|index| scene.vertices[index as usize].clone()).collect::<Vec<_>>()
        })
    });
    let choose = move |id: u32| {
        typed.set(String::new());
        go(Route::Graph { vertex: Some(id) });
    };
    let first = move || offers.with(|offers| offers.first().map(|vertex| vertex.id));
    view! {
        <form
            class="find"
            role="search"
            on:submit=move |event| { event.prevent_default(); if let Some(id) = first() { choose(id) } }
            on:keydown=move |event| if event.key() == "Escape" { typed.set(String::new()) }
        >
            <label class="hidden" for="graph-search">{t(Key::GraphSearch)}</label>
            <input id="graph-search" type="search" dir="auto" autocomplete="off" placeholder=t(Key::GraphSearch) prop:value=typed on:input:target=move |event| typed.set(event.target().value()) />
            {move || (!typed.with(|typed| typed.trim().is_empty())).then(|| {
                let offers = offers.get();
                if offers.is_empty() {
                    return view! { <p class="offers meta" role="status">{t(Key::GraphNoMatch)}</p> }.into_any();
                }
                view! {
                    <ul class="offers">
                        {offers.into_iter().map(|vertex| view! {
                            <li><button type="button" on:click=move |_| choose(vertex.id)>
                                <span class=swatch(&vertex.kind)></span>
                                <span dir="auto">{vertex.label}</span>
                                <span class="meta">{t(kind_key(&vertex.kind))}</span>
                            </button></li>
                        }).collect_view()}
                    </ul>
                }.into_any()
            })}
        </form>
    }
}

#[component]
fn Legend(scene: Memo<Scene>) -> impl IntoView {
    let kinds = Memo::new(move |_| scene.with(Scene::kinds));
    view! {
        {move || (!kinds.with(Vec::is_empty)).then(|| view! {
            <ul class="legend" aria-label=t(Key::GraphLegend)>
                {kinds.get().into_iter().map(|(kind, count)| view! {
                    <li><span class=swatch(&kind)></span>{t(kind_key(&kind))}<span class="meta">{count}</span></li>
                }).collect_view()}
            </ul>
        })}
    }
}
