//! The map as a table.

use tiebreak_app::Outcome;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_model::{Phase as HostPhase, Readiness};
use tiebreak_sim::{LifeByte, MachineByte};
use tiebreak_view::failures;
use yew::prelude::*;

use super::colouring::Colouring;
use super::frames::Frame;
use super::words;

/// The number of racks in the table.
const TABLE_RACKS: usize = 200;

/// The columns of the table.
const HEADS: [&str; 7] = [
    mark("Cluster"),
    mark("Rack"),
    mark("Machines"),
    mark("Empty"),
    mark("Cores in use"),
    mark("Not ready"),
    mark("Commit failed"),
];

/// The map as a table, rack by rack.
pub(super) fn table(frame: Frame<'_>, colours: Colouring, live: &Outcome, moment: f64) -> Html {
    let Frame { fullness: bytes, lives, .. } = frame;
    let shares = frame.shares(colours);
    let classes = if colours == Colouring::Class { &live.layout.classes[..] } else { &[] };
    let of_lives = |part: &[u8]| -> Html {
        let phase = |phase| part.iter().filter(|byte| LifeByte(**byte).phase() == phase).count();
        let classes = (0..).zip(classes).map(|(class, _)| words::of_class(part, class));
        let cells = [phase(HostPhase::Open), phase(HostPhase::Recycling)].into_iter().chain(classes);
        html! { { for cells.map(|count| html! { <td>{ count }</td> }) } }
    };
    let more = [tr("open"), tr("recycling")].into_iter().map(str::to_owned).chain(classes.iter().map(tell));
    let mut more: Vec<String> = if classes.is_empty() { Vec::new() } else { more.collect() };
    let largest = if colours == Colouring::Draw { tr("Highest share drawn") } else { tr("Fullest uplink") };
    more.extend((!shares.is_empty()).then(|| largest.to_owned()));
    let racks =
        live.layout.clusters.iter().flat_map(|cluster| cluster.racks.iter().map(move |rack| (&cluster.name, *rack)));
    let failed = failures::at(live, moment).map_or(&[][..], |failed| &failed.machines);
    let row = |(index, (cluster, (first, machines))): (usize, (&String, (u32, u32)))| {
        let part = bytes.get(first as usize..(first + machines) as usize).unwrap_or(&[]);
        let empty = words::machines(part).filter(|machine| machine.is_empty()).count();
        let unready = words::machines(part).filter(|machine| machine.readiness() != Readiness::Ready).count();
        let used: f64 = words::machines(part).map(MachineByte::cores_in_use).sum();
        let share = 100.0 * used / f64::from(machines.max(1));
        let failed = failed.iter().filter(|machine| (first..first + machines).contains(machine)).count();
        html! { <tr><td>{ cluster }</td><td>{ index }</td><td>{ say("{first} to {}", &[&first, &(first + machines - 1)]) }</td><td>{ empty }</td><td>{ format!("{share:.0} %") }</td><td>{ unready }</td><td>{ failed }</td>
        if !classes.is_empty() { { of_lives(lives.get(first as usize..(first + machines) as usize).unwrap_or(&[])) } }
        if !shares.is_empty() { <td>{ format!("{:.0} %", 100.0 * words::fullest(shares.get(first as usize..(first + machines) as usize).unwrap_or(&[]))) }</td> }</tr> }
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Fleet map: data table")}><table>
            <thead><tr>{ for HEADS.iter().map(|head| html! { <th scope="col">{ tr(head) }</th> }) }
                { for more.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
            <tbody>{ for racks.enumerate().take(TABLE_RACKS).map(row) }</tbody>
        </table></div>
    }
}
