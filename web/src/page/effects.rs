//! Effects that the application requests, and replies of the engines.

use std::cell::Cell;

use tiebreak_app::{Effect, Message};
use tiebreak_engine::protocol::Reply;

use super::{Page, keeping};
use crate::engine_link::Said;
use crate::parts::panel::News;

impl Page {
    /// Passes a message to the application, and carries out its effects.
    pub(super) fn tell(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
    }

    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { lane, command } => self.workers.send(lane, &command, None),
                Effect::Close { lane } => {
                    self.workers.close(lane);
                    self.forget(lane);
                }
                Effect::SaveDraft(document) if self.embed.is_none() => self.save_draft(document),
                Effect::SaveDraft(_) => {}
                Effect::SaveRuns(text) => self.keep(keeping::RUNS, &text),
                Effect::SaveLesson(text) => self.keep(keeping::LESSON, &text),
                Effect::KeepSearch { .. } | Effect::ForgetSearch if self.embed.is_some() => {}
                Effect::KeepSearch { at, text } => self.keep_search(at, &text),
                Effect::ForgetSearch => keeping::forget_search(),
                Effect::ForgetFrames { lane } => self.forget(lane),
            }
        }
    }

    fn forget(&mut self, lane: u32) {
        let sent = self.panels.hear(&News::Forget(lane), &self.link, &self.app);
        self.obey(sent);
    }

    /// Handles a worker's message; returns whether anything on the page changed.
    pub(super) fn hear(&mut self, lane: u32, said: Said) -> bool {
        let were_whole = self.workers.are_whole();
        match self.workers.hear(lane, said, self.app.front.id) {
            Some(Said::Reply(reply, frames)) => self.take_in(lane, reply, frames),
            Some(Said::Died(reason)) => self.tell(Message::EngineEnded { lane, reason, had_begun: true }),
            Some(Said::NotBegun(reason)) => self.tell(Message::EngineEnded { lane, reason, had_begun: false }),
            None => return were_whole != self.workers.are_whole(),
        }
        true
    }

    /// Handles a reply from a lane's engine, with the fill level of every machine if it includes that.
    pub(super) fn take_in(&mut self, lane: u32, reply: Box<Reply>, frames: Option<Vec<u8>>) {
        if let (Reply::Placements { .. }, Some(bytes)) = (&*reply, &frames) {
            self.workers.placements.clone_from(bytes);
        }
        let news = News::Reply { lane, reply: &reply, bytes: &Cell::new(frames) };
        let sent = self.panels.hear(&news, &self.link, &self.app);
        self.tell(Message::Engine(reply));
        self.obey(sent);
    }
}
