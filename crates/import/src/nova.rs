//! Imports nova.conf: filters, weighers with their multipliers, and the overcommit of hosts.
//!
//! Nova sums multiplier times weight, each weight normalised over the hosts that passed the filters, and takes the
//! highest total. Source: OpenStack Nova, "Compute schedulers", and its defaults of release 2025.1.

use tiebreak_placement::Combining;
use tiebreak_scenario::lists::{self, RuleList};
use tiebreak_scenario::{ClusterSettings, RuleRow};

use crate::Import;
use crate::error::ImportError;
use crate::ini::Setting;
use crate::leftover::push_shown;

/// Overcommit: machines offer `(total - reserved) * ratio`, as the placement service computes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overcommit {
    /// Allocation ratio of cores.
    pub cores_ratio: Option<f64>,
    /// Allocation ratio of memory.
    pub memory_ratio: Option<f64>,
    /// Cores reserved for the host.
    pub cores_reserved: f64,
    /// MiB reserved for the host.
    pub memory_reserved_mib: f64,
}

impl Overcommit {
    /// Sets the capacity that a cluster's machines offer.
    pub(crate) fn apply(&self, settings: &mut ClusterSettings) {
        let offered = |all: f64, reserved: f64, ratio: Option<f64>| (all - reserved).max(0.0) * ratio.unwrap_or(1.0);
        let cores = offered(settings.cores, self.cores_reserved, self.cores_ratio);
        let memory_mib = offered(settings.memory_gib * 1_024.0, self.memory_reserved_mib, self.memory_ratio);
        settings.cores = ((cores * 1_000.0).floor() / 1_000.0).clamp(0.001, 10_000.0);
        settings.memory_gib = (memory_mib.floor() / 1_024.0).clamp(0.0, 1_000_000.0);
    }
}

/// The filters that are enabled by default.
const FILTERS: [&str; 5] = [
    "ComputeFilter",
    "ComputeCapabilitiesFilter",
    "ImagePropertiesFilter",
    "ServerGroupAntiAffinityFilter",
    "ServerGroupAffinityFilter",
];

