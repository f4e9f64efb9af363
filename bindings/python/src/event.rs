//! One event as a Python object: small, frozen, and converting nothing before it is asked.

use std::ffi::{c_void, CStr};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::size_of;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use deltafold::event::{Origin, Parser};
use deltafold::json::{Tag, Tape, View};
use deltafold::Kind;
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::lean::{Held, Lean};
use crate::names::Hot;
use crate::{convert, lean, names};

/// One event of a stream.
///
/// Every wire field is an attribute (`event.delta`) and an item (`event["delta"]`); one that the event does not have is an
/// AttributeError or a KeyError. Fields are converted when they are asked for. `raw` is the exact payload text.
#[pyclass(frozen, subclass, mapping, name = "_Event", module = "deltafold")]
pub(crate) struct Event {
    /// The payload stands behind this in the same block, so that an event is one allocation.
    raw: NonNull<u8>,
    raw_len: usize,
    rare: Option<Box<Rare>>,
    item_id: Option<Held>,
    delta: Text,
    sequence_number: u64,
    index: u64,
    offset: u64,
    delta_at: Span,
    output_index: u32,
    content_index: u32,
    summary_index: u32,
    /// How deep the reader looks into a payload.
    depth: u16,
    kind: Kind,
    frame: Frame,
}

// SAFETY: the payload belongs to the event and does not change.
unsafe impl Send for Event {}
// SAFETY: as above; what is made later is set once, by an atomic exchange.
unsafe impl Sync for Event {}

/// What few events have.
#[derive(Default)]
struct Rare {
    /// The delta, where its escapes had to be decoded.
    decoded: Option<Box<str>>,
    /// The wire name, where it is not the kind's own.
    name: Option<Box<str>>,
    /// The frame's name, where it is not the payload's type.
    frame_name: Option<Box<str>>,
}

/// Where a text stands in the payload.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

/// The frame's `event:` line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Absent,
    /// As it should be: the payload's type.
    SameAsType,
    Other,
}

/// Stands for a number that the payload does not have, or has in another form.
const NONE: u64 = u64::MAX;
/// The same for an index, and for one that is beyond all sense: it is read from the payload if somebody asks.
const NO_INDEX: u32 = u32::MAX;
/// How deep a payload may be that was not read by a reader; the default of its limits.
const DEPTH: u16 = 128;
const NOWHERE: Span = Span { start: u32::MAX, end: 0 };

impl Span {
    /// Finds a text that was borrowed from the payload.
    #[inline]
    fn of(text: &[u8], raw: &str) -> Self {
        let start = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        match (u32::try_from(start), u32::try_from(start.wrapping_add(text.len()))) {
            (Ok(start), Ok(end)) if end as usize <= raw.len() => Self { start, end },
            _ => NOWHERE,
        }
    }

    /// The text, which was found in the same payload.
    #[inline]
    fn get(self, raw: &[u8]) -> Option<&str> {
        let text = raw.get(self.start as usize..self.end as usize)?;
        // SAFETY: `of` was given a text of the payload, and the bytes are those of the payload.
        Some(unsafe { std::str::from_utf8_unchecked(text) })
    }
}

/// A Python string that is made when it is first asked for. Two threads may make it at once; the first one stays.
struct Text(AtomicPtr<ffi::PyObject>);

impl Text {
    /// A new reference to the string; null without memory, and raises.
    #[inline]
    fn get(&self, _: Python<'_>, text: &str) -> *mut ffi::PyObject {
        let mut made = self.0.load(Ordering::Acquire);
        // SAFETY: the interpreter is held. What is stored is a reference of this event's own, which lives as long as it does; one
        // that another thread was faster with is dropped.
        unsafe {
            if made.is_null() {
                made = string(text);
                if made.is_null() {
                    return made;
                }
                let first = self.0.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire);
                if let Err(first) = first {
                    ffi::Py_DECREF(made);
                    made = first;
                }
            }
            ffi::Py_INCREF(made);
        }
        made
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        let made = *self.0.get_mut();
        if !made.is_null() {
            // SAFETY: the reference is this one's own, and an event is freed while the interpreter is held.
            unsafe { ffi::Py_DECREF(made) }
        }
    }
}

