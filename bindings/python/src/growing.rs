//! JSON that is still growing, as Python objects that are kept from one call to the next.
//!
//! A call converts only what is new. What the caller still holds from an earlier call is not changed: an open container or string that
//! other code refers to is copied first (copy on write), finished values are shared.
//!
//! Objects are created without a lock, because creating them may start a garbage collection, and a finalizer may use the same
//! reader. Therefore [`Changes`] is made under the lock and copies what is new, and [`ConvertedValue::apply`] runs after it.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use deltafold::__bindings::{way_to_last_leaf, Growth, LastChild, LeafGrowth, SeenValue};
use deltafold::json::Value;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::convert;

/// Converted values of this many growing texts are kept per reader. More are converted anew.
const MAX_KEPT: usize = 64;

/// The converted values of a reader's growing texts.
#[derive(Default)]
pub(crate) struct ConvertedValues {
    kept: Mutex<Vec<(u64, ConvertedValue)>>,
    /// The newest mark. A mark is never given twice.
    newest: AtomicU64,
}

impl ConvertedValues {
    /// Takes the value with this mark out; an empty one if it is not kept.
    fn take(&self, mark: u64) -> ConvertedValue {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().position(|(other, _)| *other == mark).map_or_else(ConvertedValue::default, |at| kept.remove(at).1)
    }

    fn put(&self, mark: u64, converted: ConvertedValue) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((mark, converted));
        // An object may be freed here, and a finalizer may use the reader: not under the lock.
        let oldest = (kept.len() > MAX_KEPT).then(|| kept.remove(0));
        drop(kept);
        drop(oldest);
    }

    /// Forgets all values.
    pub(crate) fn clear(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        drop(kept);
    }

    /// Returns the current value. `read` locks the reader and passes the value and the mark of its parser to its argument.
    pub(crate) fn value<'py>(
        &self,
        py: Python<'py>,
        read: impl Fn(&mut dyn FnMut(Option<&Value>, &mut u64)) -> PyResult<()>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The second attempt converts the whole value: the first one fails if the caller took elements out of an earlier value.
        self.update(py, &read).or_else(|_| self.update(py, &read))
    }

    fn update<'py>(
        &self,
        py: Python<'py>,
        read: &impl Fn(&mut dyn FnMut(Option<&Value>, &mut u64)) -> PyResult<()>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (mut converted, mut changes, mut key) = (ConvertedValue::default(), Changes::default(), 0);
        read(&mut |value, mark| {
            converted = self.take(*mark);
            if converted.root.is_none() {
                *mark = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
            }
            key = *mark;
            changes = value.map(|value| converted.seen.look(value).into()).unwrap_or_default();
        })?;
        let found = converted.apply(py, changes)?;
        if found.is_some() {
            self.put(key, converted);
        }
        Ok(found)
    }
}

/// A converted value that can grow.
#[derive(Default)]
pub(crate) struct ConvertedValue {
    root: Option<Py<PyAny>>,
    /// The containers on the way to the last leaf, outermost first.
    open: Vec<Container>,
    seen: SeenValue,
}

struct Container {
    object: Py<PyAny>,
    /// The key of the last child, if the container is a dict.
    key: Option<Py<PyString>>,
}

/// What has to be converted: a copy of what is new.
#[derive(Default)]
struct Changes {
    /// The whole value, if none was converted before.
    whole: Option<Value>,
    leaf: LeafChange,
    /// New children of each container that was known, outermost first.
    children: Vec<Vec<(Option<String>, Value)>>,
}

#[derive(Default)]
enum LeafChange {
    #[default]
    Same,
    Append(String),
    Replace(Value),
}

impl From<Growth<'_>> for Changes {
    fn from(growth: Growth<'_>) -> Self {
        match growth {
            Growth::Whole(value) => Self { whole: Some(value.clone()), ..Self::default() },
            Growth::Parts { children, leaf } => {
                let copy = |(key, value): (Option<&str>, &Value)| (key.map(str::to_owned), value.clone());
                let children = children.iter().map(|new| new.iter().map(copy).collect()).collect();
                let leaf = match leaf {
                    LeafGrowth::Same => LeafChange::Same,
                    LeafGrowth::Appended(text) => LeafChange::Append(text.to_owned()),
                    LeafGrowth::Replaced(value) => LeafChange::Replace(value.clone()),
                };
                Self { whole: None, leaf, children }
            }
        }
    }
}

