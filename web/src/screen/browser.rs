//! The few calls to the browser's extension interface. In an ordinary tab (UI work under Trunk) it is absent, and
//! every call here then says so by `None`.

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The tab in front. Address and title are there only where the browser lets the extension see them (`activeTab`
/// after a click, or the optional `tabs` permission).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tab {
    pub id: Option<i32>,
    pub url: Option<String>,
    pub title: Option<String>,
}

pub async fn active_tab() -> Option<Tab> {
    let query = object(&[("active", true.into()), ("currentWindow", true.into())]);
    let tabs: Array = call(&["tabs", "query"], &query).await?.dyn_into().ok()?;
    let tab = tabs.get(0);
    let text =
        |name: &str| get(&tab, name).and_then(|value| value.as_string()).filter(|text| !text.is_empty());
    let id = get(&tab, "id").and_then(|id| id.as_f64()).map(|id| id as i32);
    Some(Tab { id, url: text("url"), title: text("title") })
}

/// Calls `changed` when another tab comes to the front or the one in front loads another page.
pub fn on_tab_change(changed: impl Fn() + Clone + 'static) {
    listen(&["tabs", "onActivated"], changed.clone());
    listen(&["tabs", "onUpdated"], changed.clone());
    listen(&["windows", "onFocusChanged"], changed);
}

/// Asks the service worker to capture a tab; what becomes of it arrives as events of the core.
pub async fn capture(tab: i32) -> Option<()> {
    let message = object(&[("to", "background".into()), ("capture", tab.into())]);
    call(&["runtime", "sendMessage"], &message).await.map(drop)
}

fn listen(path: &[&str], listener: impl Fn() + 'static) {
    let event = api().and_then(|api| path.iter().try_fold(api, |at, name| get(&at, name)));
    let Some(event) = event else { return };
    let Some(add) = get(&event, "addListener").and_then(|add| add.dyn_into::<Function>().ok()) else {
        return;
    };
    let closure = Closure::<dyn Fn()>::new(listener);
    let _ = add.call1(&event, closure.as_ref());
    // Listens for as long as the page lives.
    closure.forget();
}

/// Calls a function that returns a promise; `None` when it is absent, throws or is refused.
async fn call(path: &[&str], argument: &JsValue) -> Option<JsValue> {
    let (name, place) = path.split_last()?;
    let this = place.iter().try_fold(api()?, |at, name| get(&at, name))?;
    let function: Function = get(&this, name)?.dyn_into().ok()?;
    let promise: Promise = function.call1(&this, argument).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()
}

/// `browser` (Firefox) or `chrome`.
fn api() -> Option<JsValue> {
    let global: JsValue = window().into();
    ["browser", "chrome"]
        .iter()
        .find_map(|name| get(&global, name).filter(|api| get(api, "runtime").is_some()))
}

fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = js_sys::Object::new();
    for (name, value) in entries {
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}
