//! `RaiseClusterLimit` (Protean section 6.3, "Adapting to COVID-19 capacity crunch").

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::declare::value_or_default;
use tiebreak_model::{Time, declare};
use tiebreak_placement::{RuleUse, rules};

use super::zone::Zone;
use super::{Incident, Kind};

/// The rule with the limit.
const RULE: &str = "IsClusterBelowLimit";

declare! {
    /// From this moment the limit of `IsClusterBelowLimit` is higher, in every cluster.
    ///
    /// Azure did this in March 2020: it sold 1 percent more of each cluster, at the cost of a smaller buffer for
    /// growing tenants and failing machines. Without the rule, it has no effect. (Protean section 6.3)
    pub struct RaiseClusterLimit as "Cluster limit raised" {
        /// How many points the limit goes up; it stays at most 100 %.
        points: f64 = 1, 0 => 100, "points";
    }
}

impl Kind for RaiseClusterLimit {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(self)
    }
}

impl Incident for RaiseClusterLimit {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        zone.raise_cluster_limit(self.points);
        None
    }
}

/// A policy with its limit raised by this many points; `None` if it has no limit.
pub(crate) fn with_limit_raised(mut list: Vec<RuleUse>, points: f64) -> Option<Vec<RuleUse>> {
    let rule = list.iter_mut().find(|rule| rule.id == RULE)?;
    let params = rules::find(RULE)?.declaration.params;
    let limit = params.iter().position(|param| param.name == "limit")?;
    let raised = (value_or_default(params, &rule.values, limit) + points).min(params[limit].max);
    let missing = params.iter().skip(rule.values.len()).map(|param| param.default);
    rule.values.extend(missing);
    rule.values[limit] = raised;
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::{Trial, incident};

    #[test]
    fn more_of_each_cluster_is_sold_from_then_on() {
        // Sixteen cores, of which half may be sold, and two waves of four VMs of four cores.
        for (points, placed) in
            [(&[][..], 2), (&[0.0], 2), (&[1.0], 3), (&[25.0, 0.0], 3), (&[20.0, 6.0], 4), (&[99.0], 4)]
        {
            let trial =
                Trial::new(4, 2).rule("IsClusterBelowLimit", &[50.0]).vms(4, 4, (10, 2_000)).vms(4, 4, (90, 2_000));
            let trial = Trial { agents: crate::plan::Agents { count: 1, ..trial.agents }, ..trial };
            let incidents: alloc::vec::Vec<_> =
                points.iter().map(|points| incident(60, &RaiseClusterLimit { points: *points })).collect();
            assert_eq!(trial.run(&incidents).summary().placements, placed, "{points:?}");
        }
    }

    #[test]
    fn without_a_limit_nothing_changes() {
        let mut trial = Trial::new(4, 2).vms(4, 4, (10, 2_000));
        trial.rules.retain(|rule| rule.id != RULE);
        let with = trial.run(&[incident(5, &RaiseClusterLimit { points: 5.0 })]);
        assert_eq!(with.summary().digest, trial.run(&[]).summary().digest);
    }

    #[test]
    fn a_plan_that_has_run_is_as_it_was() {
        let trial = Trial::new(4, 2).rule("IsClusterBelowLimit", &[50.0]).vms(4, 4, (90, 2_000));
        let world = trial.run(&[incident(60, &RaiseClusterLimit { points: 50.0 })]);
        let mut again = crate::world::World::new(world.plan().clone());
        again.run();
        assert_eq!(again.summary().digest, world.summary().digest);
    }
}
