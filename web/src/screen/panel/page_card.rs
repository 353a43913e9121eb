//! What is known of the page in front, and how to remember it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use loci_messages::{Event, PageState, PageStatus};

use super::super::browser::{self, Tab};
use super::super::core;
use super::super::load::{Load, load};
use super::super::parts::FailureNote;
use super::super::text::{ago, t, tf, tn};
use crate::catalogue::Key;
use crate::link;

#[component]
pub fn PageCard() -> impl IntoView {
    let tab = RwSignal::new(None::<Tab>);
    let look = move || {
        spawn_local(async move {
            let now = Some(browser::active_tab().await.unwrap_or_default());
            if tab.get_untracked() != now {
                tab.set(now);
            }
        });
    };
    look();
    browser::on_tab_change(look);

    let url = Memo::new(move |_| tab.with(|tab| tab.as_ref().and_then(|tab| tab.url.clone())));
    // The id is part of the question: of two tabs without an address each has its own state.
    let tab_id = Memo::new(move |_| tab.with(|tab| tab.as_ref().and_then(|tab| tab.id)));
    let known = load(
        move || {
            tab_id.track();
            url.get()
        },
        |url| async move {
            match url {
                Some(url) => core::page_state(url).await.map(Some),
                None => Ok(None),
            }
        },
    );
    core::on_event(move |event| {
        let Event::PageChanged { url: changed, state } = event else { return };
        // The click that captured the page may have told the browser to show its address.
        look();
        let same_page = known.state.with_untracked(|known| {
            let known = known.ready().and_then(Option::as_ref);
            known.is_some_and(|known| known.page.is_some() && known.page == state.page)
        });
        match url.get_untracked() {
            // What the browser keeps to itself has no address here either, but it can be said why.
            None if changed.is_empty() => known.state.set(Load::Ready(Some(state.clone()))),
            None => {}
            Some(url) if same_page || link::same_document(&url, changed) => {
                known.state.set(Load::Ready(Some(state.clone())));
            }
            // Another name of this page perhaps: the core knows.
            Some(_) => known.reload(),
        }
    });

    let title = move || {
        tab.with(|tab| {
            let tab = tab.as_ref()?;
            tab.title.clone().or_else(|| tab.url.as_deref().map(|url| link::host(url).to_owned()))
        })
    };
    let site = move || url.get().map(|url| link::host(&url).to_owned());
    view! {
        <header class="page-card">
            <h2 class="hidden">{t(Key::PageHeading)}</h2>
            {move || title().map(|title| view! { <p class="page-title" dir="auto" title=title.clone()>{title.clone()}</p> })}
            {move || site().map(|site| view! { <p class="meta">{site}</p> })}
            {move || match known.state.get() {
                Load::Loading => view! { <p class="waiting" role="status">{t(Key::PageChecking)}</p> }.into_any(),
                Load::Failed(failure) => view! { <FailureNote failure retry=Callback::new(move |()| known.reload()) /> }.into_any(),
                Load::Ready(state) => view! { <State state /> }.into_any(),
            }}
            <Remember tab known=Signal::derive(move || known.state.get().ready().cloned().flatten()) />
        </header>
    }
}

#[component]
fn State(state: Option<PageState>) -> impl IntoView {
    let Some(state) = state else {
        return view! { <p class="state" role="status">{t(Key::PageNoAddress)}</p> }.into_any();
    };
    let failure = state.failure.clone().map(|failure| {
        view! { <FailureNote failure /> }
    });
    // A page that could not be captured again is still remembered as it was.
    if failure.is_some() && state.page.is_none() {
        return failure.into_any();
    }
    let (done, total) = (state.deep_passages, state.passages);
    let (class, words) = match state.status {
        PageStatus::Unknown => ("unknown", t(Key::PageUnknown).to_owned()),
        PageStatus::Capturing => ("busy", t(Key::PageCapturing).to_owned()),
        PageStatus::Waiting => ("partly", tn(Key::PageWaiting, total.saturating_sub(done))),
        PageStatus::Reading => {
            ("busy", tf(Key::PageReading, &[("done", &done.to_string()), ("total", &total.to_string())]))
        }
        PageStatus::Remembered => (
            "done",
            tf(Key::PageRemembered, &[("passages", &total.to_string()), ("facts", &state.facts.to_string())]),
        ),
    };
    let bar = (state.status == PageStatus::Reading && total > 0).then(|| {
        view! { <progress max=total.to_string() value=done.to_string() aria-label=words.clone()></progress> }
    });
    let when = state.captured.map(|captured| view! { <span class="meta">" "{tf(Key::PageRememberedWhen, &[("when", &ago(captured))])}</span> });
    view! {
        <p class=format!("state {class}") role="status">{words}{when}</p>
        {bar}
        {failure}
    }
    .into_any()
}

#[component]
fn Remember(tab: RwSignal<Option<Tab>>, known: Signal<Option<PageState>>) -> impl IntoView {
    let hint = RwSignal::new(false);
    let granted =
        move || tab.with_untracked(|tab| tab.as_ref().filter(|tab| tab.url.is_some()).and_then(|tab| tab.id));
    let captured = move || known.get().is_some_and(|state| state.page.is_some());
    let busy = move || known.get().is_some_and(|state| state.status == PageStatus::Capturing);
    let remember = move |_| {
        let Some(tab) = granted() else { return hint.set(true) };
        hint.set(false);
        spawn_local(async move {
            if browser::capture(tab).await.is_none() {
                hint.set(true);
            }
        });
    };
    // The hint belongs to the page it was given for.
    Effect::new(move |_| {
        tab.track();
        hint.set(false);
    });
    view! {
        <p class="page-actions">
            {move || known.get().and_then(|state| state.page).map(|page| view! {
                <a href=format!("app.html#memories/{page}") target="_blank">{t(Key::ShowMemory)}</a>
            })}
            <button type="button" class:primary=move || !captured() class:quiet=captured disabled=busy on:click=remember>
                {move || if captured() { t(Key::RememberAgain) } else { t(Key::Remember) }}
            </button>
        </p>
        {move || hint.get().then(|| view! { <p class="note" role="alert">{t(Key::RememberNeedsClick)}</p> })}
    }
}
