//! The list of decisions in words: its contents, the position of a page, and messages before it is available.

use tiebreak_app::{App, Phase};
use tiebreak_engine::protocol::{Decided, Decisions, Which};
use tiebreak_engine::questions::list_decisions::{ListDecisions, ROWS};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tell, tr};

/// Displayed digits of a tenant's number.
const TENANT_DIGITS: usize = 8;

/// The title of a list of decisions.
#[must_use]
pub fn title(which: Which) -> &'static str {
    match which {
        Which::All => tr("All"),
        Which::Placed => tr("Placed"),
        Which::Refused => tr("Refused"),
        Which::Collided => tr("Collided"),
    }
}

/// The number of VMs in a list.
#[must_use]
pub fn count(decisions: &Decisions, which: Which) -> u32 {
    Which::ALL.iter().zip(decisions.counts).find(|(it, _)| **it == which).map_or(0, |(_, count)| count)
}

/// `1 to 25 of 13,521`.
#[must_use]
pub fn position(decisions: &Decisions, which: Which) -> String {
    let (before, rows, all) = (decisions.page * ROWS, decisions.rows.len() as u32, count(decisions, which));
    match rows {
        0 => tr("No VM matches.").into(),
        _ => {
            let [first, last, all] = [before + 1, before + rows, all].map(|number| words::count(number.into()));
            say("{first} to {last} of {all}", &[&first, &last, &all])
        }
    }
}

/// Whether another page follows.
#[must_use]
pub fn has_next(decisions: &Decisions, which: Which) -> bool {
    (decisions.page + 1) * ROWS < count(decisions, which)
}

/// A tenant's number, shortened to its first digits if long; these are enough to find it.
#[must_use]
pub fn tenant(decided: &Decided) -> String {
    match decided.tenant.get(..TENANT_DIGITS) {
        Some(first) if decided.tenant.len() > TENANT_DIGITS => format!("{first}…"),
        _ => decided.tenant.clone(),
    }
}

/// When a VM was requested.
#[must_use]
pub fn asked_at(decided: &Decided) -> String {
    decided.at_ms.map_or_else(|| tr("before the trace").into(), words::time)
}

/// The message above the list or instead of it: why it is missing, or not of this run.
#[must_use]
pub fn hint(app: &App) -> Option<String> {
    let is_of_run = |decisions: &Decisions| app.front.live.as_ref().is_some_and(|live| live.run == decisions.run);
    let listed = app.decisions();
    match &app.front.phase {
        Phase::Failed(_) if listed.is_some() => {
            Some(tr("This scenario cannot run. These are the decisions of the last run.").into())
        }
        Phase::Failed(_) => Some(tr("This scenario cannot run, so there are no decisions.").into()),
        _ if !app.lists_decisions() && listed.is_some() => {
            Some(tr("The next run is under way. These are the decisions of the last run.").into())
        }
        _ if !app.lists_decisions() => Some(tr("Decisions are listed when the run is over or paused.").into()),
        _ => match app.answers.told::<ListDecisions>() {
            Some(Err(why)) => Some(tell(why)),
            _ if listed.is_some_and(is_of_run) => None,
            _ => Some(tr("Listing the decisions ...").into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::Phrase;

    fn vm(tenant: &str) -> Decided {
        Decided {
            vm: "1".into(),
            tenant: tenant.into(),
            at_ms: None,
            demand: Phrase::default(),
            outcome: Phrase::default(),
            machine: None,
            tries: 1,
            waited_ms: None,
        }
    }

    #[test]
    fn a_page_says_where_it_stands() {
        let page = |page, rows| Decisions { run: 1, counts: [13_521, 60, 0, 3], page, rows: vec![vm("1"); rows] };
        assert_eq!(position(&page(0, 25), Which::All), "1 to 25 of 13,521");
        assert_eq!(position(&page(2, 10), Which::Placed), "51 to 60 of 60");
        assert_eq!(position(&page(0, 0), Which::Refused), "No VM matches.");
        assert!(has_next(&page(1, 25), Which::Placed) && !has_next(&page(2, 10), Which::Placed));
        assert!(!has_next(&page(0, 0), Which::Refused));
    }

    #[test]
    fn long_tenants_are_cut() {
        let shown = ["7", "12345678", "1234567890123"].map(|it| tenant(&vm(it)));
        assert_eq!(shown, ["7", "12345678", "12345678…"]);
        assert_eq!(asked_at(&vm("7")), "before the trace");
        assert_eq!(asked_at(&Decided { at_ms: Some(60_000.0), ..vm("7") }), "00:01:00");
    }
}
