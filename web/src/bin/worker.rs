//! The engine's worker: it reads files, keeps them in the browser's own storage, gives
//! the engine time, and passes messages on.
//!
//! A message is `{ body, file?, base? }` one way and `{ body, frames? }` the other; `body`
//! is a [`Command`] or a [`Reply`].

use std::cell::RefCell;

use js_sys::{Object, Promise, Reflect, Uint8Array};
use tiebreak_lab::{Command, Engine, Reply};
use tiebreak_scenario::presets::PACKING_CUT_FINGERPRINT;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, DedicatedWorkerGlobalScope as Scope, FileSystemDirectoryHandle, FileSystemFileHandle,
    FileSystemGetFileOptions, FileSystemWritableFileStream, MessageChannel, MessageEvent, MessagePort,
    ReadableStreamDefaultReader, Response,
};

/// Milliseconds of work between two looks at the message queue.
const TURN_MS: f64 = 16.0;

/// Milliseconds between two reports of progress.
const REPORT_MS: f64 = 80.0;

/// Traces kept in the browser's storage, so that a reload or a link finds them.
const KEPT_TRACES: usize = 4;

/// The trace that comes with the page.
const BUILT_IN: (&str, u128) = ("packing-cut.columns", PACKING_CUT_FINGERPRINT);

struct State {
    engine: Engine,
    /// Wakes the loop without the delay that timers have.
    wake: MessagePort,
    awake: bool,
    base: String,
    began_at: f64,
    reported_at: f64,
    /// Counts traces begun, so that an old reader notices it was replaced.
    reading: u32,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

fn with<T>(use_it: impl FnOnce(&mut State) -> T) -> Option<T> {
    STATE.with_borrow_mut(|state| state.as_mut().map(use_it))
}

fn scope() -> Scope {
    js_sys::global().unchecked_into()
}

fn now() -> f64 {
    scope().performance().map_or(0.0, |clock| clock.now())
}

fn main() {
    console_error_panic_hook::set_once();
    let Ok(channel) = MessageChannel::new() else { return };
    let turn = Closure::<dyn FnMut()>::new(take_turn);
    channel.port1().set_onmessage(Some(turn.as_ref().unchecked_ref()));
    turn.forget();
    let state = State {
        engine: Engine::new(),
        wake: channel.port2(),
        awake: false,
        base: String::new(),
        began_at: 0.0,
        reported_at: 0.0,
        reading: 0,
    };
    STATE.set(Some(state));
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
    scope().set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    send(&Reply::Ready, None);
}

fn receive(message: &JsValue) {
    if let Some(base) = field(message, "base").and_then(|base| base.as_string()) {
        with(|state| state.base = base);
    }
    let Some(body) = field(message, "body") else { return };
    match serde_wasm_bindgen::from_value::<Command>(body) {
        Ok(command) => obey(command, field(message, "file")),
        Err(error) => send(&Reply::Failed { run: 0, message: format!("the engine did not understand: {error}") }, None),
    }
}

fn obey(command: Command, file: Option<JsValue>) {
    if matches!(command, Command::Run { .. }) {
        with(|state| (state.began_at, state.reported_at) = (now(), 0.0));
    }
    let begins = matches!(command, Command::TraceBegin { .. });
    let replies = with(|state| state.engine.handle(command)).unwrap_or_default();
    pass_on(replies);
    if let (true, Some(file)) = (begins, file) {
        spawn_local(async move {
            let blob: Blob = file.unchecked_into();
            if let Some(fingerprint) = read(&blob).await {
                // Storage may be full or forbidden; the trace is loaded all the same.
                let _ = keep(&fingerprint, &blob).await;
            }
        });
    }
    wake();
}

/// One turn of the engine; more follow while there is work.
fn take_turn() {
    let turn_began = now();
    loop {
        let replies = with(|state| {
            state.awake = false;
            let tell = now() - state.reported_at > REPORT_MS && now() - turn_began > TURN_MS / 2.0;
            let replies = state.engine.work(tell);
            if !replies.is_empty() {
                state.reported_at = now();
            }
            replies
        });
        let replies = replies.unwrap_or_default();
        let spoke = !replies.is_empty();
        pass_on(replies);
        let running = with(|state| state.engine.is_running()).unwrap_or(false);
        if !running {
            return;
        }
        if spoke || now() - turn_began > TURN_MS {
            return wake();
        }
    }
}

fn wake() {
    with(|state| {
        if state.engine.is_running() && !state.awake {
            state.awake = true;
            let _ = state.wake.post_message(&JsValue::NULL);
        }
    });
}

fn pass_on(replies: Vec<Reply>) {
    for mut reply in replies {
        match &mut reply {
            Reply::Finished { result, .. } => {
                result.wall_ms = with(|state| now() - state.began_at).unwrap_or(0.0);
                send_with_frames(&reply);
            }
            Reply::Progress(_) => send_with_frames(&reply),
            Reply::TraceNeeded { fingerprint, name, one_tenant_in, .. } => {
                let (fingerprint, name, one_in) = (fingerprint.clone(), name.clone(), *one_tenant_in);
                spawn_local(async move { find_trace(&fingerprint, &name, one_in, reply).await });
            }
            _ => send(&reply, None),
        }
    }
}

fn send_with_frames(reply: &Reply) {
    let (bytes, _) = with(|state| state.engine.frame_bytes()).unwrap_or_default();
    send(reply, Some(&bytes));
}

fn send(reply: &Reply, frames: Option<&[u8]>) {
    let message = Object::new();
    if let Ok(body) = serde_wasm_bindgen::to_value(reply) {
        let _ = Reflect::set(&message, &"body".into(), &body);
    }
    if let Some(frames) = frames {
        let _ = Reflect::set(&message, &"frames".into(), &Uint8Array::from(frames));
    }
    let _ = scope().post_message(&message);
}

/// Reads a trace to its end, unless it is cancelled or replaced; its fingerprint if it is one.
async fn read(blob: &Blob) -> Option<String> {
    let ticket = with(|state| {
        state.reading += 1;
        state.reading
    });
    match feed(blob, ticket).await {
        Ok(true) => {}
        Ok(false) => return None,
        Err(error) => {
            let message = format!("the browser stopped reading the file: {}", describe(&error));
            with(|state| state.engine.handle(Command::TraceCancel));
            send(&Reply::TraceFailed { message }, None);
            return None;
        }
    }
    let replies = with(|state| state.engine.trace_end()).unwrap_or_default();
    let fingerprint = replies.iter().find_map(|reply| match reply {
        Reply::TraceLoaded(card) => Some(card.fingerprint.clone()),
        _ => None,
    });
    pass_on(replies);
    fingerprint
}

/// Whether the whole file was read.
async fn feed(blob: &Blob, ticket: Option<u32>) -> Result<bool, JsValue> {
    let reader: ReadableStreamDefaultReader = blob.stream().get_reader().unchecked_into();
    let mut chunk = Vec::new();
    loop {
        let step = await_any(&reader.read()).await?;
        if with(|state| Some(state.reading) != ticket || !state.engine.is_reading()).unwrap_or(true) {
            let _ = reader.cancel();
            return Ok(false);
        }
        if Reflect::get(&step, &"done".into())?.is_truthy() {
            return Ok(true);
        }
        let bytes: Uint8Array = Reflect::get(&step, &"value".into())?.unchecked_into();
        chunk.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut chunk);
        let replies = with(|state| state.engine.trace_bytes(&chunk)).unwrap_or_default();
        pass_on(replies);
    }
}

