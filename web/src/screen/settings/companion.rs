//! How it stands with the companion, and what to do about it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::{CompanionState, ModelState};

use super::super::core;
use super::super::live::live;
use super::super::parts::{Modal, Waiting};
use super::super::text::{t, tf, tn};
use super::pairing::PairForm;
use crate::catalogue::Key;

#[component]
pub fn CompanionSection() -> impl IntoView {
    let companion = live().companion;
    view! {
        <section aria-labelledby="companion">
            <h2 id="companion">{t(Key::CompanionHeading)}</h2>
            <p class="meta">{t(Key::CompanionIntro)}</p>
            <div class="card">
                {move || match companion.get() {
                    None => view! { <Waiting text=t(Key::CompanionChecking) /> }.into_any(),
                    Some(state) => view! { <State state /> }.into_any(),
                }}
            </div>
        </section>
    }
}

#[component]
fn State(state: CompanionState) -> impl IntoView {
    match state {
        CompanionState::Away => view! {
            <Headline class="off" words=t(Key::CompanionAway).to_owned() />
            <p>{t(Key::CompanionAwayHelp)}</p>
            <Command text="loci serve" />
            <Look />
        }
        .into_any(),
        CompanionState::Unpaired { .. } => view! {
            <Headline class="partly" words=t(Key::CompanionUnpaired).to_owned() />
            <p>{t(Key::CompanionUnpairedHelp)}</p>
            <Command text="loci pair" />
            <PairForm />
        }
        .into_any(),
        CompanionState::Impostor { port } => view! {
            <Headline class="bad" words=t(Key::CompanionImpostor).to_owned() />
            <p>{tf(Key::CompanionImpostorHelp, &[("port", &port.to_string())])}</p>
            <Look />
            <Forget />
        }
        .into_any(),
        CompanionState::OtherVersion { version, .. } => view! {
            <Headline class="bad" words=tf(Key::CompanionOtherVersion, &[("version", &version)]) />
            <p>{t(Key::CompanionOtherVersionHelp)}</p>
            <Look />
        }
        .into_any(),
        CompanionState::Ready { port, version, device, embedder, llm, waiting } => view! {
            <Headline class="done" words=t(Key::CompanionReady).to_owned() />
            <dl class="properties">
                <div><dt>{t(Key::CompanionLlm)}</dt><dd><Model model=llm /></dd></div>
                <div><dt>{t(Key::CompanionEmbedder)}</dt><dd><Model model=embedder /></dd></div>
                <div><dt>{t(Key::CompanionDevice)}</dt><dd>{device}</dd></div>
                <div><dt>{t(Key::CompanionWaiting)}</dt><dd>{tn(Key::CompanionWaitingPassages, waiting)}</dd></div>
                <div><dt>{t(Key::CompanionVersion)}</dt><dd>{version}</dd></div>
                <div><dt>{t(Key::CompanionPort)}</dt><dd>{port}</dd></div>
            </dl>
            <Forget />
        }
        .into_any(),
    }
}

#[component]
fn Headline(class: &'static str, words: String) -> impl IntoView {
    view! { <p class=format!("state {class}") role="status"><strong>{words}</strong></p> }
}

#[component]
fn Model(model: ModelState) -> impl IntoView {
    match model {
        ModelState::Ready { name } => name.into_any(),
        ModelState::Loading { name } => tf(Key::ModelLoading, &[("name", &name)]).into_any(),
        ModelState::Failed { name, hint } => view! {
            <span class="bad">{tf(Key::ModelFailed, &[("name", &name)])}</span>
            <span class="meta" lang="en">" "{hint}</span>
        }
        .into_any(),
        ModelState::Absent => t(Key::ModelAbsent).into_any(),
    }
}

/// A command with a button that copies it.
#[component]
fn Command(text: &'static str) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        spawn_local(async move {
            let written =
                wasm_bindgen_futures::JsFuture::from(window().navigator().clipboard().write_text(text)).await;
            copied.set(written.is_ok());
        });
    };
    view! {
        <p class="command">
            <code aria-label=t(Key::CommandLabel)>{text}</code>
            <button type="button" class="quiet" on:click=copy>{move || t(if copied.get() { Key::Copied } else { Key::Copy })}</button>
        </p>
    }
}

/// Looks for the companion now instead of waiting for the next look.
#[component]
fn Look() -> impl IntoView {
    let live = live();
    let look = move |_| {
        live.companion.set(None);
        spawn_local(async move {
            live.companion.set(Some(core::companion().await.unwrap_or(CompanionState::Away)));
        });
    };
    view! { <button type="button" class="plain" on:click=look>{t(Key::TryAgain)}</button> }
}

#[component]
fn Forget() -> impl IntoView {
    let live = live();
    let asking = RwSignal::new(false);
    let forget = move || {
        asking.set(false);
        spawn_local(async move {
            if let Ok(companion) = core::unpair().await {
                live.companion.set(Some(companion));
            }
        });
    };
    view! {
        <p><button type="button" class="quiet" on:click=move |_| asking.set(true)>{t(Key::CompanionForget)}</button></p>
        <Modal open=asking heading=t(Key::CompanionForget)>
            <p>{t(Key::CompanionForgetSure)}</p>
            <p class="dialog-actions">
                <button type="button" class="plain" autofocus on:click=move |_| asking.set(false)>{t(Key::Cancel)}</button>
                <button type="button" class="primary danger" on:click=move |_| forget()>{t(Key::CompanionForget)}</button>
            </p>
        </Modal>
    }
}