/// A weigher: its class, the setting of its multiplier and the default, our rules for a multiplier above and below 0,
/// or else the reason why there are none.
struct Weigher {
    class: &'static str,
    setting: &'static str,
    default: f64,
    rules: [&'static str; 2],
    why: &'static str,
}

const fn weigher(
    class: &'static str,
    setting: &'static str,
    default: f64,
    rules: [&'static str; 2],
    why: &'static str,
) -> Weigher {
    Weigher { class, setting, default, rules, why }
}

const NONE: [&str; 2] = ["", ""];
const NEGATIVE: &str = "only a multiplier above 0 has a twin";

const WEIGHERS: &[Weigher] = &[
    weigher("RAMWeigher", "ram_weight_multiplier", 1.0, ["MostMemoryFree", "LeastMemoryFree"], ""),
    weigher("CPUWeigher", "cpu_weight_multiplier", 1.0, ["MostCoresFree", "LeastCoresFree"], ""),
    weigher("DiskWeigher", "disk_weight_multiplier", 1.0, ["MostSsdFree", "LeastSsdFree"], ""),
    weigher("NumInstancesWeigher", "num_instances_weight_multiplier", 0.0, ["MostVms", "FewestVms"], ""),
    weigher("BuildFailureWeigher", "build_failure_weight_multiplier", 1e6, ["PreferHealthierMachines", ""], NEGATIVE),
    weigher(
        "HypervisorVersionWeigher",
        "hypervisor_version_weight_multiplier",
        1.0,
        ["PreferNewestHostEnvironment", ""],
        NEGATIVE,
    ),
    weigher(
        "IoOpsWeigher",
        "io_ops_weight_multiplier",
        -1.0,
        NONE,
        "builds, resizes and snapshots take no time on a machine",
    ),
    weigher("PCIWeigher", "pci_weight_multiplier", 1.0, NONE, "machines have no PCI devices"),
    weigher(
        "ServerGroupSoftAffinityWeigher",
        "soft_affinity_weight_multiplier",
        1.0,
        NONE,
        "groups with a soft affinity have no twin",
    ),
    weigher(
        "ServerGroupSoftAntiAffinityWeigher",
        "soft_anti_affinity_weight_multiplier",
        1.0,
        NONE,
        "groups with a soft anti-affinity have no twin",
    ),
    weigher("CrossCellWeigher", "cross_cell_move_weight_multiplier", 1e6, NONE, "one zone is one cell"),
    weigher("ImagePropertiesWeigher", "image_props_weight_multiplier", 0.0, NONE, "images have no twin"),
];

/// The name that stands for all weighers.
const ALL_WEIGHERS: &str = "nova.scheduler.weights.all_weighers";

/// The section of the scheduler's settings.
const SCHEDULER: &str = "filter_scheduler";

/// Settings that other code reads.
const READ: &[(&str, &str)] = &[
    (SCHEDULER, "enabled_filters"),
    (SCHEDULER, "available_filters"),
    (SCHEDULER, "weight_classes"),
    (SCHEDULER, "max_instances_per_host"),
    ("DEFAULT", "cpu_allocation_ratio"),
    ("DEFAULT", "ram_allocation_ratio"),
    ("DEFAULT", "initial_cpu_allocation_ratio"),
    ("DEFAULT", "initial_ram_allocation_ratio"),
    ("DEFAULT", "reserved_host_cpus"),
    ("DEFAULT", "reserved_host_memory_mb"),
];

/// Settings that affect placement and have no twin.
const LOST: &[(&str, &str, &str)] = &[
    ("DEFAULT", "disk_allocation_ratio", "local disk is not over-committed here"),
    ("DEFAULT", "initial_disk_allocation_ratio", "local disk is not over-committed here"),
    ("DEFAULT", "reserved_host_disk_mb", "local disk has whole GiB here"),
    ("DEFAULT", "reserved_huge_pages", "memory has no pages"),
    ("compute", "cpu_dedicated_set", "cores are not pinned"),
    ("compute", "cpu_shared_set", "cores are not pinned"),
    ("placement", "randomize_allocation_candidates", "every machine is a candidate"),
    ("placement", "max_allocation_candidates", "every machine is a candidate"),
    ("scheduler", "max_attempts", "how often a request is tried again is a setting of the agents, agents.retries"),
    ("scheduler", "max_placement_results", "every machine is a candidate"),
    (SCHEDULER, "host_subset_size", "one of the best machines is drawn, all of which have the same weight"),
    (SCHEDULER, "shuffle_best_same_weighed_hosts", "machines of the same weight are always drawn from at random"),
    (SCHEDULER, "track_instance_changes", "agents always follow the store"),
];

/// Sections in which every setting matters to placement.
const SECTIONS: [&str; 3] = [SCHEDULER, "scheduler", "metrics"];

struct Conf<'a> {
    file: &'a str,
    settings: &'a [Setting],
}

impl Conf<'_> {
    /// The last value of a setting, which is the effective one.
    fn value(&self, section: &str, key: &str) -> Option<&str> {
        let is_it = |it: &&Setting| it.section == section && it.key == key;
        self.settings.iter().rev().find(is_it).map(|it| it.value.as_str())
    }

    fn number(&self, section: &str, key: &str) -> Result<Option<f64>, ImportError> {
        let Some(text) = self.value(section, key) else { return Ok(None) };
        let read = text.parse::<f64>().ok().filter(|it| it.is_finite());
        let wrong = || {
            let path = format!("[{section}] {key}");
            ImportError::field(self.file, &path, "a number", format!("\"{text}\""), "correct the setting")
        };
        read.map(Some).ok_or_else(wrong)
    }

    /// Words separated by commas or lines; `None` if the setting is missing.
    fn words(&self, key: &str) -> Option<Vec<&str>> {
        let text = self.value(SCHEDULER, key)?;
        Some(text.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty()).collect())
    }
}

/// The policy of a configuration; its overcommit and the settings without a twin are added to the import.
pub(crate) fn configuration(file: &str, settings: &[Setting], import: &mut Import) -> Result<RuleList, ImportError> {
    let conf = Conf { file, settings };
    settings.iter().for_each(|setting| list_setting(file, setting, import));
    let filters = filters(&conf, import)?;
    let preferences = weighers(&conf, import)?;
    overcommit(&conf, import)?;
    let count = preferences.len();
    let list = RuleList::new(&filters, preferences, Some(Combining::NormalisedSum));
    import.told.push(format!(
        "{file}: {count} weighers are preferences, added up by their multipliers after normalising each over the candidates."
    ));
    Ok(list)
}

