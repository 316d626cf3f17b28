//! Plays the film: frame by frame on the canvas alone; the page is drawn again only when the shot changes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use tiebreak_view::film::At;

use super::FilmMessage;
use super::stage::Stage;
use crate::parts::media;
use crate::parts::panel::Link;

/// See the module.
#[derive(Default)]
pub(super) struct Reel {
    elapsed_ms: Cell<f64>,
    /// When a frame was drawn last, in the browser's time.
    drawn_at: Cell<Option<f64>>,
    /// Asked for while it plays.
    frame: RefCell<Option<AnimationFrame>>,
    /// The step somebody looks at: who was left after it is shown instead.
    pub(super) looked_at: Cell<Option<u8>>,
    stage: RefCell<Option<Stage>>,
    /// What the stage shows, to spare painting the same again.
    painted: Cell<Option<(At, Option<u8>)>>,
}

/// Whether things may move on the page.
pub(super) fn may_move() -> bool {
    !media("(prefers-reduced-motion: reduce)")
}

impl Reel {
    pub(super) fn is_playing(&self) -> bool {
        self.frame.borrow().is_some()
    }

    pub(super) fn elapsed_ms(&self) -> f64 {
        self.elapsed_ms.get()
    }

    /// Goes on from where it is.
    pub(super) fn play(self: &Rc<Self>, link: &Link) {
        self.drawn_at.set(None);
        self.ask(link);
    }

    pub(super) fn stop(&self) {
        self.frame.replace(None);
    }

    /// Stops at a moment.
    pub(super) fn hold(&self, elapsed_ms: f64) {
        self.stop();
        self.elapsed_ms.set(elapsed_ms);
    }

    /// Gives it another stage, or takes the one it has.
    pub(super) fn set_stage(&self, stage: Option<Stage>) {
        self.stage.replace(stage);
        self.painted.set(None);
    }

    /// Paints the moment, or what somebody looks at.
    pub(super) fn paint(&self) {
        let stage = self.stage.borrow();
        let Some(stage) = stage.as_ref() else { return };
        let (at, looked_at) = (self.shown(stage), self.looked_at.get());
        if self.painted.replace(Some((at, looked_at))) == Some((at, looked_at)) {
            return;
        }
        match looked_at {
            Some(step) => stage.paint_after(step),
            None => stage.paint(at),
        }
    }

    fn ask(self: &Rc<Self>, link: &Link) {
        let (reel, to) = (Rc::clone(self), link.clone());
        let frame = request_animation_frame(move |now| reel.tick(now, &to));
        self.frame.replace(Some(frame));
    }

    /// A frame that comes too late moves it by no more than a tenth of a second, as that of a run does.
    fn tick(self: &Rc<Self>, now: f64, link: &Link) {
        // One that was asked for before it was stopped.
        if !self.is_playing() {
            return;
        }
        let passed_ms = self.drawn_at.replace(Some(now)).map_or(0.0, |before| (now - before).clamp(0.0, 100.0));
        let Some((changed, is_over)) = self.advance(passed_ms) else { return self.ask(link) };
        self.paint();
        if is_over {
            self.stop();
        } else {
            self.ask(link);
        }
        if changed || is_over {
            link.send(FilmMessage::Moved);
        }
    }

    /// Whether another shot is shown then, and whether it is over; nothing as long as there is no stage.
    fn advance(&self, passed_ms: f64) -> Option<(bool, bool)> {
        let stage = self.stage.borrow();
        let stage = stage.as_ref()?;
        let before = self.shown(stage).index;
        let elapsed_ms = (self.elapsed_ms.get() + passed_ms).min(stage.film.length_ms());
        self.elapsed_ms.set(elapsed_ms);
        Some((self.shown(stage).index != before, elapsed_ms >= stage.film.length_ms()))
    }

    fn shown(&self, stage: &Stage) -> At {
        let elapsed_ms = self.elapsed_ms.get();
        if may_move() { stage.film.at(elapsed_ms) } else { stage.film.still_at(elapsed_ms) }
    }
}
