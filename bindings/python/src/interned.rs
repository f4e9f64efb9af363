//! Python objects that many events share, created once: the wire names of event kinds, the names of common fields, and small
//! integers.
//!
//! [`prepare`] creates them before the module can be used. They live as long as the process, so access is one load.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard};

use deltafold::Kind;
use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

type StaticObject = AtomicPtr<ffi::PyObject>;

static KIND_NAMES: [StaticObject; Kind::ALL.len()] = [const { AtomicPtr::new(ptr::null_mut()) }; Kind::ALL.len()];

/// Returns the interned wire name of a kind as a borrowed reference that is always valid.
#[inline]
pub(crate) fn kind_name(_: Python<'_>, kind: Kind) -> *mut ffi::PyObject {
    KIND_NAMES[kind as usize].load(Ordering::Relaxed)
}

/// The integers from 0; most indexes are among them.
static SMALL_INTEGERS: [StaticObject; 32] = [const { AtomicPtr::new(ptr::null_mut()) }; 32];

/// Returns an integer as a new reference, or null with an exception set if memory runs out.
#[inline]
pub(crate) fn integer(_: Python<'_>, number: u64) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached; the static objects are never freed.
    unsafe {
        match usize::try_from(number).ok().and_then(|number| SMALL_INTEGERS.get(number)) {
            Some(object) => {
                let object = object.load(Ordering::Relaxed);
                ffi::Py_INCREF(object);
                object
            }
            None => ffi::PyLong_FromUnsignedLongLong(number),
        }
    }
}

/// A field that an event object stores in decoded form.
#[derive(Clone, Copy)]
pub(crate) enum CommonField {
    Type,
    Delta,
    OutputIndex,
    ContentIndex,
    SequenceNumber,
    ItemId,
    SummaryIndex,
}

/// The names of the fields, in the order of [`CommonField`].
const FIELD_NAMES: [&str; 7] =
    ["type", "delta", "output_index", "content_index", "sequence_number", "item_id", "summary_index"];

/// A hash table from the address of an interned name to its position in [`FIELD_NAMES`].
static BUCKETS: [(StaticObject, AtomicU8); BUCKET_COUNT] =
    [const { (AtomicPtr::new(ptr::null_mut()), AtomicU8::new(0)) }; BUCKET_COUNT];
const BUCKET_COUNT: usize = 64;
/// The multiplier of the hash, chosen so that no two names share a bucket.
static MULTIPLIER: AtomicU64 = AtomicU64::new(0);

#[inline]
fn bucket(name: *mut ffi::PyObject, multiplier: u64) -> usize {
    ((name as u64).wrapping_mul(multiplier) >> (u64::BITS - BUCKET_COUNT.ilog2())) as usize
}

/// Returns the field with an interned name. Compares addresses only, so it finds no name that is not interned.
#[inline]
pub(crate) fn common_field(_: Python<'_>, name: *mut ffi::PyObject) -> Option<CommonField> {
    let (known, position) = BUCKETS.get(bucket(name, MULTIPLIER.load(Ordering::Relaxed)))?;
    if known.load(Ordering::Relaxed) != name {
        return None;
    }
    Some(match position.load(Ordering::Relaxed) {
        0 => CommonField::Type,
        1 => CommonField::Delta,
        2 => CommonField::OutputIndex,
        3 => CommonField::ContentIndex,
        4 => CommonField::SequenceNumber,
        5 => CommonField::ItemId,
        _ => CommonField::SummaryIndex,
    })
}

/// A key of a dict, with its string.
struct Key {
    text: Box<str>,
    string: *mut ffi::PyObject,
}

/// Keys of dicts, by two hashes. The same few hundred keys occur in all streams, and a string that exists has its hash already. An entry
/// is never replaced or freed, so that reading needs no lock; keys that find no place are created anew each time.
static KEYS: [AtomicPtr<Key>; KEY_COUNT] = [const { AtomicPtr::new(ptr::null_mut()) }; KEY_COUNT];
const KEY_COUNT: usize = 2048;
/// Longer keys are not stored, so that the table is small whatever a server sends.
const KEY_BYTES: usize = 64;

/// Returns the string of a key as a new reference, or null with an exception set if memory runs out.
#[inline]
pub(crate) fn key(_: Python<'_>, text: &str) -> *mut ffi::PyObject {
    let hash = key_hash(text.as_bytes());
    for bucket in [hash as usize % KEY_COUNT, (hash >> 32) as usize % KEY_COUNT] {
        // SAFETY: entries are never freed, and the interpreter is attached.
        unsafe {
            let Some(known) = KEYS[bucket].load(Ordering::Acquire).as_ref() else { return new_key(text, bucket) };
            if *known.text == *text {
                ffi::Py_INCREF(known.string);
                return known.string;
            }
        }
    }
    // SAFETY: the interpreter is attached; the length of a `str` always fits Python's size type.
    unsafe { ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t) }
}

