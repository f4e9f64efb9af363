//! `deltafold._native`: the core as a Python extension module. `python/deltafold` is what users import.
//!
//! A bound method converts its arguments, calls one core method, converts the result and maps the error. Handles are frozen
//! classes around a lock, so that threads can share them; the interpreter is detached while much data is read.

use pyo3::prelude::*;
use pyo3::types::PyMapping;

mod adapter;
mod clock;
mod convert;
mod error;
mod event;
mod fast_class;
mod finding;
mod growing;
mod interned;
mod options;
mod partial;
mod reader;
mod request;
mod response;
mod sse;
mod validate;
mod writer;

/// The native half of deltafold.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    interned::prepare(module.py())?;
    error::add(module)?;
    module.add_class::<adapter::Converter>()?;
    // An event is a Mapping, for `isinstance` and for mapping patterns of `match`. Registered before the classes of the kinds are
    // derived, because a class inherits the flag for mapping patterns only when it is created; Python 3.10 does not add it later.
    PyMapping::register::<event::Event>(module.py())?;
    fast_class::add::<event::Event>(module)?;
    event::add_classes(module)?;
    fast_class::add::<reader::Events>(module)?;
    module.add_class::<finding::Failure>()?;
    module.add_class::<finding::Finding>()?;
    module.add_class::<sse::Frame>()?;
    module.add_class::<response::Item>()?;
    module.add_class::<response::Part>()?;
    module.add_class::<partial::PartialJson>()?;
    module.add_class::<reader::Reader>()?;
    reader::Reader::add_feed(module)?;
    module.add_class::<response::Response>()?;
    module.add_class::<sse::SseDecoder>()?;
    module.add_class::<request::ToolLoop>()?;
    module.add_class::<writer::Writer>()?;
    module.add_function(wrap_pyfunction!(event::_event, module)?)?;
    #[cfg(feature = "cli")]
    module.add_function(wrap_pyfunction!(validate::_main, module)?)?;
    module.add_function(wrap_pyfunction!(request::_request, module)?)?;
    module.add_function(wrap_pyfunction!(adapter::detect, module)?)?;
    module.add_function(wrap_pyfunction!(adapter::dialects, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partial_json, module)?)?;
    module.add_function(wrap_pyfunction!(validate::is_success_status, module)?)?;
    module.add_function(wrap_pyfunction!(validate::is_terminal_status, module)?)?;
    module.add_function(wrap_pyfunction!(validate::is_valid_extension_type, module)?)?;
    module.add_function(wrap_pyfunction!(validate::profiles, module)?)?;
    module.add_function(wrap_pyfunction!(validate::suggest_profile, module)?)?;
    module.add_function(wrap_pyfunction!(validate::validate, module)?)
}
