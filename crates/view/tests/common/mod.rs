//! Page and engine in one process, connected directly.

use tiebreak_app::{App, Effect, Message};
use tiebreak_engine::{Engine, Reply};
use tiebreak_scenario::Document;

pub(crate) struct Session {
    pub(crate) app: App,
    engine: Engine,
}

impl Session {
    /// A page that opened with this document, after its run.
    pub(crate) fn open(document: Document) -> Self {
        let (app, effects) = App::open(document);
        let mut session = Self { app, engine: Engine::new() };
        session.carry_out(effects);
        session.settle();
        session
    }

    pub(crate) fn does(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
    }

    /// Until the engine has nothing left to do.
    pub(crate) fn settle(&mut self) {
        while self.engine.is_running() {
            let replies = self.engine.work(true);
            self.hear(replies);
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Send { command, .. } = effect {
                let replies = self.engine.handle(command);
                self.hear(replies);
            }
        }
    }

    fn hear(&mut self, replies: Vec<Reply>) {
        replies.into_iter().for_each(|reply| self.does(Message::Engine(Box::new(reply))));
    }
}