/// Creates the string of a key and stores it in an empty bucket.
#[cold]
fn new_key(text: &str, bucket: usize) -> *mut ffi::PyObject {
    // SAFETY: as in `key`. If another thread has filled the bucket, the entry is freed again; otherwise the table owns a reference.
    unsafe {
        let mut string = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t);
        if string.is_null() || text.len() > KEY_BYTES {
            return string;
        }
        ffi::PyUnicode_InternInPlace(&mut string);
        let entry = Box::into_raw(Box::new(Key { text: text.into(), string }));
        match KEYS[bucket].compare_exchange(ptr::null_mut(), entry, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => ffi::Py_INCREF(string),
            Err(_) => drop(Box::from_raw(entry)),
        }
        string
    }
}

/// Short strings that were values of a payload before. The events of a stream repeat ids, types, states and short deltas, and a string
/// that exists costs a comparison instead of an allocation. The newest string of a bucket is kept.
pub(crate) struct Values(Vec<ShortString>);

#[derive(Clone)]
struct ShortString {
    length: usize,
    text: [u8; VALUE_BYTES],
    /// Owned; null if the bucket is empty.
    string: *mut ffi::PyObject,
}

// SAFETY: any thread may refer to the strings; the lock gives access to one thread at a time, which is attached to the interpreter.
unsafe impl Send for Values {}

static VALUES: Mutex<Values> = Mutex::new(Values(Vec::new()));
const VALUE_COUNT: usize = 1024;
const VALUE_BYTES: usize = 64;

/// Locks the values. `None` while another conversion uses them: objects are created under this lock, so no thread waits for it.
pub(crate) fn values(_: Python<'_>) -> Option<MutexGuard<'static, Values>> {
    let mut values = VALUES.try_lock().ok()?;
    if values.0.is_empty() {
        values.0.resize(VALUE_COUNT, ShortString { length: 0, text: [0; VALUE_BYTES], string: ptr::null_mut() });
    }
    Some(values)
}

impl Values {
    /// Returns the string of a text as a new reference, or null with an exception set if memory runs out.
    #[inline]
    pub(crate) fn string(&mut self, _: Python<'_>, text: &str) -> *mut ffi::PyObject {
        // SAFETY: the interpreter is attached; the length of a `str` always fits Python's size type. Freeing a `str` runs no code.
        unsafe {
            let create = || ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t);
            if text.is_empty() || text.len() > VALUE_BYTES {
                return create();
            }
            let known = &mut self.0[key_hash(text.as_bytes()) as usize % VALUE_COUNT];
            if known.length == text.len() && known.text[..text.len()] == *text.as_bytes() {
                ffi::Py_INCREF(known.string);
                return known.string;
            }
            let string = create();
            if !string.is_null() {
                ffi::Py_INCREF(string);
                ffi::Py_XDECREF(std::mem::replace(&mut known.string, string));
                known.length = text.len();
                known.text[..text.len()].copy_from_slice(text.as_bytes());
            }
            string
        }
    }
}

/// Hashes the length and the first and last eight bytes, which differ for almost all keys.
#[inline]
fn key_hash(text: &[u8]) -> u64 {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (first, last) = match text.len() {
        8.. => (word(text.first_chunk()), word(text.last_chunk())),
        _ => (text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
    };
    let mixed = (first ^ last.rotate_left(29) ^ text.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// Creates all static objects. Must be called before the first event is created.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    for (position, kind) in Kind::ALL.iter().enumerate() {
        debug_assert_eq!(position, *kind as usize);
        KIND_NAMES[position].store(PyString::intern(py, kind.name()).into_ptr(), Ordering::Release);
    }
    for (number, object) in (0_u64..).zip(&SMALL_INTEGERS) {
        object.store(PyInt::new(py, number).into_ptr(), Ordering::Release);
    }
    let names = FIELD_NAMES.map(|name| PyString::intern(py, name).into_ptr());
    // Odd numbers that differ in their high bits; about every second one separates all names.
    let mut multipliers = (1_u64..10_000).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let separates = |multiplier: &u64| {
        let taken = names.iter().fold(0_u64, |taken, name| taken | 1 << bucket(*name, *multiplier));
        taken.count_ones() as usize == names.len()
    };
    let multiplier = multipliers
        .find(separates)
        .ok_or_else(|| PySystemError::new_err("no hash multiplier separates the names of the common fields"))?;
    for (position, name) in (0_u8..).zip(names) {
        let (known, stored) = &BUCKETS[bucket(name, multiplier)];
        stored.store(position, Ordering::Relaxed);
        known.store(name, Ordering::Release);
    }
    MULTIPLIER.store(multiplier, Ordering::Release);
    Ok(())
}
