//! Writes the dump that the tests read, with every field that an API server of release 1.34 sets on such objects:
//! `cargo run -p tiebreak-import --example fixture | gzip -9n`. kubectl 1.32 prints the same bytes for
//! `kubectl get nodes,pods -A -o json` from a server that lists these objects.
//!
//! 60 nodes in three zones, of two sizes; three belong to the control plane, and one is cordoned. The pods are the
//! cluster's own, ten services, and some that are pending.

use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};

const ZONES: [&str; 3] = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];

/// Cores, KiB of memory and the cloud's instance type.
const SIZES: [(u64, u64, &str); 2] = [(16, 64_812_248, "m5.4xlarge"), (32, 129_624_496, "m5.8xlarge")];

/// Name, pods, millicores, MiB, kind of owner.
const SERVICES: [(&str, usize, u64, u64, &str); 10] = [
    ("frontend", 24, 500, 512, "Deployment"),
    ("checkout", 18, 1_000, 2_048, "Deployment"),
    ("search", 12, 4_000, 16_384, "StatefulSet"),
    ("ads", 20, 250, 256, "Deployment"),
    ("cart", 15, 750, 1_024, "Deployment"),
    ("kafka", 9, 3_000, 12_288, "StatefulSet"),
    ("ledger", 6, 6_000, 24_576, "StatefulSet"),
    ("report", 8, 2_000, 4_096, "Job"),
    ("cache", 14, 1_000, 8_192, "Deployment"),
    ("filler", 10, 1_500, 3_072, "Deployment"),
];

fn main() {
    let nodes: Vec<_> = (0..60).map(node).collect();
    let mut pods = Vec::new();
    for at in 0..60 {
        pods.push(daemon("kube-proxy", at, 0, None));
        pods.push(daemon("node-exporter", at, 102, Some("180Mi")));
    }
    pods.push(bare());
    for (service, (name, replicas, milli, mib, kind)) in SERVICES.into_iter().enumerate() {
        pods.extend((0..replicas).map(|replica| self::pod(service, replica, (name, milli, mib, kind))));
    }
    let items: Vec<_> = nodes.into_iter().chain(pods).collect();
    let list = json!({ "apiVersion": "v1", "items": items, "kind": "List", "metadata": { "resourceVersion": "" } });
    // kubectl indents by four spaces.
    let mut out = serde_json::Serializer::with_formatter(std::io::stdout(), PrettyFormatter::with_indent(b"    "));
    list.serialize(&mut out).expect("values, and somebody who reads them");
    println!();
}