/// A new Python string; null without memory, and raises.
///
/// # Safety
///
/// The interpreter is held.
#[inline]
unsafe fn string(text: &str) -> *mut ffi::PyObject {
    // SAFETY: by the caller; a `str` is never longer than the largest size that Python has.
    unsafe { ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t) }
}

/// The item ids of a stream as Python strings, so that events of one item share one: the newest id for each position.
#[derive(Default)]
struct ItemIds(Vec<Option<(Box<str>, Held)>>);

/// More calls than these at once are rare, and cost a string each.
const POSITIONS: usize = 32;

impl ItemIds {
    /// A reference to the id's string; `None` without memory.
    #[inline]
    fn get(&mut self, py: Python<'_>, id: &str, output_index: u32) -> Option<Held> {
        if let Some(Some((text, string))) = self.0.get(output_index as usize % POSITIONS) {
            if **text == *id {
                // SAFETY: `share` gives a new reference.
                return unsafe { Held::from_new(string.share(py)) };
            }
        }
        self.put(py, id, output_index)
    }

    #[cold]
    fn put(&mut self, py: Python<'_>, id: &str, output_index: u32) -> Option<Held> {
        if self.0.is_empty() {
            self.0.resize_with(POSITIONS, || None);
        }
        // SAFETY: the interpreter is held; both give a new reference or null.
        let (string, shared) = unsafe {
            let string = Held::from_new(string(id))?;
            let shared = Held::from_new(string.share(py));
            (string, shared)
        };
        self.0[output_index as usize % POSITIONS] = Some((id.into(), string));
        shared
    }
}

impl Lean for Event {
    const NAME: &'static CStr = c"deltafold.Event";

    fn class() -> &'static AtomicPtr<ffi::PyTypeObject> {
        static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());
        &CLASS
    }

    fn slots(base: &Bound<'_, PyType>) -> Vec<ffi::PyType_Slot> {
        // SAFETY: the base is a class made at run time, as all of PyO3's are; only those have slots that can be asked for.
        let general = unsafe { ffi::PyType_GetSlot(base.as_type_ptr(), ffi::Py_tp_getattro) };
        GENERAL.store(general, Ordering::Release);
        vec![lean::slot(ffi::Py_tp_getattro, attribute as ffi::getattrofunc as *mut c_void)]
    }
}

/// How PyO3's class finds an attribute: by its descriptors, then in the payload.
static GENERAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Finds an attribute. The few names that every loop asks for are known by their address, since names in code are interned.
unsafe extern "C" fn attribute(object: *mut ffi::PyObject, name: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with the interpreter held and a live event. Nothing here panics: all that could is behind
    // PyO3's own slot, which was stored before the class could be used.
    unsafe {
        let py = Python::assume_attached();
        let event = lean::value::<Event>(object);
        match names::hot(py, name).and_then(|hot| event.hot(py, hot)) {
            Some(found) => found,
            None => {
                let general = GENERAL.load(Ordering::Relaxed);
                std::mem::transmute::<*mut c_void, ffi::getattrofunc>(general)(object, name)
            }
        }
    }
}

/// What an event has in common with the one before it, which most deltas have: the item's id, its place, the frame's name.
#[derive(Default)]
pub(crate) struct Before {
    item_ids: ItemIds,
    last: Option<Last>,
}

struct Last {
    index: u64,
    item_id: Option<Held>,
    output_index: u32,
    content_index: u32,
    summary_index: u32,
    kind: Kind,
    frame: Frame,
}

impl Before {
    /// Forgets the event before, since others were read meanwhile.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }
}

