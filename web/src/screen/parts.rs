//! Pieces that several screens share.

use leptos::html;
use leptos::prelude::*;
use loci_messages::{ErrorKind, FactView, Failure, PassageSource};

use super::text::{help, t, tn};
use crate::catalogue::Key;
use crate::link;

/// What went wrong and what to do, with a way to try again where that makes sense.
#[component]
pub fn FailureNote(failure: Failure, #[prop(optional, into)] retry: Option<Callback<()>>) -> impl IntoView {
    let texts = help(&failure);
    let technical =
        matches!(failure.kind, ErrorKind::Internal | ErrorKind::BadRequest | ErrorKind::ModelFailed);
    let details = (technical && !failure.hint.is_empty()).then(|| {
        view! {
            <details>
                <summary>{t(Key::Details)}</summary>
                <p class="small" lang="en">{failure.hint}</p>
            </details>
        }
    });
    let again = retry.map(|retry| {
        view! { <button type="button" class="plain" on:click=move |_| retry.run(())>{t(Key::TryAgain)}</button> }
    });
    view! {
        <div class="note failure" role="alert">
            <p><strong>{texts.what}</strong>" "{texts.advice}</p>
            {details}
            {again}
        </div>
    }
}

/// A quiet sign that something is on its way. Appears late (by CSS), so that quick replies do not flicker.
#[component]
pub fn Waiting(text: &'static str) -> impl IntoView {
    view! { <p class="waiting" role="status">{text}</p> }
}

/// A link out to the web, or plain text where the address is none that may be followed.
#[component]
pub fn OutLink(
    url: String,
    #[prop(into)] text: String,
    #[prop(optional)] class: &'static str,
) -> impl IntoView {
    match link::safe(&url) {
        Some(_) => view! {
            <a class=class href=url target="_blank" rel="noopener noreferrer" dir="auto">{text}</a>
        }
        .into_any(),
        None => view! { <span class=class dir="auto">{text}</span> }.into_any(),
    }
}

/// A captured passage, inert.
#[component]
pub fn Passage(text: String) -> impl IntoView {
    view! { <blockquote class="passage" dir="auto">{text}</blockquote> }
}

/// Facts with the passages that bear them out.
#[component]
pub fn Facts(facts: Vec<FactView>) -> impl IntoView {
    view! { <ul class="facts">{facts.into_iter().map(|fact| view! { <Fact fact /> }).collect_view()}</ul> }
}

#[component]
fn Fact(fact: FactView) -> impl IntoView {
    let sentence = match (fact.subject, fact.relation, fact.object) {
        (Some(subject), Some(relation), Some(object)) => view! {
            <VertexLink vertex=subject />" "<span class="relation">{relation}</span>" "<VertexLink vertex=object />
        }
        .into_any(),
        _ => fact.text.into_any(),
    };
    let origin = match fact.origin.as_str() {
        "structure" => Key::FactOriginStructure,
        "user" => Key::FactOriginUser,
        _ => Key::FactOriginLlm,
    };
    let retired = fact.retired.then(|| view! { <span class="badge">{t(Key::FactRetired)}</span>" " });
    let support = if fact.sources.is_empty() {
        view! { <p class="meta">{retired}{t(origin)}</p> }.into_any()
    } else {
        view! {
            <details>
                <summary>{retired}{t(origin)}" · "{tn(Key::FactSources, fact.sources.len())}</summary>
                <Sources sources=fact.sources />
            </details>
        }
        .into_any()
    };
    view! {
        <li class="fact" class:retired=fact.retired>
            <p dir="auto">{sentence}</p>
            {support}
        </li>
    }
}

#[component]
fn VertexLink(vertex: (u32, String)) -> impl IntoView {
    view! { <a href=format!("app.html#graph/{}", vertex.0)>{vertex.1}</a> }
}

/// Passages with the pages they stand on.
#[component]
pub fn Sources(sources: Vec<PassageSource>) -> impl IntoView {
    let source = |source: PassageSource| {
        let host = link::host(&source.link).to_owned();
        let title = if source.title.is_empty() { host.clone() } else { source.title };
        view! {
            <li>
                <Passage text=source.text />
                <p class="meta"><OutLink url=source.link text=title />" · "{host}</p>
            </li>
        }
    };
    view! { <ul class="sources">{sources.into_iter().map(source).collect_view()}</ul> }
}

/// A modal question. Open as long as `open`; Escape and the browser's own ways of closing go through `open` too.
#[component]
pub fn Modal(open: RwSignal<bool>, heading: &'static str, children: ChildrenFn) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let open = open.get();
        let Some(dialog) = dialog.get() else { return };
        match (open, dialog.open()) {
            (true, false) => {
                // Fails only when the dialog left the document meanwhile.
                let _ = dialog.show_modal();
            }
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    view! {
        <dialog node_ref=dialog aria-label=heading on:close=move |_| open.set(false)>
            <h2>{heading}</h2>
            {move || open.get().then(|| children())}
        </dialog>
    }
}
