//! The one seam between rules, which have types, and the engine, which has lists.
//!
//! An unbound rule knows its parameters; bound to a request's key it is Protean's
//! *rule object* (section 5.2.1). Bound rules judge many machines in one call, so
//! that the price of the indirection is paid per rule, not per machine.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{ClusterId, Occupancy, VmShape};

use crate::rule::{Key, Preference, Reach, Validator};

/// A validator whose key type is forgotten.
pub(crate) trait AnyValidator<R: Reach>: Send + Sync {
    /// Writes the request's key for this rule.
    fn write_key(&self, vm: &VmShape, words: &mut Vec<u64>);
    /// The rule object for a request.
    fn bind(&self, vm: &VmShape) -> Box<dyn BoundValidator<R>>;
}

/// A preference whose key type is forgotten.
pub(crate) trait AnyPreference<R: Reach>: Send + Sync {
    /// Writes the request's key for this rule.
    fn write_key(&self, vm: &VmShape, words: &mut Vec<u64>);
    /// The rule object for a request.
    fn bind(&self, vm: &VmShape) -> Box<dyn BoundPreference<R>>;
}

/// A validator for one key.
pub(crate) trait BoundValidator<R: Reach> {
    /// Whether the VM may go there.
    fn is_valid(&self, occupancy: &Occupancy, id: R::Id) -> bool;
    /// Clears the flag of every id where the VM may not go.
    fn judge(&self, occupancy: &Occupancy, cluster: ClusterId, ids: &[R::Id], valid: &mut [bool]);
}

/// A preference for one key.
pub(crate) trait BoundPreference<R: Reach> {
    /// The score of one, as the rule gives it.
    fn score(&self, occupancy: &Occupancy, id: R::Id) -> f64;
    /// The scores of several ids of one cluster.
    fn scores(&self, occupancy: &Occupancy, cluster: ClusterId, ids: &[R::Id], scores: &mut Vec<f64>);
}

struct Bound<Rule, K> {
    rule: Rule,
    key: K,
}

impl<V: Validator> AnyValidator<V::Reach> for V {
    fn write_key(&self, vm: &VmShape, words: &mut Vec<u64>) {
        self.key(vm).write(words);
    }

    fn bind(&self, vm: &VmShape) -> Box<dyn BoundValidator<V::Reach>> {
        Box::new(Bound { rule: *self, key: self.key(vm) })
    }
}

impl<P: Preference> AnyPreference<P::Reach> for P {
    fn write_key(&self, vm: &VmShape, words: &mut Vec<u64>) {
        self.key(vm).write(words);
    }

    fn bind(&self, vm: &VmShape) -> Box<dyn BoundPreference<P::Reach>> {
        Box::new(Bound { rule: *self, key: self.key(vm) })
    }
}

type IdOf<Rule> = <Rule as Reach>::Id;

impl<V: Validator> BoundValidator<V::Reach> for Bound<V, V::Key> {
    fn is_valid(&self, occupancy: &Occupancy, id: IdOf<V::Reach>) -> bool {
        self.rule.is_valid(&self.key, V::Reach::view(occupancy, id))
    }

    fn judge(&self, occupancy: &Occupancy, cluster: ClusterId, ids: &[IdOf<V::Reach>], valid: &mut [bool]) {
        for (view, valid) in V::Reach::views(occupancy, cluster, ids).zip(valid) {
            *valid &= self.rule.is_valid(&self.key, view);
        }
    }
}

impl<P: Preference> BoundPreference<P::Reach> for Bound<P, P::Key> {
    fn score(&self, occupancy: &Occupancy, id: IdOf<P::Reach>) -> f64 {
        self.rule.score(&self.key, P::Reach::view(occupancy, id))
    }

    fn scores(&self, occupancy: &Occupancy, cluster: ClusterId, ids: &[IdOf<P::Reach>], scores: &mut Vec<f64>) {
        scores.clear();
        scores.extend(P::Reach::views(occupancy, cluster, ids).map(|view| self.rule.score(&self.key, view)));
    }
}
