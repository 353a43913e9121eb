use futures::future::{Either, select};
use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, milliseconds: u32) -> JsValue;
}

/// Done after so many milliseconds.
pub(crate) async fn sleep(milliseconds: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        set_timeout(&resolve, milliseconds);
    });
    // This promise is never rejected.
    let _ = JsFuture::from(promise).await;
}

/// What the future gives, or `None` when it takes longer; it is dropped then.
pub(crate) async fn within<T>(milliseconds: u32, future: impl Future<Output = T>) -> Option<T> {
    futures::pin_mut!(future);
    let timeout = sleep(milliseconds);
    futures::pin_mut!(timeout);
    match select(future, timeout).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(_) => None,
    }
}
