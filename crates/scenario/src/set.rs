//! Sets one field by its path, as in `--set PATH=VALUE`: strict, all or nothing.

use tiebreak_lifetime::PREDICTORS;
use tiebreak_model::fleet::MACHINES_MAX;
use tiebreak_model::{Declared, Param, ParamKind};

use crate::document::{
    BUCKETS, ClusterSettings, NAME_MAX, REQUIRED_RULE, RuleRow, Variant, WEIGHT, WorkloadRef, move_rule,
};
use crate::fork::{Fork, ForkSettings};
use crate::groups;
use crate::incident::AT_HOURS;
use crate::issue::{Issue, one_of, quoted, range};
use crate::predictor::PredictorRow;

impl Variant {
    /// Sets one field: `seed`, `best_clusters`, `hand_weights`, `combining`, `name`, `GROUP.FIELD` of one of
    /// [`GROUPS`](crate::GROUPS), `predictor`, `predictor.PARAMETER`, `workload.FIELD`,
    /// `inventory.clusters.INDEX.FIELD`, `rules.ID.on`, `rules.ID.buckets`, `rules.ID.weight`, `rules.ID.position`
    /// (inside its stage, from 0), `rules.ID.PARAMETER`, `rules.ID.expression` of a custom rule,
    /// `incidents.INDEX.at_hours` or `incidents.INDEX.PARAMETER`. Of a fork: `fork.from`, `fork.FIELD`,
    /// `fork.rules.ID.…` as above and `fork.before.…` like all these, or `fork` to remove it (none).
    ///
    /// # Errors
    /// If there is no such field or it does not accept this value; nothing changes then.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Issue> {
        let given = PathAndValue { path, value: value.trim() };
        let plain = path.replace('[', ".").replace(']', "");
        let mut changed = self.clone();
        match plain.split('.').collect::<Vec<_>>()[..] {
            ["name"] => changed.name = given.name()?,
            ["seed" | "best_clusters" | "hand_weights" | "combining"] => {
                changed.apply_settings(given.declared(&self.settings(), &plain)?);
            }
            [groups::PREDICTOR] => changed.predictor = given.predictor()?,
            [groups::PREDICTOR, field] => {
                let row = &mut changed.predictor;
                given.put(row.params(), &mut row.values, field, &[])?;
            }
            ["workload", field] => changed.workload = given.workload(&self.workload, field)?,
            ["inventory", "clusters", index, field] => given.cluster(&mut changed, index, field)?,
            ["rules", id, field] => given.rule(&mut changed.rules, id, field)?,
            ["incidents", index, field] => given.incident(&mut changed, index, field)?,
            ["fork", ref path @ ..] => given.fork(&mut changed.fork, path)?,
            [id, field] => given.group(&mut changed, id, field)?,
            _ => return Err(given.no_such(&fields())),
        }
        *self = changed;
        Ok(())
    }
}

/// The paths that `set` accepts; the names at their ends come from the declarations.
fn fields() -> Vec<String> {
    let of_groups = groups::names().flat_map(|id| {
        let alone = (id == groups::PREDICTOR).then(|| id.to_owned());
        alone.into_iter().chain([format!("{id}.FIELD")])
    });
    let before = ["name", "seed", "best_clusters", "hand_weights", "combining"].map(String::from);
    let behind =
        ["workload.FIELD", "inventory.clusters.INDEX.FIELD", "rules.ID.FIELD", "incidents.INDEX.FIELD", "fork.FIELD"];
    before.into_iter().chain(of_groups).chain(behind.map(String::from)).collect()
}

/// The path and the value as given.
struct PathAndValue<'a> {
    path: &'a str,
    value: &'a str,
}

