//! The engine's answers, shown unchanged: a title, sentences, a table with expandable rows, a drawing with its
//! numbers.

use tiebreak_app::Answered;
use tiebreak_engine::protocol::{Exhibit, ExhibitRow};
use tiebreak_i18n::{tell, tr};
use tiebreak_view::exhibits;
use yew::prelude::*;

/// Height of a drawing in CSS pixels.
const HEIGHT: u32 = 170;

/// A part of a region's exhibits to open or close, by index.
pub(crate) enum ExhibitMessage {
    /// A row of an exhibit.
    Row(usize, usize),
    /// The table of a drawing.
    Table(usize),
}

/// The open parts of the exhibits.
#[derive(Default)]
pub(crate) struct Exhibits {
    row: Option<(usize, usize)>,
    table: Option<usize>,
}

impl Exhibits {
    /// Opens what is closed, and closes what is open.
    pub(crate) fn update(&mut self, message: &ExhibitMessage) {
        match *message {
            ExhibitMessage::Row(exhibit, row) => self.row = Some((exhibit, row)).filter(|to| self.row != Some(*to)),
            ExhibitMessage::Table(exhibit) => self.table = Some(exhibit).filter(|to| self.table != Some(*to)),
        }
    }

    /// An answer, with its exhibits numbered from an index of the region; or why there is none.
    pub(crate) fn told(
        &self,
        opened: &Callback<ExhibitMessage>,
        from: usize,
        told: Option<&Answered>,
        width: u32,
    ) -> Html {
        match told {
            Some(Ok(answer)) => {
                let view = |(at, exhibit)| self.view(opened, from + at, exhibit, width);
                answer.exhibits.iter().enumerate().map(view).collect()
            }
            Some(Err(why)) => html! { <p class="notice">{ tell(why) }</p> },
            None => Html::default(),
        }
    }

    /// The exhibit at an index of the region.
    pub(crate) fn view(&self, opened: &Callback<ExhibitMessage>, at: usize, exhibit: &Exhibit, width: u32) -> Html {
        let fold = opened.reform(move |_: MouseEvent| ExhibitMessage::Table(at));
        // A drawing contains its title.
        let is_drawing = exhibit.plot.is_some() && exhibit.head.is_empty();
        let said = || exhibit.said.iter().map(|said| html! { <p class="hint">{ tell(said) }</p> }).collect::<Html>();
        html! {
            <>
                if !is_drawing { <h3>{ tell(&exhibit.title) }</h3> }
                if !is_drawing { { said() } }
                if !exhibit.head.is_empty() {
                    <div class="table" tabindex="0" role="region" aria-label={tell(&exhibit.title)}><table>
                        <thead><tr>{ for exhibit.head.iter().enumerate().map(|(at, head)| html! { <th scope="col" class={(at > 0).then_some("number")}>{ tell(head) }</th> }) }</tr></thead>
                        <tbody>{ for exhibit.rows.iter().enumerate().map(|(nth, row)| self.row(opened, (at, nth), row)) }</tbody>
                    </table></div>
                }
                if let Some(plot) = exhibits::plot(exhibit) {
                    <figure class="chart" aria-label={plot.title.clone()}>
                        { Html::from_html_unchecked(plot.svg(width, HEIGHT, &plot.title).into()) }
                        <figcaption><button class="quiet" aria-expanded={(self.table == Some(at)).to_string()} onclick={fold}>
                            { if self.table == Some(at) { tr("Hide data table") } else { tr("Show data table") } }</button></figcaption>
                        if self.table == Some(at) { { super::charts::rows(&plot.title, &plot.table()) } }
                    </figure>
                }
                if is_drawing { { said() } }
            </>
        }
    }

    fn row(&self, opened: &Callback<ExhibitMessage>, place: (usize, usize), row: &ExhibitRow) -> Html {
        let open = self.row == Some(place);
        let onclick = opened.reform(move |_: MouseEvent| ExhibitMessage::Row(place.0, place.1));
        let name = row.cells.first().map(tell).unwrap_or_default();
        let cells = row.cells.iter().skip(1).map(|cell| html! { <td class="number">{ tell(cell) }</td> });
        html! {
            <>
                <tr><th scope="row">if row.more.is_empty() { { name } } else { <button class="quiet" aria-expanded={open.to_string()} {onclick}>{ name }</button> }</th>{ for cells }</tr>
                if open { <tr><td class="meaning" colspan={row.cells.len().to_string()}>{ for row.more.iter().map(|said| html! { <p>{ tell(said) }</p> }) }</td></tr> }
            </>
        }
    }
}
