//! A fault of the screens themselves: said on the page, where it would otherwise just stand still.

use leptos::prelude::document;
use loci_messages::{ErrorKind, Failure};
use wasm_bindgen::JsValue;

use super::text::help;

/// Shows the help for a fault at the end of the page, plain DOM calls only: the frame that draws may be broken.
pub fn show(details: &str) {
    web_sys::console::error_1(&details.into());
    // Nothing is left to be done when even this fails.
    let _ = append_note(details);
}

fn append_note(details: &str) -> Result<(), JsValue> {
    let document = document();
    let texts = help(&Failure { kind: ErrorKind::Internal, hint: String::new() });
    let note = document.create_element("div")?;
    note.set_class_name("note failure fault");
    note.set_attribute("role", "alert")?;
    for (element, text) in [("strong", texts.what), ("p", texts.advice), ("code", details)] {
        let part = document.create_element(element)?;
        part.set_text_content(Some(text));
        note.append_child(&part)?;
    }
    document.body().ok_or(JsValue::NULL)?.append_child(&note)?;
    Ok(())
}
