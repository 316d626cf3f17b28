//! Power, below the charts: budgets and settings, the results of a run, and servers to try capping on.

use tiebreak_app::{App, Asking, Message};
use tiebreak_engine::questions::judge_draws::JudgeDraws;
use tiebreak_engine::questions::power_of_run::PowerOfRun;
use tiebreak_engine::questions::try_capping::TryCapping;
use tiebreak_engine::words::help;
use tiebreak_i18n::{mark, tr};
use tiebreak_lesson::Control;
use tiebreak_model::{Declared, Param};
use tiebreak_sim::PowerSettings;
use tiebreak_view::power;
use web_sys::{Event, HtmlInputElement};
use yew::prelude::*;

use super::exhibits::{ExhibitMessage, Exhibits};
use super::field::{Field, NumberRange, number};
use super::form;
use super::panel::{Frame, Link, News, Own, Panel, Scene, Sent};

/// The range of the budget of a server for trying capping.
const BUDGET: Param = TryCapping::DECLARATION.params[2];

/// Messages of the region.
pub(crate) enum PowerMessage {
    /// A part of an exhibit is opened or closed.
    Exhibit(ExhibitMessage),
    /// Change the servers to try.
    Try(Box<dyn Fn(&mut TryCapping)>),
    /// A file of power draws or CPU readings was opened.
    Draws(Vec<u8>),
}

impl Own for PowerMessage {}

/// The region's own state.
#[derive(Default)]
pub(crate) struct PowerPanel {
    exhibits: Exhibits,
    ask: TryCapping,
}

impl Panel for PowerPanel {
    type Message = PowerMessage;

    const ID: &'static str = "power";
    const TITLE: &'static str = mark("Power");
    const FRAME: Frame = Frame::Region(mark("Power and capping"));
    const CONTROL: Option<Control> = Some(Control::Power);

    fn is_needed(app: &App) -> bool {
        power::is_asked(app)
    }

    fn summary(app: &App) -> String {
        power::in_short(app)
    }

    fn update(&mut self, message: PowerMessage, _: &Link, _: &App) -> Vec<Sent> {
        match message {
            PowerMessage::Exhibit(message) => self.exhibits.update(&message),
            PowerMessage::Try(change) => {
                change(&mut self.ask);
                if BUDGET.allows(self.ask.budget_w) {
                    return vec![self.asking()];
                }
            }
            PowerMessage::Draws(file) => {
                return vec![Message::Question(Asking::new(&JudgeDraws {}).of_file(file)).into()];
            }
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, app: &App) -> Vec<Sent> {
        match news {
            News::Opened(true) if app.answers.last::<TryCapping>().is_none() => vec![self.asking()],
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Scene { app, width, .. } = *scene;
        let exhibits = app.front.live.as_ref().map_or(&[][..], |live| live.exhibits::<PowerOfRun>());
        let tell = link.callback(PowerMessage::Exhibit);
        let told = |at: usize, told| self.exhibits.told(&tell, exhibits.len() + at, told, width);
        html! {
            <>
                <p class="hint">{ help(PowerSettings::DECLARATION.help) }</p>
                { form::group(link, tr("power draw"), app.variant(), "power") }
                { for exhibits.iter().enumerate().map(|(at, exhibit)| self.exhibits.view(&tell, at, exhibit, width)) }
                if !exhibits.is_empty() { { draws(link) } }
                { told(0, app.answers.last::<JudgeDraws>()) }
                { told(1, app.answers.last::<TryCapping>()) }
                { self.servers(link) }
            </>
        }
    }
}

impl PowerPanel {
    /// The question about the effect of capping on these servers.
    fn asking(&self) -> Sent {
        Message::Question(Asking::new(&self.ask)).into()
    }

    /// The servers to try capping on.
    fn servers(&self, link: &Link) -> Html {
        let ask = self.ask;
        let flag = |name: &'static str, on: bool, set: fn(&mut TryCapping, bool)| {
            let onchange = link.callback(move |event: Event| {
                let on = event.target_unchecked_into::<HtmlInputElement>().checked();
                PowerMessage::Try(Box::new(move |ask| set(ask, on)))
            });
            html! { <label class="field flag"><input type="checkbox" checked={on} {onchange} /><span>{ name }</span></label> }
        };
        let take = link.batch_callback(|text: String| {
            let watts = number(&text)?;
            Some(PowerMessage::Try(Box::new(move |ask| ask.budget_w = watts)))
        });
        html! {
            <div class="group">
                <label class="field"><span>{ tr("Budget of a server") }</span><span class="entry">
                    <Field label={tr("Budget of a server")} number={NumberRange::by(5.0, BUDGET.min, BUDGET.max)} value={ask.budget_w.to_string()} {take} /><span class="unit">{ "W" }</span></span></label>
                { flag(tr("A whole chassis"), ask.whole_chassis, |ask, on| ask.whole_chassis = on) }
                { flag(tr("Both kinds of VMs on every server"), ask.balanced, |ask, on| ask.balanced = on) }
            </div>
        }
    }
}

/// The control that opens a history of power draws or CPU readings.
fn draws(link: &Link) -> Html {
    let input = form::file_field(link, tr("Your own power readings"), tr("File with power readings"), |bytes| {
        PowerMessage::Draws(bytes).into()
    });
    html! {
        <p class="group">{ input }
            <span class="muted">{ tr("a CSV with a column watts, or CPU readings as in the Azure traces, which show which VMs are user-facing") }</span></p>
    }
}
