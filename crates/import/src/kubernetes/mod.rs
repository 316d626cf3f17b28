//! Imports the output of `kubectl get nodes,pods` and the configuration of kube-scheduler.
//!
//! Nodes of one zone and one size form a cluster. A zone is a datacenter, and labels that end in `/rack` name its
//! racks. Running pods are the VMs alive at the start; pending pods arrive right after it, one at a time. A tenant is
//! the owner of pods: a Deployment, a StatefulSet, a DaemonSet or a Job.

mod fields;
mod nodes;
mod object;
mod pods;
mod quantity;
mod scheduler;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Import;
use crate::conversion::Content;
use crate::error::ImportError;
use crate::leftover::{push, push_shown};
use crate::limits::PODS_MAX;
use object::Object;

pub(crate) use scheduler::scheduler;

/// Imports the nodes and pods of all files together.
pub(crate) fn objects(contents: &[(&str, Content)], import: &mut Import) -> Result<(), ImportError> {
    let (mut nodes, mut pods) = (BTreeMap::new(), BTreeMap::new());
    for (file, content) in contents {
        let Content::Objects(objects) = content else { continue };
        for (path, value) in objects {
            let object = Object { file, path, value };
            let uses = match value["kind"].as_str() {
                Some("Node") => &mut nodes,
                Some("Pod") => &mut pods,
                kind => {
                    let kind = kind.unwrap_or_default();
                    push_shown(&mut import.leftovers, file, "kind", kind, "only nodes and pods are read");
                    continue;
                }
            };
            fields::list(file, value["kind"].as_str().unwrap_or_default(), value, import);
            let twice = uses.insert(object.full_name()?, object);
            if let Some(twice) = twice {
                let got = format!("{} twice", twice.full_name()?);
                return Err(object.wrong("metadata.name", "each object once", &Value::String(got)));
            }
        }
    }
    if pods.len() > PODS_MAX {
        let expected = format!("at most {PODS_MAX} pods");
        return Err(ImportError::whole("--import", expected, pods.len(), "dump a part of the namespaces"));
    }
    let aside = nodes::clusters(&nodes.into_values().collect::<Vec<_>>(), import)?;
    pods::workload(&pods.into_values().collect::<Vec<_>>(), &aside, import)
}

/// Lists a part of an object, with the kind of the object at the front of its path.
fn lose(import: &mut Import, object: &Object<'_>, path: &str, value: &Value, why: &str) {
    let kind = object.value["kind"].as_str().unwrap_or_default();
    push(&mut import.leftovers, object.file, &format!("{kind}.{path}"), value, why);
}