impl Event {
    /// Makes the Python object for an event: a new reference; null without memory, and raises. `before` remembers what events
    /// share. No collection starts meanwhile, so this may be done under a lock.
    #[inline]
    pub(crate) fn make(
        py: Python<'_>,
        event: &deltafold::Event<'_>,
        depth: u16,
        before: &mut Before,
    ) -> *mut ffi::PyObject {
        let raw = event.raw();
        let delta = event.strings().delta;
        // Only the text tells one that is empty from none.
        let delta = if delta.is_empty() { event.delta().as_bytes() } else { delta };
        let delta_at = Span::of(delta, raw);
        if event.goes_on() && delta_at.start != NOWHERE.start {
            if let Some(last) = before.last.as_mut().filter(|last| last.index + 1 == event.index()) {
                last.index += 1;
                return Self::make_as(py, event, last, delta_at, None, depth);
            }
        }
        Self::make_other(py, event, depth, delta_at, before)
    }

    /// Makes an event that has nothing in common with the one before, or something unusual.
    #[inline(never)]
    fn make_other(
        py: Python<'_>,
        event: &deltafold::Event<'_>,
        depth: u16,
        delta_at: Span,
        before: &mut Before,
    ) -> *mut ffi::PyObject {
        let (delta, wire_type, kind) = (event.delta(), event.wire_type(), event.kind());
        let decoded = delta_at.start == NOWHERE.start && !delta.is_empty();
        let alias = !same(wire_type, kind.as_str());
        let frame = match event.frame_name() {
            None => Frame::Absent,
            Some(name) if same(name, wire_type) => Frame::SameAsType,
            Some(_) => Frame::Other,
        };
        let usual = !alias && frame != Frame::Other;
        let rare = (decoded || !usual).then(|| {
            Box::new(Rare {
                decoded: decoded.then(|| delta.into()),
                name: alias.then(|| wire_type.into()),
                frame_name: event.frame_name().filter(|_| frame == Frame::Other).map(Into::into),
            })
        });
        let index = |index: Option<u64>| index.and_then(|index| u32::try_from(index).ok()).unwrap_or(NO_INDEX);
        let output_index = index(event.output_index());
        let last = Last {
            index: event.index(),
            item_id: event.item_id().and_then(|id| before.item_ids.get(py, id, output_index)),
            output_index,
            content_index: index(event.content_index()),
            summary_index: index(event.summary_index()),
            kind,
            frame,
        };
        let made = Self::make_as(py, event, &last, delta_at, rare, depth);
        before.last = usual.then_some(last);
        made
    }

    /// Makes the object of an event that has what `common` says.
    #[inline]
    fn make_as(
        py: Python<'_>,
        event: &deltafold::Event<'_>,
        common: &Last,
        delta_at: Span,
        rare: Option<Box<Rare>>,
        depth: u16,
    ) -> *mut ffi::PyObject {
        let raw = event.raw();
        lean::make(py, raw.len(), |place| {
            // SAFETY: so many bytes stand behind the object.
            unsafe { ptr::copy_nonoverlapping(raw.as_ptr(), place.as_ptr(), raw.len()) };
            Self {
                raw: place,
                raw_len: raw.len(),
                rare,
                // SAFETY: `share` gives a new reference.
                item_id: common.item_id.as_ref().and_then(|id| unsafe { Held::from_new(id.share(py)) }),
                delta: Text(AtomicPtr::new(ptr::null_mut())),
                sequence_number: event.sequence_number().unwrap_or(NONE),
                index: event.index(),
                offset: event.offset(),
                delta_at,
                output_index: common.output_index,
                content_index: common.content_index,
                summary_index: common.summary_index,
                depth,
                kind: common.kind,
                frame: common.frame,
            }
        })
    }

    /// Reads an event from its payload text.
    fn read_text<'py>(py: Python<'py>, raw: &str, origin: Origin<'_>) -> PyResult<Bound<'py, PyAny>> {
        let mut parser = Parser::new(usize::from(DEPTH));
        let event = parser.parse(raw, origin);
        // SAFETY: `make` gives a new reference, or null and raises.
        unsafe { Bound::from_owned_ptr_or_err(py, Self::make(py, &event, DEPTH, &mut Before::default())) }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: `make` put so many bytes there, which live and stay the same as long as the event.
        unsafe { std::slice::from_raw_parts(self.raw.as_ptr(), self.raw_len) }
    }

