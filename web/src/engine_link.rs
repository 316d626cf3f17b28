//! The page's end of the wire to the engine's worker.

use js_sys::{Object, Reflect, Uint8Array};
use tiebreak_lab::{Command, Reply};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, File, MessageEvent, Worker};

/// What comes from the worker.
pub(crate) enum Said {
    /// A reply, with how full every machine is when it carries that.
    Reply(Box<Reply>, Option<Vec<u8>>),
    /// The worker broke.
    Died(String),
}

/// A running worker; dropping it ends it.
pub(crate) struct EngineLink {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
    /// Messages are held back until the worker says it is ready.
    waiting: Option<Vec<Object>>,
}

impl EngineLink {
    /// Starts the worker whose address index.html names.
    pub(crate) fn start(tell: impl Fn(Said) + Clone + 'static) -> Result<Self, JsValue> {
        let address = gloo::utils::document()
            .query_selector("meta[name=worker]")?
            .and_then(|meta| meta.get_attribute("content"))
            .ok_or("index.html does not name the worker")?;
        let worker = Worker::new(&address)?;
        let tell_error = tell.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(said) = understand(&event.data()) {
                tell(said);
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            tell_error(Said::Died(event.message()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _on_message: on_message, _on_error: on_error, waiting: Some(Vec::new()) })
    }

    /// The worker said it is ready.
    pub(crate) fn ready(&mut self) {
        let hello = Object::new();
        let base = gloo::utils::document().base_uri().ok().flatten().unwrap_or_default();
        let base = base.split(['#', '?']).next().unwrap_or_default().rsplit_once('/').map_or("", |(folder, _)| folder);
        set(&hello, "base", &format!("{base}/").into());
        self.post(&hello);
        for message in self.waiting.take().unwrap_or_default() {
            self.post(&message);
        }
    }

    /// Sends a command, with the file it is about.
    pub(crate) fn send(&mut self, command: &Command, file: Option<&File>) {
        let message = Object::new();
        if let Ok(body) = serde_wasm_bindgen::to_value(command) {
            set(&message, "body", &body);
        }
        if let Some(file) = file {
            set(&message, "file", file);
        }
        match &mut self.waiting {
            Some(waiting) => waiting.push(message),
            None => self.post(&message),
        }
    }

    fn post(&self, message: &Object) {
        // Fails only for what cannot be copied; commands and files can.
        let _ = self.worker.post_message(message);
    }
}

impl Drop for EngineLink {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

fn understand(message: &JsValue) -> Option<Said> {
    let body = Reflect::get(message, &"body".into()).ok().filter(|body| !body.is_undefined())?;
    let frames = Reflect::get(message, &"frames".into()).ok().filter(|frames| !frames.is_undefined());
    let frames = frames.map(|frames| frames.unchecked_into::<Uint8Array>().to_vec());
    match serde_wasm_bindgen::from_value(body) {
        Ok(reply) => Some(Said::Reply(Box::new(reply), frames)),
        Err(error) => Some(Said::Died(format!("the engine's answer was not understood: {error}"))),
    }
}
