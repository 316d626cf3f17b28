//! Plays a finished run as an animation along its timeline.

use gloo::render::{AnimationFrame, request_animation_frame};
use tiebreak_app::{App, Message};
use tiebreak_i18n::{mark, tr};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::panel::{Link, Sent};

/// Simulated hours per second.
const SPEEDS: [(f64, &str); 5] = [
    (1.0, mark("1 h per second")),
    (6.0, mark("6 h per second")),
    (24.0, mark("1 day per second")),
    (72.0, mark("3 days per second")),
    (168.0, mark("1 week per second")),
];

const MS_PER_HOUR: f64 = 3_600_000.0;

/// Messages of the player.
pub(crate) enum PlayerMessage {
    /// Play, or stop.
    Toggle,
    /// Change the speed, by index in the list.
    Speed(usize),
    /// The browser is about to paint, at this time of its own clock in milliseconds.
    Frame(f64),
}

/// The state of the player.
pub(crate) struct Player {
    /// The requested frame, while it plays.
    frame: Option<AnimationFrame>,
    /// When the last frame was drawn.
    drawn_at: Option<f64>,
    speed: usize,
}

impl Default for Player {
    fn default() -> Self {
        Self { frame: None, drawn_at: None, speed: 2 }
    }
}

impl Player {
    /// Returns the message for the application. A late frame advances the time by at most a tenth of a second, so
    /// that a tab that was in the background continues where it was.
    pub(super) fn update(&mut self, message: &PlayerMessage, link: &Link, app: &App) -> Vec<Sent> {
        let cursor = match message {
            PlayerMessage::Toggle if self.frame.is_some() => {
                self.stop();
                None
            }
            PlayerMessage::Toggle => {
                let over = app.cursor_ms.is_none_or(|at| at >= end(app));
                self.ask(link);
                over.then_some(Some(0.0))
            }
            PlayerMessage::Speed(speed) => {
                self.speed = (*speed).min(SPEEDS.len() - 1);
                None
            }
            // This frame was requested before the player was stopped.
            PlayerMessage::Frame(_) if self.frame.is_none() => None,
            PlayerMessage::Frame(now) => {
                let passed_s =
                    self.drawn_at.replace(*now).map_or(0.0, |before| ((now - before) / 1_000.0).clamp(0.0, 0.1));
                let at = app.moment() + passed_s * SPEEDS[self.speed].0 * MS_PER_HOUR;
                if at >= end(app) {
                    self.stop();
                    Some(None)
                } else {
                    self.ask(link);
                    Some(Some(at))
                }
            }
        };
        cursor.map(|at| Message::Cursor(at).into()).into_iter().collect()
    }

    fn ask(&mut self, link: &Link) {
        let link = link.clone();
        self.frame = Some(request_animation_frame(move |now| link.send(PlayerMessage::Frame(now))));
    }

    fn stop(&mut self) {
        (self.frame, self.drawn_at) = (None, None);
    }

    /// The player's button and speed.
    pub(crate) fn view(&self, link: &Link, app: &App) -> Html {
        if app.front.result().is_none() {
            return Html::default();
        }
        let choose = link.callback(|event: Event| {
            let speed = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            PlayerMessage::Speed(usize::try_from(speed).unwrap_or(0))
        });
        let option = |(index, (_, label)): (usize, &(f64, &'static str))| {
            html! { <option selected={index == self.speed}>{ tr(label) }</option> }
        };
        let toggle = link.callback(|_: MouseEvent| PlayerMessage::Toggle);
        html! {
            <span class="group player">
                <button onclick={toggle}>{ if self.frame.is_some() { tr("Stop") } else { tr("Play") } }</button>
                <select aria-label={tr("Speed")} onchange={choose}>{ for SPEEDS.iter().enumerate().map(option) }</select>
            </span>
        }
    }
}

fn end(app: &App) -> f64 {
    app.front.live.as_ref().map_or(0.0, |live| live.horizon_ms)
}
