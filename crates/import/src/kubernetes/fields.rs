//! Every field of nodes and pods in the API and how it is treated: read, ignored because it is irrelevant to
//! placement, or without a twin, with the reason. A field that is not in these tables is listed as unknown.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::Import;
use crate::leftover::push;

/// How a field and everything below it is treated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// It is read.
    Read,
    /// It is irrelevant to placement.
    Aside,
    /// It has no twin, for this reason.
    Lost(&'static str),
}

use Fate::{Aside, Lost, Read};

const FOUR: &str = "machines have cores and memory here, and nothing else that pods of Kubernetes ask for";
const LABELS: &str = "machines have no labels";
const PODS_NEARBY: &str =
    "only a limit per machine has a twin: a required anti-affinity by hostname with the pod's own labels";
const CLAIMS: &str = "volumes and where they can be attached are not modelled";
const ONE_BY_ONE: &str = "every pending pod is decided once, in the order of creation";

/// Fields by path: `[]` is any list item, `*` any name.
const NODE: &[(&str, Fate)] = &[
    ("apiVersion", Read),
    ("kind", Read),
    ("metadata.name", Read),
    ("metadata.labels", Read),
    ("metadata", Aside),
    ("spec.unschedulable", Read),
    ("spec.taints", Read),
    ("spec.podCIDR", Aside),
    ("spec.podCIDRs", Aside),
    ("spec.providerID", Aside),
    ("spec.externalID", Aside),
    ("spec.configSource", Aside),
    ("status.allocatable.cpu", Read),
    ("status.allocatable.memory", Read),
    ("status.allocatable.pods", Read),
    ("status.allocatable.ephemeral-storage", Lost("local disk has whole GiB here, too coarse for what pods ask for")),
    ("status.allocatable.*", Lost(FOUR)),
    ("status.conditions", Read),
    ("status.declaredFeatures", Aside),
    ("status.capacity", Aside),
    ("status.addresses", Aside),
    ("status.config", Aside),
    ("status.daemonEndpoints", Aside),
    ("status.features", Aside),
    ("status.images", Lost("images take no time to load, so ImageLocality has no twin")),
    ("status.nodeInfo", Aside),
    ("status.phase", Aside),
    ("status.runtimeHandlers", Aside),
    ("status.volumesAttached", Aside),
    ("status.volumesInUse", Aside),
];

const POD: &[(&str, Fate)] = &[
    ("apiVersion", Read),
    ("kind", Read),
    ("metadata.name", Read),
    ("metadata.namespace", Read),
    ("metadata.labels", Read),
    ("metadata.ownerReferences", Read),
    ("metadata.creationTimestamp", Read),
    ("metadata.deletionTimestamp", Read),
    ("metadata", Aside),
    ("spec.nodeName", Read),
    ("spec.overhead.cpu", Read),
    ("spec.overhead.memory", Read),
    ("spec.overhead.*", Lost(FOUR)),
    ("spec.priority", Read),
    ("spec.tolerations", Read),
    ("spec.resources.requests.cpu", Read),
    ("spec.resources.requests.memory", Read),
    ("spec.resources.requests.*", Lost(FOUR)),
    ("spec.resources.limits", Aside),
    ("spec.affinity.nodeAffinity", Lost(LABELS)),
    ("spec.affinity.podAffinity", Lost(PODS_NEARBY)),
    ("spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution", Read),
    ("spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution", Lost(PODS_NEARBY)),
    ("spec.nodeSelector", Lost(LABELS)),
    ("spec.topologySpreadConstraints", Lost("maxSkew has no twin; tenants here ask for a number of fault domains")),
    ("spec.preemptionPolicy", Read),
    ("spec.schedulerName", Read),
    ("spec.schedulingGates", Lost(ONE_BY_ONE)),
    ("spec.workloadRef", Lost("groups of pods are not placed whole: every pod is a request of its own")),
    ("spec.schedulingGroup", Lost("groups of pods are not placed whole: every pod is a request of its own")),
    ("spec.resourceClaims", Lost(FOUR)),
    ("spec.activeDeadlineSeconds", Lost("nothing says when the pod will end before that; it never ends here")),
    ("spec.volumes[].persistentVolumeClaim", Lost(CLAIMS)),
    ("spec.volumes[].ephemeral", Lost(CLAIMS)),
    ("spec.volumes", Aside),
    ("spec.containers[].resources.requests.cpu", Read),
    ("spec.containers[].resources.requests.memory", Read),
    ("spec.containers[].resources.requests.ephemeral-storage", Lost(FOUR)),
    ("spec.containers[].resources.requests.*", Lost(FOUR)),
    ("spec.containers[].resources.claims", Lost(FOUR)),
    ("spec.containers[].resources.limits", Aside),
    ("spec.containers[].ports[].hostPort", Lost("ports of machines are not modelled, so NodePorts has no twin")),
    ("spec.containers[].ports", Aside),
    ("spec.containers[].*", Aside),
    ("spec.initContainers[].restartPolicy", Read),
    ("spec.initContainers[].resources.requests.cpu", Read),
    ("spec.initContainers[].resources.requests.memory", Read),
    ("spec.initContainers[].resources.requests.*", Lost(FOUR)),
    ("spec.initContainers[].resources.claims", Lost(FOUR)),
    ("spec.initContainers[].resources.limits", Aside),
    ("spec.initContainers[].ports[].hostPort", Lost("ports of machines are not modelled, so NodePorts has no twin")),
    ("spec.initContainers[].ports", Aside),
    ("spec.initContainers[].*", Aside),
    ("spec.ephemeralContainers", Aside),
    ("spec.automountServiceAccountToken", Aside),
    ("spec.dnsConfig", Aside),
    ("spec.dnsPolicy", Aside),
    ("spec.enableServiceLinks", Aside),
    ("spec.hostAliases", Aside),
    ("spec.hostIPC", Aside),
    ("spec.hostNetwork", Aside),
    ("spec.hostPID", Aside),
    ("spec.hostUsers", Aside),
    ("spec.hostname", Aside),
    ("spec.hostnameOverride", Aside),
    ("spec.imagePullSecrets", Aside),
    ("spec.os", Lost("machines have no operating system")),
    ("spec.priorityClassName", Aside),
    ("spec.readinessGates", Aside),
    ("spec.restartPolicy", Aside),
    ("spec.runtimeClassName", Aside),
    ("spec.securityContext", Aside),
    ("spec.serviceAccount", Aside),
    ("spec.serviceAccountName", Aside),
    ("spec.setHostnameAsFQDN", Aside),
    ("spec.shareProcessNamespace", Aside),
    ("spec.subdomain", Aside),
    ("spec.terminationGracePeriodSeconds", Aside),
    ("status.phase", Read),
    ("status.startTime", Read),
    ("status.nominatedNodeName", Lost("evictions are decided and done at once")),
    ("status.resourceClaimStatuses", Lost(FOUR)),
    ("status", Aside),
];

