//! Sets fields of a variant by their paths.

use tiebreak_scenario::Variant;

use crate::Failure;

/// Sets fields in any order: one that is valid only together with another is retried after it.
///
/// # Errors
/// With the field, what was expected and what came; the fields before it are set.
pub fn set_all(variant: &mut Variant, fields: &[(&str, &str)]) -> Result<(), Failure> {
    let mut waiting = fields.to_vec();
    loop {
        let (before, mut first) = (waiting.len(), None);
        waiting.retain(|(path, value)| match variant.set(path, value) {
            Ok(()) => false,
            Err(issue) => {
                first.get_or_insert(issue);
                true
            }
        });
        match first {
            None => return Ok(()),
            Some(issue) if waiting.len() == before => return Err(issue.into()),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_set_in_any_order() {
        let (machines, racks) = (("inventory.clusters.0.machines", "6"), ("inventory.clusters.0.racks", "3"));
        for fields in [[machines, racks], [racks, machines]] {
            let mut variant = Variant::default();
            set_all(&mut variant, &fields).expect("six machines in three racks");
            assert_eq!((variant.clusters[0].settings.machines, variant.clusters[0].settings.racks), (6, 3));
        }
        let mut variant = Variant::default();
        set_all(&mut variant, &[("seed", "2"), ("seed", "3")]).expect("two seeds");
        assert_eq!(variant.seed, 3, "the last one holds");
        assert!(set_all(&mut variant, &[machines]).is_err(), "six machines do not fill its racks");
    }
}
