//! One page as it is remembered.

use leptos::prelude::*;
use loci_messages::{Event, PageDetail, PassageView};

use super::super::core;
use super::super::load::{Load, load};
use super::super::parts::{Facts, FailureNote, OutLink, Passage, Waiting};
use super::super::text::{date, date_time, t};
use super::erase::Erase;
use super::status_text;
use crate::catalogue::Key;
use crate::link;
use crate::route::Route;

#[component]
pub fn Detail(page: u32) -> impl IntoView {
    let detail = load(|| (), move |()| core::page(page));
    core::on_event(move |event| {
        if let Event::PageChanged { state, .. } = event
            && state.page == Some(page)
        {
            detail.reload();
        }
    });
    view! {
        <p class="back"><a href=Route::Memories { page: None }.hash()>"← "{t(Key::DetailBack)}</a></p>
        {move || match detail.state.get() {
            Load::Loading => view! { <Waiting text=t(Key::Loading) /> }.into_any(),
            Load::Failed(failure) => view! { <FailureNote failure retry=Callback::new(move |()| detail.reload()) /> }.into_any(),
            Load::Ready(detail) => view! { <Loaded detail /> }.into_any(),
        }}
    }
}

#[component]
fn Loaded(detail: PageDetail) -> impl IntoView {
    let PageDetail { summary, author, published, passages, facts } = detail;
    let host = link::host(&summary.url).to_owned();
    let title = if summary.title.is_empty() { host.clone() } else { summary.title.clone() };
    let entries = [
        (Key::DetailAuthor, author),
        (Key::DetailPublished, published.map(date)),
        (Key::DetailCaptured, Some(date_time(summary.captured))),
        (Key::DetailVersion, (summary.version > 1).then(|| summary.version.to_string())),
        (Key::DetailLanguage, summary.language),
        (Key::DetailState, Some(status_text(summary.status).to_owned())),
    ];
    let entry = |(key, value): (Key, Option<String>)| {
        value.map(|value| view! { <div><dt>{t(key)}</dt><dd dir="auto">{value}</dd></div> })
    };
    let (passage_count, fact_count) = (passages.len(), facts.len());
    view! {
        <article class="page-detail">
            <h2 dir="auto">{title}</h2>
            <p class="page-links">
                <OutLink url=summary.url text=t(Key::DetailOpen) />
                <span class="meta">{summary.site.unwrap_or(host)}</span>
                <Erase page=summary.page />
            </p>
            <dl class="properties">{entries.into_iter().map(entry).collect_view()}</dl>
            <details class="fold" open>
                <summary><h3>{t(Key::DetailFacts)}" "<span class="meta">{fact_count}</span></h3></summary>
                {if facts.is_empty() {
                    view! { <p class="meta">{t(Key::DetailNoFacts)}</p> }.into_any()
                } else {
                    view! { <Facts facts /> }.into_any()
                }}
            </details>
            <details class="fold" open>
                <summary><h3>{t(Key::DetailPassages)}" "<span class="meta">{passage_count}</span></h3></summary>
                {passages_in_order(passages)}
            </details>
        </article>
    }
}

/// The headings above a passage are shown where they change.
fn passages_in_order(passages: Vec<PassageView>) -> impl IntoView {
    let mut above: Vec<String> = Vec::new();
    let mut shown = Vec::with_capacity(passages.len());
    for passage in passages {
        let heading =
            (passage.headings != above && !passage.headings.is_empty()).then(|| passage.headings.join(" › "));
        above.clone_from(&passage.headings);
        shown.push(view! {
            {heading.map(|heading| view! { <h4 class="small-heading" dir="auto">{heading}</h4> })}
            <Passage text=passage.text />
            <p class="meta passage-link"><OutLink url=passage.link text=t(Key::SourceOpen) /></p>
        });
    }
    shown.collect_view()
}
