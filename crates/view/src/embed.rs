//! A single chart, or the film of one decision, embedded in another web page.
//!
//! `?embed=EmptyHosts` before the `#` of a link requests the chart: the metric's id goes to the server, the scenario
//! does not. `?embed=film` requests the film of the VM at the end of the link, `&vm=3609939`; so the VM does not go
//! there either.

use tiebreak_app::{App, OF_VM, Phase};
use tiebreak_i18n::{say, tell, tr};
use tiebreak_sim::{METRICS, metrics};

use crate::naming::told;
use crate::{compare, verdict};

/// The prefix of a metric's id in an address.
const ASKED: &str = "embed=";

/// The value that requests the film instead of a metric.
const FILM: &str = "film";

/// The pieces that can be embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A chart, by its index in the list of metrics.
    Chart(usize),
    /// The film of the selected VM's decision.
    Film,
}

/// The request in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// The piece to show.
    pub piece: Piece,
    /// The message if there is no metric of that name.
    pub note: Option<String>,
}

impl Embed {
    /// The request in an address from `?` on; `None` for the whole page.
    #[must_use]
    pub fn asked(query: &str) -> Option<Self> {
        let id = query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix(ASKED))?;
        if id == FILM {
            return Some(Self { piece: Piece::Film, note: None });
        }
        let found = metrics::index_of(id);
        let metric = found.unwrap_or(0);
        let note = found.is_none().then(|| {
            let short: String = id.chars().take(40).collect();
            say("Unknown chart \"{short}\"; showing {} instead.", &[&short, &tr(METRICS[metric].declaration.title)])
        });
        Some(Self { piece: Piece::Chart(metric), note })
    }
}

/// The VM whose film can be embedded: the explained one, if it was decided and no lesson asks about it.
#[must_use]
pub fn vm_of_film(app: &App) -> Option<&str> {
    let is_told = !app.front.answer.attempts.is_empty() && !app.hides_result();
    is_told.then_some(app.selection.vm.as_str())
}

/// The HTML that embeds a piece of a link; `vm` is the VM of a film.
#[must_use]
pub fn frame(piece: Piece, vm: &str, scenario: &str, link: &str) -> String {
    let (page, fragment) = link.split_once('#').unwrap_or((link, ""));
    let (id, of_vm, title, height) = match piece {
        Piece::Chart(metric) => {
            let declaration = METRICS[metric].declaration;
            (declaration.id, String::new(), declaration.title.to_owned(), CHART_HEIGHT)
        }
        Piece::Film => (FILM, format!("{OF_VM}{vm}"), format!("How VM {vm} was placed"), FILM_HEIGHT),
    };
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{height}\" style=\"border:0\" loading=\"lazy\"></iframe>",
        quoted(&format!("{page}?{ASKED}{id}#{fragment}{of_vm}")),
        quoted(&format!("{title}: {scenario}"))
    )
}

/// Heights that need no scrolling in windows from 360 CSS pixels on.
const CHART_HEIGHT: u32 = 330;
const FILM_HEIGHT: u32 = 540;

/// As the value of an HTML attribute.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// The result, or why there is none, in one sentence.
#[must_use]
pub fn sentence(app: &App, piece: Piece) -> String {
    match (&app.front.phase, app.against(), &app.front.live) {
        (Phase::NeedsTrace { name, .. }, ..) => say(
            "This runs on the trace {name}, which links do not contain. Open it in Tiebreak and load the file there.",
            &[&name],
        ),
        (Phase::Costly { told, .. }, ..) | (Phase::Failed(told), ..) => tell(told),
        _ if piece == Piece::Film => of_film(app),
        (_, Some(against), _) => compare::verdict(&app.front, against, None),
        (_, None, Some(live)) if live.result.is_some() => verdict::sentence(live, None),
        _ => tr("Running…").into(),
    }
}

/// The outcome of the VM.
fn of_film(app: &App) -> String {
    let answer = &app.front.answer;
    match (&answer.message, answer.attempts.last()) {
        (Some(message), _) => told(message),
        (None, Some(last)) => told(&last.sentence),
        _ if app.selection.vm.is_empty() => {
            say("The address of this film names no VM; it ends with {vm}.", &[&format!("{OF_VM}123")])
        }
        _ => tr("Running…").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_asks_for_a_chart_by_its_id() {
        let density = metrics::index_of("PackingDensity").expect("a metric");
        for query in ["?embed=PackingDensity", "?a=b&embed=PackingDensity", "embed=PackingDensity&c"] {
            assert_eq!(Embed::asked(query), Some(Embed { piece: Piece::Chart(density), note: None }), "{query}");
        }
        for query in ["", "?", "?embedded=1", "?a=embed=EmptyHosts"] {
            assert_eq!(Embed::asked(query), None, "{query}");
        }
    }

    #[test]
    fn a_film_is_asked_for_by_its_link_and_no_vm_goes_to_the_server() {
        assert_eq!(Embed::asked("?embed=film"), Some(Embed { piece: Piece::Film, note: None }));
        let frame = frame(Piece::Film, "7", "Small", "https://host/x/#2.p.small");
        assert!(frame.starts_with("<iframe src=\"https://host/x/?embed=film#2.p.small&amp;vm=7\" "), "{frame}");
        assert!(frame.contains(" title=\"How VM 7 was placed: Small\" "), "{frame}");
    }

    #[test]
    fn a_name_that_no_metric_has_falls_back_to_the_first_and_says_so() {
        for id in ["", "Nothing", "emptyhosts"] {
            let embed = Embed::asked(&format!("?embed={id}")).expect("asked for");
            let note = embed.note.expect("a note");
            assert_eq!(embed.piece, Piece::Chart(0));
            assert!(note.contains(&format!("\"{id}\"")) && note.ends_with("Empty hosts instead."), "{note}");
        }
    }

    #[test]
    fn the_frame_has_the_chart_of_the_link_and_its_names_cannot_leave_it() {
        let frame = frame(Piece::Chart(1), "", "A \"B\" & <c>", "https://host/x/#2.d.AA");
        assert!(frame.starts_with("<iframe src=\"https://host/x/?embed=PackingDensity#2.d.AA\" "), "{frame}");
        assert!(frame.contains(" title=\"Packing density: A &quot;B&quot; &amp; &lt;c>\" "), "{frame}");
    }
}
