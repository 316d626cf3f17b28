//! One chart alone, inside somebody else's page.
//!
//! `?embed=EmptyHosts` before the `#` of a link asks for it: the metric's id goes to the server, the
//! scenario does not.

use tiebreak_app::{App, Phase};
use tiebreak_i18n::{say, tell, tr};
use tiebreak_sim::{METRICS, metrics};

use crate::{compare, verdict};

/// What stands before a metric's id in an address.
const ASKED: &str = "embed=";

/// One chart that an address asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// Its place in the list of metrics.
    pub metric: usize,
    /// What to say when there is no metric of that name.
    pub note: Option<String>,
}

impl Embed {
    /// What the part of an address from `?` on asks for; nothing of the whole page's.
    #[must_use]
    pub fn asked(query: &str) -> Option<Self> {
        let id = query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix(ASKED))?;
        let found = metrics::index_of(id);
        let metric = found.unwrap_or(0);
        let note = found.is_none().then(|| {
            let short: String = id.chars().take(40).collect();
            say("Unknown chart \"{short}\"; showing {} instead.", &[&short, &tr(METRICS[metric].declaration.title)])
        });
        Some(Self { metric, note })
    }
}

/// What to paste into another page to have this chart of a link in it.
#[must_use]
pub fn frame(metric: usize, scenario: &str, link: &str) -> String {
    let declaration = METRICS[metric].declaration;
    let (page, fragment) = link.split_once('#').unwrap_or((link, ""));
    let title = format!("{}: {scenario}", declaration.title);
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"330\" style=\"border:0\" loading=\"lazy\"></iframe>",
        quoted(&format!("{page}?{ASKED}{}#{fragment}", declaration.id)),
        quoted(&title)
    )
}

/// As the value of an HTML attribute.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// What came out, or why nothing did, in a sentence.
#[must_use]
pub fn sentence(app: &App) -> String {
    match (&app.front.phase, app.against(), &app.front.live) {
        (Phase::NeedsTrace { name, .. }, ..) => say(
            "This runs on the trace {name}, which links do not contain. Open it in Tiebreak and load the file there.",
            &[&name],
        ),
        (Phase::Costly { told, .. }, ..) | (Phase::Failed(told), ..) => tell(told),
        (_, Some(against), _) => compare::verdict(&app.front, against, None),
        (_, None, Some(live)) if live.result.is_some() => verdict::sentence(live, None),
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
            assert_eq!(Embed::asked(query), Some(Embed { metric: density, note: None }), "{query}");
        }
        for query in ["", "?", "?embedded=1", "?a=embed=EmptyHosts"] {
            assert_eq!(Embed::asked(query), None, "{query}");
        }
    }

    #[test]
    fn a_name_that_no_metric_has_falls_back_to_the_first_and_says_so() {
        for id in ["", "Nothing", "emptyhosts"] {
            let embed = Embed::asked(&format!("?embed={id}")).expect("asked for");
            let note = embed.note.expect("a note");
            assert_eq!(embed.metric, 0);
            assert!(note.contains(&format!("\"{id}\"")) && note.ends_with("Empty hosts instead."), "{note}");
        }
    }

    #[test]
    fn the_frame_has_the_chart_of_the_link_and_its_names_cannot_leave_it() {
        let frame = frame(1, "A \"B\" & <c>", "https://host/x/#2.d.AA");
        assert!(frame.starts_with("<iframe src=\"https://host/x/?embed=PackingDensity#2.d.AA\" "), "{frame}");
        assert!(frame.contains(" title=\"Packing density: A &quot;B&quot; &amp; &lt;c>\" "), "{frame}");
    }
}
