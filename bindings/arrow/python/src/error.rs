//! Errors as the exceptions of the package `deltafold`.

use deltafold::Class;
use deltafold_arrow::BatchError;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(deltafold, DeltafoldError);
pyo3::import_exception!(deltafold, Misuse);

/// Creates the exception for an error of a batch. A row never causes one.
pub(crate) fn raise(py: Python<'_>, error: &BatchError) -> PyErr {
    let text = error.to_string();
    match error {
        BatchError::BodyType(_) | BatchError::DialectType(_) => PyTypeError::new_err(text),
        BatchError::UnknownColumn(_) => named(py, Misuse::new_err(text), "misuse.unknown_name"),
        BatchError::Options(found) => {
            let exception =
                if found.class() == Class::Misuse { Misuse::new_err(text) } else { DeltafoldError::new_err(text) };
            named(py, exception, found.code().name())
        }
        BatchError::TooLarge => PyMemoryError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Adds the attributes that every exception of `deltafold` has.
fn named(py: Python<'_>, exception: PyErr, code: &str) -> PyErr {
    let value = exception.value(py);
    let done = value.setattr("code", code).and_then(|()| value.setattr("offset", 0));
    done.err().unwrap_or(exception)
}
