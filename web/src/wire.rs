//! Shared by both workers: messages, the clock, promises.

use js_sys::{Object, Promise, Reflect, Uint8Array};
use tiebreak_engine::Reply;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope as Scope, MessageEvent, Response};

/// Milliseconds of work between two checks of the message queue.
pub(crate) const TURN_MS: f64 = 16.0;

/// Milliseconds between two progress reports.
pub(crate) const REPORT_MS: f64 = 80.0;

/// The trace that comes with the page.
pub(crate) const BUILT_IN: &str = "packing-cut.columns";

/// The worker itself.
pub(crate) fn scope() -> Scope {
    js_sys::global().unchecked_into()
}

/// Milliseconds since the worker started.
pub(crate) fn now() -> f64 {
    scope().performance().map_or(0.0, |clock| clock.now())
}

/// Calls `receive` for every message from the page, and says that the worker is ready.
pub(crate) fn listen(receive: fn(&JsValue)) {
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&event.data()));
    scope().set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    send(&Reply::Ready, None);
}

/// Sends a reply to the page, with the fill level of every machine if it includes that.
pub(crate) fn send(reply: &Reply, frames: Option<&[u8]>) {
    let message = Object::new();
    if let Ok(body) = postcard::to_allocvec(reply) {
        let _ = Reflect::set(&message, &"body".into(), &Uint8Array::from(&body[..]));
    }
    if let Some(frames) = frames {
        let _ = Reflect::set(&message, &"frames".into(), &Uint8Array::from(frames));
    }
    let _ = scope().post_message(&message);
}

/// One of the traces that come with the page.
pub(crate) async fn fetch(traces: &str, name: &str) -> Result<Response, JsValue> {
    let response: Response = await_any(&scope().fetch_with_str(&format!("{traces}{name}"))).await?.unchecked_into();
    if response.ok() { Ok(response) } else { Err(format!("the server has no {name}").into()) }
}

pub(crate) async fn await_any<T: JsCast>(promise: &T) -> Result<JsValue, JsValue> {
    let promise: Promise = promise.unchecked_ref::<Promise>().clone();
    JsFuture::from(promise).await
}

pub(crate) fn field(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined())
}

pub(crate) fn describe(error: &JsValue) -> String {
    field(error, "message").and_then(|message| message.as_string()).unwrap_or_else(|| format!("{error:?}"))
}
