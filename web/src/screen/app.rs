//! The app page: memories, graph and settings under one bar; the address says which.

use leptos::prelude::*;

use super::core;
use super::graph::GraphScreen;
use super::memories::Memories;
use super::settings::SettingsScreen;
use super::text::t;
use crate::catalogue::Key;
use crate::route::Route;

#[component]
pub fn App() -> impl IntoView {
    let route = RwSignal::new(current());
    let _ = window_event_listener_untyped("hashchange", move |_| route.set(current()));
    let tab = Memo::new(move |_| Tab::of(route.get()));
    Effect::new(move |_| document().set_title(&format!("{} · {}", t(tab.get().name()), t(Key::Product))));
    let connection = core::connection();
    view! {
        <header class="bar">
            <span class="wordmark">{t(Key::Product)}</span>
            <nav aria-label=t(Key::NavLabel)>
                {Tab::ALL.into_iter().map(|each| view! {
                    <a href=each.route().hash() aria-current=move || (tab.get() == each).then_some("page")>{t(each.name())}</a>
                }).collect_view()}
            </nav>
            {move || (connection.get() != core::Connection::Open).then(|| view! {
                <span class="waiting" role="status">{t(Key::OpeningMemory)}</span>
            })}
        </header>
        {move || match tab.get() {
            Tab::Memories => view! { <Memories page=Signal::derive(move || match route.get() { Route::Memories { page } => page, _ => None }) /> }.into_any(),
            Tab::Graph => view! { <GraphScreen vertex=Signal::derive(move || match route.get() { Route::Graph { vertex } => vertex, _ => None }) /> }.into_any(),
            Tab::Settings => view! { <SettingsScreen /> }.into_any(),
        }}
    }
}

/// Goes to another screen; the address follows, and so does the browser's way back.
pub fn go(route: Route) {
    let _ = window().location().set_hash(&route.hash());
}

fn current() -> Route {
    Route::parse(&window().location().hash().unwrap_or_default())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Memories,
    Graph,
    Settings,
}

impl Tab {
    const ALL: [Tab; 3] = [Tab::Memories, Tab::Graph, Tab::Settings];

    fn of(route: Route) -> Tab {
        match route {
            Route::Memories { .. } => Tab::Memories,
            Route::Graph { .. } => Tab::Graph,
            Route::Settings => Tab::Settings,
        }
    }

    fn route(self) -> Route {
        match self {
            Tab::Memories => Route::Memories { page: None },
            Tab::Graph => Route::Graph { vertex: None },
            Tab::Settings => Route::Settings,
        }
    }

    fn name(self) -> Key {
        match self {
            Tab::Memories => Key::NavMemories,
            Tab::Graph => Key::NavGraph,
            Tab::Settings => Key::NavSettings,
        }
    }
}
