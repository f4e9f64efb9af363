//! `deltafold._native`: the core as a Python extension module. `python/deltafold` is what users import.
//!
//! A bound method converts in, calls one core method, converts out and maps the error. Handles are frozen classes around
//! a lock, so that threads can share one, and the interpreter is released while much is read.

use pyo3::prelude::*;

mod convert;
mod error;
mod event;
mod finding;
mod names;
mod options;
mod reader;
mod response;
mod sse;

/// The native half of deltafold.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<event::Event>()?;
    module.add_class::<reader::Events>()?;
    module.add_class::<finding::Failure>()?;
    module.add_class::<finding::Finding>()?;
    module.add_class::<sse::Frame>()?;
    module.add_class::<response::Item>()?;
    module.add_class::<finding::Outcome>()?;
    module.add_class::<response::Part>()?;
    module.add_class::<reader::Reader>()?;
    module.add_class::<response::Response>()?;
    module.add_class::<sse::SseDecoder>()?;
    module.add_function(wrap_pyfunction!(event::_event, module)?)
}
