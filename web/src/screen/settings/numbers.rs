//! Storage and counts.

use leptos::prelude::*;
use loci_messages::Diagnostics;

use super::super::core;
use super::super::load::{Load, load};
use super::super::parts::{FailureNote, Waiting};
use super::super::text::{number, t, tf};
use crate::catalogue::Key;
use crate::moment::size;

#[component]
pub fn Numbers() -> impl IntoView {
    let diagnostics = load(|| (), |()| core::diagnostics());
    move || match diagnostics.state.get() {
        Load::Loading => view! { <Waiting text=t(Key::Loading) /> }.into_any(),
        Load::Failed(failure) => {
            view! { <FailureNote failure retry=Callback::new(move |()| diagnostics.reload()) /> }.into_any()
        }
        Load::Ready(diagnostics) => view! { <Shown diagnostics /> }.into_any(),
    }
}

#[component]
fn Shown(diagnostics: Diagnostics) -> impl IntoView {
    let used = tf(
        Key::StorageUsed,
        &[("used", &size(diagnostics.storage_used)), ("quota", &size(diagnostics.storage_quota))],
    );
    let counts = [
        (Key::CountPages, diagnostics.pages),
        (Key::CountPassages, diagnostics.passages),
        (Key::CountObjects, diagnostics.objects),
        (Key::CountTriples, diagnostics.triples),
        (Key::CountTheses, diagnostics.theses),
        (Key::CountQueued, diagnostics.queued),
        (Key::CountUngrounded, diagnostics.ungrounded),
        (Key::CountTruncated, diagnostics.truncated),
        (Key::CountSchema, diagnostics.schema),
    ];
    let row = |(key, count): (Key, u32)| {
        view! { <div><dt>{t(key)}</dt><dd class="count">{number(f64::from(count))}</dd></div> }
    };
    view! {
        <section aria-labelledby="storage">
            <h2 id="storage">{t(Key::StorageHeading)}</h2>
            <p>{used.clone()}</p>
            <progress max=diagnostics.storage_quota.max(1.0).to_string() value=diagnostics.storage_used.to_string() aria-label=used></progress>
        </section>
        <section aria-labelledby="diagnostics">
            <h2 id="diagnostics">{t(Key::DiagnosticsHeading)}</h2>
            <p class="meta">{t(Key::DiagnosticsHelp)}</p>
            <dl class="properties counts">{counts.into_iter().map(row).collect_view()}</dl>
        </section>
    }
}