impl PathAndValue<'_> {
    fn issue(&self, expected: impl Into<String>, got: String) -> Issue {
        Issue { path: self.path.into(), expected: expected.into(), got, done: "nothing was changed".into() }
    }

    fn wrong(&self, expected: impl Into<String>) -> Issue {
        self.issue(expected, quoted(self.value))
    }

    fn no_such<S: AsRef<str>>(&self, names: &[S]) -> Issue {
        let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
        self.issue(one_of(&names), format!("no field {}", quoted(self.path)))
    }

    fn name(&self) -> Result<String, Issue> {
        let fits = self.value.chars().count() <= NAME_MAX && !self.value.contains(char::is_control);
        if fits { Ok(self.value.into()) } else { Err(self.wrong(format!("at most {NAME_MAX} letters on one line"))) }
    }

    fn flag(&self) -> Option<bool> {
        match self.value {
            "true" | "on" | "1" => Some(true),
            "false" | "off" | "0" => Some(false),
            _ => None,
        }
    }

    fn number(&self, param: &Param) -> Result<f64, Issue> {
        let number = match param.kind {
            ParamKind::Flag => self.flag().map(|flag| f64::from(u8::from(flag))),
            ParamKind::Choice(_) => param.value_of_word(self.value),
            ParamKind::Integer | ParamKind::Number => self.value.parse().ok(),
        };
        number.filter(|number| param.allows(*number)).ok_or_else(|| self.wrong(range(param)))
    }

    fn index(&self, text: &str, count: usize, what: &str) -> Result<usize, Issue> {
        let index = text.parse().ok().filter(|index| *index < count);
        index.ok_or_else(|| self.issue(format!("{what} from 0 to {}", count.saturating_sub(1)), quoted(text)))
    }

    /// Sets the parameter of this name in a declared group.
    fn put(&self, params: &[Param], values: &mut [f64], field: &str, others: &[&str]) -> Result<(), Issue> {
        let Some(index) = params.iter().position(|param| param.name == field) else {
            let names: Vec<_> = others.iter().copied().chain(params.iter().map(|param| param.name)).collect();
            return Err(self.no_such(&names));
        };
        values[index] = self.number(&params[index])?;
        Ok(())
    }

    fn declared<T: Declared>(&self, settings: &T, field: &str) -> Result<T, Issue> {
        let mut values = settings.to_values();
        self.put(T::DECLARATION.params, &mut values, field, &[])?;
        Ok(T::from_values(&values))
    }

    fn group(&self, variant: &mut Variant, id: &str, field: &str) -> Result<(), Issue> {
        let group = groups::find(id).ok_or_else(|| self.no_such(&fields()))?;
        let mut values = group.values(variant);
        self.put(group.declaration.params, &mut values, field, &[])?;
        group.put(variant, &values);
        Ok(())
    }

    fn predictor(&self) -> Result<PredictorRow, Issue> {
        let ids: Vec<_> = PREDICTORS.iter().map(|entry| entry.declaration.id).collect();
        PredictorRow::plain(self.value).ok_or_else(|| self.wrong(one_of(&ids)))
    }

    fn workload(&self, workload: &WorkloadRef, field: &str) -> Result<WorkloadRef, Issue> {
        match workload {
            WorkloadRef::Generated(settings) => Ok(WorkloadRef::Generated(self.declared(settings, field)?)),
            WorkloadRef::Trace { fingerprint, name, settings } => {
                let settings = self.declared(settings, field)?;
                Ok(WorkloadRef::Trace { fingerprint: *fingerprint, name: name.clone(), settings })
            }
        }
    }

    fn cluster(&self, variant: &mut Variant, index: &str, field: &str) -> Result<(), Issue> {
        let index = self.index(index, variant.clusters.len(), "the index of a cluster,")?;
        let row = &mut variant.clusters[index];
        if field == "name" {
            row.name = self.name()?;
            return Ok(());
        }
        let mut values = row.settings.to_values();
        self.put(ClusterSettings::DECLARATION.params, &mut values, field, &["name"])?;
        row.settings = ClusterSettings::from_values(&values);
        self.check_machines(variant, index)
    }

    fn check_machines(&self, variant: &Variant, index: usize) -> Result<(), Issue> {
        let ClusterSettings { machines, racks, chassis, .. } = variant.clusters[index].settings;
        if racks > machines {
            return Err(self.wrong(format!("at most one rack per machine (here {racks} racks, {machines} machines)")));
        }
        if chassis > machines / racks {
            let least = machines / racks;
            return Err(self.wrong(format!(
                "at most one chassis per machine of a rack (here {chassis} chassis, {least} machines)"
            )));
        }
        let total: u64 = variant.clusters.iter().map(|row| u64::from(row.settings.machines)).sum();
        if total > u64::from(MACHINES_MAX) {
            return Err(self.wrong(format!("at most {MACHINES_MAX} machines in all clusters together")));
        }
        Ok(())
    }

    fn incident(&self, variant: &mut Variant, index: &str, field: &str) -> Result<(), Issue> {
        if variant.incidents.is_empty() {
            return Err(self.issue("a scenario with incidents", "one without".into()));
        }
        let index = self.index(index, variant.incidents.len(), "the index of an incident,")?;
        let row = &mut variant.incidents[index];
        if field == AT_HOURS.name {
            row.at_hours = self.number(&AT_HOURS)?;
            return Ok(());
        }
        self.put(row.params(), &mut row.values, field, &[AT_HOURS.name])
    }

    /// A field of a fork, or of the one before it.
    fn fork(&self, fork: &mut Option<Fork>, path: &[&str]) -> Result<(), Issue> {
        let Some(held) = fork else {
            return Err(self.issue("a variant that is a fork of another", "one that is not a fork".into()));
        };
        match *path {
            [] if self.value == "none" => *fork = None,
            [] => return Err(self.wrong("none, which removes the fork")),
            ["from"] => held.from = self.name()?,
            ["rules", id, field] => self.rule(&mut held.rules, id, field)?,
            ["before", ref path @ ..] => self.fork_before(held, path)?,
            [field] => {
                let mut values = held.settings().to_values();
                self.put(ForkSettings::DECLARATION.params, &mut values, field, &["from", "rules.ID.FIELD", "before"])?;
                held.apply_settings(ForkSettings::from_values(&values));
            }
            _ => return Err(self.no_such(&["fork", "fork.FIELD", "fork.rules.ID.FIELD", "fork.before.FIELD"])),
        }
        let in_order = fork.iter().flat_map(Fork::chain).map(|fork| fork.at_hours).is_sorted_by(|one, next| one > next);
        if in_order { Ok(()) } else { Err(self.wrong("moments in order, starting with that of the previous fork")) }
    }

    fn fork_before(&self, fork: &mut Fork, path: &[&str]) -> Result<(), Issue> {
        let mut before = fork.before.take().map(|before| *before);
        self.fork(&mut before, path)?;
        fork.before = before.map(Box::new);
        Ok(())
    }

    fn rule(&self, rows: &mut Vec<RuleRow>, id: &str, field: &str) -> Result<(), Issue> {
        let Some(index) = rows.iter().position(|row| row.id == id) else {
            let ids: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
            return Err(self.issue(one_of(&ids), format!("no rule {}", quoted(id))));
        };
        if field == "position" {
            let group = rows[index].group();
            let count = rows.iter().filter(|row| row.group() == group).count();
            let to = self.index(self.value, count, "a place in its stage")?;
            move_rule(rows, id, to);
            return Ok(());
        }
        let row = &mut rows[index];
        match field {
            "on" => row.on = self.rule_on(row)?,
            "expression" if row.custom.is_some() => {
                row.set_expression(self.value)
                    .map_err(|fault| self.wrong(format!("an expression that can be read: {fault}")))?;
            }
            "buckets" => row.buckets = self.of_scores(row, &BUCKETS, "scores")?.map(|number| number as u32),
            "weight" => row.weight = self.of_scores(row, &WEIGHT, "weight")?,
            _ => {
                let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
                self.put(params, &mut row.values, field, &["on", "buckets", "weight", "position"])?;
            }
        }
        Ok(())
    }

    fn rule_on(&self, row: &RuleRow) -> Result<bool, Issue> {
        match self.flag() {
            Some(false) if row.id == REQUIRED_RULE => {
                Err(self.wrong("true: without this rule machines would be over-committed"))
            }
            Some(true) => match row.custom.as_ref().map(|custom| custom.definition().program()) {
                Some(Err(fault)) => Err(self.wrong(format!("false: its expression cannot be read, {fault}"))),
                _ => Ok(true),
            },
            Some(on) => Ok(on),
            None => Err(self.wrong("true or false")),
        }
    }

    /// A value that only preferences have, or none.
    fn of_scores(&self, row: &RuleRow, param: &Param, lacks: &str) -> Result<Option<f64>, Issue> {
        if self.value == "none" || self.value == "null" {
            return Ok(None);
        }
        if !row.scores() {
            return Err(self.wrong(format!("none: a validator has no {lacks}")));
        }
        let number = self.value.parse().ok().filter(|number| param.allows(*number));
        number.map(Some).ok_or_else(|| self.wrong(format!("{} or none", range(param))))
    }
}

