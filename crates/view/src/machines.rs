//! One machine of the fleet map, in one line.

use tiebreak_engine::protocol::Layout;
use tiebreak_engine::{said, words};
use tiebreak_i18n::{say, tr};
use tiebreak_sim::MachineByte;

/// The location of a machine and its fullness.
#[must_use]
pub fn about(layout: &Layout, machine: u32, byte: MachineByte) -> String {
    let racks = layout.clusters.iter().flat_map(|it| it.racks.iter().map(move |rack| (it.name.as_str(), *rack)));
    let mut numbered = racks.enumerate();
    let place = numbered.find(|(_, (_, (first, machines)))| (*first..first + machines).contains(&machine));
    let (rack, cluster) = place.map_or((0, ""), |(rack, (cluster, _))| (rack, cluster));
    let holds = match byte.is_empty() {
        true => tr("empty").to_owned(),
        false => say("{} % of its cores in use", &[&words::fixed(100.0 * byte.cores_in_use(), 0)]),
    };
    let readiness = tr(said::readiness(byte.readiness()));
    say(
        "Machine {machine}, rack {rack} of {cluster}: {holds}{readiness}",
        &[&machine, &rack, &cluster, &holds, &readiness],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_engine::protocol::ClusterLayout;
    use tiebreak_model::Readiness;

    #[test]
    fn a_machine_says_where_it_stands_and_how_full_it_is() {
        let cluster =
            |name: &str, racks: &[(u32, u32)]| ClusterLayout { name: name.into(), racks: racks.into(), chassis: 1 };
        let clusters = vec![cluster("c0", &[(0, 4), (4, 4)]), cluster("c1", &[(8, 2)])];
        let layout = Layout { clusters, machines: 10, ..Layout::default() };
        let half = MachineByte::new(true, 24_000, 48_000, Readiness::Ready);
        assert_eq!(about(&layout, 5, half), "Machine 5, rack 1 of c0: 50 % of its cores in use");
        let empty = MachineByte::new(false, 0, 48_000, Readiness::Ready);
        assert_eq!(about(&layout, 9, empty), "Machine 9, rack 2 of c1: empty");
        let drained = MachineByte::new(false, 0, 48_000, Readiness::Unready);
        assert_eq!(about(&layout, 0, drained), "Machine 0, rack 0 of c0: empty, takes no new VMs");
    }
}
