//! Writing a workload as a compact file.

use tiebreak_model::{RequestId, Resource, Scope, TenantTerms, VmId, VmRow, VmShape, Workload};

use super::clock::Clock;
use super::columns::Columns;
use super::{MAGIC, Origin, VERSION};
use crate::column::hash;

/// A workload in this form.
#[must_use]
pub fn write(workload: &Workload, origin: &Origin) -> Vec<u8> {
    let rows = sorted_rows(workload);
    let shapes = workload.shapes();
    let clock = Clock::of(&rows);
    let columns = Columns::of(&rows, shapes, clock);
    let mut out = Writer(MAGIC.to_vec());
    out.number(VERSION);
    out.text(&origin.title);
    for texts in [&origin.notes, &origin.cannot_answer] {
        out.number(texts.len() as u64);
        texts.iter().for_each(|text| out.text(text));
    }
    [clock.step.0, clock.step.1, clock.beat_ms, workload.horizon().0]
        .iter()
        .for_each(|number| out.number(*number as u64));
    out.number(shapes.len() as u64);
    shapes.iter().for_each(|shape| out.shape(shape));
    out.number(columns.sizes.len() as u64);
    let Columns { offsets, sizes, later_names, first_kinds, later_kinds, .. } = &columns;
    let Columns { later_ends, tenants, first_names, starts, first_ends, .. } = &columns;
    let in_order = [offsets, sizes, later_names, first_kinds, later_kinds, later_ends, tenants, first_names, starts];
    in_order.into_iter().chain([first_ends]).flatten().for_each(|number| out.number(*number));
    let sum = hash(&out.0);
    out.0.extend(sum.to_le_bytes());
    out.0
}

fn sorted_rows(workload: &Workload) -> Vec<VmRow> {
    let requests = (0..workload.request_count()).map(RequestId);
    let vms = requests.flat_map(|request| workload.vms_of(request).map(move |vm| (request, VmId(vm))));
    let mut rows: Vec<VmRow> = vms
        .map(|(request, vm)| VmRow {
            name: workload.name(vm),
            tenant: workload.tenant(request),
            shape: *workload.shape_of_vm(vm),
            start: workload.at(request),
            end: workload.end(vm),
        })
        .collect();
    rows.sort_by_key(|row| (row.tenant, row.start, row.name, row.end, row.shape));
    rows
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn shape(&mut self, shape: &VmShape) {
        let VmShape { demand, priority, terms, .. } = shape;
        let TenantTerms { fault_domains, scope, per_machine, per_rack, isolated } = terms;
        Resource::ALL.iter().for_each(|resource| self.number(demand[*resource].into()));
        let scope = Scope::ALL.iter().position(|other| other == scope).unwrap_or_default();
        let terms = [*fault_domains, scope as u16, *per_machine, *per_rack, u16::from(*isolated)];
        self.number((*priority).into());
        terms.iter().for_each(|number| self.number((*number).into()));
    }
}
