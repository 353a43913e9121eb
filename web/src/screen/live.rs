//! What every screen shows and the core changes by itself: the companion's state and the settings.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::{CompanionState, Event, Settings, Theme};

use super::core;

/// Where the theme is kept for `boot.js`, which sets it before the first paint.
const THEME_KEY: &str = "loci-theme";

#[derive(Clone, Copy)]
pub struct Live {
    /// `None` until the core has said.
    pub companion: RwSignal<Option<CompanionState>>,
    pub settings: RwSignal<Option<Settings>>,
}

/// Loads both, again with every new core, and keeps them current. Provides [`Live`].
pub fn follow() {
    let live = Live { companion: RwSignal::new(None), settings: RwSignal::new(None) };
    provide_context(live);
    Effect::new(move |_| {
        core::epoch().track();
        spawn_local(async move {
            if let Ok(companion) = core::companion().await {
                live.companion.set(Some(companion));
            }
            if let Ok(settings) = core::settings().await {
                live.settings.set(Some(settings));
            }
        });
    });
    core::on_event(move |event| {
        if let Event::CompanionChanged { companion } = event {
            live.companion.set(Some(companion.clone()));
        }
    });
    Effect::new(move |_| {
        if let Some(settings) = live.settings.get() {
            show_theme(settings.theme);
        }
    });
}

/// To be called while a component is made, not later: an event or a future belongs to no component.
pub fn live() -> Live {
    expect_context()
}

fn show_theme(theme: Theme) {
    let name = match theme {
        Theme::System => "system",
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-theme", name);
    }
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(THEME_KEY, name);
    }
}
