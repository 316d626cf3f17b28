//! Writing a workload as a compact file.

use tiebreak_model::{Resource, Scope, TenantTerms, VmShape, Workload};

use super::clock::Clock;
use super::columns::Columns;
use super::numbers::Numbers;
use super::{MAGIC, Origin, SUM_BYTES, VERSION};
use crate::column::hash;

/// A workload in this form.
#[must_use]
pub fn write(workload: &Workload, origin: &Origin) -> Vec<u8> {
    let shapes = workload.shapes();
    let clock = Clock::of(workload);
    let (groups, columns) = Columns::of(workload, clock);
    let mut out = Numbers(MAGIC.to_vec());
    out.push(VERSION);
    push_text(&mut out, &origin.title);
    for texts in [&origin.notes, &origin.cannot_answer] {
        out.push(texts.len() as u64);
        texts.iter().for_each(|text| push_text(&mut out, text));
    }
    [clock.step.0, clock.step.1, clock.beat_ms, workload.horizon().0]
        .iter()
        .for_each(|number| out.push(*number as u64));
    out.push(shapes.len() as u64);
    shapes.iter().for_each(|shape| push_shape(&mut out, shape));
    out.push(groups);
    let Columns { offsets, sizes, later_names, first_kinds, later_kinds, .. } = columns;
    let Columns { later_ends, tenants, first_names, starts, first_ends, .. } = columns;
    let in_order =
        [offsets, sizes, later_names, first_kinds, later_kinds, later_ends, tenants, first_names, starts, first_ends];
    out.0.reserve_exact(in_order.iter().map(|numbers| numbers.0.len()).sum::<usize>() + SUM_BYTES);
    in_order.into_iter().for_each(|numbers| out.0.extend(numbers.0));
    let sum = hash(&out.0);
    out.0.extend(sum.to_le_bytes());
    out.0
}

fn push_text(out: &mut Numbers, text: &str) {
    out.push(text.len() as u64);
    out.0.extend(text.as_bytes());
}

fn push_shape(out: &mut Numbers, shape: &VmShape) {
    let VmShape { demand, priority, terms, .. } = shape;
    let TenantTerms { fault_domains, scope, per_machine, per_rack, isolated } = terms;
    Resource::ALL.iter().for_each(|resource| out.push(demand[*resource].into()));
    let scope = Scope::ALL.iter().position(|other| other == scope).unwrap_or_default();
    let terms = [*fault_domains, scope as u16, *per_machine, *per_rack, u16::from(*isolated)];
    out.push((*priority).into());
    terms.iter().for_each(|number| out.push((*number).into()));
}
