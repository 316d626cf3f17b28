//! Offline support: starts the service worker (`web/sw.js`) once the page is live, and says when the server has a
//! newer build.
//!
//! If the browser has no service workers or refuses this one, the page works without it and says nothing.

use gloo::events::EventListener;
use gloo::utils::window;
use js_sys::Reflect;
use tiebreak_i18n::{say, tr};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageEvent, ServiceWorkerContainer, ServiceWorkerRegistration};
use yew::prelude::*;

use crate::locks::{self, With};
use crate::places;

/// The service worker's address. It is next to the page, because it serves only what is below its own address.
const ADDRESS: &str = "./sw.js";

/// The page's end of the service worker, and the notice of a newer build.
#[derive(Default)]
pub(crate) struct Offline {
    registration: Option<ServiceWorkerRegistration>,
    is_newer_there: bool,
    is_leaving: bool,
    listeners: Vec<EventListener>,
}

#[derive(Clone, PartialEq, yew::Properties)]
pub(crate) struct Properties {
    /// Whether everything that the user waits for is loaded.
    pub(crate) is_live: bool,
    /// The language of the notice.
    pub(crate) language: &'static str,
}

pub(crate) enum OfflineMessage {
    /// The service worker is registered.
    Registered(ServiceWorkerRegistration),
    /// The build that the newest service worker keeps.
    Newest(String),
    /// Change to the newer build.
    Reload,
    /// Another service worker has taken over.
    TakenOver,
    Dismiss,
}

impl Component for Offline {
    type Message = OfflineMessage;
    type Properties = Properties;

    fn create(_: &Context<Self>) -> Self {
        Self::default()
    }

    fn rendered(&mut self, context: &Context<Self>, _: bool) {
        if context.props().is_live && self.listeners.is_empty() {
            self.listeners = begin(context).unwrap_or_default();
        }
    }

    fn update(&mut self, _: &Context<Self>, message: OfflineMessage) -> bool {
        match message {
            OfflineMessage::Registered(registration) => {
                self.registration = Some(registration);
                self.ask_waiting("which build");
            }
            OfflineMessage::Newest(newest) => self.is_newer_there |= newest != build(),
            OfflineMessage::Reload if self.ask_waiting("take over") => self.is_leaving = true,
            OfflineMessage::TakenOver if !self.is_leaving => return false,
            OfflineMessage::Reload | OfflineMessage::TakenOver => drop(window().location().reload()),
            OfflineMessage::Dismiss => self.is_newer_there = false,
        }
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let link = context.link();
        html! {
            <div class="news" aria-live="polite">
                if self.is_newer_there {
                    <div class="notice" role="note">
                        <div class="notice-head">
                            <strong>{ tr("A new version of this page is available") }</strong>
                            <button onclick={link.callback(|_| OfflineMessage::Reload)}>{ tr("Reload") }</button>
                            <button class="quiet" aria-label={say("Dismiss: {}", &[&tr("A new version of this page is available")])}
                                onclick={link.callback(|_| OfflineMessage::Dismiss)}>{ "×" }</button>
                        </div>
                        <ul><li>{ tr("This version keeps working until you reload it or close its last tab. Your draft is saved.") }</li></ul>
                    </div>
                }
            </div>
        }
    }
}

impl Offline {
    /// Sends a message to the service worker that waits for this build to be closed, if there is one.
    fn ask_waiting(&self, what: &str) -> bool {
        let waiting = self.registration.as_ref().and_then(ServiceWorkerRegistration::waiting);
        waiting.is_some_and(|waiting| waiting.post_message(&what.into()).is_ok())
    }
}

/// Starts the service worker and listens to it; `None` if the browser has none.
fn begin(context: &Context<Offline>) -> Option<Vec<EventListener>> {
    let found = Reflect::get(&window().navigator(), &"serviceWorker".into()).ok()?;
    let container: ServiceWorkerContainer = found.dyn_into().ok()?;
    let (link, registering) = (context.link().clone(), container.register(ADDRESS));
    spawn_local(async move {
        if let Ok(registration) = JsFuture::from(registering).await {
            link.send_message(OfflineMessage::Registered(registration.unchecked_into()));
        }
    });
    let newest =
        context.link().batch_callback(|event: MessageEvent| event.data().as_string().map(OfflineMessage::Newest));
    let taken_over = context.link().callback(|()| OfflineMessage::TakenOver);
    Some(vec![
        EventListener::new(&container, "message", move |event| newest.emit(event.clone().unchecked_into())),
        EventListener::new(&container, "controllerchange", move |_| taken_over.emit(())),
    ])
}

/// Tells all service workers that this tab has this build open, as long as it is open.
pub(crate) fn hold_build() {
    locks::hold(&format!("tiebreak {} {}", places::folder(), build()), &With::Others, || {});
}

/// The name of the build that all files of this page belong to.
fn build() -> String {
    places::named("build").unwrap_or_default()
}
