//! The published lists of lifetime rules, each over a list without them. (LAVA sections 2.4, 4.2 and 4.3; DVLA,
//! OSDI 2026)

use tiebreak_placement::Group;

use crate::document::{RuleRow, Variant};
use crate::incident::IncidentRow;

/// A published list of lifetime rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifetimeRules {
    /// Lifetime alignment with two classes, by LAVA's account of Barbalho et al.
    LaBinary,
    /// LAVA's temporal cost alone.
    Nilas,
    /// Temporal cost, and above it the hosts' lifetime classes.
    Lava,
    /// Affinity to the hosts of long-lived VMs, and daily migrations.
    Dvla,
}

impl LifetimeRules {
    /// All of them, in the order of their publication.
    pub const ALL: [Self; 4] = [Self::LaBinary, Self::Nilas, Self::Lava, Self::Dvla];

    /// The name in the papers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LaBinary => "LA-Binary",
            Self::Nilas => "NILAS",
            Self::Lava => "LAVA",
            Self::Dvla => "DVLA",
        }
    }

    /// Its rules, the lowest first.
    const fn rules(self) -> &'static [&'static str] {
        match self {
            Self::LaBinary => &["LifetimeAlignmentBinary"],
            Self::Nilas => &["TemporalCost"],
            Self::Lava => &["TemporalCost", "LavaHostClass"],
            Self::Dvla => &["DebtAwareAffinity"],
        }
    }

    /// The baseline with its rules just above the rule that packs, and without its migrations.
    #[must_use]
    pub fn list(self, baseline: &Variant) -> Variant {
        let mut variant = baseline.clone();
        let mut below = packing(baseline);
        for rule in self.rules() {
            put_above(&mut variant, rule, below);
            below = rule;
        }
        variant
    }

    /// The incidents that belong to it: DVLA's migrations, from the start on.
    #[must_use]
    pub fn incidents(self) -> Vec<IncidentRow> {
        match self {
            Self::LaBinary | Self::Nilas | Self::Lava => Vec::new(),
            Self::Dvla => IncidentRow::plain("RectifyPlacementDebt", 0.0).into_iter().collect(),
        }
    }

    /// The baseline with all of it: in place of the lifetime rules and migrations that the baseline has.
    #[must_use]
    pub fn instead_of_others(self, baseline: &Variant) -> Variant {
        let is_of_any = |row: &RuleRow| Self::ALL.iter().any(|it| it.rules().contains(&row.id.as_str()));
        let mut bare = baseline.clone();
        bare.rules.iter_mut().filter(|row| is_of_any(row)).for_each(|row| row.on = false);
        bare.incidents.retain(|row| Self::ALL.iter().all(|it| it.incidents().iter().all(|own| own.id != row.id)));
        let mut variant = self.list(&bare);
        variant.incidents.extend(self.incidents());
        variant
    }
}

/// The rule of a list that packs.
fn packing(variant: &Variant) -> &'static str {
    let is_on = |id: &&str| variant.rules.iter().any(|row| row.id == **id && row.on);
    ["WasteMinimization", "BestFit"].into_iter().find(is_on).unwrap_or("BestFit")
}

/// Switches a machine preference on, just above another one.
///
/// # Panics
/// If the list has no such rule.
pub fn put_above(variant: &mut Variant, rule: &str, other: &str) {
    let others = variant.rules_of(Group::MachinePreferences).filter(|row| row.id != rule);
    let place = others.take_while(|row| row.id != other).count();
    assert!(variant.move_rule(rule, place), "a rule of the list");
    variant.rules.iter_mut().filter(|row| row.id == rule).for_each(|row| row.on = true);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_above_packing(variant: &Variant) -> Vec<&str> {
        let rows = variant.rules_of(Group::MachinePreferences).filter(|row| row.on);
        let mut above: Vec<&str> = rows.map(|row| row.id.as_str()).take_while(|id| *id != "BestFit").collect();
        above.reverse();
        above
    }

    #[test]
    fn its_rules_are_just_above_the_one_that_packs() {
        let mut baseline = Variant::default();
        baseline.set("rules.WasteMinimization.on", "false").expect("a rule of the list");
        for it in LifetimeRules::ALL {
            let list = it.instead_of_others(&baseline);
            assert_eq!(on_above_packing(&list)[..it.rules().len()], *it.rules(), "{}", it.name());
            assert_eq!(list.incidents.len(), usize::from(it == LifetimeRules::Dvla), "{}", it.name());
        }
    }

    #[test]
    fn one_list_takes_the_place_of_another() {
        let baseline = Variant::default();
        let dvla = LifetimeRules::Dvla.instead_of_others(&baseline);
        assert_eq!(LifetimeRules::Dvla.instead_of_others(&dvla), dvla);
        let lava = LifetimeRules::Lava.instead_of_others(&dvla);
        assert!(lava.incidents.is_empty() && !on_above_packing(&lava).contains(&"DebtAwareAffinity"));
    }
}
