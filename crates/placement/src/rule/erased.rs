//! The seam between rules, which have types, and the engine, which has lists.
//!
//! An unbound rule has its parameters. Bound to a request's key it is the judging part of Protean's *rule object*
//! (section 5.2.1). Bound rules judge many machines per call, so that the indirection costs once per rule, not once
//! per machine.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{Phrase, Resources, Scene, TenantTerms, VmRequest};

use super::{Key, Preference, Reach, Validator};

/// A validator with its reach and key types erased; the id type remains.
pub(crate) trait AnyValidator<Id>: Send + Sync {
    /// Writes the request's key for this rule.
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>);
    /// The rule for a request.
    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundValidator<Id>>;
    /// Whether it sees the requesting tenant's VMs.
    fn sees_tenant(&self) -> bool;
    /// Whether everything else that it sees is constant during a run.
    fn sees_what_stays(&self) -> bool;
    /// Whether it sees only a machine's condition.
    fn sees_host_alone(&self) -> bool {
        false
    }
    /// Whether it depends on the clock, so that its verdicts must not be cached.
    fn is_live(&self) -> bool {
        false
    }
    /// Whether it reads forecasts beyond the present.
    fn looks_ahead(&self) -> bool {
        false
    }
    /// Whether it can ever refuse this request.
    fn concerns(&self, vm: &VmRequest) -> bool;
    /// Whether a tenant with these terms relies on it.
    fn serves(&self, _: &TenantTerms) -> bool {
        true
    }
    /// It refuses every machine with less free than this.
    fn must_be_free(&self, _: &VmRequest) -> Resources {
        Resources::NONE
    }
    /// One verdict without binding.
    fn check(&self, vm: &VmRequest, scene: Scene<'_>, id: Id) -> bool;
}

/// A preference with its reach and key types erased; the id type remains.
pub(crate) trait AnyPreference<Id>: Send + Sync {
    /// Writes the request's key for this rule.
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>);
    /// The rule for a request.
    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundPreference<Id>>;
    /// Whether it sees the requesting tenant's VMs.
    fn sees_tenant(&self) -> bool;
    /// Whether everything else that it sees is constant during a run.
    fn sees_what_stays(&self) -> bool;
    /// Whether it sees only a machine's condition.
    fn sees_host_alone(&self) -> bool {
        false
    }
    /// Whether it sees the mix of VM sizes.
    fn sees_mix(&self) -> bool {
        false
    }
    /// Whether it sees the order in which machines were used.
    fn sees_uses(&self) -> bool {
        false
    }
}

/// A validator bound to one key.
pub(crate) trait BoundValidator<Id>: Send {
    /// Whether the VM may be placed there.
    fn is_valid(&self, scene: Scene<'_>, id: Id) -> bool;
    /// Clears the flag of every id where the VM must not be placed.
    fn judge(&self, scene: Scene<'_>, ids: &[Id], valid: &mut [bool])
    where
        Id: Copy,
    {
        for (id, valid) in ids.iter().zip(valid) {
            *valid &= self.is_valid(scene, *id);
        }
    }
    /// Why not, if there is more to say; continues a sentence that starts with "it".
    fn words(&self, _: Scene<'_>, _: Id) -> Option<Phrase> {
        None
    }
}

/// A preference bound to one key.
pub(crate) trait BoundPreference<Id>: Send {
    /// The score of one id, as the rule computes it.
    fn score(&self, scene: Scene<'_>, id: Id) -> f64;
    /// The scores of several ids.
    fn scores(&self, scene: Scene<'_>, ids: &[Id], scores: &mut Vec<f64>)
    where
        Id: Copy,
    {
        scores.clear();
        scores.extend(ids.iter().map(|id| self.score(scene, *id)));
    }
    /// Its words where a score alone says little; they continue a sentence that starts with "it".
    fn words(&self, _: Scene<'_>, _: Id) -> Option<Phrase> {
        None
    }
}

struct BoundRule<Rule, K> {
    rule: Rule,
    key: K,
}

type IdOf<R> = <R as Reach>::Id;

impl<V: Validator> AnyValidator<IdOf<V::Reach>> for V {
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        self.key(vm).write(words);
    }

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundValidator<IdOf<V::Reach>>> {
        Box::new(BoundRule { rule: *self, key: self.key(vm) })
    }

    fn sees_tenant(&self) -> bool {
        V::Reach::SEES_TENANT
    }

    fn sees_what_stays(&self) -> bool {
        V::Reach::SEES_WHAT_STAYS
    }

    fn sees_host_alone(&self) -> bool {
        V::Reach::SEES_HOST_ALONE
    }

    fn concerns(&self, vm: &VmRequest) -> bool {
        Validator::concerns(self, &self.key(vm))
    }

    fn serves(&self, terms: &TenantTerms) -> bool {
        Validator::serves(self, terms)
    }

    fn must_be_free(&self, vm: &VmRequest) -> Resources {
        Validator::must_be_free(self, &self.key(vm))
    }

    fn check(&self, vm: &VmRequest, scene: Scene<'_>, id: IdOf<V::Reach>) -> bool {
        self.is_valid(&self.key(vm), V::Reach::view(scene, id))
    }
}

impl<P: Preference> AnyPreference<IdOf<P::Reach>> for P {
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        self.key(vm).write(words);
    }

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundPreference<IdOf<P::Reach>>> {
        Box::new(BoundRule { rule: *self, key: self.key(vm) })
    }

    fn sees_tenant(&self) -> bool {
        P::Reach::SEES_TENANT
    }

    fn sees_what_stays(&self) -> bool {
        P::Reach::SEES_WHAT_STAYS
    }

    fn sees_host_alone(&self) -> bool {
        P::Reach::SEES_HOST_ALONE
    }

    fn sees_mix(&self) -> bool {
        P::Reach::SEES_MIX
    }

    fn sees_uses(&self) -> bool {
        P::Reach::SEES_USES
    }
}

impl<V: Validator> BoundValidator<IdOf<V::Reach>> for BoundRule<V, V::Key> {
    #[inline]
    fn is_valid(&self, scene: Scene<'_>, id: IdOf<V::Reach>) -> bool {
        self.rule.is_valid(&self.key, V::Reach::view(scene, id))
    }
}

impl<P: Preference> BoundPreference<IdOf<P::Reach>> for BoundRule<P, P::Key> {
    #[inline]
    fn score(&self, scene: Scene<'_>, id: IdOf<P::Reach>) -> f64 {
        self.rule.score(&self.key, P::Reach::view(scene, id))
    }
}
