//! `deltafold._native`: the core as a Python extension module. `python/deltafold` is what users import.
//!
//! A bound method converts in, calls one core method, converts out and maps the error. Handles are frozen classes around
//! a lock, so that threads can share one, and the interpreter is released while bytes are read.

use pyo3::prelude::*;

mod convert;
mod error;
mod sse;

/// The native half of deltafold.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<sse::Frame>()?;
    module.add_class::<sse::SseDecoder>()
}
