//! Virtual datacenters, below the charts: how VMs are linked, the capacity of the network, and how much bandwidth
//! links may have at most to fit.

use tiebreak_app::{App, Edit, Message};
use tiebreak_engine::protocol::VdcProfile;
use tiebreak_engine::words::{self, help};
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::Control;
use tiebreak_model::Declared;
use tiebreak_sim::{NetworkSettings, Vdcs};
use tiebreak_view::network::{self, Asked, BoundRow, GUARD};
use yew::prelude::*;

use super::field::{Field, NumberRange};
use super::form;
use super::panel::{Frame, Link, Own, Panel, Scene, Sent};

/// The inputs of the calculation: name, unit, minimum and maximum.
const FIELDS: [(&str, &str, f64, f64); 4] = [
    (mark("Largest uplink of a machine"), "Gbit/s", 0.0, 1e6),
    (mark("Concurrent VMs of a VDC"), mark("VMs"), 1.0, 1e6),
    (mark("VMs of a VDC on one machine"), mark("VMs"), 1.0, 1e6),
    (mark("Cores of the largest VM"), mark("cores"), 0.001, 1e4),
];

/// Messages of the region.
pub(crate) enum NetworkMessage {
    /// Change a number of the calculation; `None` restores the scenario's.
    Ask(usize, Option<f64>),
}

impl Own for NetworkMessage {}

/// The region's own state.
#[derive(Default)]
pub(crate) struct NetworkPanel {
    /// Numbers that replace the scenario's.
    asked: [Option<f64>; 4],
}

impl Panel for NetworkPanel {
    type Message = NetworkMessage;

    const ID: &'static str = "network";
    const TITLE: &'static str = mark("Virtual datacenters");
    const FRAME: Frame = Frame::Region(mark("Virtual datacenters and the network"));
    const CONTROL: Option<Control> = Some(Control::Network);

    fn is_needed(app: &App) -> bool {
        network::is_linked(app)
    }

    fn summary(app: &App) -> String {
        network::in_short(app)
    }

    fn update(&mut self, NetworkMessage::Ask(field, number): NetworkMessage, _: &Link, _: &App) -> Vec<Sent> {
        self.asked[field] = number;
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let is_linked = network::is_linked(app);
        let profile = app.front.live.as_ref().and_then(|live| live.vdcs.as_deref());
        html! {
            <>
                <p class="hint">{ network::about(app) }</p>
                if let Some(problem) = network::problem(app) { <p class="notice">{ problem }</p> }
                if is_linked && !network::is_guarded(app) { { offer(link) } }
                { settings(link, app) }
                if let Some(profile) = profile { { sizes(profile) } }
                { self.calculator(link, app) }
            </>
        }
    }
}

