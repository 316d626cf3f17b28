//! The page's end of the connection to the engine's worker.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Object, Reflect, Uint8Array};
use tiebreak_engine::{Command, Reply};
use tiebreak_i18n::{say, tr};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, File, MessageEvent, Worker};

use crate::locks;
use crate::parts::save;
use crate::places;

/// A message from the worker.
pub(crate) enum Said {
    /// A reply, with the fill level of every machine if it includes that.
    Reply(Box<Reply>, Option<Vec<u8>>),
    /// The worker ended, with the reason.
    Died(String),
    /// The worker ended before it was ready: its files could not be loaded or used.
    NotBegun(String),
}

/// A running worker; dropping it ends it.
pub(crate) struct EngineLink {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
    /// Messages held back until the worker says that it is ready.
    waiting: Option<Vec<Object>>,
    /// The lock that the worker holds while it runs.
    lock: String,
    is_wanted: Rc<Cell<bool>>,
}

impl EngineLink {
    /// Starts the worker at the address that index.html names.
    pub(crate) fn start(tell: impl Fn(Said) + Clone + 'static) -> Result<Self, JsValue> {
        let address = places::named("worker").ok_or("index.html does not name the worker")?;
        let worker = Worker::new(&address)?;
        let (tell_error, lock, is_wanted) = (tell.clone(), lock_name(), Rc::new(Cell::new(true)));
        let (held, wanted, wanted_still) = (lock.clone(), is_wanted.clone(), is_wanted.clone());
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let message = event.data();
            if let Some(file) = get(&message, "save") {
                let name = get(&message, "name").and_then(|name| name.as_string()).unwrap_or_default();
                let _ = save::file(&name, file.unchecked_ref());
            } else if get(&message, "held").is_some() {
                watch(&held, wanted.clone(), tell.clone());
            } else if let Some(said) = understand(&message) {
                tell(said);
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            // Later messages are consequences of its first error.
            if wanted_still.replace(false) {
                tell_error(Said::Died(reason(&event)));
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _on_message: on_message, _on_error: on_error, waiting: Some(Vec::new()), lock, is_wanted })
    }

    /// Whether the worker has said that it is ready.
    pub(crate) fn is_ready(&self) -> bool {
        self.waiting.is_none()
    }

    /// Handles the worker's message that it is ready.
    pub(crate) fn ready(&mut self) {
        let hello = Object::new();
        set(&hello, "traces", &places::address("traces").into());
        set(&hello, "lock", &self.lock.as_str().into());
        self.post(&hello);
        for message in self.waiting.take().unwrap_or_default() {
            self.post(&message);
        }
    }

    /// Sends a command, with its file or bytes.
    pub(crate) fn send(&mut self, command: &Command, file: Option<&File>, bytes: Option<&[u8]>) {
        let message = Object::new();
        if let Ok(body) = postcard::to_allocvec(command) {
            set(&message, "body", &Uint8Array::from(&body[..]));
        }
        if let Some(file) = file {
            set(&message, "file", file);
        }
        if let Some(bytes) = bytes {
            set(&message, "bytes", &Uint8Array::from(bytes));
        }
        self.pass(message);
    }

    fn pass(&mut self, message: Object) {
        match &mut self.waiting {
            Some(waiting) => waiting.push(message),
            None => self.post(&message),
        }
    }

    fn post(&self, message: &Object) {
        // Fails only for values that cannot be copied; commands and files can.
        let _ = self.worker.post_message(message);
    }
}

impl Drop for EngineLink {
    fn drop(&mut self) {
        self.is_wanted.set(false);
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn lock_name() -> String {
    let mut bytes = [0; 8];
    let _ = getrandom::fill(&mut bytes);
    format!("tiebreak engine {:016x}", u64::from_le_bytes(bytes))
}

/// Reports a worker that ended without a message, for example because the browser reclaimed its memory. A worker that
/// throws reports its own error.
fn watch(lock: &str, wanted: Rc<Cell<bool>>, tell: impl Fn(Said) + 'static) {
    locks::when_free(lock, move || {
        if wanted.replace(false) {
            tell(Said::Died(tr("The browser stopped it, probably because memory ran short.").into()));
        }
    });
}

/// Why a worker ended, for the user. A panic has its own message (`web/src/bin/worker.rs`).
fn reason(event: &ErrorEvent) -> String {
    const NO_MEMORY: [&str; 4] = ["unreachable", "out of memory", "allocation failed", "allocation size overflow"];
    // If a file is missing, the event is a plain `Event` without a message.
    let Some(said) = get(event, "message").and_then(|said| said.as_string()).filter(|said| !said.is_empty()) else {
        return tr("The server did not deliver its files.").into();
    };
    let words = said.to_lowercase();
    if !words.contains("panicked") && NO_MEMORY.iter().any(|no_memory| words.contains(no_memory)) {
        return say(
            "It ran out of memory (the browser said: {said}). Use fewer machines or VMs, or keep only a part of the \
             trace.",
            &[&said],
        );
    }
    said
}

fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined())
}

fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

fn understand(message: &JsValue) -> Option<Said> {
    let body = get(message, "body")?;
    let frames = get(message, "frames").map(|frames| frames.unchecked_into::<Uint8Array>().to_vec());
    match postcard::from_bytes(&body.unchecked_into::<Uint8Array>().to_vec()) {
        Ok(reply) => Some(Said::Reply(Box::new(reply), frames)),
        Err(error) => Some(Said::Died(format!("the engine sent an invalid answer: {error}"))),
    }
}
