//! A page whose variants and background runs have an engine each, in one process.

use std::collections::{BTreeMap, VecDeque};

use tiebreak_app::{App, Effect, Message, POOL};
use tiebreak_engine::{Command, Engine, Reply};
use tiebreak_scenario::Document;

pub(crate) struct Page {
    pub(crate) app: App,
    pub(crate) engines: BTreeMap<u32, Engine>,
    pub(crate) wire: VecDeque<Reply>,
    placements: Vec<u8>,
    /// The largest number of engines in the pool at one time.
    pub(crate) pool: usize,
    /// The kept lines of the search for a better list.
    pub(crate) kept: Vec<String>,
}

impl Page {
    pub(crate) fn open(document: Document) -> Self {
        let (mut app, effects) = App::open(document);
        app.use_engines(3);
        let mut page = Self::of(app);
        page.carry_out(effects);
        page.settle();
        page
    }

    /// A page in this state, without engines.
    pub(crate) fn of(app: App) -> Self {
        let (engines, wire) = (BTreeMap::new(), VecDeque::new());
        Self { app, engines, wire, placements: Vec::new(), pool: 0, kept: Vec::new() }
    }

    pub(crate) fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { lane, command: Command::Differ { run, other } } => {
                    let bytes = std::mem::take(&mut self.placements);
                    let replies = self.engines.get(&lane).expect("a lane that ran").differ(run, other, &bytes);
                    self.wire.extend(replies);
                }
                Effect::Send { lane, command } => {
                    let engine = self.engines.entry(lane).or_default();
                    let replies = engine.handle(command);
                    if replies.iter().any(|reply| matches!(reply, Reply::Placements { .. })) {
                        self.placements = engine.placement_bytes();
                    }
                    self.wire.extend(replies);
                }
                Effect::Close { lane } => drop(self.engines.remove(&lane)),
                Effect::KeepSearch { at, text } => {
                    self.kept.truncate(at);
                    self.kept.push(text);
                }
                Effect::ForgetSearch => self.kept.clear(),
                Effect::SaveDraft(_) | Effect::SaveLesson(_) | Effect::SaveRuns(_) | Effect::ForgetFrames { .. } => {}
            }
        }
        self.pool = self.pool.max(self.engines.keys().filter(|lane| **lane >= POOL).count());
    }

    pub(crate) fn does(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
        self.settle();
    }

    pub(crate) fn settle(&mut self) {
        while self.go_on() {}
    }

    /// Delivers messages, and lets one engine work a little. Returns whether any did.
    pub(crate) fn go_on(&mut self) -> bool {
        while let Some(reply) = self.wire.pop_front() {
            let effects = self.app.update(Message::Engine(Box::new(reply)));
            self.carry_out(effects);
        }
        let Some(engine) = self.engines.values_mut().find(|engine| engine.is_running()) else { return false };
        let replies = engine.work(true);
        self.wire.extend(replies);
        true
    }
}
