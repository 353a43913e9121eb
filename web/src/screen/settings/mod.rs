//! The companion, the appearance, the storage, and the way to erase it all.

mod companion;
mod erase_all;
mod numbers;
mod pairing;

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::{Failure, Settings, Theme};

use self::companion::CompanionSection;
use self::erase_all::EraseAll;
use self::numbers::Numbers;
use super::core;
use super::live::live;
use super::parts::FailureNote;
use super::text::t;
use crate::catalogue::Key;

#[component]
pub fn SettingsScreen() -> impl IntoView {
    let live = live();
    let failed = RwSignal::new(None::<Failure>);
    // A change is shown at once; when the core refuses it, what holds comes back with the reason.
    let change = Callback::new(move |settings: Settings| {
        let before = live.settings.get_untracked();
        live.settings.set(Some(settings.clone()));
        failed.set(None);
        spawn_local(async move {
            match core::set_settings(settings).await {
                Ok(settings) => live.settings.set(Some(settings)),
                Err(failure) => {
                    live.settings.set(before);
                    failed.set(Some(failure));
                }
            }
        });
    });
    view! {
        <main class="settings">
            <h1>{t(Key::SettingsHeading)}</h1>
            {move || failed.get().map(|failure| view! { <FailureNote failure /> })}
            <CompanionSection />
            <Reading change />
            <Appearance change />
            <Numbers />
            <EraseAll />
        </main>
    }
}

#[component]
fn Reading(change: Callback<Settings>) -> impl IntoView {
    let settings = live().settings;
    let toggle = move |paused: bool| {
        if let Some(settings) = settings.get_untracked() {
            change.run(Settings { paused, ..settings });
        }
    };
    view! {
        <section aria-labelledby="reading">
            <h2 id="reading">{t(Key::ReadingHeading)}</h2>
            <label class="check">
                <input
                    type="checkbox"
                    aria-describedby="reading-help"
                    disabled=move || settings.with(Option::is_none)
                    prop:checked=move || settings.get().is_some_and(|settings| settings.paused)
                    on:change:target=move |event| toggle(event.target().checked())
                />
                {t(Key::ReadingPause)}
            </label>
            <p id="reading-help" class="meta">{t(Key::ReadingPauseHelp)}</p>
        </section>
    }
}

#[component]
fn Appearance(change: Callback<Settings>) -> impl IntoView {
    let settings = live().settings;
    let choose = move |theme: Theme| {
        if let Some(settings) = settings.get_untracked() {
            change.run(Settings { theme, ..settings });
        }
    };
    let choices =
        [(Theme::System, Key::ThemeSystem), (Theme::Light, Key::ThemeLight), (Theme::Dark, Key::ThemeDark)];
    let choice = move |(theme, name): (Theme, Key)| {
        view! {
            <label class="check">
                <input
                    type="radio"
                    name="theme"
                    disabled=move || settings.with(Option::is_none)
                    prop:checked=move || settings.get().is_some_and(|settings| settings.theme == theme)
                    on:change=move |_| choose(theme)
                />
                {t(name)}
            </label>
        }
    };
    view! {
        <fieldset>
            <legend><h2>{t(Key::AppearanceHeading)}</h2></legend>
            <div class="choices">{choices.into_iter().map(choice).collect_view()}</div>
        </fieldset>
    }
}
