use leptos::prelude::*;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub fn start() {
    leptos::mount::mount_to_body(|| view! { <p>"Loci"</p> });
}
