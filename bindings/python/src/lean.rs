//! Classes whose objects are made by the million: an event, and the iterator that gives it.
//!
//! PyO3 makes the class with all its methods; what users see is a subclass that has the few hot slots written by hand, since a
//! slot by PyO3 costs more than reading an event does. Rules for such a slot: what may panic runs within [`boundary`], and what
//! PyO3 would have to know for certain (dropping a `Py`, raising) runs within `Python::attach`.

use std::ffi::{c_int, c_void, CStr, CString};
use std::mem::{align_of, size_of};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::PyClass;

/// A class that PyO3 has made and that gets hot slots in a subclass.
pub(crate) trait Lean: PyClass {
    /// The name that users see, with its module.
    const NAME: &'static CStr;
    /// The subclass; null before the module was made.
    fn class() -> &'static AtomicPtr<ffi::PyTypeObject>;
    /// The hot slots, beside the one that frees. `base` is what PyO3 has made.
    fn slots(base: &Bound<'_, PyType>) -> Vec<ffi::PyType_Slot>;
}

/// Where the value stands in an object: behind the header.
const fn offset<T>() -> usize {
    size_of::<ffi::PyObject>().next_multiple_of(align_of::<T>())
}

/// Makes the subclass and adds it to the module.
pub(crate) fn add<T: Lean>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let base = py.get_type::<T>();
    // PyO3 puts nothing beside the value of a frozen class without weak references; if that ever changes, nothing here may run.
    if base.getattr("__basicsize__")?.extract::<usize>()? != offset::<T>() + size_of::<T>() {
        return Err(PySystemError::new_err("deltafold was built with a PyO3 whose objects have another layout"));
    }
    let doc = CString::new(base.getattr("__doc__")?.extract::<String>()?)?;
    let mut slots = T::slots(&base);
    // PyO3's classes are known to the collector. These refer to nothing that could refer back, and one that says itself what it
    // refers to does not inherit that.
    slots.push(slot(ffi::Py_tp_traverse, traverse as ffi::traverseproc as *mut c_void));
    slots.push(slot(ffi::Py_tp_dealloc, dealloc::<T> as ffi::destructor as *mut c_void));
    slots.push(slot(ffi::Py_tp_doc, doc.as_ptr().cast_mut().cast()));
    slots.push(slot(0, ptr::null_mut()));
    let mut spec = ffi::PyType_Spec {
        name: <T as Lean>::NAME.as_ptr(),
        basicsize: 0,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as u32,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification and its slots end with a null slot and live as long as the call; names and doc are copied, but for
    // the name, which is static.
    let class = unsafe {
        let bases = (base,).into_pyobject(py)?;
        Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpecWithBases(&mut spec, bases.as_ptr()))?
    };
    let class = class.cast_into::<PyType>()?;
    // SAFETY: it is a class.
    if unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) } & ffi::Py_TPFLAGS_HAVE_GC != 0 {
        return Err(PySystemError::new_err("deltafold does not know the classes of this Python"));
    }
    module.add(class.name()?, &class)?;
    // The class lives as long as the process, as PyO3's own do.
    T::class().store(class.into_ptr().cast(), Ordering::Release);
    Ok(())
}

pub(crate) fn slot(slot: i32, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc: function }
}

/// Makes an object with so many bytes behind its value, which `value` is told the place of. Null without memory, and raises.
#[inline]
pub(crate) fn make<T: Lean>(_: Python<'_>, more: usize, value: impl FnOnce(NonNull<u8>) -> T) -> *mut ffi::PyObject {
    let size = offset::<T>() + size_of::<T>();
    // SAFETY: the interpreter is held. The block is as large as the header, the value and the bytes behind; the header is set
    // before anybody sees it, and the value is written before the object is handed out.
    unsafe {
        let Some(block) = NonNull::new(ffi::PyObject_Malloc(size + more).cast::<u8>()) else {
            return ffi::PyErr_NoMemory();
        };
        let object = ffi::PyObject_Init(block.as_ptr().cast(), T::class().load(Ordering::Relaxed));
        block.add(offset::<T>()).cast::<T>().write(value(block.add(size)));
        object
    }
}

/// The value of an object.
///
/// # Safety
///
/// The object is a live one of the class.
#[inline]
pub(crate) unsafe fn value<'a, T: Lean>(object: *mut ffi::PyObject) -> &'a T {
    // SAFETY: by the caller; `make` wrote the value there, and frozen classes are never borrowed mutably.
    unsafe { &*object.cast::<u8>().add(offset::<T>()).cast::<T>() }
}

unsafe extern "C" fn dealloc<T: Lean>(object: *mut ffi::PyObject) {
    // SAFETY: Python calls this once, for an object that `make` made and that nobody refers to. Such an object keeps its class
    // alive, so its class goes last.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let drop = || ptr::drop_in_place(object.cast::<u8>().add(offset::<T>()).cast::<T>());
        // There is nobody to raise to: after a panic, what the value held is lost.
        let _ = catch_unwind(AssertUnwindSafe(drop));
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

extern "C" fn traverse(_: *mut ffi::PyObject, _: ffi::visitproc, _: *mut c_void) -> c_int {
    0
}

/// Runs what Python has called, and raises what panics.
///
/// # Safety
///
/// Called by Python: the interpreter is held.
#[inline]
pub(crate) unsafe fn boundary(work: impl FnOnce(Python<'_>) -> *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: by the caller.
    let py = unsafe { Python::assume_attached() };
    match catch_unwind(AssertUnwindSafe(|| work(py))) {
        Ok(object) => object,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            raise(|_| PanicException::new_err(text.unwrap_or_default()))
        }
    }
}

/// Raises an exception from a hot slot.
#[cold]
pub(crate) fn raise(error: impl FnOnce(Python<'_>) -> PyErr) -> *mut ffi::PyObject {
    Python::attach(|py| error(py).restore(py));
    ptr::null_mut()
}

/// A reference that the hot slots may drop and copy, which a `Py` may not be outside of PyO3's slots.
///
/// It is copied and dropped only while the interpreter is held: it stands in Python objects alone.
pub(crate) struct Held(NonNull<ffi::PyObject>);

// SAFETY: the object may be seen from any thread; its count changes while the interpreter is held.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    /// Takes over a new reference.
    ///
    /// # Safety
    ///
    /// The pointer is a new reference, or null.
    pub(crate) unsafe fn from_new(object: *mut ffi::PyObject) -> Option<Self> {
        NonNull::new(object).map(Self)
    }

    pub(crate) fn as_ptr(&self) -> *mut ffi::PyObject {
        self.0.as_ptr()
    }

    /// A new reference.
    #[inline]
    pub(crate) fn share(&self, _: Python<'_>) -> *mut ffi::PyObject {
        // SAFETY: the object is live, since this refers to it, and the interpreter is held.
        unsafe { ffi::Py_INCREF(self.as_ptr()) };
        self.as_ptr()
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is a reference of its own, and the interpreter is held; see the type.
        unsafe { ffi::Py_DECREF(self.as_ptr()) }
    }
}
