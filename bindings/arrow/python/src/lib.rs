//! `deltafold_arrow._native`: the crate `deltafold-arrow` as a Python extension module. Users import `deltafold.batch`.
//!
//! A call converts its arguments, runs one batch without the interpreter, and returns a column that offers the Arrow PyCapsule
//! interface. The module depends on no Arrow package of Python.

use pyo3::prelude::*;

mod batch;
mod capsule;
mod column;
mod error;
mod values;

/// The native half of deltafold.batch.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module
        .add("FOLD_COLUMNS", deltafold_arrow::FoldColumn::ALL.iter().map(|column| column.name()).collect::<Vec<_>>())?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<column::Column>()
}
