//! JSON that is still growing, as Python objects that are kept from one call to the next.
//!
//! A value of growing JSON changes only at its end: the innermost open string gets longer, open containers get more children, and
//! finished values never change. So a call converts only what is new. What the caller still holds from an earlier call is not
//! changed: an open container or string that other code refers to is copied first (copy on write), finished values are shared.
//!
//! Objects are created without a lock, because creating them may start a garbage collection, and a finalizer may use the same
//! reader. Therefore [`ConvertedState::take_changes`] runs under the lock and copies what is new, and [`ConvertedValue::apply`] runs after it.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

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
            changes = converted.known.take_changes(value);
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
    known: ConvertedState,
}

struct Container {
    object: Py<PyAny>,
    /// The key of the last child, if the container is a dict.
    key: Option<Py<PyString>>,
}

/// What was converted, without the objects.
#[derive(Default)]
struct ConvertedState {
    begun: bool,
    /// How many children each open container had, outermost first.
    counts: Vec<usize>,
    leaf: Option<Leaf>,
}

/// The last value, if it is not a container with children.
#[derive(PartialEq)]
enum Leaf {
    /// A string with this number of bytes.
    Text(usize),
    Other(Value),
}

/// What has to be converted.
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

impl ConvertedState {
    /// Compares with the value so far, remembers it, and returns what is new.
    fn take_changes(&mut self, value: Option<&Value>) -> Changes {
        let mut changes = Changes::default();
        let Some(value) = value else { return changes };
        if !self.begun {
            self.begun = true;
            self.descend(value);
            changes.whole = Some(value.clone());
            return changes;
        }
        let mut at = value;
        let mut converted = None;
        for (level, count) in self.counts.iter_mut().enumerate() {
            let size = size(at);
            let mut children = Vec::new();
            for position in *count..size {
                let (key, child) = child(at, position);
                children.push((key.map(str::to_owned), child.clone()));
            }
            if !children.is_empty() && converted.is_none() {
                converted = Some((level, at));
            }
            let last = count.checked_sub(1).map(|last| child(at, last).1);
            *count = size;
            changes.children.push(children);
            match last {
                Some(last) => at = last,
                None => break,
            }
        }
        if let Some(known) = &mut self.leaf {
            match (&*known, at) {
                (Leaf::Text(length), Value::String(text)) if text.get(*length..).is_some() => {
                    if text.len() > *length {
                        changes.leaf = LeafChange::Append(text[*length..].to_owned());
                        *known = Leaf::Text(text.len());
                    }
                }
                (Leaf::Other(other), now) if other == now => {}
                // A number got more digits, or another value replaces the `null` of an unfinished one.
                (_, now) => {
                    changes.leaf = LeafChange::Replace(now.clone());
                    if converted.is_none() {
                        self.leaf = None;
                        self.descend(now);
                    }
                }
            }
        }
        if let Some((level, container)) = converted {
            self.counts.truncate(level);
            self.leaf = None;
            self.descend(container);
        }
        changes
    }

    /// Remembers a value and what is last in it.
    fn descend(&mut self, value: &Value) {
        let mut at = value;
        loop {
            match at {
                Value::Array(_) | Value::Object(_) => {
                    let size = size(at);
                    self.counts.push(size);
                    let Some(last) = size.checked_sub(1) else { return };
                    at = child(at, last).1;
                }
                Value::String(text) => {
                    self.leaf = Some(Leaf::Text(text.len()));
                    return;
                }
                other => {
                    self.leaf = Some(Leaf::Other(other.clone()));
                    return;
                }
            }
        }
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// A child of a container that has it.
fn child(value: &Value, position: usize) -> (Option<&str>, &Value) {
    const NONE: (Option<&str>, &Value) = (None, &Value::Null);
    match value {
        Value::Array(items) => items.get(position).map_or(NONE, |item| (None, item)),
        Value::Object(members) => members.entry(position).map_or(NONE, |(key, value)| (Some(key), value)),
        _ => NONE,
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
    fn descend(&mut self, object: Bound<'_, PyAny>, value: &Value) -> PyResult<()> {
        let (mut object, mut value) = (object, value);
        loop {
            let last = match value {
                Value::Array(items) => items.last().map(|last| (None, last)),
                Value::Object(members) => members.iter().next_back().map(|(key, last)| (Some(key), last)),
                _ => return Ok(()),
            };
            let key = last.and_then(|(key, _)| key).map(|key| PyString::new(object.py(), key));
            let container = Container { key: key.map(Bound::unbind), object: object.clone().unbind() };
            let next = last.map(|_| container.last(object.py())).transpose()?;
            self.open.push(container);
            let (Some(next), Some((_, last))) = (next, last) else { return Ok(()) };
            (object, value) = (next, last);
        }
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
