//! What every stream repeats, made once: wire names of the contract's events, the names of fields that every loop reads, and
//! small numbers.
//!
//! [`prepare`] makes them before the module can be used; they live as long as the process, so a look at one is a load.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicU8, Ordering};

use deltafold::Kind;
use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

type Kept = AtomicPtr<ffi::PyObject>;

static KINDS: [Kept; Kind::ALL.len()] = [const { AtomicPtr::new(ptr::null_mut()) }; Kind::ALL.len()];

/// The interned wire name of a kind, borrowed for ever.
#[inline]
pub(crate) fn kind(_: Python<'_>, kind: Kind) -> *mut ffi::PyObject {
    KINDS[kind as usize].load(Ordering::Relaxed)
}

/// Indexes are small numbers.
static NUMBERS: [Kept; 32] = [const { AtomicPtr::new(ptr::null_mut()) }; 32];

/// A number as a new reference; null without memory, and raises.
#[inline]
pub(crate) fn number(_: Python<'_>, number: u64) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is held; what is kept is live.
    unsafe {
        match usize::try_from(number).ok().and_then(|number| NUMBERS.get(number)) {
            Some(kept) => {
                let kept = kept.load(Ordering::Relaxed);
                ffi::Py_INCREF(kept);
                kept
            }
            None => ffi::PyLong_FromUnsignedLongLong(number),
        }
    }
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

/// Their names, in the same order.
const HOT: [&str; 7] =
    ["type", "delta", "output_index", "content_index", "sequence_number", "item_id", "summary_index"];

/// The names of [`HOT`], each at the place that its address says, with its position in that list.
static PLACES: [(Kept, AtomicU8); PLACES_LEN] =
    [const { (AtomicPtr::new(ptr::null_mut()), AtomicU8::new(0)) }; PLACES_LEN];
const PLACES_LEN: usize = 64;
/// What an address is multiplied with, so that no two names have the same place.
static FACTOR: AtomicU64 = AtomicU64::new(0);

#[inline]
fn place(name: *mut ffi::PyObject, factor: u64) -> usize {
    ((name as u64).wrapping_mul(factor) >> (u64::BITS - PLACES_LEN.ilog2())) as usize
}

/// The field of an interned name, told by its address alone.
#[inline]
pub(crate) fn hot(_: Python<'_>, name: *mut ffi::PyObject) -> Option<Hot> {
    let (known, at) = PLACES.get(place(name, FACTOR.load(Ordering::Relaxed)))?;
    if known.load(Ordering::Relaxed) != name {
        return None;
    }
    Some(match at.load(Ordering::Relaxed) {
        0 => Hot::Type,
        1 => Hot::Delta,
        2 => Hot::OutputIndex,
        3 => Hot::ContentIndex,
        4 => Hot::SequenceNumber,
        5 => Hot::ItemId,
        _ => Hot::SummaryIndex,
    })
}

/// Makes all of it; called before the first event can be made.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    for (at, kind) in Kind::ALL.iter().enumerate() {
        debug_assert_eq!(at, *kind as usize);
        KINDS[at].store(PyString::intern(py, kind.as_str()).into_ptr(), Ordering::Release);
    }
    for (number, kept) in (0_u64..).zip(&NUMBERS) {
        kept.store(PyInt::new(py, number).into_ptr(), Ordering::Release);
    }
    let names = HOT.map(|name| PyString::intern(py, name).into_ptr());
    // Odd numbers that differ in their high bits; about one in two is good.
    let mut factors = (1_u64..10_000).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let apart = |factor: &u64| {
        let taken = names.iter().fold(0_u64, |taken, name| taken | 1 << place(*name, *factor));
        taken.count_ones() as usize == names.len()
    };
    let factor = factors.find(apart).ok_or_else(|| PySystemError::new_err("no places for the names of fields"))?;
    for (at, name) in (0_u8..).zip(names) {
        let (known, hot) = &PLACES[place(name, factor)];
        hot.store(at, Ordering::Relaxed);
        known.store(name, Ordering::Release);
    }
    FACTOR.store(factor, Ordering::Release);
    Ok(())
}
