//! Everything remembered: a list with search, and one page of it in full.

mod detail;
mod erase;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use loci_messages::{Event, PageStatus, PageSummary};
use wasm_bindgen::JsCast;

use self::detail::Detail;
use super::core;
use super::load::{Load, load};
use super::parts::FailureNote;
use super::text::{ago, number, t, tf, tn};
use crate::catalogue::Key;
use crate::highlight;
use crate::link;
use crate::route::Route;

/// Rows that come at a time.
const STEP: u32 = 50;
/// Milliseconds of rest between the last letter and the search.
const REST: u64 = 80;

#[component]
pub fn Memories(page: Signal<Option<u32>>) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let limit = RwSignal::new(STEP);
    let found = load(move || (query.get(), limit.get()), |(query, limit)| core::pages(query, limit, 0));
    let mut refresh = debounce(std::time::Duration::from_millis(300), move |()| found.reload());
    let refresh = StoredValue::new_local(std::cell::RefCell::new(move || refresh(())));
    core::on_event(move |event| {
        if let Event::PageChanged { state, .. } = event
            && state.status != PageStatus::Capturing
        {
            refresh.with_value(|refresh| (refresh.borrow_mut())());
        }
    });
    let list = NodeRef::<html::Ul>::new();
    view! {
        <main class="memories" class:has-page=move || page.get().is_some()>
            <h1 class="hidden">{t(Key::MemoriesHeading)}</h1>
            <section class="memory-list" aria-label=t(Key::MemoriesHeading)>
                <Search query limit list />
                <Found found=found.state query list page />
                {move || match found.state.get() {
                    Load::Ready((pages, total)) if (pages.len() as u32) < total => view! {
                        <button type="button" class="plain more" on:click=move |_| limit.update(|limit| *limit += STEP)>{t(Key::MemoriesMore)}</button>
                    }.into_any(),
                    Load::Failed(failure) => view! { <FailureNote failure retry=Callback::new(move |()| found.reload()) /> }.into_any(),
                    _ => ().into_any(),
                }}
            </section>
            <section class="memory-page">
                {move || match page.get() {
                    Some(page) => view! { <Detail page /> }.into_any(),
                    None => view! { <p class="choose meta">{t(Key::MemoriesChoose)}</p> }.into_any(),
                }}
            </section>
        </main>
    }
}

#[component]
fn Search(query: RwSignal<String>, limit: RwSignal<u32>, list: NodeRef<html::Ul>) -> impl IntoView {
    let mut search = debounce(std::time::Duration::from_millis(REST), move |typed: String| {
        limit.set(STEP);
        query.set(typed);
    });
    let into_list = move |event: KeyboardEvent| {
        if event.key() == "ArrowDown"
            && let Some(list) = list.get_untracked()
            && let Ok(Some(first)) = list.query_selector("a")
        {
            event.prevent_default();
            focus(&first);
        }
    };
    view! {
        <form role="search" on:submit=|event| event.prevent_default()>
            <label class="hidden" for="memory-search">{t(Key::MemoriesSearch)}</label>
            <input
                id="memory-search"
                type="search"
                dir="auto"
                autocomplete="off"
                placeholder=t(Key::MemoriesSearch)
                on:input:target=move |event| search(event.target().value().trim().to_owned())
                on:keydown=into_list
            />
        </form>
    }
}

#[component]
fn Found(
    found: RwSignal<Load<(Vec<PageSummary>, u32)>>,
    query: RwSignal<String>,
    list: NodeRef<html::Ul>,
    page: Signal<Option<u32>>,
) -> impl IntoView {
    let pages = Memo::new(move |_| {
        found.with(|found| found.ready().map(|(pages, _)| pages.clone()).unwrap_or_default())
    });
    let count = move || {
        match found.get() {
        Load::Loading => view! { <p class="waiting" role="status">{t(Key::Loading)}</p> }.into_any(),
        Load::Ready((_, 0)) if query.with(String::is_empty) => view! {
            <div class="empty" role="status">
                <p>{t(Key::MemoriesNone)}</p>
                <p class="meta">{t(Key::MemoriesNoneHint)}</p>
            </div>
        }
        .into_any(),
        Load::Ready((_, 0)) => {
            view! { <p class="empty" role="status">{tf(Key::MemoriesNoMatch, &[("query", &query.get())])}</p> }.into_any()
        }
        Load::Ready((_, total)) => {
            let words = tn(Key::MemoriesCount, number(f64::from(total)));
            view! { <p class="meta count" role="status">{words}</p> }.into_any()
        }
        Load::Failed(_) => ().into_any(),
    }
    };
    view! {
        {count}
        <ul class="rows" node_ref=list on:keydown=walk_list>
            <For each=move || pages.get() key=|page| (page.page, page.version, page.snippet.clone(), status_text(page.status)) let:summary>
                <Row summary query page />
            </For>
        </ul>
    }
}

#[component]
fn Row(summary: PageSummary, query: RwSignal<String>, page: Signal<Option<u32>>) -> impl IntoView {
    let id = summary.page;
    let host = link::host(&summary.url).to_owned();
    let title = if summary.title.is_empty() { host.clone() } else { summary.title };
    let snippet = summary.snippet;
    view! {
        <li>
            <a class="row" href=Route::Memories { page: Some(id) }.hash() aria-current=move || (page.get() == Some(id)).then_some("true")>
                <span class="row-title" dir="auto">{move || marked(&title, &query.get())}</span>
                <span class="row-snippet" dir="auto">{move || marked(&snippet, &query.get())}</span>
                <span class="meta">
                    {summary.site.unwrap_or(host)}" · "{ago(summary.captured)}
                    {(summary.status != PageStatus::Remembered).then(|| format!(" · {}", status_text(summary.status)))}
                </span>
            </a>
        </li>
    }
}

fn marked(text: &str, query: &str) -> impl IntoView + use<> {
    let part = |part: highlight::Part| {
        let text = part.text.to_owned();
        if part.found { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
    };
    highlight::parts(text, query).into_iter().map(part).collect_view()
}

pub fn status_text(status: PageStatus) -> &'static str {
    t(match status {
        PageStatus::Unknown => Key::StatusUnknown,
        PageStatus::Capturing => Key::StatusCapturing,
        PageStatus::Waiting => Key::StatusWaiting,
        PageStatus::Reading => Key::StatusReading,
        PageStatus::Remembered => Key::StatusRemembered,
    })
}

/// Arrow keys walk the rows.
fn walk_list(event: KeyboardEvent) {
    let Some(row) = document().active_element().and_then(|active| active.closest("li").ok().flatten()) else {
        return;
    };
    let next = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        _ => return,
    };
    if let Some(link) = next.and_then(|next| next.query_selector("a").ok().flatten()) {
        event.prevent_default();
        focus(&link);
    }
}

fn focus(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let _ = element.focus();
    }
}