#[cfg(test)]
mod tests {
    use tiebreak_model::{Sample, SampledBy};

    use super::*;
    use crate::document::default_list;
    use crate::incident::IncidentRow;

    fn with_incidents() -> Variant {
        let incidents = [("FailMachines", 3.0), ("DemandSpike", 0.0)];
        let incidents = incidents.map(|(id, at_hours)| IncidentRow::plain(id, at_hours).expect(id));
        Variant { incidents: incidents.into(), ..Variant::default() }
    }

    #[test]
    fn every_kind_of_field_can_be_set() {
        let mut variant = with_incidents();
        for (path, value) in [
            ("name", "B"),
            ("seed", "3"),
            ("best_clusters", "4"),
            ("agents.count", "8"),
            ("agents.caches", "false"),
            ("caches.evaluation_pool", "7"),
            ("hand_weights", "true"),
            ("combining", "normalised_sum"),
            ("rules.BestFit.weight", "2"),
            ("rules.PreferLeastUsedRack.weight", "3"),
            ("rules.PreferLeastUsedRack.weight", "none"),
            ("inventory.clusters.0.datacenter", "4"),
            ("workload.days", "3.5"),
            ("measures.stranding_hours", "6"),
            ("inventory.clusters.0.machines", "200"),
            ("inventory.clusters[0].racks", "20"),
            ("rules.BestFit.buckets", "none"),
            ("rules.BestFit.cores_weight", "2"),
            ("rules.WorstFit.on", "true"),
            ("rules.WorstFit.position", "0"),
            ("incidents.1.at_hours", "12.5"),
            ("incidents[1].requests", "7"),
        ] {
            variant.set(path, value).unwrap_or_else(|issue| panic!("{issue}"));
        }
        let WorkloadRef::Generated(workload) = &variant.workload else { panic!("generated") };
        assert_eq!((variant.name.as_str(), variant.seed, variant.best_clusters), ("B", 3, 4));
        assert_eq!((variant.agents.count, variant.agents.caches, workload.days), (8, false, 3.5));
        assert_eq!((variant.clusters[0].settings.machines, variant.clusters[0].settings.racks), (200, 20));
        let place = |id| variant.rules.iter().position(|row| row.id == id).expect(id);
        assert!(place("WorstFit") < place("PreferNonEmptyMachines") && variant.rules[place("WorstFit")].on);
        let best_fit = &variant.rules[place("BestFit")];
        assert_eq!((best_fit.buckets, best_fit.weight, best_fit.values[0]), (None, Some(2.0), 2.0));
        assert_eq!((variant.hand_weights, variant.rules[place("PreferLeastUsedRack")].weight), (true, None));
        assert_eq!((variant.caches.evaluation_pool, variant.clusters[0].settings.datacenter), (7, 4));
        let [untouched, spike] = &variant.incidents[..] else { panic!("two incidents") };
        assert_eq!((spike.at_hours, spike.values[0], spike.values[1]), (12.5, 7.0, 10.0));
        assert_eq!(Some(untouched), IncidentRow::plain("FailMachines", 3.0).as_ref());
    }