impl NetworkPanel {
    /// The bounds, with numbers that can be changed without changing the scenario.
    fn calculator(&self, link: &Link, app: &App) -> Html {
        let own = network::of_scenario(app);
        let asked: Asked = std::array::from_fn(|at| self.asked[at].unwrap_or(own[at]));
        let bounds = network::bounds(asked);
        let field = |(at, (name, unit, min, max)): (usize, &(&'static str, &'static str, f64, f64))| {
            let (min, max) = (*min, *max);
            let take = link.callback(move |text: String| {
                let number = text.trim().parse().ok().filter(|number| (min..=max).contains(number));
                NetworkMessage::Ask(at, number)
            });
            let (value, name) = (if asked[at].is_finite() { asked[at] } else { 0.0 }, tr(name));
            html! {
                <label class="field"><span>{ name }</span><span class="entry">
                    <Field label={name} number={NumberRange::any(min, max)} value={value.to_string()} {take} />
                    <span class="unit">{ tr(unit) }</span></span></label>
            }
        };
        let row = |BoundRow { what, formula, mbps, binds }: &BoundRow| {
            html! { <tr class={binds.then_some("limiting")}><th scope="row">{ *what }</th><td class="number">{ mbps }</td><td>{ if *binds { tr("limiting") } else { "" } }</td><td class="meaning">{ formula }</td></tr> }
        };
        let bpc = bounds.as_ref().map(|bounds| network::bpc_mbps(asked, bounds)).filter(|_| network::is_linked(app));
        let use_it = |bpc: u64| {
            let onclick = link.callback(move |_: MouseEvent| Message::Edit(Edit::set("vdcs.bpc_mbps", bpc)));
            html! { <p><button {onclick}>{ say("Use {bpc} Mbit/s per core", &[&words::count(bpc as f64)]) }</button></p> }
        };
        html! {
            <>
                <h3>{ tr("What always fits") }</h3>
                <div class="fields">{ for FIELDS.iter().enumerate().map(field) }</div>
                if let Some(bounds) = &bounds {
                    <div class="table" tabindex="0" role="region" aria-label={tr("Bounds on the bandwidth of a link")}><table>
                        <thead><tr><th scope="col">{ tr("Load of an uplink") }</th><th scope="col">{ tr("Mbit/s per link") }</th><td></td><th scope="col">{ tr("Computed from") }</th></tr></thead>
                        <tbody>{ for network::rows(asked, bounds).iter().map(row) }</tbody>
                    </table></div>
                }
                <p class="hint">{ network::verdict(asked, bounds.as_ref()) }</p>
                if let Some(bpc) = bpc.filter(|bpc| *bpc != u64::from(app.variant().vdcs.bpc_mbps)) { { use_it(bpc) } }
                if self.asked != [None; 4] {
                    <p><button class="quiet" onclick={link.batch_callback(|_: MouseEvent| (0..FIELDS.len()).map(|at| NetworkMessage::Ask(at, None)).collect::<Vec<_>>())}>{ tr("Use the scenario's numbers") }</button></p>
                }
            </>
        }
    }
}

/// The button shown if VMs are linked and no rule checks bandwidth.
fn offer(link: &Link) -> Html {
    let onclick = link.callback(|_: MouseEvent| Message::Edit(Edit::use_rule(GUARD, true)));
    html! {
        <p class="notice">{ tr("No rule checks bandwidth, so links are only counted and uplinks may be overbooked.") }{ " " }
            <button {onclick}>{ say("Switch {GUARD} on", &[&GUARD]) }</button></p>
    }
}

/// The links of VMs and the capacity of the network, next to each other.
fn settings(link: &Link, app: &App) -> Html {
    html! {
        <div class="pair">
            <div>
                { form::group(link, tr("virtual datacenters"), app.variant(), "vdcs") }
                <p class="hint">{ help(Vdcs::DECLARATION.help) }</p>
            </div>
            <div>
                { form::group(link, tr("the network"), app.variant(), "network") }
                <p class="hint">{ network::oversubscription(app) }{ " " }{ help(NetworkSettings::DECLARATION.help) }</p>
            </div>
        </div>
    }
}

/// The sizes of VDCs: bars that are also a table.
fn sizes(profile: &VdcProfile) -> Html {
    let most = profile.by_size.iter().copied().max().unwrap_or(1).max(1);
    let row = |(size, vdcs): &(String, u32)| {
        let share = 100.0 * f64::from(*vdcs) / f64::from(most);
        html! {
            <tr><th scope="row">{ size }</th>
                <td class="wide-bar"><span class="left-bar" aria-hidden="true"><span style={format!("width:{share:.1}%")}></span></span></td>
                <td class="number">{ words::count(f64::from(*vdcs)) }</td></tr>
        }
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Peak sizes")}><table>
            <caption>{ network::profile(profile) }</caption>
            <thead><tr><th scope="col">{ tr("Concurrent VMs") }</th><td></td><th scope="col">{ tr("VDCs") }</th></tr></thead>
            <tbody>{ for network::sizes(profile).iter().map(row) }</tbody>
        </table></div>
    }
}