    fn text(&self) -> &str {
        // SAFETY: they are those of a text.
        unsafe { std::str::from_utf8_unchecked(self.bytes()) }
    }

    /// The wire name: interned if it is in the contract, else a string of its own, since a stream may name anything.
    fn wire_type<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        match self.name() {
            Some(name) => PyString::new(py, name),
            None => self.kind(py),
        }
    }

    fn type_text(&self) -> &str {
        self.name().unwrap_or(self.kind.as_str())
    }

    fn name(&self) -> Option<&str> {
        self.rare.as_ref()?.name.as_deref()
    }

    fn other_frame_name(&self) -> Option<&str> {
        self.rare.as_ref()?.frame_name.as_deref()
    }

    fn frame<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        match self.frame {
            Frame::Absent => None,
            Frame::SameAsType => Some(self.wire_type(py)),
            Frame::Other => self.other_frame_name().map(|name| PyString::new(py, name)),
        }
    }

    /// Looks into the payload. `None` if it is no JSON object.
    fn read<R>(&self, ask: impl FnOnce(View<'_>) -> R) -> Option<R> {
        let mut tape = Tape::default();
        tape.parse(self.text(), usize::from(self.depth)).ok()?;
        let root = tape.root(self.text());
        (root.tag() == Tag::Object).then(|| ask(root))
    }

    /// A member of the payload, converted.
    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.read(|root| root.get(key).map(|member| convert::view(py, member)));
        found.flatten().transpose()
    }

    /// A field that is at hand, as a new reference, or null and raises. `None`: the payload has to be asked.
    #[inline]
    fn hot(&self, py: Python<'_>, hot: Hot) -> Option<*mut ffi::PyObject> {
        let index = |index: u32| (index != NO_INDEX).then(|| names::number(py, u64::from(index)));
        match hot {
            Hot::Type if self.rare.is_some() => Some(self.wire_type(py).into_ptr()),
            Hot::Type => {
                let kind = names::kind(py, self.kind);
                // SAFETY: the interpreter is held, and the name lives for ever.
                unsafe { ffi::Py_INCREF(kind) };
                Some(kind)
            }
            Hot::Delta => self.delta_text().map(|text| self.delta.get(py, text)),
            Hot::ItemId => self.item_id.as_ref().map(|id| id.share(py)),
            Hot::SequenceNumber => (self.sequence_number != NONE).then(|| names::number(py, self.sequence_number)),
            Hot::OutputIndex => index(self.output_index),
            Hot::ContentIndex => index(self.content_index),
            Hot::SummaryIndex => index(self.summary_index),
        }
    }

    #[inline]
    fn delta_text(&self) -> Option<&str> {
        let decoded = self.rare.as_ref().and_then(|rare| rare.decoded.as_deref());
        decoded.or_else(|| self.delta_at.get(self.bytes()))
    }
}

/// Says whether two texts are the same; most often they are the very same.
#[inline]
fn same(one: &str, two: &str) -> bool {
    ptr::eq(one, two) || one == two
}

#[pymethods]
impl Event {
    #[classattr]
    fn __match_args__() -> (&'static str,) {
        ("type",)
    }

