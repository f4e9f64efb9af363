//! The strings that every stream repeats, made once: wire names of the contract's events, and fields that every loop reads.

use deltafold::Kind;
use pyo3::ffi;
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

/// A field that an event keeps at hand.
#[derive(Clone, Copy)]
pub(crate) enum Hot {
    Type,
    Delta,
    OutputIndex,
    ContentIndex,
    SequenceNumber,
    ItemId,
    SummaryIndex,
}

const HOT: [(&str, Hot); 7] = [
    ("type", Hot::Type),
    ("delta", Hot::Delta),
    ("output_index", Hot::OutputIndex),
    ("content_index", Hot::ContentIndex),
    ("sequence_number", Hot::SequenceNumber),
    ("item_id", Hot::ItemId),
    ("summary_index", Hot::SummaryIndex),
];

static HOT_NAMES: PyOnceLock<[Py<PyString>; HOT.len()]> = PyOnceLock::new();

/// The field of an interned name, told by its address alone.
#[inline]
pub(crate) fn hot(py: Python<'_>, name: *mut ffi::PyObject) -> Option<Hot> {
    let names = HOT_NAMES.get_or_init(py, || HOT.map(|(name, _)| PyString::intern(py, name).unbind()));
    names.iter().position(|known| known.as_ptr() == name).map(|at| HOT[at].1)
}
