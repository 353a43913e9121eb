//! The texts of the catalogue in the browser's language, and times as people there write them.

use std::cell::Cell;

use leptos::prelude::*;
use loci_messages::Failure;
use wasm_bindgen::prelude::*;

use crate::catalogue::{Help, Key, Language, fill};
use crate::moment;

thread_local! {
    static LANGUAGE: Cell<Language> = const { Cell::new(Language::English) };
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Intl)]
    type RelativeTimeFormat;
    #[wasm_bindgen(constructor, js_namespace = Intl)]
    fn new(locale: &str, options: &JsValue) -> RelativeTimeFormat;
    #[wasm_bindgen(method)]
    fn format(this: &RelativeTimeFormat, value: f64, unit: &str) -> String;

    #[wasm_bindgen(js_namespace = Intl)]
    type DateTimeFormat;
    #[wasm_bindgen(constructor, js_namespace = Intl)]
    fn new(locale: &str, options: &JsValue) -> DateTimeFormat;
    #[wasm_bindgen(method)]
    fn format(this: &DateTimeFormat, value: f64) -> String;

    #[wasm_bindgen(js_namespace = Intl)]
    type NumberFormat;
    #[wasm_bindgen(constructor, js_namespace = Intl)]
    fn new(locale: &str) -> NumberFormat;
    #[wasm_bindgen(method)]
    fn format(this: &NumberFormat, value: f64) -> String;
}

/// Once, at the start: the language of the page and all its texts.
pub fn choose_language() {
    let language = Language::of_tag(&window().navigator().language().unwrap_or_default());
    LANGUAGE.set(language);
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("lang", language.tag());
    }
}

pub fn t(key: Key) -> &'static str {
    LANGUAGE.get().text(key)
}

/// A text with values in its places.
pub fn tf(key: Key, values: &[(&str, &str)]) -> String {
    fill(t(key), values)
}

/// A text whose only place is the number `n`.
pub fn tn(key: Key, n: impl ToString) -> String {
    tf(key, &[("n", &n.to_string())])
}

pub fn help(failure: &Failure) -> Help {
    LANGUAGE.get().help(failure.kind)
}

/// How long ago, or the date when that is longer than a month.
pub fn ago(then: f64) -> String {
    match moment::relative(then, js_sys::Date::now()) {
        Some((value, unit)) => {
            RelativeTimeFormat::new(tag(), &option(&[("numeric", "auto")])).format(value, unit)
        }
        None => date(then),
    }
}

pub fn date(then: f64) -> String {
    if !then.is_finite() {
        return String::new();
    }
    DateTimeFormat::new(tag(), &option(&[("dateStyle", "medium")])).format(then)
}

pub fn date_time(then: f64) -> String {
    if !then.is_finite() {
        return String::new();
    }
    DateTimeFormat::new(tag(), &option(&[("dateStyle", "medium"), ("timeStyle", "short")])).format(then)
}

/// With the separators of the language.
pub fn number(value: f64) -> String {
    NumberFormat::new(tag()).format(value)
}

fn tag() -> &'static str {
    LANGUAGE.get().tag()
}

fn option(entries: &[(&str, &str)]) -> JsValue {
    let object = js_sys::Object::new();
    for (name, value) in entries {
        let _ = js_sys::Reflect::set(&object, &(*name).into(), &(*value).into());
    }
    object.into()
}
