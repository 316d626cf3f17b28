//! Imports a cluster and a scheduler's configuration in their usual formats, as machines, VMs and rules of a
//! scenario.
//!
//! Files are passed as bytes, so that a program and a page import them alike; this crate opens no files. [`import`]
//! takes all files at once, in any order, and detects the type of each by its content:
//!
//! - `kubectl get nodes,pods -A -o json` (or `-o yaml`): machines, the VMs alive at the start, and pending ones;
//! - a KubeSchedulerConfiguration: a policy whose preferences are summed by weight;
//! - nova.conf: the same for filters and weighers, and the overcommit of cores and memory.
//!
//! Fields without a twin are listed one by one, with value and reason ([`Leftover`]); [`TWINS`] lists the rules that
//! have twins.

mod conversion;
mod error;
mod ini;
mod kubernetes;
mod leftover;
mod limits;
mod nova;
pub mod twins;
mod yaml;

use tiebreak_model::Workload;
use tiebreak_scenario::lists::RuleList;
use tiebreak_scenario::{ClusterRow, RuleRow, Variant};

use conversion::{Content, content_of};

pub use error::ImportError;
pub use leftover::Leftover;
pub use limits::{BYTES_MAX, FILES_MAX};
pub use nova::Overcommit;
pub use twins::{TWINS, Twin};

/// An input file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Its display name.
    pub name: &'a str,
    /// Its content, plain or gzip.
    pub bytes: &'a [u8],
}

/// The content of the imported files, ready for a scenario.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The machines; `None` if no file has any.
    pub clusters: Vec<ClusterRow>,
    /// The VMs; `None` if no file has any.
    pub workload: Option<Workload>,
    /// The policy that replaces the scenario's.
    pub list: Option<RuleList>,
    /// Rules in addition to the policy: limits that nodes have.
    pub rules: Vec<RuleRow>,
    /// The overcommit of cores and memory.
    pub overcommit: Option<Overcommit>,
    /// What the files became, one sentence each.
    pub told: Vec<String>,
    /// Fields without a twin, by file and field.
    pub leftovers: Vec<Leftover>,
    /// Fields that are irrelevant to placement.
    pub aside: Vec<String>,
}

/// Imports these files together.
///
/// # Errors
/// When a file cannot be read, a field has a wrong value, or two files set the same thing.
pub fn import(files: &[File<'_>]) -> Result<Import, ImportError> {
    if files.len() > FILES_MAX {
        return Err(ImportError::whole(
            "--import",
            format!("at most {FILES_MAX} files"),
            files.len(),
            "leave some out",
        ));
    }
    let mut contents = Vec::new();
    for file in files {
        contents.push((file.name, content_of(file)?));
    }
    let mut import = Import::default();
    kubernetes::objects(&contents, &mut import)?;
    let mut lists = Vec::new();
    for (name, content) in &contents {
        match content {
            Content::Objects(_) => {}
            Content::Scheduler(value) => lists.push((*name, kubernetes::scheduler(name, value, &mut import)?)),
            Content::Nova(sections) => lists.push((*name, nova::configuration(name, sections, &mut import)?)),
        }
    }
    if let [(first, _), (second, _), ..] = lists.as_slice() {
        let got = format!("{first} and {second}");
        return Err(ImportError::whole("--import", "one scheduler's configuration", got, "leave one out"));
    }
    import.list = lists.pop().map(|(_, list)| list);
    leftover::sort(&mut import.leftovers);
    import.aside.sort();
    import.aside.dedup();
    Ok(import)
}

impl Import {
    /// Replaces the variant's machines and rules; the caller handles the workload.
    pub fn apply(&self, variant: &mut Variant) {
        if !self.clusters.is_empty() {
            variant.clusters.clone_from(&self.clusters);
        }
        if let Some(overcommit) = &self.overcommit {
            variant.clusters.iter_mut().for_each(|row| overcommit.apply(&mut row.settings));
        }
        if let Some(list) = &self.list {
            list.apply(variant);
        }
        for row in &self.rules {
            row.clone().put_into(&mut variant.rules);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_scenario::presets;

    /// An empty configuration becomes what the preset of its scheduler contains.
    #[test]
    fn presets_are_imports_of_what_schedulers_do_by_default() {
        let packing = "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: MostAllocated}}\n";
        let kubernetes = |more: &str| {
            format!("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n{more}")
        };
        let multipliers = "ram_weight_multiplier=-1\ncpu_weight_multiplier=-1\ndisk_weight_multiplier=-1\n";
        for (preset, text) in [
            ("kubernetes-default", kubernetes("")),
            ("kubernetes-packing", kubernetes(packing)),
            ("nova-default", "[filter_scheduler]\n".into()),
            ("nova-packing", format!("[filter_scheduler]\n{multipliers}")),
        ] {
            let import = import(&[File { name: "file", bytes: text.as_bytes() }]).expect(preset);
            let document = (presets::find(preset).expect(preset).make)();
            let mut variant = presets::find("default").map(|it| (it.make)().active_variant().clone()).expect("it");
            import.apply(&mut variant);
            let order = |variant: &Variant| {
                let on = variant.rules.iter().filter(|row| row.on);
                let mut rows: Vec<_> = on.map(|row| (row.group(), row.id.clone(), row.clone())).collect();
                rows.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
                rows
            };
            assert_eq!(order(&variant), order(document.active_variant()), "{preset}");
            let how = |variant: &Variant| (variant.hand_weights, variant.combining, variant.best_clusters);
            assert_eq!(how(&variant), how(document.active_variant()), "{preset}");
        }
    }
}
