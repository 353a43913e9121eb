//! What was remembered last; on the very first day, how to begin.

use leptos::prelude::*;
use loci_messages::{Event, PageStatus, PageSummary};

use super::super::core;
use super::super::load::{Load, load};
use super::super::parts::FailureNote;
use super::super::text::{ago, t};
use crate::catalogue::Key;
use crate::link;

const SHOWN: u32 = 6;

#[component]
pub fn Recent() -> impl IntoView {
    let recent = load(|| (), |()| core::pages(String::new(), SHOWN, 0));
    core::on_event(move |event| {
        // While a page is being read its row stays the same.
        if let Event::PageChanged { state, .. } = event
            && !matches!(state.status, PageStatus::Reading | PageStatus::Capturing)
        {
            recent.reload();
        }
    });
    move || match recent.state.get() {
        Load::Loading => ().into_any(),
        Load::Failed(failure) => {
            view! { <FailureNote failure retry=Callback::new(move |()| recent.reload()) /> }.into_any()
        }
        Load::Ready((pages, _)) if pages.is_empty() => view! { <FirstDay /> }.into_any(),
        Load::Ready((pages, _)) => view! {
            <section class="recent">
                <h2 class="small-heading">{t(Key::RecentHeading)}</h2>
                <ul class="rows">{pages.into_iter().map(row).collect_view()}</ul>
            </section>
        }
        .into_any(),
    }
}

fn row(page: PageSummary) -> impl IntoView {
    let host = link::host(&page.url).to_owned();
    let title = if page.title.is_empty() { host.clone() } else { page.title };
    view! {
        <li>
            <a class="row" href=format!("app.html#memories/{}", page.page) target="_blank">
                <span class="row-title" dir="auto">{title}</span>
                <span class="meta">{page.site.unwrap_or(host)}" · "{ago(page.captured)}</span>
            </a>
        </li>
    }
}

#[component]
fn FirstDay() -> impl IntoView {
    view! {
        <section class="first-day">
            <h2>{t(Key::FirstHeading)}</h2>
            <ol>
                <li>{t(Key::FirstStep1)}</li>
                <li>{t(Key::FirstStep2)}</li>
                <li>{t(Key::FirstStep3)}</li>
            </ol>
            <p class="meta">{t(Key::FirstPrivacy)}</p>
        </section>
    }
}
