//! Custom rules: new ones, copies of known ones, and the evaluation of the edited one.

use tiebreak_engine::questions::try_rule::{NO_MACHINE, TryRule};
use tiebreak_lesson::Control;
use tiebreak_placement::Group;
use tiebreak_placement::custom::{Bounds, Definition, Subject};
use tiebreak_scenario::custom::custom;
use tiebreak_scenario::gallery::{self, GalleryRule};
use tiebreak_scenario::{GALLERY, RuleRow, Variant};

use super::{App, Asking, Edit, Effect, Phase};

/// A run, its progress, and the other inputs of the evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tried {
    run: u32,
    rests: bool,
    rule: u32,
    machine: Option<u32>,
    vm: String,
}

impl App {
    /// Whether custom rules may be edited: always, except in a lesson whose step does not unlock it.
    #[must_use]
    pub fn edits_rules(&self) -> bool {
        self.lesson.as_ref().is_none_or(|playing| playing.shows(Control::Editor))
    }

    /// The custom rule being edited, and its index in the list.
    #[must_use]
    pub fn edited_rule(&self) -> Option<(usize, &RuleRow)> {
        let id = self.selection.rule.as_ref().filter(|_| self.edits_rules())?;
        let row = self.variant().rules.iter().enumerate().find(|(_, row)| row.id == *id);
        row.filter(|(_, row)| row.custom.is_some())
    }

    /// Adds a new rule at the end of a stage, and starts editing it.
    pub(crate) fn new_rule(&mut self, group: Group) -> Vec<Effect> {
        let id = free_name(self.variant(), "MyRule");
        let row = RuleRow::of_custom(custom(&id, template(self.variant(), group)));
        let effects = self.edit(&Edit::PutRule { id: id.clone(), row: Box::new(row) });
        self.selection.rule = Some(id);
        effects
    }

    /// Replaces a built-in rule by an equivalent custom rule, and starts editing it.
    pub(crate) fn copy_rule(&mut self, id: &str) -> Vec<Effect> {
        let name = free_name(self.variant(), &format!("My{id}"));
        let effects = self.edit(&Edit::CopyRule { id: id.to_owned(), name: name.clone() });
        self.selection.rule = Some(name);
        effects
    }

    /// Keeps editing a rule that is renamed.
    pub(crate) fn follow_rule(&mut self, edit: &Edit) {
        match edit {
            Edit::PutRule { id, row } if self.selection.rule.as_ref() == Some(id) => {
                self.selection.rule = Some(row.id.clone());
            }
            Edit::RemoveRule { id } if self.selection.rule.as_ref() == Some(id) => self.selection.rule = None,
            _ => {}
        }
    }

    /// Evaluates the edited rule on the machines: once when a run has decided anything, and once when it stops.
    pub(crate) fn try_rule(&mut self) -> Option<Effect> {
        // The evaluation is part of the run, which a lesson may still hide.
        let (rule, _) = self.edited_rule().filter(|_| !self.hides_result())?;
        let run = self.front.live.as_ref().map(|live| live.run).filter(|run| *run == self.front.run)?;
        let rests = matches!(self.front.phase, Phase::Finished | Phase::Paused);
        if self.front.decided.0 == 0 {
            return None;
        }
        let (machine, vm) = (self.selection.machine, self.selection.vm.clone());
        let tried = Tried { run, rests, rule: rule as u32, machine, vm };
        if self.tried == tried {
            return None;
        }
        self.tried = tried.clone();
        let question = TryRule { rule: tried.rule, machine: machine.unwrap_or(NO_MACHINE) };
        self.ask(Asking::new(&question).of_text(&tried.vm))
    }
}

/// The gallery rules of a stage.
pub fn known_rules(group: Group) -> impl Iterator<Item = &'static GalleryRule> {
    GALLERY.iter().filter(move |rule| rule.definition().group() == group)
}