/// Lists a setting that no other code reads.
fn list_setting(file: &str, setting: &Setting, import: &mut Import) {
    let Setting { section, key, value } = setting;
    let (is_known, path) = (|(of, name): &&(&str, &str)| *of == section && *name == key, format!("[{section}] {key}"));
    let is_multiplier = section == SCHEDULER && WEIGHERS.iter().any(|weigher| weigher.setting == key);
    if READ.iter().any(|read| is_known(&read)) || is_multiplier {
        return;
    }
    let lost = LOST.iter().find(|(of, name, _)| of == section && name == key).map(|(_, _, why)| *why);
    let why = lost.or_else(|| SECTIONS.contains(&section.as_str()).then_some("no rule reads the setting"));
    match why {
        Some(why) => push_shown(&mut import.leftovers, file, &path, value, why),
        None => import.aside.push(path),
    }
}

/// Our rules for the enabled filters.
fn filters(conf: &Conf<'_>, import: &mut Import) -> Result<Vec<&'static str>, ImportError> {
    let available = conf.settings.iter().filter(|it| it.section == SCHEDULER && it.key == "available_filters");
    for other in available.filter(|it| it.value != "nova.scheduler.filters.all_filters") {
        let why = "filters of one's own are code; write a rule of your own in their place";
        push_shown(&mut import.leftovers, conf.file, "[filter_scheduler] available_filters", &other.value, why);
    }
    let mut rules = Vec::new();
    for filter in conf.words("enabled_filters").unwrap_or(FILTERS.to_vec()) {
        let (rule, why) = match filter {
            "ComputeFilter" => ("IsMachineReady", ""),
            "ServerGroupAntiAffinityFilter" => ("CapsTenantPerMachine", ""),
            "ComputeCapabilitiesFilter" => ("IsTypeSupported", ""),
            "AllHostsFilter" => continue,
            "NumInstancesFilter" => {
                let most = conf.number(SCHEDULER, "max_instances_per_host")?.unwrap_or(50.0);
                let row = tiebreak_scenario::gallery::find("MaxVmsPerMachine")
                    .map(|rule| lists::with(rule.row(), &[("most", most)]));
                import.rules.extend(row);
                continue;
            }
            "ServerGroupAffinityFilter" => ("", "tenants may share a rack, a cluster or a datacenter, not a machine"),
            "ImagePropertiesFilter" | "IsolatedHostsFilter" => ("", "images have no twin"),
            "AggregateInstanceExtraSpecsFilter"
            | "AggregateImagePropertiesIsolation"
            | "AggregateMultiTenancyIsolation"
            | "AggregateTypeAffinityFilter"
            | "AggregateIoOpsFilter"
            | "AggregateNumInstancesFilter" => ("", "aggregates of hosts have no twin"),
            "PciPassthroughFilter" => ("", "machines have no PCI devices"),
            "NUMATopologyFilter" => ("", "machines are not divided into NUMA nodes"),
            "IoOpsFilter" => ("", "builds, resizes and snapshots take no time on a machine"),
            "DifferentHostFilter" | "SameHostFilter" | "SimpleCIDRAffinityFilter" | "JsonFilter" => {
                ("", "hints of single requests are in no trace")
            }
            _ => ("", "no rule of ours is known to do the same"),
        };
        if rule.is_empty() {
            push_shown(&mut import.leftovers, conf.file, "[filter_scheduler] enabled_filters", filter, why);
        } else {
            rules.push(rule);
        }
    }
    Ok(rules)
}

/// Our preferences for the enabled weighers, each with its multiplier as its weight.
fn weighers(conf: &Conf<'_>, import: &mut Import) -> Result<Vec<RuleRow>, ImportError> {
    let classes = conf.words("weight_classes").unwrap_or(vec![ALL_WEIGHERS]);
    let is_on = |weigher: &Weigher| {
        classes.iter().any(|class| *class == ALL_WEIGHERS || class.rsplit('.').next() == Some(weigher.class))
    };
    let is_ours =
        |class: &str| class == ALL_WEIGHERS || WEIGHERS.iter().any(|it| class.rsplit('.').next() == Some(it.class));
    for class in classes.iter().filter(|class| !is_ours(class)) {
        let why = "weighers of one's own are code; write a rule of your own in their place";
        push_shown(&mut import.leftovers, conf.file, "[filter_scheduler] weight_classes", class, why);
    }
    let mut rows = Vec::new();
    for weigher in WEIGHERS {
        let set = conf.number(SCHEDULER, weigher.setting)?;
        let multiplier = set.unwrap_or(weigher.default);
        if multiplier == 0.0 || !is_on(weigher) {
            continue;
        }
        let rule = weigher.rules[usize::from(multiplier < 0.0)];
        match lists::preference(rule, multiplier.abs(), None).filter(|row| is_weight(row.weight)) {
            Some(row) => rows.push(row),
            None => {
                let (path, by) =
                    (format!("[filter_scheduler] {}", weigher.setting), if set.is_none() { " by default" } else { "" });
                push_shown(&mut import.leftovers, conf.file, &path, &format!("{multiplier}{by}"), weigher.why);
            }
        }
    }
    Ok(rows)
}

fn is_weight(weight: Option<f64>) -> bool {
    weight.is_some_and(|weight| tiebreak_placement::Weight::new(weight).is_some())
}

fn overcommit(conf: &Conf<'_>, import: &mut Import) -> Result<(), ImportError> {
    let ratio = |name: &str| -> Result<Option<f64>, ImportError> {
        let above = |it: &f64| *it > 0.0;
        let set = conf.number("DEFAULT", name)?.filter(above);
        Ok(set.or(conf.number("DEFAULT", &format!("initial_{name}"))?.filter(above)))
    };
    let overcommit = Overcommit {
        cores_ratio: ratio("cpu_allocation_ratio")?,
        memory_ratio: ratio("ram_allocation_ratio")?,
        cores_reserved: conf.number("DEFAULT", "reserved_host_cpus")?.unwrap_or(0.0).max(0.0),
        memory_reserved_mib: conf.number("DEFAULT", "reserved_host_memory_mb")?.unwrap_or(0.0).max(0.0),
    };
    if overcommit.cores_ratio.is_none() {
        let why = "cores are over-committed only where the file says so; Nova has a default of its own";
        push_shown(&mut import.leftovers, conf.file, "[DEFAULT] cpu_allocation_ratio", "not set", why);
    }
    if overcommit != Overcommit::default() {
        let shown = |ratio: Option<f64>| ratio.map_or("as they are".into(), |ratio| format!("times {ratio}"));
        import.told.push(format!(
            "{}: machines offer their cores {}, their memory {}, less what the host keeps.",
            conf.file,
            shown(overcommit.cores_ratio),
            shown(overcommit.memory_ratio)
        ));
        import.overcommit = Some(overcommit);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, import};

    fn read(text: &str) -> Import {
        import(&[File { name: "nova.conf", bytes: text.as_bytes() }]).expect("a configuration")
    }

    fn on(import: &Import) -> Vec<(String, Option<f64>)> {
        let rows = &import.list.as_ref().expect("a list").rows;
        rows.iter().filter(|row| row.on && row.scores()).map(|row| (row.id.clone(), row.weight)).collect()
    }

    #[test]
    fn multipliers_are_weights_and_their_sign_chooses_the_rule() {
        let packing = read(
            "[filter_scheduler]\nram_weight_multiplier = -1.0\ncpu_weight_multiplier=-2\ndisk_weight_multiplier = 0\nbuild_failure_weight_multiplier=0\nhypervisor_version_weight_multiplier=0\nweight_setting = Metric=1\n",
        );
        let expected = [("LeastMemoryFree".to_owned(), Some(1.0)), ("LeastCoresFree".to_owned(), Some(2.0))];
        assert_eq!(on(&packing), expected);
        assert!(packing.leftovers.iter().any(|it| it.path.ends_with("weight_setting")), "unknown settings are listed");
        let wrong = import(&[File { name: "n", bytes: b"[filter_scheduler]\nram_weight_multiplier = much\n" }]);
        assert!(wrong.expect_err("no number").to_string().contains("ram_weight_multiplier: expected a number"));
    }

    #[test]
    fn machines_offer_what_the_ratios_say() {
        let import = read(
            "[DEFAULT]\ncpu_allocation_ratio = 4.0\nram_allocation_ratio=1.5\nreserved_host_memory_mb = 1024\nreserved_host_cpus=2\n",
        );
        let mut settings = ClusterSettings { cores: 48.0, memory_gib: 385.0, ..ClusterSettings::default() };
        import.overcommit.expect("ratios").apply(&mut settings);
        assert_eq!((settings.cores, settings.memory_gib), (184.0, 576.0));
    }
}