    #[test]
    fn a_fork_is_set_like_the_list_it_holds() {
        let parent = Variant { fork: Fork::of(&Variant::default(), 2.0), ..Variant::default() };
        let forked = Variant { fork: Fork::of(&parent, 5.0), ..Variant::default() };
        let mut variant = forked.clone();
        for (path, value) in [
            ("fork.at_hours", "6.5"),
            ("fork.from", "C"),
            ("fork.hand_weights", "true"),
            ("fork.rules.BestFit.buckets", "7"),
            ("fork.rules.WorstFit.position", "0"),
            ("fork.before.best_clusters", "3"),
            ("fork.before.at_hours", "6"),
            ("fork.before.rules.FirstFit.on", "true"),
        ] {
            variant.set(path, value).unwrap_or_else(|issue| panic!("{issue}"));
        }
        let fork = variant.fork.clone().expect("a fork");
        let before = fork.before.clone().expect("a fork of a fork");
        assert_eq!((fork.at_hours, fork.from.as_str(), fork.hand_weights), (6.5, "C", true));
        assert_eq!((before.at_hours, before.best_clusters), (6.0, 3));
        let row = |rows: &[RuleRow], id: &str| rows.iter().find(|row| row.id == id).expect(id).clone();
        assert_eq!((row(&fork.rules, "BestFit").buckets, row(&before.rules, "FirstFit").on), (Some(7), true));
        assert_eq!(variant.rules, default_list(), "its own list is another one");
        let order = "moments in order, starting with that of the previous fork";
        for (path, value, message) in [
            ("fork.at_hours", "6", order),
            ("fork.before.at_hours", "7", order),
            ("fork.at_hours", "soon", "expected a number from 0 to 10000 h"),
            (
                "fork.colour",
                "1",
                "expected from, rules.ID.FIELD, before, at_hours, best_clusters, hand_weights or combining",
            ),
            ("fork.rules.Luck.on", "true", "got no rule \"Luck\""),
            (
                "fork.before.before.from",
                "A",
                "expected a variant that is a fork of another, got one that is not a fork",
            ),
            ("fork", "B", "expected none, which removes the fork, got \"B\""),
        ] {
            let before = variant.clone();
            let issue = variant.set(path, value).expect_err(path).to_string();
            assert!(issue.contains(message), "{path}={value}: {issue}");
            assert_eq!(variant, before, "{path}={value} changes nothing");
        }
        variant.set("fork.before", "none").expect("a fork of a fork");
        assert_eq!(variant.fork.as_ref().map(|fork| fork.chain().count()), Some(1));
        variant.set("fork", "none").expect("a fork");
        assert_eq!(variant, Variant::default());
        assert!(variant.set("fork", "none").is_err());
    }