impl ConvertedValue {
    /// Converts what is new and returns the value; `None` before it begins.
    fn apply<'py>(&mut self, py: Python<'py>, changes: Changes) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(whole) = changes.whole {
            let root = convert::value(py, &whole)?;
            self.descend(root.clone(), &whole)?;
            self.root = Some(root.unbind());
        }
        let converted = changes.children.iter().position(|children| !children.is_empty());
        let deepest = changes.children.iter().rposition(|children| !children.is_empty());
        let changed = match changes.leaf {
            LeafChange::Same => deepest.map_or(0, |level| level + 1),
            _ => self.open.len(),
        };
        for level in 0..changed {
            self.make_own(py, level)?;
        }
        match changes.leaf {
            LeafChange::Same => {}
            LeafChange::Append(text) => self.append(py, &text)?,
            LeafChange::Replace(value) => {
                let object = convert::value(py, &value)?;
                self.set_last(py, self.open.len(), object.clone())?;
                if converted.is_none() {
                    self.descend(object, &value)?;
                }
            }
        }
        let mut last = None;
        for (level, children) in changes.children.iter().enumerate() {
            for (key, value) in children {
                let object = convert::value(py, value)?;
                self.open[level].push(py, key.as_deref(), &object)?;
                if converted == Some(level) {
                    last = Some((object, value));
                }
            }
        }
        if let (Some(level), Some((object, value))) = (converted, last) {
            self.open.truncate(level + 1);
            self.descend(object, value)?;
        }
        Ok(self.root.as_ref().map(|root| root.bind(py).clone()))
    }

    /// Remembers the containers on the way to the last leaf of a converted value.
    fn descend(&mut self, mut object: Bound<'_, PyAny>, value: &Value) -> PyResult<()> {
        for last in way_to_last_leaf(value) {
            let key = match last {
                LastChild::Key(key) => Some(PyString::new(object.py(), key).unbind()),
                LastChild::None | LastChild::Position(_) => None,
            };
            let container = Container { key, object: object.clone().unbind() };
            if !matches!(last, LastChild::None) {
                object = container.last(object.py())?;
            }
            self.open.push(container);
        }
        Ok(())
    }

    /// Replaces an open container by a copy if other code refers to it. The containers around it are already our own.
    fn make_own(&mut self, py: Python<'_>, level: usize) -> PyResult<()> {
        let container = &self.open[level];
        // The outermost one is referred to by `root` and `open`, each other one by `open` and the container around it.
        // SAFETY: the object is live and the interpreter is attached.
        if unsafe { ffi::Py_REFCNT(container.object.as_ptr()) } <= 2 {
            return Ok(());
        }
        let object = container.object.bind(py);
        let copy = match object.cast::<PyDict>() {
            Ok(dict) => dict.copy()?.into_any(),
            Err(_) => object.cast::<PyList>()?.get_slice(0, usize::MAX >> 1).into_any(),
        };
        self.set_last(py, level, copy.clone())?;
        self.open[level].object = copy.unbind();
        Ok(())
    }

    /// Replaces the value at a level: the last child of the container around it, or the whole value.
    fn set_last(&mut self, py: Python<'_>, level: usize, value: Bound<'_, PyAny>) -> PyResult<()> {
        match level.checked_sub(1) {
            None => self.root = Some(value.unbind()),
            Some(around) => self.open[around].set_last(py, value)?,
        }
        Ok(())
    }

    /// Appends to the string at the end. Python lengthens a string in place if no other code refers to it.
    fn append(&mut self, py: Python<'_>, text: &str) -> PyResult<()> {
        let text = PyString::new(py, text);
        let level = self.open.len();
        let string = match level.checked_sub(1) {
            None => self.root.take().map(|root| root.into_bound(py)),
            Some(around) => {
                let string = self.open[around].last(py)?;
                self.open[around].set_last(py, py.None().into_bound(py))?;
                Some(string)
            }
        };
        let mut string = string.map_or(ptr::null_mut(), Bound::into_ptr);
        // SAFETY: the reference is owned; PyUnicode_Append takes it and stores the new one, or null with an exception set.
        let string = unsafe {
            ffi::PyUnicode_Append(&mut string, text.as_ptr());
            Bound::from_owned_ptr_or_err(py, string)?
        };
        self.set_last(py, level, string)
    }
}

impl Container {
    fn push(&mut self, py: Python<'_>, key: Option<&str>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = self.object.bind(py);
        match (object.cast::<PyDict>(), key) {
            (Ok(dict), Some(key)) => {
                let key = PyString::new(py, key);
                dict.set_item(&key, value)?;
                self.key = Some(key.unbind());
                Ok(())
            }
            _ => object.cast::<PyList>()?.append(value),
        }
    }

    fn last<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let object = self.object.bind(py);
        match &self.key {
            Some(key) => object.get_item(key),
            None => object.get_item(-1),
        }
    }

    fn set_last(&self, py: Python<'_>, value: Bound<'_, PyAny>) -> PyResult<()> {
        let object = self.object.bind(py);
        match &self.key {
            Some(key) => object.set_item(key, value),
            None => object.set_item(-1, value),
        }
    }
}
