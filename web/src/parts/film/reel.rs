//! Plays the film frame by frame on the canvas alone; the page is rendered again only when the shot changes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use tiebreak_view::film::At;

use super::FilmMessage;
use super::stage::Stage;
use crate::parts::media;
use crate::parts::panel::Link;

/// The player of a film.
#[derive(Default)]
pub(super) struct Reel {
    elapsed_ms: Cell<f64>,
    /// When the last frame was drawn, in the browser's time.
    drawn_at: Cell<Option<f64>>,
    /// The requested frame, while it plays.
    frame: RefCell<Option<AnimationFrame>>,
    /// The step that the user looks at: the machines left after it are shown instead.
    pub(super) looked_at: Cell<Option<u8>>,
    stage: RefCell<Option<Stage>>,
    /// What the stage shows, to avoid painting it again.
    painted: Cell<Option<(At, Option<u8>)>>,
}

/// Whether animation is allowed on the page.
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

    /// Continues from the current moment.
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

    /// Replaces or removes the stage.
    pub(super) fn set_stage(&self, stage: Option<Stage>) {
        self.stage.replace(stage);
        self.painted.set(None);
    }

    /// Paints the moment, or the step that the user looks at.
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

    /// A late frame advances the film by at most a tenth of a second, as in the player of a run.
    fn tick(self: &Rc<Self>, now: f64, link: &Link) {
        // This frame was requested before the film was stopped.
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

    /// Returns whether the shot changes, and whether the film is over; `None` without a stage.
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