/// A similar name that no rule has.
#[must_use]
pub fn free_name(variant: &Variant, like: &str) -> String {
    let is_free = |name: &String| variant.rules.iter().all(|row| row.id != *name);
    let numbered = (2..).map(|number| format!("{like}{number}"));
    std::iter::once(like.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// The initial content of a new rule of a stage.
fn template(variant: &Variant, group: Group) -> Definition {
    let most_cores = variant.clusters.iter().map(|row| row.settings.cores).fold(1.0, f64::max);
    let (of, expression, bounds) = match group {
        Group::ClusterValidators => (Subject::Cluster, "cluster.cores_free >= vm.cores", None),
        Group::ClusterPreferences => (Subject::Cluster, "cluster.cores_used", Some((1.0, true))),
        Group::MachineValidators => (Subject::Machine, "machine.memory_free >= vm.memory", None),
        Group::MachinePreferences => (Subject::Machine, "machine.cores_free - vm.cores", Some((most_cores, false))),
    };
    let bounds = bounds.map(|(to, higher_is_better)| Bounds { from: 0.0, to, higher_is_better });
    Definition { help: String::new(), of, parameters: Vec::new(), expression: expression.into(), bounds }
}

/// Whether a built-in rule can be copied as an expression.
#[must_use]
pub fn can_be_copied(id: &str) -> bool {
    gallery::find(id).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use tiebreak_scenario::PRESETS;

    fn app() -> App {
        App::open((PRESETS[0].make)()).0
    }

    fn row<'a>(app: &'a App, id: &str) -> Option<&'a RuleRow> {
        app.variant().rules.iter().find(|row| row.id == id)
    }

    #[test]
    fn a_new_rule_of_every_stage_stands_and_is_edited() {
        let mut app = app();
        for (group, name) in Group::ALL.into_iter().zip(["MyRule", "MyRule2", "MyRule3", "MyRule4"]) {
            assert!(!app.update(Message::NewRule(group)).is_empty(), "it runs");
            let (_, row) = app.edited_rule().expect("it is edited");
            assert_eq!((row.id.as_str(), row.group(), row.on), (name, Some(group), true));
            row.custom.as_ref().expect("it is a custom one").definition().program().expect("it stands");
        }
        app.update(Message::Undo);
        assert_eq!(app.edited_rule(), None, "nothing that is not there is edited");
    }

    #[test]
    fn a_copy_takes_the_place_of_its_original() {
        let mut app = app();
        let before = row(&app, "BestFit").expect("it is there").clone();
        app.update(Message::CopyRule("BestFit".into()));
        let rules = &app.variant().rules;
        let at = rules.iter().position(|row| row.id == "MyBestFit").expect("it is there");
        assert_eq!((rules[at - 1].id.as_str(), rules[at - 1].on), ("BestFit", false));
        assert_eq!((rules[at].on, rules[at].buckets), (true, before.buckets));
        app.update(Message::Undo);
        assert_eq!(row(&app, "BestFit"), Some(&before));
        assert!(row(&app, "MyBestFit").is_none());
    }

    #[test]
    fn a_rule_is_renamed_and_removed() {
        let mut app = app();
        app.update(Message::NewRule(Group::MachinePreferences));
        app.update(Message::Edit(Edit::set("rules.MyRule.buckets", 4)));
        let definition = row(&app, "MyRule").and_then(|row| row.custom.as_ref()).expect("custom").definition().clone();
        let put = |id: &str, name: &str| {
            let row = Box::new(RuleRow::of_custom(custom(name, definition.clone())));
            Message::Edit(Edit::PutRule { id: id.into(), row })
        };
        app.update(put("MyRule", "FewestCoresLeft"));
        assert_eq!(
            app.edited_rule().map(|(_, row)| (row.id.as_str(), row.buckets)),
            Some(("FewestCoresLeft", Some(4)))
        );
        app.update(put("FewestCoresLeft", "BestFit"));
        assert!(row(&app, "FewestCoresLeft").is_some(), "another rule has that name");
        app.update(Message::Edit(Edit::RemoveRule { id: "FewestCoresLeft".into() }));
        assert!(app.edited_rule().is_none() && row(&app, "FewestCoresLeft").is_none());
    }
}