/// A made-up identifier, always the same for the same text.
fn uid(text: &str) -> String {
    let hash = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    let hex = format!("{hash:032x}");
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

fn moment(minutes: usize) -> String {
    format!("2026-03-{:02}T{:02}:{:02}:07Z", 1 + minutes / 1_440, minutes / 60 % 24, minutes % 60)
}

fn node_name(at: usize) -> String {
    format!("ip-10-0-{}-{}.eu-west-1.compute.internal", at % 3, 10 + at)
}

fn node(at: usize) -> Value {
    let (cores, kib, size) = SIZES[usize::from(at.is_multiple_of(5))];
    let (name, zone) = (node_name(at), ZONES[at % 3]);
    let is_control = (57..60).contains(&at);
    let mut labels = json!({
        "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/instance-type": size, "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": size, "topology.kubernetes.io/region": "eu-west-1",
        "topology.kubernetes.io/zone": zone,
    });
    let mut spec = json!({
        "podCIDR": format!("10.244.{at}.0/24"), "podCIDRs": [format!("10.244.{at}.0/24")],
        "providerID": format!("aws:///{zone}/i-{}", &uid(&name)[..8]),
    });
    if is_control {
        labels["node-role.kubernetes.io/control-plane"] = "".into();
        spec["taints"] = json!([{ "effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane" }]);
    } else if at == 31 {
        spec["unschedulable"] = true.into();
        spec["taints"] = json!([
            { "effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "timeAdded": moment(20_000) }
        ]);
    } else if at == 7 {
        spec["taints"] = json!([{ "effect": "PreferNoSchedule", "key": "spot", "value": "soon" }]);
    }
    let condition = |of: &str, status: &str, reason: &str| {
        json!({
            "lastHeartbeatTime": moment(29_000), "lastTransitionTime": moment(at),
            "message": format!("kubelet says {reason}"), "reason": reason, "status": status, "type": of,
        })
    };
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "annotations": { "node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
            "creationTimestamp": moment(at), "labels": labels, "name": name,
            "resourceVersion": format!("{}", 9_000 + at), "uid": uid(&name),
        },
        "spec": spec,
        "status": {
            "addresses": [{ "address": format!("10.0.{}.{}", at % 3, 10 + at), "type": "InternalIP" }, { "address": name, "type": "Hostname" }],
            "allocatable": {
                "cpu": format!("{}m", cores * 1_000 - 80), "ephemeral-storage": "95551679124", "hugepages-1Gi": "0",
                "hugepages-2Mi": "0", "memory": format!("{}Ki", kib - 1_024_000), "pods": "110",
            },
            "capacity": {
                "cpu": cores.to_string(), "ephemeral-storage": "104845292Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0",
                "memory": format!("{kib}Ki"), "pods": "110",
            },
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID"),
                condition("Ready", "True", "KubeletReady"),
            ],
            "daemonEndpoints": { "kubeletEndpoint": { "Port": 10250 } },
            "images": [{ "names": ["registry.k8s.io/pause:3.10"], "sizeBytes": 320_368 }],
            "nodeInfo": {
                "architecture": "amd64", "bootID": uid(&format!("boot {at}")), "containerRuntimeVersion": "containerd://2.1.4",
                "kernelVersion": "6.12.41", "kubeProxyVersion": "", "kubeletVersion": "v1.34.1", "machineID": uid("m").replace('-', ""),
                "operatingSystem": "linux", "osImage": "Debian GNU/Linux 13 (trixie)", "swap": { "capacity": 0 }, "systemUUID": uid(&name),
            },
            "runtimeHandlers": [{ "features": { "recursiveReadOnlyMounts": true, "userNamespaces": true }, "name": "" }],
        },
    })
}

fn container(name: &str, requests: &Value) -> Value {
    json!({
        "image": format!("registry.example/{name}:1.4.2"), "imagePullPolicy": "IfNotPresent", "name": name,
        "ports": [{ "containerPort": 8080, "name": "http", "protocol": "TCP" }],
        "resources": { "requests": requests }, "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{ "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access", "readOnly": true }],
    })
}

/// The fields of every pod.
fn pod_of(namespace: &str, name: &str, labels: &Value, requests: &Value, at: usize) -> Value {
    let tolerate =
        |key: &str| json!({ "effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300 });
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "creationTimestamp": moment(at), "generation": 1, "labels": labels, "name": name, "namespace": namespace,
            "resourceVersion": format!("{}", 20_000 + at), "uid": uid(name),
        },
        "spec": {
            "containers": [container("main", requests)], "dnsPolicy": "ClusterFirst", "enableServiceLinks": true,
            "preemptionPolicy": "PreemptLowerPriority", "priority": 0, "restartPolicy": "Always",
            "schedulerName": "default-scheduler", "securityContext": {}, "serviceAccount": "default",
            "serviceAccountName": "default", "terminationGracePeriodSeconds": 30,
            "tolerations": [tolerate("node.kubernetes.io/not-ready"), tolerate("node.kubernetes.io/unreachable")],
            "volumes": [{ "name": "kube-api-access", "projected": { "defaultMode": 420, "sources": [] } }],
        },
        "status": { "phase": "Pending", "qosClass": "Burstable" },
    })
}

fn bind(pod: &mut Value, node: usize, at: usize) {
    pod["spec"]["nodeName"] = node_name(node).into();
    pod["status"] = json!({
        "conditions": [{ "lastProbeTime": null, "lastTransitionTime": moment(at), "status": "True", "type": "Ready" }],
        "containerStatuses": [{ "image": "registry.example/main:1.4.2", "name": "main", "ready": true, "restartCount": 0 }],
        "hostIP": format!("10.0.0.{node}"), "phase": "Running", "podIP": format!("10.244.{node}.9"),
        "qosClass": "Burstable", "startTime": moment(at),
    });
}

