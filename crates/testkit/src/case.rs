//! A scenario small enough to check by brute force, drawn from one number.

use std::sync::Arc;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::Seed;
use tiebreak_model::{ClusterSpec, Param, Resources, TenantTerms, Time, VmRow, VmShape, Workload, WorkloadBuilder};
use tiebreak_placement::{RULES, RuleUse};
use tiebreak_sim::{Agents, Latency, Plan};

/// Everything a plan is made of.
#[derive(Clone, Debug)]
pub struct Case {
    /// The number it was drawn from.
    pub number: u64,
    /// The machines.
    pub clusters: Vec<ClusterSpec>,
    /// The rules, in order.
    pub rules: Vec<RuleUse>,
    /// How many clusters the machine stage looks at.
    pub best_clusters: u32,
    /// Who asks for what.
    pub workload: Arc<Workload>,
    /// The agents.
    pub agents: Agents,
}

impl Case {
    /// The case of this number: 1 to 40 machines in 1 to 4 clusters, any rules in any order
    /// with any buckets, a crowded workload and 1 to 5 agents.
    #[must_use]
    pub fn random(number: u64) -> Self {
        let mut draws = Draws(Seed(number).stream("random case").generator());
        Self {
            number,
            clusters: clusters(&mut draws),
            rules: rules(number),
            best_clusters: 1 + draws.below(4),
            workload: Arc::new(workload(&mut draws)),
            agents: Agents {
                count: 1 + draws.below(5),
                decision_ms: [0, 1, 20, 5_000][draws.below(4) as usize],
                publish_ms: [0, 1, 500, 60_000][draws.below(4) as usize],
                retries: draws.below(4),
                fine_grained: draws.one_in(2),
                caches: true,
                ..agents(number)
            },
        }
    }

    /// The plan, with caches on or off.
    ///
    /// # Panics
    /// When the case is none, which would be a fault of this file.
    #[must_use]
    pub fn plan(&self, caches: bool) -> Plan {
        let agents = Agents { caches, ..self.agents };
        Plan::new(&self.clusters, &self.rules, self.best_clusters, self.workload.clone(), agents, Seed(self.number))
            .expect("a random case is a plan")
    }
}

struct Draws(Xoshiro256PlusPlus);

impl Draws {
    fn below(&mut self, count: u32) -> u32 {
        tiebreak_model::random::pick(self.0.next_u64(), count)
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }
}

fn clusters(draws: &mut Draws) -> Vec<ClusterSpec> {
    (0..1 + draws.below(4))
        .map(|index| {
            let machines = 1 + draws.below(10);
            let cores = 4_000 * (1 + draws.below(4));
            ClusterSpec {
                name: format!("cluster {index}"),
                machines,
                unready: if draws.one_in(3) { draws.below(machines + 1) } else { 0 },
                racks: 1 + draws.below(machines),
                capacity: Resources::new(
                    cores,
                    16_384 * (1 + draws.below(3)),
                    draws.below(3) * 100,
                    draws.below(2) * 1_000,
                ),
                datacenter: 0,
            }
        })
        .collect()
}

/// How agents tell time, commit and avoid conflicts. The time never follows what caches did,
/// so that every mix of caches decides alike.
fn agents(number: u64) -> Agents {
    let mut draws = Draws(Seed(number).stream("random agents").generator());
    Agents {
        latency: if draws.one_in(3) { Latency::Drawn } else { Latency::Fixed },
        hit_ms: u64::from(draws.below(3)) * 10,
        commit_ms: [0, 0, 5, 2_000][draws.below(4) as usize],
        pipelined: draws.one_in(2),
        avoidance: f64::from(draws.below(3)),
        avoidance_window: 1 + draws.below(20),
        avoidance_best: 1 + draws.below(10),
        ..Agents::default()
    }
}

/// Each rule draws for itself, its place too, so that a new rule leaves the others as they were.
fn rules(number: u64) -> Vec<RuleUse> {
    let mut rules = Vec::new();
    for entry in RULES {
        let mut draws = Draws(Seed(number).stream(entry.declaration.id).generator());
        let (used, place) = (!draws.one_in(4), draws.0.next_u64());
        let mut value = |param: &Param| if draws.one_in(2) { param.default } else { (param.min + param.max) / 2.0 };
        let values = entry.declaration.params.iter().map(&mut value).collect();
        let buckets = draws.one_in(2).then(|| 1 + draws.below(6));
        if used {
            rules.push((place, RuleUse { values, ..RuleUse::plain(entry.declaration.id, buckets) }));
        }
    }
    rules.sort_by_key(|(place, _)| *place);
    rules.into_iter().map(|(_, rule)| rule).collect()
}

fn workload(draws: &mut Draws) -> Workload {
    let shapes: Vec<_> = (0..1 + draws.below(8))
        .map(|_| VmShape {
            demand: Resources::new(
                500 * (1 + draws.below(16)),
                1_024 * draws.below(12),
                draws.below(3) * 40,
                draws.below(2) * 100,
            ),
            priority: draws.below(2) as u8,
            terms: TenantTerms::NONE,
        })
        .collect();
    let mut builder = WorkloadBuilder::new();
    for name in 0..20 + u64::from(draws.below(400)) {
        let start = i64::from(draws.below(3_600)) * 1_000 - 300_000;
        let life = i64::from(1 + draws.below(2_000)) * 1_000;
        let end = if draws.one_in(10) { Time::NEVER } else { Time(start.max(0) + life) };
        let shape = shapes[draws.below(shapes.len() as u32) as usize];
        builder.push(VmRow { name, tenant: u64::from(draws.below(6)), shape, start: Time(start), end });
    }
    builder.finish(Time(3_600_000)).expect("rows were added")
}
