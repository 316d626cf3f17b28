//! Writing a workload as a compact file.

use tiebreak_model::{Resource, Scope, TenantTerms, VmShape, Workload};
use xxhash_rust::xxh3::Xxh3;

use super::clock::Clock;
use super::columns::Columns;
use super::numbers::Numbers;
use super::{MAGIC, Origin, VERSION};

/// A workload in this form.
#[must_use]
pub fn write(workload: &Workload, origin: &Origin) -> Vec<u8> {
    parts(workload, origin).concat()
}

/// The same in parts of about a megabyte at most, which together are the file. Whoever writes them can free each after
/// it is written.
#[must_use]
pub fn parts(workload: &Workload, origin: &Origin) -> Vec<Vec<u8>> {
    let shapes = workload.shapes();
    let clock = Clock::of(workload);
    let (groups, columns) = Columns::of(workload, clock);
    let mut head = Numbers::default();
    head.push_bytes(MAGIC);
    head.push(VERSION);
    push_text(&mut head, &origin.title);
    for texts in [&origin.notes, &origin.cannot_answer] {
        head.push(texts.len() as u64);
        texts.iter().for_each(|text| push_text(&mut head, text));
    }
    [clock.step.0, clock.step.1, clock.beat_ms, workload.horizon().0]
        .iter()
        .for_each(|number| head.push(*number as u64));
    head.push(shapes.len() as u64);
    shapes.iter().for_each(|shape| push_shape(&mut head, shape));
    head.push(groups);
    let Columns { offsets, sizes, later_names, first_kinds, later_kinds, .. } = columns;
    let Columns { later_ends, tenants, first_names, starts, first_ends, .. } = columns;
    let in_order =
        [offsets, sizes, later_names, first_kinds, later_kinds, later_ends, tenants, first_names, starts, first_ends];
    let mut parts: Vec<_> = core::iter::once(head).chain(in_order).flat_map(Numbers::into_pieces).collect();
    let mut sum = Xxh3::new();
    parts.iter().for_each(|part| sum.update(part));
    parts.push(sum.digest().to_le_bytes().into());
    parts
}

fn push_text(out: &mut Numbers, text: &str) {
    out.push(text.len() as u64);
    out.push_bytes(text.as_bytes());
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
