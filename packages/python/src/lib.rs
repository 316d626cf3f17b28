//! The Python package `tiebreak`: the native half of it, which the Python half (`python/tiebreak`) makes pleasant.
//!
//! It decides nothing. Scenarios are documents of `crates/scenario`, runs are those of `crates/sim`, and what is asked
//! of them is answered by `crates/study`, as in the native program. What is wrong with the input is a `ValueError` in
//! the words of the program.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over as values")]

mod asking;
mod choosing;
mod follow;
mod run;
mod scenario;
mod table;
mod trace;

use pyo3::prelude::*;

#[pymodule]
mod _tiebreak {
    #[pymodule_export]
    use crate::asking::{compare, metrics, presets, search, size, sweep};
    #[pymodule_export]
    use crate::run::{Run, run};
    #[pymodule_export]
    use crate::scenario::Scenario;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::trace::Trace;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
