//! Core errors as Python exceptions, one class per error class.

use deltafold::{Class, Code, Error};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    deltafold,
    DeltafoldError,
    PyException,
    "The base of all exceptions of deltafold. `code` names the error, `offset` is its byte position."
);
pyo3::create_exception!(deltafold, LimitExceeded, DeltafoldError, "A limit was exceeded.");
pyo3::create_exception!(
    deltafold,
    StrictViolation,
    DeltafoldError,
    "The stream breaks a rule, and the reader is strict."
);
pyo3::create_exception!(deltafold, Misuse, DeltafoldError, "A call with an invalid argument or in an invalid state.");

/// Adds the exception classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("DeltafoldError", py.get_type::<DeltafoldError>())?;
    module.add("LimitExceeded", py.get_type::<LimitExceeded>())?;
    module.add("StrictViolation", py.get_type::<StrictViolation>())?;
    module.add("Misuse", py.get_type::<Misuse>())
}

/// Creates the exception for a core error, with `code` and `offset` as attributes.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let text = error.to_string();
    let exception = match error.class() {
        Class::Limit => LimitExceeded::new_err(text),
        Class::Violation => StrictViolation::new_err(text),
        Class::Misuse => Misuse::new_err(text),
        _ => DeltafoldError::new_err(text),
    };
    let value = exception.value(py);
    let named = value.setattr("code", error.code().name()).and_then(|()| value.setattr("offset", error.offset()));
    named.err().unwrap_or(exception)
}

/// Creates a `Misuse` for an argument that the binding refuses.
pub(crate) fn misuse(py: Python<'_>, detail: &str) -> PyErr {
    raise(py, &Error::new(Code::BadArgument, 0, detail.to_owned()))
}