fn own(pod: &mut Value, kind: &str, name: &str) {
    let version = if kind == "Job" { "batch/v1" } else { "apps/v1" };
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": version, "blockOwnerDeletion": true, "controller": true, "kind": kind, "name": name, "uid": uid(name),
    }]);
}

fn daemon(name: &str, node: usize, milli: u64, memory: Option<&str>) -> Value {
    let requests = memory.map_or(json!({}), |memory| json!({ "cpu": format!("{milli}m"), "memory": memory }));
    let full = format!("{name}-{}", &uid(&format!("{name}{node}"))[..5]);
    let mut pod = pod_of("kube-system", &full, &json!({ "k8s-app": name }), &requests, node);
    own(&mut pod, "DaemonSet", name);
    bind(&mut pod, node, node);
    pod["spec"]["priority"] = 2_000_001_000.into();
    pod["spec"]["priorityClassName"] = "system-node-critical".into();
    pod["spec"]["hostNetwork"] = true.into();
    pod["spec"]["tolerations"] = json!([{ "operator": "Exists" }]);
    if name == "node-exporter" {
        pod["spec"]["containers"][0]["ports"][0]["hostPort"] = 9100.into();
    }
    let values =
        json!([{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [node_name(node)] }] }]);
    pod["spec"]["affinity"] = json!({ "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": values } } });
    pod
}

/// A pod without an owner that has ended.
fn bare() -> Value {
    let mut pod = pod_of("default", "migrate-once", &json!({}), &json!({ "cpu": "1", "memory": "1Gi" }), 12_000);
    bind(&mut pod, 3, 12_000);
    pod["status"]["phase"] = "Succeeded".into();
    pod
}

fn pod(service: usize, replica: usize, (name, milli, mib, kind): (&str, u64, u64, &str)) -> Value {
    let hash = &uid(name)[..9].replace('-', "");
    let owner = match kind {
        "Deployment" => format!("{name}-{hash}"),
        "Job" => format!("{name}-{}", 29_000_000 + replica),
        _ => name.to_owned(),
    };
    let full = match kind {
        "StatefulSet" => format!("{name}-{replica}"),
        _ => format!("{owner}-{}", &uid(&format!("{name}{replica}"))[..5]),
    };
    let mut labels = json!({ "app": name });
    if kind == "Deployment" {
        labels["pod-template-hash"] = hash.as_str().into();
    }
    let at = 2_000 + 1_700 * service + 13 * replica;
    let requests = json!({ "cpu": format!("{milli}m"), "memory": format!("{mib}Mi") });
    let mut pod = pod_of("shop", &full, &labels, &requests, at);
    own(&mut pod, if kind == "Deployment" { "ReplicaSet" } else { kind }, &owner);
    let spec = &mut pod["spec"];
    match name {
        "kafka" => {
            spec["affinity"] = json!({ "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
                { "labelSelector": { "matchLabels": { "app": name } }, "topologyKey": "kubernetes.io/hostname" }
            ] } });
            spec["volumes"] =
                json!([{ "name": "data", "persistentVolumeClaim": { "claimName": format!("data-{full}") } }]);
        }
        "frontend" => {
            spec["topologySpreadConstraints"] = json!([{
                "labelSelector": { "matchLabels": { "app": name } }, "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
            }]);
        }
        "search" => {
            spec["nodeSelector"] = json!({ "node.kubernetes.io/instance-type": "m5.8xlarge" });
            spec["initContainers"] = json!([
                container("warm-up", &json!({ "cpu": "5", "memory": "1Gi" })),
                { "image": "registry.example/mesh:2", "name": "mesh", "resources": { "requests": { "cpu": "100m", "memory": "128Mi" } }, "restartPolicy": "Always" },
            ]);
        }
        "ads" => spec["containers"][0]["resources"]["requests"]["ephemeral-storage"] = "2Gi".into(),
        "filler" => {
            spec["priority"] = (-10).into();
            spec["priorityClassName"] = "overprovisioning".into();
            spec["preemptionPolicy"] = "Never".into();
        }
        "report" => spec["restartPolicy"] = "Never".into(),
        _ => {}
    }
    let waits = replica >= 20 || (name == "report" && replica >= 5);
    if !waits {
        bind(&mut pod, (service * 11 + replica * 7) % 57, at);
    }
    pod
}
