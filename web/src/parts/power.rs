//! Power below the charts: budgets and settings, what a run says of them, and servers to try capping on.

use tiebreak_i18n::{tell, tr};
use tiebreak_lab::protocol::{Exhibit, PowerAsk};
use tiebreak_lab::view::power;
use tiebreak_lab::view::words::help;
use tiebreak_lab::{App, Message};
use tiebreak_model::{Declared, Phrase};
use tiebreak_sim::PowerSettings;
use web_sys::{Event, HtmlInputElement};
use yew::html::Scope;
use yew::prelude::*;

use super::exhibits::{ExhibitMessage, Exhibits};
use super::field::{Field, NumberRange, number};
use super::form;
use crate::page::{Page, PageMessage};

/// Watts a server that can be tried.
const WATTS: (f64, f64) = (120.0, 310.0);

/// What happens in the region.
pub(crate) enum PowerMessage {
    /// It is opened or closed.
    Fold,
    /// Something of an exhibit is.
    Exhibit(ExhibitMessage),
    /// Other servers are to be tried.
    Try(Box<dyn Fn(&mut PowerAsk)>),
    /// A file of draws or of CPU readings was given.
    Draws(Vec<u8>),
}

/// The region's own state.
pub(crate) struct PowerPanel {
    open: bool,
    exhibits: Exhibits,
    ask: PowerAsk,
}

impl Default for PowerPanel {
    fn default() -> Self {
        let ask = PowerAsk { whole_chassis: false, balanced: true, budget_w: 230.0 };
        Self { open: false, exhibits: Exhibits::default(), ask }
    }
}

impl PowerPanel {
    /// Takes in what happened; what the application is to be told.
    pub(crate) fn update(&mut self, message: &PowerMessage, app: &App) -> Option<Message> {
        match message {
            PowerMessage::Fold => self.open = !self.open,
            PowerMessage::Exhibit(message) => self.exhibits.update(message),
            PowerMessage::Try(change) => change(&mut self.ask),
            PowerMessage::Draws(file) => return Some(Message::Draws(file.clone())),
        }
        let asks = match message {
            PowerMessage::Fold => self.open && app.tried.is_none(),
            PowerMessage::Try(_) => (WATTS.0..=WATTS.1).contains(&self.ask.budget_w),
            _ => false,
        };
        asks.then_some(Message::TryCapping(self.ask))
    }

    /// The region: a line in short, and below it, when it is open, everything.
    pub(crate) fn view(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        let fold = link.callback(|_| PageMessage::Power(PowerMessage::Fold));
        let exhibits = app.front.live.as_ref().map_or(&[][..], |live| &live.power);
        let opened = link.callback(|message| PageMessage::Power(PowerMessage::Exhibit(message)));
        let told = |at: usize, told: &Option<Result<Box<Exhibit>, Phrase>>| match told {
            Some(Ok(exhibit)) => self.exhibits.view(&opened, exhibits.len() + at, exhibit, width),
            Some(Err(why)) => html! { <p class="notice">{ tell(why) }</p> },
            None => Html::default(),
        };
        html! {
            <section class="anatomy" aria-label={tr("Power")}>
                <h2><button class="fold" aria-expanded={self.open.to_string()} onclick={fold}>{ tr("Power and capping") }</button>
                    <span class="muted">{ power::in_short(app) }</span></h2>
                if self.open {
                    <p class="hint">{ help(PowerSettings::DECLARATION.help) }</p>
                    { form::group(link, tr("power"), app.variant(), "power") }
                    { for exhibits.iter().enumerate().map(|(at, exhibit)| self.exhibits.view(&opened, at, exhibit, width)) }
                    if !exhibits.is_empty() { { draws(link) } }
                    { told(0, &app.drawn) }
                    { told(1, &app.tried) }
                    { self.servers(link) }
                }
            </section>
        }
    }

    /// What to try capping on.
    fn servers(&self, link: &Scope<Page>) -> Html {
        let ask = self.ask;
        let flag = |name: &'static str, on: bool, set: fn(&mut PowerAsk, bool)| {
            let onchange = link.callback(move |event: Event| {
                let on = event.target_unchecked_into::<HtmlInputElement>().checked();
                PageMessage::Power(PowerMessage::Try(Box::new(move |ask| set(ask, on))))
            });
            html! { <label class="field flag"><input type="checkbox" checked={on} {onchange} /><span>{ name }</span></label> }
        };
        let take = link.batch_callback(|text: String| {
            let watts = number(&text)?;
            Some(PageMessage::Power(PowerMessage::Try(Box::new(move |ask| ask.budget_w = watts))))
        });
        html! {
            <div class="group">
                <label class="field"><span>{ tr("Budget of a server") }</span><span class="entry">
                    <Field label={tr("Budget of a server")} number={NumberRange::by(5.0, WATTS.0, WATTS.1)} value={ask.budget_w.to_string()} {take} /><span class="unit">{ "W" }</span></span></label>
                { flag(tr("A whole chassis"), ask.whole_chassis, |ask, on| ask.whole_chassis = on) }
                { flag(tr("Both kinds of VMs on every server"), ask.balanced, |ask, on| ask.balanced = on) }
            </div>
        }
    }
}

/// The control that takes a history of draws, or CPU readings.
fn draws(link: &Scope<Page>) -> Html {
    let input = form::file_field(link, tr("Draws or readings of your own"), tr("File of draws or readings"), |bytes| {
        PageMessage::Power(PowerMessage::Draws(bytes))
    });
    html! {
        <p class="group">{ input }
            <span class="muted">{ tr("a CSV with a column watts, or CPU readings as in the Azure traces, which tell who is user-facing") }</span></p>
    }
}
