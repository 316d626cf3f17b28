//! The engine's worker: it reads files, stores them in the browser's storage, gives the engine time to run, and
//! passes messages on.
//!
//! A message to the worker is `{ body?, file?, bytes?, traces?, lock? }`, and one from it is
//! `{ body?, frames?, held?, save?, name? }`; `body` is a [`Command`] or a [`Reply`]. The worker holds the lock named
//! in the message, so that the page learns when the worker ends.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

use gloo::timers::future::TimeoutFuture;
use js_sys::{Object, Reflect, Uint8Array};
use tiebreak_engine::protocol::Imported;
use tiebreak_engine::{Command, Engine, Reply};
use tiebreak_model::{Declared, Phrase, Sample};
use tiebreak_scenario::TraceSettings;
use tiebreak_scenario::presets::PACKING_CUT_FINGERPRINT;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{
    Blob, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions, FileSystemWritableFileStream,
    MessageChannel, MessagePort, StorageManager,
};

use locks::With;
use pieces::Pieces;
use wire::{BUILT_IN, REPORT_MS, TURN_MS, await_any, describe, fetch, field, listen, now, scope, send};

#[path = "../importing.rs"]
mod importing;
#[path = "../locks.rs"]
mod locks;
#[path = "../pieces.rs"]
mod pieces;
#[path = "../saving.rs"]
mod saving;
#[path = "../wire.rs"]
mod wire;

/// Number of traces kept in the browser's storage, for reloads and links.
const KEPT_TRACES: usize = 4;

/// Milliseconds after which a run counts as long: it reports less often, to keep the page responsive.
const LONG_MS: f64 = 1_000.0;

