//! The same graph as a table, for the keyboard and for screen readers.

use leptos::prelude::*;

use super::super::text::t;
use super::palette::swatch;
use crate::catalogue::{Key, kind_key};
use crate::graph::Scene;
use crate::route::Route;

#[component]
pub fn VertexList(scene: Memo<Scene>, vertex: Signal<Option<u32>>) -> impl IntoView {
    let rows = move || {
        scene.with(|scene| {
            scene.by_rank.iter().map(|&index| scene.vertices[index as usize].clone()).collect::<Vec<_>>()
        })
    };
    view! {
        <div class="graph-list">
            <table>
                <thead>
                    <tr>
                        <th scope="col">{t(Key::GraphName)}</th>
                        <th scope="col">{t(Key::GraphKind)}</th>
                        <th scope="col" class="number">{t(Key::GraphLinks)}</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=rows key=|row| (row.id, row.label.clone(), row.degree) let:row>
                        <tr>
                            <td dir="auto">
                                <a href=Route::Graph { vertex: Some(row.id) }.hash() aria-current=move || (vertex.get() == Some(row.id)).then_some("true")>
                                    {row.label.clone()}
                                </a>
                            </td>
                            <td><span class=swatch(&row.kind)></span>{t(kind_key(&row.kind))}</td>
                            <td class="number">{row.degree}</td>
                        </tr>
                    </For>
                </tbody>
            </table>
        </div>
    }
}