/// Looks for a trace among those that came with the page and those kept in this browser;
/// when it is nowhere, the page asks for the file.
async fn find_trace(fingerprint: &str, name: &str, one_tenant_in: u32, needed: Reply) {
    let built_in = format!("{:032x}", BUILT_IN.1) == fingerprint;
    let found = if built_in { fetch_built_in().await } else { kept(fingerprint).await };
    let Ok(blob) = found else { return send(&needed, None) };
    if with(|state| state.engine.is_reading()).unwrap_or(true) {
        return send(&needed, None); // The person gave a file meanwhile; it goes first.
    }
    let begin = Command::TraceBegin { name: name.to_owned(), bytes: blob.size(), one_tenant_in };
    with(|state| state.engine.handle(begin));
    let read = read(&blob).await;
    if read.as_deref() != Some(fingerprint) {
        send(&needed, None);
    }
}

async fn fetch_built_in() -> Result<Blob, JsValue> {
    let url = with(|state| format!("{}traces/{}", state.base, BUILT_IN.0)).unwrap_or_default();
    let response: Response = await_any(&scope().fetch_with_str(&url)).await?.unchecked_into();
    if !response.ok() {
        return Err("the page's own trace is missing".into());
    }
    Ok(await_any(&response.blob()?).await?.unchecked_into())
}

async fn directory() -> Result<FileSystemDirectoryHandle, JsValue> {
    let storage = scope().navigator().storage();
    Ok(await_any(&storage.get_directory()).await?.unchecked_into())
}

async fn keep(fingerprint: &str, blob: &Blob) -> Result<(), JsValue> {
    make_room(fingerprint).await?;
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let handle = await_any(&directory().await?.get_file_handle_with_options(fingerprint, &options)).await?;
    let handle: FileSystemFileHandle = handle.unchecked_into();
    let file: FileSystemWritableFileStream = await_any(&handle.create_writable()).await?.unchecked_into();
    await_any(&file.write_with_blob(blob)?).await?;
    await_any(&file.close()).await?;
    Ok(())
}

/// Throws out kept traces until there is room for one more.
async fn make_room(fingerprint: &str) -> Result<(), JsValue> {
    let directory = directory().await?;
    let names = directory.keys();
    let mut others = Vec::new();
    loop {
        let step = await_any(&names.next()?).await?;
        if Reflect::get(&step, &"done".into())?.is_truthy() {
            break;
        }
        let name = Reflect::get(&step, &"value".into())?.as_string().unwrap_or_default();
        if name != fingerprint {
            others.push(name);
        }
    }
    for name in others.iter().skip(KEPT_TRACES - 1) {
        await_any(&directory.remove_entry(name)).await?;
    }
    Ok(())
}

async fn kept(fingerprint: &str) -> Result<Blob, JsValue> {
    let handle: FileSystemFileHandle =
        await_any(&directory().await?.get_file_handle(fingerprint)).await?.unchecked_into();
    Ok(await_any(&handle.get_file()).await?.unchecked_into())
}

async fn await_any<T: JsCast>(promise: &T) -> Result<JsValue, JsValue> {
    let promise: Promise = promise.unchecked_ref::<Promise>().clone();
    JsFuture::from(promise).await
}

fn field(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined())
}

fn describe(error: &JsValue) -> String {
    field(error, "message").and_then(|message| message.as_string()).unwrap_or_else(|| format!("{error:?}"))
}
