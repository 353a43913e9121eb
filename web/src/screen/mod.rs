//! The screens themselves. Everything here runs in an extension page.

mod app;
mod browser;
mod core;
mod fault;
mod graph;
mod live;
mod load;
mod memories;
mod panel;
mod parts;
mod settings;
mod text;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Called once by `boot.js`. `data-screen` of the body says which page this is.
#[wasm_bindgen]
pub fn start() {
    text::choose_language();
    std::panic::set_hook(Box::new(|panic| fault::show(&panic.to_string())));
    core::connect();
    let body = document().body();
    let screen = body.as_ref().and_then(|body| body.get_attribute("data-screen")).unwrap_or_default();
    leptos::mount::mount_to_body(move || {
        live::follow();
        if screen == "panel" {
            view! { <panel::Panel /> }.into_any()
        } else {
            view! { <app::App /> }.into_any()
        }
    });
}
