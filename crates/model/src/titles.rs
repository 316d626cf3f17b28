//! Display names of parameters, instead of the names in documents and links.

use alloc::string::String;

/// The title of a parameter: from the table, or its name with spaces.
pub(crate) fn title(name: &str) -> String {
    match TITLES.binary_search_by_key(&name, |(name, _)| *name) {
        Ok(at) => TITLES[at].1.into(),
        Err(_) => name.replace('_', " "),
    }
}

/// Names with a unit or an abbreviation in them, in alphabetical order.
const TITLES: &[(&str, &str)] = &[
    ("age", "maximum age"),
    ("alike_pct", "similarity"),
    ("arrivals", "new deployments"),
    ("at_hours", "time"),
    ("at_risk", "VMs at risk"),
    ("avoidance", "conflict avoidance"),
    ("avoidance_best", "avoidance choices"),
    ("background", "background updates"),
    ("base_ms", "base time"),
    ("baseline_start", "start without lifetime rules"),
    ("bound_10_min", "bound 10"),
    ("bound_1_min", "bound 1"),
    ("bound_2_min", "bound 2"),
    ("bound_3_min", "bound 3"),
    ("bound_4_min", "bound 4"),
    ("bound_5_min", "bound 5"),
    ("bound_6_min", "bound 6"),
    ("bound_7_min", "bound 7"),
    ("bound_8_min", "bound 8"),
    ("bound_9_min", "bound 9"),
    ("bpc_mbps", "bandwidth per core"),
    ("budget_pct", "budget"),
    ("buffer_pct", "buffer"),
    ("cap", "maximum lifetime"),
    ("capped", "tenants with a machine limit"),
    ("check_minutes", "check interval"),
    ("class_2_hours", "class 2 from"),
    ("class_3_hours", "class 3 from"),
    ("class_4_hours", "class 4 from"),
    ("class_5_hours", "class 5 from"),
    ("class_6_hours", "class 6 from"),
    ("cluster_uplink_gbps", "cluster uplink"),
    ("co_located", "tenants kept together"),
    ("combining", "combination of weights"),
    ("commit_ms", "commit time"),
    ("confidence_pct", "confidence"),
    ("decision_ms", "decision time"),
    ("deleted_whole", "tenants deleted whole"),
    ("dollars_per_watt", "cost per watt"),
    ("down_minutes", "downtime"),
    ("drain_hours", "drain time"),
    ("fault_domains", "tenants over fault domains"),
    ("fill_while_pct", "fill threshold"),
    ("for_hours", "duration"),
    ("foretelling", "predictor"),
    ("full_w", "full-load draw"),
    ("grid_minutes", "time grid"),
    ("half_full_w", "full-load draw, half frequency"),
    ("half_idle_w", "idle draw, half frequency"),
    ("hand_weights", "manual weights"),
    ("hit_ms", "time on a hit"),
    ("horizon_hours", "look-ahead"),
    ("idle_w", "idle draw"),
    ("isolated", "isolated tenants"),
    ("label_hours", "classified after"),
    ("labels", "labels"),
    ("learn_hours", "training time"),
    ("lift_s", "lift after"),
    ("longest_life", "longest lifetime"),
    ("margin_w", "margin"),
    ("measured_from_hours", "means from"),
    ("memory_gib", "memory"),
    ("migration_minutes", "migration time"),
    ("minutes_alive", "lifetime"),
    ("miss_ms", "time on a miss"),
    ("network_mbps", "network"),
    ("other_p95_pct", "95th percentile, batch"),
    ("peak_vms", "maximum VMs"),
    ("poll_ms", "polling interval"),
    ("publish_ms", "publishing delay"),
    ("rack_uplink_gbps", "rack uplink"),
    ("raise_cores", "cores raised per poll"),
    ("recycle_above_pct", "recycle above"),
    ("refresh_minutes", "prediction validity"),
    ("repeats", "repeated sizes"),
    ("returning", "returning tenants"),
    ("scale_outs", "scale-outs"),
    ("sigma_right", "error if accurate"),
    ("sigma_wrong", "error if inaccurate"),
    ("site_mw", "site power"),
    ("sla", "service level"),
    ("slot_minutes", "time slot"),
    ("spot", "spot VMs"),
    ("ssd_gib", "local SSD"),
    ("ssd_weight", "SSD weight"),
    ("stage_vms", "VMs per stage"),
    ("stranding_hours", "stranding interval"),
    ("threshold_hours", "threshold"),
    ("train_share", "training share"),
    ("unit_min", "unit"),
    ("unready", "machines not ready"),
    ("update_minutes", "update time"),
    ("update_us", "rerank time"),
    ("uplink_gbps", "uplink capacity"),
    ("user_facing_p95_pct", "95th percentile, user-facing"),
    ("user_facing_pct", "user-facing share"),
    ("vms", "VMs"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_in_order_and_carry_no_unit() {
        assert!(TITLES.is_sorted_by_key(|(name, _)| *name));
        assert_eq!(title("decision_ms"), "decision time");
        assert_eq!(title("vms"), "VMs");
        assert_eq!(title("cores_weight"), "cores weight");
    }
}
