//! The browser's locks, from which tabs and workers learn that another one has ended: however it ends, its locks are
//! released.
//!
//! If the browser has no locks or refuses them, nothing is held and nothing is reported.

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

#[wasm_bindgen]
extern "C" {
    // web-sys marks this API as unstable.
    #[wasm_bindgen(catch, js_namespace = ["navigator", "locks"])]
    fn request(name: &str, how: &Object, held: &JsValue) -> Result<Promise, JsValue>;
}

/// Who else may hold a lock.
pub(crate) enum With {
    /// Everyone who requests it in this mode.
    #[allow(dead_code, reason = "only the page shares")]
    Others,
    /// No one.
    Nobody,
}

/// Holds this lock until this tab or worker ends; calls `then` when it is held.
pub(crate) fn hold(name: &str, with: &With, then: impl FnOnce() + 'static) {
    ask(name, with, move || {
        then();
        Promise::new(&mut |_, _| {})
    });
}

/// Calls `then` when no one holds this lock any more.
#[allow(dead_code, reason = "only the page awaits an end")]
pub(crate) fn when_free(name: &str, then: impl FnOnce() + 'static) {
    ask(name, &With::Nobody, move || {
        then();
        Promise::resolve(&JsValue::NULL)
    });
}

fn ask(name: &str, with: &With, held: impl FnOnce() -> Promise + 'static) {
    let how = Object::new();
    let mode = match with {
        With::Others => "shared",
        With::Nobody => "exclusive",
    };
    let _ = Reflect::set(&how, &"mode".into(), &mode.into());
    if let Ok(asked) = request(name, &how, &Closure::once_into_js(held)) {
        spawn_local(async move { drop(JsFuture::from(asked).await) });
    }
}
