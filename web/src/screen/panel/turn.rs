//! A question, its answer as it comes, and the sources. All of it inert text; the only links are the citations.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use loci_messages::{Citation, ErrorKind};

use super::super::parts::{FailureNote, OutLink, Passage};
use super::super::text::{ago, number, t, tf, tn};
use super::conversation::{Conversation, Phase, Turn, TurnState};
use crate::answer::Segment;
use crate::catalogue::Key;
use crate::link;

#[component]
pub fn TurnView(turn: Turn, conversation: Conversation) -> impl IntoView {
    let state = turn.state;
    let phase = Memo::new(move |_| state.with(|state| state.phase.clone()));
    let sources = Memo::new(move |_| state.with(|state| state.sources.clone()));
    let cited = Memo::new(move |_| state.with(|state| state.answer.cited(&state.numbers())));
    let article = NodeRef::<leptos::html::Article>::new();
    // A new question comes into view; while its answer streams the reader may scroll as they like.
    Effect::new(move |_| {
        if let Some(article) = article.get() {
            article.scroll_into_view();
        }
    });
    let question = turn.question.get_value();
    view! {
        <article class="turn" node_ref=article>
            <h2 class="question" dir="auto">{question}</h2>
            <AnswerText turn />
            {move || phase_note(&phase.get(), &sources.get(), turn, conversation)}
            {move || {
                let phase = phase.get();
                let shown = matches!(phase, Phase::Answered { .. } | Phase::Stopped | Phase::NotInMemory | Phase::LexicalOnly | Phase::Writing);
                let nearest = matches!(phase, Phase::NotInMemory | Phase::LexicalOnly);
                shown.then(|| view! { <SourceList turn=turn.id sources=sources.get() cited=cited.get() nearest writing=phase == Phase::Writing /> })
            }}
        </article>
    }
}

#[component]
fn AnswerText(turn: Turn) -> impl IntoView {
    let pieces = move || {
        turn.state.with(|state| {
            let segments = state.answer.segments(&state.numbers());
            segments.into_iter().map(|segment| piece(segment, state, turn.id)).collect_view()
        })
    };
    let any = move || turn.state.with(|state| !state.answer.is_empty());
    view! {
        {move || any().then(|| view! { <div class="answer" dir="auto">{pieces}</div> })}
    }
}

fn piece(segment: Segment, state: &TurnState, turn: u32) -> AnyView {
    match segment {
        Segment::Text(text) => text.into_any(),
        Segment::Citation(number) => match state.sources.iter().find(|source| source.number == number) {
            Some(source) => view! { <CitationMark turn source=source.clone() /> }.into_any(),
            // The source list of a stream may come a moment later.
            None => view! { <sup class="cite">{number}</sup> }.into_any(),
        },
    }
}

/// A click opens the page at the passage in a new tab, and the captured passage here, in case the page has changed.
#[component]
fn CitationMark(turn: u32, source: Citation) -> impl IntoView {
    let number = source.number;
    let label = tf(Key::CitationLabel, &[("n", &number.to_string()), ("title", &source.title)]);
    let show = move |_: MouseEvent| show_source(turn, number);
    let preview = format!("{}\n\n{}", source.title, source.text);
    match link::safe(&source.link) {
        Some(_) => view! {
            <a class="cite" href=source.link target="_blank" rel="noopener noreferrer" aria-label=label title=preview on:click=show>{number}</a>
        }
        .into_any(),
        None => view! {
            <button type="button" class="cite" aria-label=label title=preview on:click=show>{number}</button>
        }
        .into_any(),
    }
}

fn source_id(turn: u32, number: u32) -> String {
    format!("source-{turn}-{number}")
}