struct State {
    engine: Engine,
    /// Wakes the loop without the delay of timers.
    wake: MessagePort,
    awake: bool,
    traces: String,
    began_at: f64,
    reported_at: f64,
    /// The trace being looked for, and the reply if it is not found.
    sought: Option<(String, Reply)>,
    /// Counts traces started, so that an old reader notices that it was replaced.
    reading: u32,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

fn with<T>(use_it: impl FnOnce(&mut State) -> T) -> Option<T> {
    STATE.with_borrow_mut(|state| state.as_mut().map(use_it))
}

/// A panic ends the worker with its own message, which the page shows. A trap without a message is therefore a failed
/// allocation.
fn tell_panic(panic: &PanicHookInfo<'_>) {
    console_error_panic_hook::hook(panic);
    wasm_bindgen::throw_str(&panic.to_string());
}

fn main() {
    std::panic::set_hook(Box::new(tell_panic));
    let Ok(channel) = MessageChannel::new() else { return };
    let turn = Closure::<dyn FnMut()>::new(take_turn);
    channel.port1().set_onmessage(Some(turn.as_ref().unchecked_ref()));
    turn.forget();
    let state = State {
        engine: Engine::new(),
        wake: channel.port2(),
        awake: false,
        traces: String::new(),
        began_at: 0.0,
        reported_at: 0.0,
        sought: None,
        reading: 0,
    };
    STATE.set(Some(state));
    listen(receive);
}

fn receive(message: &JsValue) {
    if let Some(traces) = field(message, "traces").and_then(|traces| traces.as_string()) {
        with(|state| state.traces = traces);
    }
    if let Some(lock) = field(message, "lock").and_then(|lock| lock.as_string()) {
        locks::hold(&lock, &With::Nobody, send_held);
    }
    let Some(body) = field(message, "body") else { return };
    match postcard::from_bytes::<Command>(&body.unchecked_into::<Uint8Array>().to_vec()) {
        Ok(Command::Differ { run, other }) => {
            let bytes =
                field(message, "bytes").map_or_else(Vec::new, |bytes| bytes.unchecked_into::<Uint8Array>().to_vec());
            pass_on(with(|state| state.engine.differ(run, other, &bytes)).unwrap_or_default());
        }
        Ok(Command::Import { name, document }) => {
            let file = field(message, "file").unwrap_or_default();
            spawn_local(async move {
                let reply = match import(&name, &document, &file).await {
                    Ok(imported) => Reply::Imported(Box::new(imported)),
                    Err(why) => Reply::NotImported { name, why: why.as_string().unwrap_or_else(|| describe(&why)) },
                };
                send(&reply, None);
            });
        }
        Ok(Command::Twins { document }) => spawn_local(async move {
            match importing::twins(&document).await {
                Ok(file) => send_file("twins.csv", &file),
                Err(why) => send(&Reply::NotSaved(why.as_string().unwrap_or_else(|| describe(&why))), None),
            }
        }),
        Ok(Command::Save(save)) => spawn_local(async move {
            match saving::file(&save).await {
                Ok(file) => send_file(save.name(), &file),
                Err(why) => send(&Reply::NotSaved(why.as_string().unwrap_or_else(|| describe(&why))), None),
            }
        }),
        Ok(command) => obey(command, field(message, "file")),
        Err(error) => send(
            &Reply::Failed { run: 0, message: Phrase::text(format!("the engine got an invalid message: {error}")) },
            None,
        ),
    }
}

fn send_held() {
    let message = Object::new();
    let _ = Reflect::set(&message, &"held".into(), &JsValue::TRUE);
    let _ = scope().post_message(&message);
}

/// Sends a file to the page, to be saved under this name.
fn send_file(name: &str, file: &Blob) {
    let message = Object::new();
    let _ = Reflect::set(&message, &"name".into(), &name.into());
    let _ = Reflect::set(&message, &"save".into(), file);
    let _ = scope().post_message(&message);
}

fn obey(command: Command, file: Option<JsValue>) {
    let begins = matches!(command, Command::TraceBegin { .. });
    let replies = with(|state| state.engine.handle(command)).unwrap_or_default();
    // A generated workload.
    if let [Reply::TraceLoaded(card)] = &replies[..] {
        let fingerprint = card.fingerprint.clone();
        spawn_local(async move { keep_columns(&fingerprint).await });
    }
    pass_on(replies);
    if let (true, Some(file)) = (begins, file) {
        spawn_local(async move {
            let blob: Blob = file.unchecked_into();
            if let Some(fingerprint) = read(&blob, Source::Given).await {
                keep_columns(&fingerprint).await;
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
            let every = if now() - state.began_at > LONG_MS { 4.0 * REPORT_MS } else { REPORT_MS };
            let tell = now() - state.reported_at > every && now() - turn_began > TURN_MS / 2.0;
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
            Reply::Started { .. } => {
                with(|state| (state.began_at, state.reported_at) = (now(), 0.0));
                send(&reply, None);
            }
            Reply::Finished { result, .. } => {
                result.wall_ms = with(|state| now() - state.began_at).unwrap_or(0.0);
                send_with_frames(&reply);
            }
            Reply::Progress(_) => send_with_frames(&reply),
            Reply::Placements { .. } => {
                let bytes = with(|state| state.engine.placement_bytes()).unwrap_or_default();
                send(&reply, Some(&bytes));
            }
            Reply::Moment { time_ms, .. } => {
                let bytes = with(|state| state.engine.machines_at(*time_ms)).unwrap_or_default();
                send(&reply, Some(&bytes));
            }
            Reply::TraceNeeded { fingerprint, name, sample, .. } => {
                let (fingerprint, name, sample) = (fingerprint.clone(), name.clone(), sample.clone());
                spawn_local(async move { find_trace(&fingerprint, &name, sample, reply).await });
            }
            _ => send(&reply, None),
        }
    }
}

fn send_with_frames(reply: &Reply) {
    let bytes = with(|state| state.engine.frame_bytes()).unwrap_or_default();
    send(reply, Some(&bytes));
}

/// The source of the file being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The user chose it, and gets its errors.
    Given,
    /// It came with the page, or was stored in this browser. An incomplete one, for example because the page was
    /// closed during writing, counts as missing: the user is asked for the file.
    Found,
}

/// Reads a trace to its end, unless it is cancelled or replaced; returns its fingerprint if it is valid.
async fn read(blob: &Blob, source: Source) -> Option<String> {
    let ticket = with(|state| {
        state.reading += 1;
        state.reading
    });
    match feed(blob, source, ticket).await {
        Ok(true) => {}
        Ok(false) => return None,
        Err(error) => {
            let said = describe(&error);
            // An error in the file has a complete sentence.
            let message = if said.starts_with("Expected") {
                said
            } else {
                format!("the browser stopped reading the file: {said}")
            };
            with(|state| state.engine.handle(Command::TraceCancel));
            pass_on_from(source, vec![Reply::TraceFailed { message: Phrase::text(message), unknown: None }]);
            return None;
        }
    }
    let replies = with(|state| state.engine.trace_end()).unwrap_or_default();
    let fingerprint = replies.iter().find_map(|reply| match reply {
        Reply::TraceLoaded(card) => Some(card.fingerprint.clone()),
        _ => None,
    });
    pass_on_from(source, replies);
    wake(); // A run may be waiting for it.
    fingerprint
}

/// Imports a cluster or a configuration into a document, and loads its VMs as a trace.
async fn import(name: &str, document: &str, file: &JsValue) -> Result<Imported, JsValue> {
    let (mut imported, vms) = importing::read(name, document, file).await?;
    if let Some(vms) = vms {
        let sample = TraceSettings::of(&Sample::default()).to_values();
        let (name, bytes, columns) = (name.to_owned(), vms.size(), Vec::new());
        let begin = Command::TraceBegin { name, bytes, sample, is_sampled: false, columns, decimal_commas: None };
        with(|state| state.engine.handle(begin));
        let loaded = read(&vms, Source::Found).await;
        let fingerprint = loaded.ok_or("Another file was opened meanwhile. Open this one again.")?;
        keep_columns(&fingerprint).await;
        imported.fingerprint = Some(fingerprint);
    }
    Ok(imported)
}

/// Passes on the replies about a file being read.
fn pass_on_from(source: Source, mut replies: Vec<Reply>) {
    replies.retain(|reply| source == Source::Given || !matches!(reply, Reply::TraceFailed { .. }));
    pass_on(replies);
}

/// Returns whether the whole file was read.
async fn feed(blob: &Blob, source: Source, ticket: Option<u32>) -> Result<bool, JsValue> {
    let mut pieces = Pieces::of(blob).await?;
    let (mut told_at, mut listened_at) = (0.0, now());
    loop {
        let piece = pieces.next().await?;
        // A piece that is already there comes before any message of the page, such as one that cancels.
        if now() - listened_at > REPORT_MS {
            TimeoutFuture::new(0).await;
            listened_at = now();
        }
        if with(|state| Some(state.reading) != ticket || !state.engine.is_reading()).unwrap_or(true) {
            return Ok(false);
        }
        with(|state| state.engine.trace_notes(pieces.notes()));
        let Some(piece) = piece else { return Ok(true) };
        let mut replies = with(|state| state.engine.trace_bytes(&piece)).unwrap_or_default();
        // More frequent progress reports would cost the page as much time as reading does.
        let is_followed = now() - told_at > 2.0 * REPORT_MS;
        replies.retain(|reply| is_followed || !matches!(reply, Reply::TraceProgress { .. }));
        if is_followed {
            told_at = now();
        }
        for reply in &mut replies {
            if let (Reply::TraceProgress { bytes, .. }, Some(share)) = (reply, pieces.share()) {
                *bytes = share * blob.size();
            }
        }
        pass_on_from(source, replies);
    }
}

/// Looks for a trace among the built-in ones and those stored in this browser; if there is none, the page asks for
/// the file.
async fn find_trace(fingerprint: &str, name: &str, sample: Vec<f64>, needed: Reply) {
    // If a search for it is already running, the newest run starts when the trace is loaded.
    let looking = with(|state| state.sought.replace((fingerprint.to_owned(), needed))).flatten();
    if looking.is_some_and(|(other, _)| other == fingerprint) {
        return;
    }
    let found = look_for_trace(fingerprint, name, sample).await;
    let sought = with(|state| state.sought.take_if(|(other, _)| other == fingerprint)).flatten();
    if let (false, Some((_, needed))) = (found, sought) {
        send(&needed, None);
    }
}

/// Returns whether it was found and read.
async fn look_for_trace(fingerprint: &str, name: &str, sample: Vec<f64>) -> bool {
    let built_in = format!("{PACKING_CUT_FINGERPRINT:032x}") == fingerprint;
    let found = if built_in { fetch_built_in().await } else { kept(fingerprint).await };
    let Ok(blob) = found else { return false };
    if with(|state| state.engine.is_reading()).unwrap_or(true) {
        return false; // The user opened a file meanwhile; it takes precedence.
    }
    let (name, bytes) = (name.to_owned(), blob.size());
    let begin =
        Command::TraceBegin { name, bytes, sample, is_sampled: !built_in, columns: Vec::new(), decimal_commas: None };
    with(|state| state.engine.handle(begin));
    read(&blob, Source::Found).await.as_deref() == Some(fingerprint)
}

async fn fetch_built_in() -> Result<Blob, JsValue> {
    let traces = with(|state| state.traces.clone()).unwrap_or_default();
    Ok(await_any(&fetch(&traces, BUILT_IN).await?.blob()?).await?.unchecked_into())
}

async fn directory() -> Result<FileSystemDirectoryHandle, JsValue> {
    // Pages loaded over http from another host have none.
    let storage = field(&scope().navigator(), "storage").ok_or("this browser stores no files for this page")?;
    Ok(await_any(&storage.unchecked_into::<StorageManager>().get_directory()).await?.unchecked_into())
}

/// Stores a loaded trace. Storage may be full or forbidden; the trace stays loaded, and an empty file is removed.
async fn keep_columns(fingerprint: &str) {
    for at_most in [KEPT_TRACES, 1] {
        let Some(columns) = with(|state| state.engine.columns(fingerprint)).flatten() else { break };
        if keep(fingerprint, columns, at_most).await.is_ok() {
            return;
        }
    }
    // Another tab may have stored it completely.
    if kept(fingerprint).await.is_ok_and(|file| file.size() == 0.0) {
        let _ = throw_out(fingerprint).await;
    }
}

/// Stores the columns of a trace, and keeps at most this many traces.
async fn keep(fingerprint: &str, columns: Vec<Vec<u8>>, at_most: usize) -> Result<(), JsValue> {
    make_room(fingerprint, at_most).await?;
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let handle = await_any(&directory().await?.get_file_handle_with_options(fingerprint, &options)).await?;
    let handle: FileSystemFileHandle = handle.unchecked_into();
    let file: FileSystemWritableFileStream = await_any(&handle.create_writable()).await?.unchecked_into();
    // The browser copies each write; small copies do not accumulate.
    for part in columns {
        await_any(&file.write_with_u8_array(&part)?).await?;
    }
    await_any(&file.close()).await?;
    Ok(())
}

/// Removes stored traces until one more fits within the limit.
async fn make_room(fingerprint: &str, at_most: usize) -> Result<(), JsValue> {
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
    for name in others.iter().skip(at_most - 1) {
        // Fails for a trace that another tab is writing, which stays.
        let _ = throw_out(name).await;
    }
    Ok(())
}

async fn throw_out(name: &str) -> Result<(), JsValue> {
    await_any(&directory().await?.remove_entry(name)).await.map(drop)
}

async fn kept(fingerprint: &str) -> Result<Blob, JsValue> {
    let handle: FileSystemFileHandle =
        await_any(&directory().await?.get_file_handle(fingerprint)).await?.unchecked_into();
    Ok(await_any(&handle.get_file()).await?.unchecked_into())
}
