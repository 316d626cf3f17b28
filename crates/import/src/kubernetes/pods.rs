//! Converts pods to VMs: running pods were alive at the start, pending pods arrive right after it.

use serde_json::Value;
use tiebreak_model::{Millis, Resources, TenantTerms, Time, VmRow, VmShape, WorkloadBuilder};
use xxhash_rust::xxh3::xxh3_64;

use super::lose;
use super::nodes::{Aside, NOT_NOW};
use super::object::Object;
use super::quantity::Quantity;
use crate::Import;
use crate::error::ImportError;

/// The length of the run. No VM ends, so a longer run shows nothing more.
const HORIZON: Millis = Millis(3_600_000);

const MIB: u64 = 1 << 20;

/// The workload of these pods.
pub(super) fn workload(pods: &[Object<'_>], aside: &Aside, import: &mut Import) -> Result<(), ImportError> {
    let now = newest(pods)?;
    let mut pending: Vec<(i64, &Object<'_>)> = Vec::new();
    let (mut builder, mut skipped, mut idle) = (WorkloadBuilder::new(), Skipped::default(), 0_u64);
    for pod in pods {
        let Some(is_bound) = state(pod, aside, import, &mut skipped) else { continue };
        let created = pod.moment("metadata.creationTimestamp")?.unwrap_or(now);
        if is_bound {
            let since = pod.moment("status.startTime")?.unwrap_or(created);
            builder.push(vm(pod, Time((since - now).min(0)), import, &mut idle)?);
        } else {
            pending.push((created, pod));
        }
    }
    // The scheduler's queue: one pod at a time, the oldest first.
    pending.sort_by_key(|(created, _)| *created);
    let waiting = pending.len();
    for (at, (_, pod)) in pending.into_iter().enumerate() {
        builder.push(vm(pod, Time(at as i64 + 1), import, &mut idle)?);
    }
    if builder.is_empty() {
        return Ok(());
    }
    if idle > 0 {
        let why = "a VM asks for at least a thousandth of a core and 1 MiB; kube-scheduler scores such a pod as 100m and 200Mi";
        crate::leftover::push_shown(
            &mut import.leftovers,
            pods[0].file,
            "Pod.spec.containers[].resources.requests",
            "nothing",
            why,
        );
        import.leftovers.iter_mut().filter(|it| it.why == why).for_each(|it| it.count = idle);
    }
    builder.sort();
    let running = builder.len() - waiting;
    import.told.push(skipped.told(running, waiting));
    let finished = builder.finish(Time::ZERO + HORIZON);
    import.workload = Some(finished.map_err(|error| ImportError::whole(pods[0].file, "pods", error, "dump fewer"))?);
    Ok(())
}

/// Pods that do not become VMs.
#[derive(Default)]
struct Skipped {
    ended: u32,
    with_their_node: u32,
    elsewhere: u32,
}

impl Skipped {
    fn told(&self, running: usize, waiting: usize) -> String {
        let Self { ended, with_their_node, elsewhere } = self;
        format!(
            "{running} running pods are VMs alive at the start, {waiting} pending pods come right after it. {ended} have \
             ended or are ending, {with_their_node} run on nodes that are left out or not ready, {elsewhere} are for another scheduler."
        )
    }
}

/// Whether a pod has a node; `None` if it does not become a VM.
fn state(pod: &Object<'_>, aside: &Aside, import: &mut Import, skipped: &mut Skipped) -> Option<bool> {
    let (phase, node) = (pod.at("status.phase"), pod.text("spec.nodeName"));
    if matches!(phase.as_str(), Some("Succeeded" | "Failed")) {
        lose(import, pod, "status.phase", phase, "the pod has ended and uses nothing");
        skipped.ended += 1;
        return None;
    }
    let deleted = pod.at("metadata.deletionTimestamp");
    if !deleted.is_null() {
        lose(import, pod, "metadata.deletionTimestamp", deleted, "the pod is ending; its node is taken as free of it");
        skipped.ended += 1;
        return None;
    }
    if aside.has(node) {
        lose(
            import,
            pod,
            "spec.nodeName",
            pod.at("spec.nodeName"),
            "the pod is left out with its node, which has taints",
        );
        skipped.with_their_node += 1;
        return None;
    }
    if aside.is_unready(node) && owner(pod).0 == "DaemonSet" {
        let why = "a DaemonSet's pod on a node that takes none now is left out: it has no place on another";
        lose(import, pod, "spec.nodeName", pod.at("spec.nodeName"), why);
        skipped.with_their_node += 1;
        return None;
    }
    let scheduler = pod.at("spec.schedulerName");
    if node.is_empty() && scheduler.as_str().is_some_and(|name| name != "default-scheduler") {
        lose(import, pod, "spec.schedulerName", scheduler, "another scheduler places this pending pod; it is left out");
        skipped.elsewhere += 1;
        return None;
    }
    if !node.is_empty() && aside.knows_nodes {
        let why = "VMs alive at the start are placed by the list of rules, not on the node where the pod runs";
        lose(import, pod, "spec.nodeName", pod.at("spec.nodeName"), why);
    }
    Some(!node.is_empty())
}

/// The latest time in any pod: the best estimate of when the dump was made.
fn newest(pods: &[Object<'_>]) -> Result<i64, ImportError> {
    let mut newest = 0;
    for pod in pods {
        for path in ["metadata.creationTimestamp", "status.startTime"] {
            newest = newest.max(pod.moment(path)?.unwrap_or(0));
        }
    }
    Ok(newest)
}

fn vm(pod: &Object<'_>, start: Time, import: &mut Import, idle: &mut u64) -> Result<VmRow, ImportError> {
    let (milli, bytes) = (request(pod, "cpu", Quantity::milli_up)?, request(pod, "memory", Quantity::bytes_up)?);
    *idle += u64::from(milli == 0 || bytes == 0);
    let stored = |count: u64, path: &str| {
        let wrong = |_| pod.wrong(path, "requests that fit a machine", &Value::from(count));
        u32::try_from(count.max(1)).map_err(wrong)
    };
    let cores = stored(milli, "spec.containers[].resources.requests.cpu")?;
    let memory = stored(bytes.div_ceil(MIB), "spec.containers[].resources.requests.memory")?;
    tolerations(pod, import);
    let priority = priority(pod, import);
    let demand = Resources::new(cores, memory, 0, 0);
    let shape = VmShape { priority, terms: terms(pod, import), ..VmShape::plain(demand) };
    let (name, tenant) = (xxh3_64(pod.full_name()?.as_bytes()), xxh3_64(tenant(pod).as_bytes()));
    Ok(VmRow { name, tenant, shape, start, end: Time::NEVER })
}

/// The request of a pod: the sum of its containers or the need of its init containers, whichever is larger, plus the
/// overhead of its sandbox. Init containers that always restart are sidecars: they run beside the others. A pod-level
/// request replaces all of these. (Kubernetes, resource helpers of PodRequests)
fn request(pod: &Object<'_>, what: &str, count: fn(Quantity) -> Option<u64>) -> Result<u64, ImportError> {
    let overhead = pod.quantity(&pod.at("spec.overhead")[what], &format!("spec.overhead.{what}"), count)?.unwrap_or(0);
    let whole = &pod.at("spec.resources.requests")[what];
    if let Some(whole) = pod.quantity(whole, &format!("spec.resources.requests.{what}"), count)? {
        return Ok(whole.saturating_add(overhead));
    }
    let (mut sum, mut sidecars, mut most) = (0_u64, 0_u64, 0_u64);
    for (at, container) in containers(pod, "containers") {
        sum = sum.saturating_add(of_container(pod, container, "containers", at, what, count)?);
    }
    for (at, container) in containers(pod, "initContainers") {
        let asked = of_container(pod, container, "initContainers", at, what, count)?;
        if container["restartPolicy"] == "Always" {
            sidecars = sidecars.saturating_add(asked);
            most = most.max(sidecars);
        } else {
            most = most.max(sidecars.saturating_add(asked));
        }
    }
    Ok(sum.saturating_add(sidecars).max(most).saturating_add(overhead))
}

fn containers<'a>(pod: &Object<'a>, list: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    pod.at("spec")[list].as_array().map_or(&[][..], Vec::as_slice).iter().enumerate()
}

fn of_container(
    pod: &Object<'_>,
    container: &Value,
    list: &str,
    at: usize,
    what: &str,
    count: fn(Quantity) -> Option<u64>,
) -> Result<u64, ImportError> {
    let path = format!("spec.{list}[{at}].resources.requests.{what}");
    Ok(pod.quantity(&container["resources"]["requests"][what], &path, count)?.unwrap_or(0))
}

/// Pods with a negative priority can be evicted, like spot VMs; the other priorities are not distinguished.
fn priority(pod: &Object<'_>, import: &mut Import) -> u8 {
    let value = pod.at("spec.priority");
    let priority = value.as_i64().unwrap_or(0);
    if priority > 0 {
        let why = "VMs have two priorities: pods below 0 are spot VMs, all others have the highest";
        lose(import, pod, "spec.priority", value, why);
    }
    if pod.text("spec.preemptionPolicy") == "Never" {
        let why = "whether VMs put out others is one setting of AreNodeResourcesValid";
        lose(import, pod, "spec.preemptionPolicy", pod.at("spec.preemptionPolicy"), why);
    }
    u8::from(priority < 0)
}

/// Lists tolerations, except those for nodes that are not ready, which every pod has.
fn tolerations(pod: &Object<'_>, import: &mut Import) {
    let all = pod.at("spec.tolerations").as_array().map_or(&[][..], Vec::as_slice);
    let is_usual = |key: &Value| key.as_str().is_some_and(|key| key.starts_with(NOT_NOW));
    for toleration in all.iter().filter(|toleration| !is_usual(&toleration["key"])) {
        lose(import, pod, "spec.tolerations", toleration, "machines have no taints");
    }
}

/// The terms of a tenant: a DaemonSet has one pod per node, and so has a pod with anti-affinity to its own labels.
fn terms(pod: &Object<'_>, import: &mut Import) -> TenantTerms {
    let path = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution";
    let required = pod.at(path).as_array().map_or(&[][..], Vec::as_slice);
    let mut is_alone = owner(pod).0 == "DaemonSet";
    for term in required {
        if keeps_own_away(pod, term) {
            is_alone = true;
        } else {
            lose(
                import,
                pod,
                path,
                term,
                "only an anti-affinity by hostname with the pod's own labels has a twin, per_machine",
            );
        }
    }
    TenantTerms { per_machine: u16::from(is_alone), ..TenantTerms::NONE }
}

/// Whether an anti-affinity term separates pods with this pod's labels by node.
fn keeps_own_away(pod: &Object<'_>, term: &Value) -> bool {
    let Some(labels) = term["labelSelector"]["matchLabels"].as_object() else { return false };
    let only = ["labelSelector", "topologyKey"];
    let is_plain = term.as_object().is_some_and(|term| term.keys().all(|key| only.contains(&key.as_str())));
    let is_all = term["labelSelector"].as_object().is_some_and(|selector| selector.len() == 1);
    let own = pod.at("metadata.labels");
    let is_own = !labels.is_empty() && labels.iter().all(|(name, value)| own[name] == *value);
    is_plain && is_all && is_own && term["topologyKey"] == "kubernetes.io/hostname"
}

/// Kind and name of a pod's owner, or of the pod itself if it has none. The owner of a ReplicaSet's pod is the
/// Deployment.
fn owner<'a>(pod: &Object<'a>) -> (&'a str, &'a str) {
    let owners = pod.at("metadata.ownerReferences").as_array().map_or(&[][..], Vec::as_slice);
    let owner = owners.iter().find(|owner| owner["controller"] == Value::Bool(true)).or(owners.first());
    let Some(owner) = owner else { return ("Pod", pod.text("metadata.name")) };
    let (kind, name) = (owner["kind"].as_str().unwrap_or_default(), owner["name"].as_str().unwrap_or_default());
    let hash = pod.at("metadata.labels")["pod-template-hash"].as_str();
    match hash.and_then(|hash| name.strip_suffix(hash)?.strip_suffix('-')) {
        Some(deployment) if kind == "ReplicaSet" => ("Deployment", deployment),
        _ => (kind, name),
    }
}

/// The key of its tenant.
fn tenant(pod: &Object<'_>) -> String {
    let (kind, name) = owner(pod);
    format!("{}/{kind}/{name}", pod.text("metadata.namespace"))
}