/// Opens the preview of a source and brings it into view.
fn show_source(turn: u32, number: u32) {
    if let Some(source) = document().get_element_by_id(&source_id(turn, number)) {
        let _ = source.set_attribute("open", "");
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        source.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

fn phase_note(phase: &Phase, sources: &[Citation], turn: Turn, conversation: Conversation) -> AnyView {
    let again = move || conversation.ask(turn.question.get_value());
    match phase {
        Phase::Searching => {
            view! { <p class="waiting" role="status">{t(Key::AnswerSearching)}</p> }.into_any()
        }
        Phase::Writing => {
            let written = move || turn.state.with(|state| !state.answer.is_empty());
            let words = tn(Key::AnswerReading, sources.len());
            view! { {move || (!written()).then(|| view! { <p class="waiting" role="status">{words.clone()}</p> })} }.into_any()
        }
        Phase::Answered { milliseconds, tokens } => {
            let seconds = format!("{:.1}", milliseconds / 1_000.0);
            let figures =
                tf(Key::AnswerFigures, &[("seconds", &seconds), ("tokens", &number(f64::from(*tokens)))]);
            view! { <p class="meta figures" role="status"><span class="hidden">{t(Key::AnswerDone)}" "</span>{figures}</p> }.into_any()
        }
        Phase::Stopped => view! {
            <p class="meta" role="status">{t(Key::AnswerStopped)}" "
                <button type="button" class="quiet" on:click=move |_| again()>{t(Key::AskAgain)}</button>
            </p>
        }
        .into_any(),
        Phase::NotInMemory => view! {
            <p class="verdict" role="status">{t(Key::AnswerNotInMemory)}</p>
            {sources.is_empty().then(|| view! { <p>{t(Key::AnswerNothingNear)}</p> })}
        }
        .into_any(),
        Phase::LexicalOnly => {
            let words = if sources.is_empty() { Key::AnswerLexicalNone } else { Key::AnswerLexicalOnly };
            view! {
                <p class="note" role="status">{t(words)}" "
                    <a href="app.html#settings" target="_blank">{t(Key::CompanionWhatToDo)}</a>
                </p>
            }
            .into_any()
        }
        Phase::Failed(failure) => {
            let edit = move |_| conversation.edit(turn.question.get_value());
            let offer = (failure.kind != ErrorKind::BadRequest).then(|| {
                view! { <button type="button" class="quiet" on:click=move |_| again()>{t(Key::AskAgain)}</button> }
            });
            view! {
                <FailureNote failure=failure.clone() />
                <p class="turn-actions">
                    {offer}
                    <button type="button" class="quiet" on:click=edit>{t(Key::AskEdit)}</button>
                </p>
            }
            .into_any()
        }
    }
}

/// Cited sources first, what else was read folded away. Without citations all are shown.
#[component]
fn SourceList(
    turn: u32,
    sources: Vec<Citation>,
    cited: Vec<u32>,
    nearest: bool,
    writing: bool,
) -> impl IntoView {
    let (shown, also): (Vec<Citation>, Vec<Citation>) =
        sources.into_iter().partition(|source| nearest || cited.contains(&source.number));
    let heading = if nearest { Key::AnswerNearest } else { Key::SourcesHeading };
    let list = move |sources: Vec<Citation>| {
        view! {
            <ol class="source-list">
                {sources.into_iter().map(|source| view! { <Source turn source nearest /> }).collect_view()}
            </ol>
        }
    };
    let also = (!also.is_empty() && !writing).then(|| {
        view! {
            <details class="also">
                <summary>{tn(Key::SourcesAlso, also.len())}</summary>
                {list(also)}
            </details>
        }
    });
    (!shown.is_empty() || also.is_some()).then(move || {
        view! {
            {(!shown.is_empty()).then(|| view! { <h3 class="small-heading">{t(heading)}</h3> {list(shown)} })}
            {also}
        }
    })
}

#[component]
fn Source(turn: u32, source: Citation, nearest: bool) -> impl IntoView {
    let host = link::host(&source.url).to_owned();
    let title = if source.title.is_empty() { host.clone() } else { source.title };
    let first_words: String = source.text.chars().take(90).collect();
    view! {
        <li>
            <details id=source_id(turn, source.number)>
                <summary>
                    {(!nearest).then(|| view! { <span class="cite">{source.number}</span> })}
                    <span class="source-title" dir="auto">{title}</span>
                    <span class="meta">{host}</span>
                    <span class="source-preview" dir="auto">{first_words}</span>
                </summary>
                <Passage text=source.text />
                <p class="meta">
                    <OutLink url=source.link text=t(Key::SourceOpen) />" · "
                    {tf(Key::SourceCaptured, &[("when", &ago(source.captured))])}
                </p>
            </details>
        </li>
    }
}
