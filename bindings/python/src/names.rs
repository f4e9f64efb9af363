//! The strings that every stream repeats, made once: wire names of the contract's events.

use deltafold::Kind;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

static KINDS: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();

/// The interned wire name of a kind.
pub(crate) fn kind(py: Python<'_>, kind: Kind) -> &Py<PyString> {
    let names =
        KINDS.get_or_init(py, || Kind::ALL.iter().map(|kind| PyString::intern(py, kind.as_str()).unbind()).collect());
    &names[kind as usize]
}
