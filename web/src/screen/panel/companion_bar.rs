//! One line about the companion when it cannot do its part.

use leptos::prelude::*;
use loci_messages::{CompanionState, ModelState};

use super::super::live::live;
use super::super::text::{t, tf};
use crate::catalogue::Key;

#[component]
pub fn CompanionBar() -> impl IntoView {
    let companion = live().companion;
    view! {
        {move || companion.get().as_ref().and_then(concern).map(|(words, action)| view! {
            <p class="companion-bar" role="status">
                <span>{words}</span>" "
                <a href="app.html#settings" target="_blank">{t(action)}</a>
            </p>
        })}
    }
}

/// What to say about this state, if anything, and what the link to the settings is called.
fn concern(companion: &CompanionState) -> Option<(String, Key)> {
    let what = Key::CompanionWhatToDo;
    match companion {
        CompanionState::Away => Some((t(Key::CompanionAwayShort).into(), what)),
        CompanionState::Unpaired { .. } => {
            Some((t(Key::CompanionUnpairedShort).into(), Key::CompanionPairNow))
        }
        CompanionState::Impostor { .. } => Some((t(Key::CompanionImpostorShort).into(), what)),
        CompanionState::OtherVersion { version, .. } => {
            Some((tf(Key::CompanionVersionShort, &[("version", version)]), what))
        }
        CompanionState::Ready { embedder, llm, .. } => {
            model_concern(embedder).or_else(|| model_concern(llm)).or_else(|| {
                matches!(llm, ModelState::Absent).then(|| (t(Key::CompanionNoModelShort).into(), what))
            })
        }
    }
}

fn model_concern(model: &ModelState) -> Option<(String, Key)> {
    match model {
        ModelState::Loading { name } => {
            Some((tf(Key::CompanionLoadingShort, &[("name", name)]), Key::Details))
        }
        ModelState::Failed { name, .. } => {
            Some((tf(Key::CompanionModelFailedShort, &[("name", name)]), Key::CompanionWhatToDo))
        }
        ModelState::Ready { .. } | ModelState::Absent => None,
    }
}
