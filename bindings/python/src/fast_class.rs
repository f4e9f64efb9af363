//! Classes with hand-written slots for objects that are created millions of times: an event, and the iterator that returns it.
//!
//! PyO3 creates a class with all its methods. Users see a subclass whose few hot slots are hand-written, because a slot by PyO3
//! costs more than reading an event. Rules for a hand-written slot: code that may panic runs within [`boundary`], and code that
//! needs PyO3's own state (dropping a `Py`, raising) runs within `Python::attach`.

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

/// A PyO3 class that gets hand-written slots in a subclass.
pub(crate) trait FastClass: PyClass {
    /// The name that users see, with its module.
    const NAME: &'static CStr;
    /// Whether further classes derive from the subclass.
    const IS_BASE: bool;
    /// The subclass; null until the module is created.
    fn class() -> &'static AtomicPtr<ffi::PyTypeObject>;
    /// The hand-written slots except traverse and dealloc. `base` is the class of PyO3.
    fn slots(base: &Bound<'_, PyType>) -> Vec<ffi::PyType_Slot>;
}

/// The offset of the value in an object: directly after the header.
const fn offset<T>() -> usize {
    size_of::<ffi::PyObject>().next_multiple_of(align_of::<T>())
}

/// Creates the subclass and adds it to the module.
pub(crate) fn add<T: FastClass>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let base = py.get_type::<T>();
    // PyO3 stores only the value in a frozen class without weak references. All code here depends on that layout.
    if base.getattr("__basicsize__")?.extract::<usize>()? != offset::<T>() + size_of::<T>() {
        return Err(PySystemError::new_err("deltafold was built with a PyO3 whose objects have another layout"));
    }
    let doc = CString::new(base.getattr("__doc__")?.extract::<String>()?)?;
    let class = derive::<T>(&base, <T as FastClass>::NAME, &doc, T::slots(&base), T::IS_BASE)?;
    module.add(class.name()?, &class)?;
    // The class lives as long as the process, like PyO3's own classes.
    T::class().store(class.into_ptr().cast(), Ordering::Release);
    Ok(())
}

/// Creates a class with the objects of `T` that derives from `base`.
pub(crate) fn derive<'py, T: FastClass>(
    base: &Bound<'py, PyType>,
    name: &'static CStr,
    doc: &CStr,
    mut slots: Vec<ffi::PyType_Slot>,
    is_base: bool,
) -> PyResult<Bound<'py, PyType>> {
    let py = base.py();
    // PyO3's classes take part in garbage collection. These objects refer to nothing that could refer back, so they need no
    // collection; a class with a traverse slot does not inherit the collection of its base.
    slots.push(slot(ffi::Py_tp_traverse, traverse as ffi::traverseproc as *mut c_void));
    slots.push(slot(ffi::Py_tp_dealloc, dealloc::<T> as ffi::destructor as *mut c_void));
    slots.push(slot(ffi::Py_tp_doc, doc.as_ptr().cast_mut().cast()));
    slots.push(slot(0, ptr::null_mut()));
    let flags = if is_base { ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE } else { ffi::Py_TPFLAGS_DEFAULT };
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: 0,
        itemsize: 0,
        flags: flags as u32,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the slots end with a null slot, and specification, slots and doc live during the call. Python copies them; it may
    // keep the pointer to the name, which is static.
    let class = unsafe {
        let bases = (base,).into_pyobject(py)?;
        Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpecWithBases(&mut spec, bases.as_ptr()))?
    };
    let class = class.cast_into::<PyType>()?;
    // SAFETY: it is a class.
    if unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) } & ffi::Py_TPFLAGS_HAVE_GC != 0 {
        return Err(PySystemError::new_err("this version of Python makes the classes of deltafold garbage-collected"));
    }
    Ok(class)
}

pub(crate) fn slot(slot: i32, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc: function }
}

/// Creates an object of `class` with `extra` bytes after its value. `value` receives the address of those bytes. Returns null
/// with an exception set if memory runs out.
///
/// # Safety
///
/// The class is [`FastClass::class`] of `T` or a class that [`derive`](derive()) made from it.
#[inline]
pub(crate) unsafe fn create<T: FastClass>(
    _: Python<'_>,
    class: *mut ffi::PyTypeObject,
    extra: usize,
    value: impl FnOnce(NonNull<u8>) -> T,
) -> *mut ffi::PyObject {
    let size = offset::<T>() + size_of::<T>();
    // SAFETY: the interpreter is attached. The block has room for the header, the value and the extra bytes; header and value are
    // initialized before the object is returned.
    unsafe {
        let Some(block) = NonNull::new(ffi::PyObject_Malloc(size + extra).cast::<u8>()) else {
            return ffi::PyErr_NoMemory();
        };
        let object = ffi::PyObject_Init(block.as_ptr().cast(), class);
        block.add(offset::<T>()).cast::<T>().write(value(block.add(size)));
        object
    }
}

/// Returns the value of an object.
///
/// # Safety
///
/// The object is a live object that [`create`] made for `T`.
#[inline]
pub(crate) unsafe fn value<'a, T: FastClass>(object: *mut ffi::PyObject) -> &'a T {
    // SAFETY: by the caller; `create` wrote the value there, and frozen classes are never borrowed mutably.
    unsafe { &*object.cast::<u8>().add(offset::<T>()).cast::<T>() }
}

unsafe extern "C" fn dealloc<T: FastClass>(object: *mut ffi::PyObject) {
    // SAFETY: Python calls this once, for an unreferenced object that `create` made. The object owns a reference to its class,
    // which is released last.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let drop = || ptr::drop_in_place(object.cast::<u8>().add(offset::<T>()).cast::<T>());
        // A destructor cannot raise: after a panic, the contents of the value leak.
        let _ = catch_unwind(AssertUnwindSafe(drop));
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

extern "C" fn traverse(_: *mut ffi::PyObject, _: ffi::visitproc, _: *mut c_void) -> c_int {
    0
}

/// Runs the body of a function that Python calls, and raises a panic as an exception.
///
/// # Safety
///
/// The interpreter is attached.
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

/// Raises an exception from a hand-written slot.
#[cold]
pub(crate) fn raise(error: impl FnOnce(Python<'_>) -> PyErr) -> *mut ffi::PyObject {
    Python::attach(|py| error(py).restore(py));
    ptr::null_mut()
}

/// An owned reference that hand-written slots may copy and drop; a `Py` may not be dropped outside of PyO3's slots.
///
/// It is stored only in Python objects, so it is copied and dropped only while the interpreter is attached.
pub(crate) struct OwnedRef(NonNull<ffi::PyObject>);

// SAFETY: any thread may refer to the object; its reference count changes only while the interpreter is attached.
unsafe impl Send for OwnedRef {}
// SAFETY: as above.
unsafe impl Sync for OwnedRef {}

impl OwnedRef {
    /// Takes ownership of a new reference; returns `None` for null.
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

    /// Returns a new reference.
    #[inline]
    pub(crate) fn share(&self, _: Python<'_>) -> *mut ffi::PyObject {
        // SAFETY: the object is live, because this owns a reference, and the interpreter is attached.
        unsafe { ffi::Py_INCREF(self.as_ptr()) };
        self.as_ptr()
    }
}

impl Drop for OwnedRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this owns the reference, and the interpreter is attached; see the type.
        unsafe { ffi::Py_DECREF(self.as_ptr()) }
    }
}