    /// Reads an event from JSON text, as it stands in a log or a test.
    #[staticmethod]
    #[pyo3(name = "parse", signature = (payload, /))]
    fn from_json<'py>(payload: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text = convert::json_text(payload)?;
        Self::read_text(payload.py(), &text, Origin::default())
    }

    /// The wire name, such as "response.output_text.delta"; "" if the payload has none.
    #[getter]
    #[pyo3(name = "type")]
    fn wire_name<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.wire_type(py)
    }

    /// The wire name in the contract that `type` is read as: the same, or what an alias stands for; "extension" for a
    /// `slug:name`, "unknown" for anything else.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        // SAFETY: it is a string that lives for ever.
        unsafe { Bound::from_borrowed_ptr(py, names::kind(py, self.kind)).cast_into_unchecked() }
    }

    /// The exact payload text.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.text())
    }

    /// The frame's `event:` line; None without one.
    #[getter]
    fn frame_name<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.frame(py)
    }

    /// Position of the event in the stream, from 0.
    #[getter]
    fn index(&self) -> u64 {
        self.index
    }

    /// Byte offset of the payload from the start of the stream.
    #[getter]
    fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the type is a `slug:name` of its sender's own.
    #[getter]
    fn is_extension(&self) -> bool {
        self.kind == Kind::Extension
    }

    /// The payload as a new dict; empty if it is no JSON object.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.read(|root| convert::object(py, root)).unwrap_or_else(|| Ok(PyDict::new(py)))
    }

    /// The same as `to_dict()`, by the name that pydantic's models have.
    fn model_dump<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.to_dict(py)
    }

    /// The exact payload text; the same as `raw`.
    fn to_json<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.raw(py)
    }

    /// The value of a wire field, or `default`.
    #[pyo3(signature = (key, default = None, /))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.member(key.py(), &key.to_string_lossy())?.or(default))
    }

    /// The names of the wire fields, in order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("keys")
    }

    /// The values of the wire fields, in order.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("values")
    }

    /// The wire fields with their values, in order.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("items")
    }

    fn __getattr__<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let key = name.to_string_lossy();
        self.member(name.py(), &key)?.ok_or_else(|| {
            let of = self.type_text();
            PyAttributeError::new_err(format!("event {of:?} has no field {key:?}"))
        })
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let found = match key.cast::<PyString>() {
            Ok(name) => self.member(key.py(), &name.to_string_lossy())?,
            Err(_) => None,
        };
        found.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let Ok(name) = key.cast::<PyString>() else { return false };
        self.read(|root| root.get(&name.to_string_lossy()).is_some()).unwrap_or(false)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("__iter__")
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.to_dict(py)?.len())
    }

    fn __dir__(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let py = slf.py();
        let mut names = slf.get_type().dir()?.extract::<Vec<String>>()?;
        names.extend(slf.get().to_dict(py)?.keys().extract::<Vec<String>>()?);
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else { return false };
        let other = other.get();
        let same_frame = self.frame == other.frame && self.other_frame_name() == other.other_frame_name();
        self.text() == other.text() && same_frame
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text().hash(&mut hasher);
        hasher.finish()
    }

    // Payloads can hold secrets: only what routes is shown.
    fn __repr__(&self) -> String {
        let mut text = format!("<Event {:?}", self.type_text());
        let index = |index: u32| if index == NO_INDEX { NONE } else { u64::from(index) };
        let numbers = [
            ("sequence_number", self.sequence_number),
            ("output_index", index(self.output_index)),
            ("content_index", index(self.content_index)),
            ("summary_index", index(self.summary_index)),
        ];
        for (name, number) in numbers.into_iter().filter(|(_, number)| *number != NONE) {
            text.push_str(&format!(" {name}={number}"));
        }
        format!("{text}, {} bytes>", self.raw_len)
    }

    fn __sizeof__(&self) -> usize {
        size_of::<ffi::PyObject>() + size_of::<Self>() + self.raw_len
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = (self.text(), self.frame(py), self.index, self.offset);
        Ok((py.import("deltafold._native")?.getattr("_event")?, state.into_pyobject(py)?))
    }
}

/// Makes an event again from what `__reduce__` gave.
#[pyfunction]
#[pyo3(signature = (raw, frame_name, index, offset, /))]
pub(crate) fn _event<'py>(
    py: Python<'py>,
    raw: &str,
    frame_name: Option<&str>,
    index: u64,
    offset: u64,
) -> PyResult<Bound<'py, PyAny>> {
    Event::read_text(py, raw, Origin { frame_name, offset, index })
}