type Table = BTreeMap<&'static str, Fate>;

static NODES: LazyLock<Table> = LazyLock::new(|| NODE.iter().copied().collect());
static PODS: LazyLock<Table> = LazyLock::new(|| POD.iter().copied().collect());

/// Lists the fields of an object that are not read.
pub(super) fn list(file: &str, kind: &str, object: &Value, import: &mut Import) {
    let table = if kind == "Node" { &*NODES } else { &*PODS };
    let mut walk = Walk { file, kind, table, import };
    walk.below(object, "", None);
}

struct Walk<'a> {
    file: &'a str,
    kind: &'a str,
    table: &'a Table,
    import: &'a mut Import,
}

impl Walk<'_> {
    /// Lists the fields of a value; those without an entry inherit `whole`.
    fn below(&mut self, value: &Value, path: &str, whole: Option<Fate>) {
        match (value, whole) {
            (Value::Object(object), _) => {
                let any = format!("{path}.*");
                for (name, value) in object.iter().filter(|(_, value)| !is_nothing(value)) {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    let fate =
                        self.table.get(path.as_str()).or_else(|| self.table.get(any.as_str())).copied().or(whole);
                    self.field(value, &path, fate);
                }
            }
            (Value::Array(list), _) => list.iter().for_each(|value| self.below(value, &format!("{path}[]"), whole)),
            (_, Some(fate)) => self.meet(fate, path, value),
            (_, None) => self.lose(path, value, "this reader does not know the field"),
        }
    }

    fn field(&mut self, value: &Value, path: &str, fate: Option<Fate>) {
        match fate {
            Some(fate) if !self.goes_on(path) => self.meet(fate, path, value),
            fate => self.below(value, path, fate),
        }
    }

    /// Whether the table has fields below this one.
    fn goes_on(&self, path: &str) -> bool {
        let has = |below: String| self.table.range(&*below..).next().is_some_and(|(next, _)| next.starts_with(&*below));
        has(format!("{path}.")) || has(format!("{path}["))
    }

    fn meet(&mut self, fate: Fate, path: &str, value: &Value) {
        match fate {
            Read => {}
            Aside => {
                let path = format!("{}.{path}", self.kind);
                if !self.import.aside.contains(&path) {
                    self.import.aside.push(path);
                }
            }
            Lost(why) if !is_zero(value) => self.lose(path, value, why),
            Lost(_) => {}
        }
    }

    fn lose(&mut self, path: &str, value: &Value, why: &str) {
        push(&mut self.import.leftovers, self.file, &format!("{}.{path}", self.kind), value, why);
    }
}

/// Whether a value is empty.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// Whether an amount is zero.
fn is_zero(value: &Value) -> bool {
    value.as_str() == Some("0") || value.as_u64() == Some(0)
}
