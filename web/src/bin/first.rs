//! The worker that makes the page live: one run of the scenario that the page opens with. The page
//! starts the other worker when this run is over.
//!
//! A message is `{ run, traces }` one way and `{ body, frames? }` the other; `body` is a [`Reply`].

use std::cell::RefCell;

use js_sys::Uint8Array;
use tiebreak_lab::{First, Reply};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::MessagePort;

use wire::{BUILT_IN, REPORT_MS, TURN_MS, await_any, describe, fetch, field, listen, now, send};

#[path = "../wire.rs"]
mod wire;

struct State {
    engine: First,
    /// Wakes the loop without the delay that timers have.
    wake: MessagePort,
    began_at: f64,
    reported_at: f64,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

fn with<T>(use_it: impl FnOnce(&mut State) -> T) -> Option<T> {
    STATE.with_borrow_mut(|state| state.as_mut().map(use_it))
}

fn main() {
    console_error_panic_hook::set_once();
    let Ok(channel) = web_sys::MessageChannel::new() else { return };
    let turn = Closure::<dyn FnMut()>::new(take_turn);
    channel.port1().set_onmessage(Some(turn.as_ref().unchecked_ref()));
    turn.forget();
    STATE.set(Some(State { engine: First::default(), wake: channel.port2(), began_at: 0.0, reported_at: 0.0 }));
    listen(receive);
}

fn receive(message: &JsValue) {
    let run = field(message, "run").and_then(|run| run.as_f64());
    let traces = field(message, "traces").and_then(|traces| traces.as_string());
    if let (Some(run), Some(traces)) = (run, traces) {
        spawn_local(async move { begin(run as u32, &traces).await });
    }
}

async fn begin(run: u32, traces: &str) {
    match trace(traces).await {
        Ok(bytes) => {
            with(|state| state.began_at = now());
            with(|state| state.engine.begin(run, &bytes)).unwrap_or_default().iter().for_each(pass_on);
            wake();
        }
        Err(error) => send(&Reply::Failed { run, message: describe(&error) }, None),
    }
}

async fn trace(traces: &str) -> Result<Vec<u8>, JsValue> {
    let response = fetch(traces, BUILT_IN).await?;
    Ok(Uint8Array::new(&await_any(&response.array_buffer()?).await?).to_vec())
}

/// One turn of the engine; more follow while there is work.
fn take_turn() {
    let turn_began = now();
    while with(|state| state.engine.is_running()).unwrap_or(false) {
        let replies = with(|state| {
            let tell = now() - state.reported_at > REPORT_MS && now() - turn_began > TURN_MS / 2.0;
            let mut replies = state.engine.work(tell);
            for reply in &mut replies {
                state.reported_at = now();
                if let Reply::Finished { result, .. } = reply {
                    result.wall_ms = now() - state.began_at;
                }
            }
            replies
        });
        let replies = replies.unwrap_or_default();
        replies.iter().for_each(pass_on);
        if !replies.is_empty() || now() - turn_began > TURN_MS {
            return wake();
        }
    }
}

fn wake() {
    with(|state| state.wake.post_message(&JsValue::NULL));
}

fn pass_on(reply: &Reply) {
    let with_frames = matches!(reply, Reply::Progress(_) | Reply::Finished { .. });
    let frames = with_frames.then(|| with(|state| state.engine.frame_bytes())).flatten();
    send(reply, frames.as_deref());
}
