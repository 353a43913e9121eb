//! The side panel: this page, a question and its answer, what was remembered last.

mod ask_box;
mod companion_bar;
mod conversation;
mod page_card;
mod recent;
mod turn;

use leptos::prelude::*;

use self::ask_box::AskBox;
use self::companion_bar::CompanionBar;
use self::conversation::{Conversation, Turns};
use self::page_card::PageCard;
use self::recent::Recent;
use super::core;
use super::text::t;
use crate::catalogue::Key;

#[component]
pub fn Panel() -> impl IntoView {
    let turns = Conversation::new();
    let connection = core::connection();
    view! {
        <div class="panel">
            <PageCard />
            <main class="panel-main">
                <h1 class="hidden">{t(Key::Product)}</h1>
                {move || (connection.get() != core::Connection::Open).then(|| view! {
                    <p class="waiting" role="status">{t(Key::OpeningMemory)}</p>
                })}
                <Turns conversation=turns />
                {move || turns.is_empty().then(|| view! { <Recent /> })}
            </main>
            <footer class="panel-foot">
                <CompanionBar />
                <AskBox conversation=turns />
                <nav class="panel-nav" aria-label=t(Key::NavLabel)>
                    <a href="app.html#memories" target="_blank">{t(Key::NavMemories)}</a>
                    <a href="app.html#graph" target="_blank">{t(Key::NavGraph)}</a>
                    <a href="app.html#settings" target="_blank">{t(Key::NavSettings)}</a>
                </nav>
            </footer>
        </div>
    }
}