    #[test]
    fn of_a_trace_it_is_set_which_part_is_kept() {
        let settings = crate::TraceSettings::default();
        let trace = WorkloadRef::Trace { fingerprint: 1, name: "t".into(), settings };
        let mut variant = Variant { workload: trace, ..Variant::default() };
        variant.set("workload.one_tenant_in", "12").expect("a field of a trace");
        variant.set("workload.tenant_part", "11").expect("a field of a trace");
        let WorkloadRef::Trace { settings, .. } = &variant.workload else { panic!("a trace") };
        assert_eq!(
            settings.sample(),
            Sample { by: SampledBy::Tenant, one_in: 12, part: 11, ..Sample::default() },
            "by tenant unless it is said"
        );
        variant.set("workload.sampled_by", "request").expect("a field of a trace");
        let WorkloadRef::Trace { settings, .. } = &variant.workload else { panic!("a trace") };
        assert_eq!(settings.sample().by, SampledBy::Request);
        let issue = variant.set("workload.days", "3").expect_err("no field of a trace").to_string();
        assert!(issue.contains("expected one_tenant_in, tenant_part, sampled_by or without_outliers"), "{issue}");
    }

    #[test]
    fn what_cannot_be_set_says_what_can() {
        let fields = "expected count, decision_ms, publish_ms, retries, fine_grained, caches, latency";
        for (path, value, message) in [
            ("color", "red", "expected name, seed, best_clusters, hand_weights, combining, agents.FIELD, caches.FIELD"),
            ("fork.at_hours", "1", "expected a variant that is a fork of another, got one that is not a fork"),
            ("caches.evaluation", "1", "expected evaluations, rule_objects, shared_state"),
            ("caches.age", "-1", "expected a whole number from 0 to 1000000000 decisions"),
            ("inventory.clusters.0.datacenter", "0", "expected a whole number from 1 to 1000"),
            ("rules.BestFit.weight", "0", "expected a number from 0.001 to 1000000000000000 or none, got \"0\""),
            ("rules.BestFit.weight", "inf", "expected a number from 0.001"),
            ("rules.IsMachineReady.weight", "2", "expected none: a validator has no weight"),
            ("agents.cont", "8", fields),
            ("agents.count", "0", "expected a whole number from 1 to 64, got \"0\""),
            ("agents.count", "NaN", "expected a whole number from 1 to 64, got \"NaN\""),
            ("agents.caches", "maybe", "expected true or false"),
            ("agents.latency", "slow", "expected fixed, drawn, caches or updates"),
            ("seed", "1.5", "expected a whole number from 0 to 9007199254740991"),
            ("rules.BestFitt.on", "true", "got no rule \"BestFitt\""),
            ("rules.BestFit.colour", "1", "expected on, buckets, weight, position, cores_weight"),
            ("rules.BestFit.buckets", "1001", "expected a whole number from 1 to 1000 buckets or none"),
            ("rules.BestFit.position", "99", "expected a place in its stage from 0 to "),
            ("rules.IsTypeSupported.buckets", "3", "expected none: a validator has no scores"),
            ("rules.AreNodeResourcesValid.on", "false", "expected true: without this rule"),
            ("inventory.clusters.1.machines", "5", "expected the index of a cluster, from 0 to 0, got \"1\""),
            ("inventory.clusters.0.machines", "5", "at most one rack per machine (here 10 racks, 5 machines)"),
            ("incidents.0.at_hours", "-1", "expected a number from 0 to 10000 h, got \"-1\""),
            ("incidents.0.machines", "0", "expected a whole number from 1 to 1000000 machines"),
            ("incidents.0.requests", "1", "expected at_hours, machines, racks or down_minutes, got no field"),
            ("incidents.2.machines", "1", "expected the index of an incident, from 0 to 1, got \"2\""),
        ] {
            let mut variant = with_incidents();
            let issue = variant.set(path, value).expect_err(path).to_string();
            assert!(issue.contains(message), "{path}={value}: {issue}");
            assert_eq!(variant, with_incidents(), "{path}={value} changes nothing");
        }
        let issue = Variant::default().set("incidents.0.at_hours", "1").expect_err("none").to_string();
        assert!(issue.contains("expected a scenario with incidents, got one without"), "{issue}");
        assert_eq!(default_list().len(), tiebreak_placement::RULES.len());
    }
}
