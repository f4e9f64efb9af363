//! One event as a Python object: small, immutable, and converting a field only when it is read.

use std::ffi::{c_void, CStr, CString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::size_of;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use deltafold::event::{Origin, Parser};
use deltafold::json::{Tape, ValueKind, ValueRef};
use deltafold::Kind;
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::fast_class::{FastClass, OwnedRef};
use crate::interned::CommonField;
use crate::{convert, fast_class, interned};

/// One event of a stream.
///
/// Every wire field is an attribute (`event.delta`) and an item (`event["delta"]`); a missing field raises AttributeError
/// or KeyError. A field is converted when it is read. `raw` is the exact payload text. Each kind of event has a subclass in
/// `deltafold.types`, such as `OutputTextDeltaEvent`.
#[pyclass(frozen, subclass, mapping, name = "_Event", module = "deltafold")]
pub(crate) struct Event {
    /// The payload, stored directly after this struct, so that an event is one allocation.
    raw: NonNull<u8>,
    raw_len: usize,
    rare: Option<Box<RareFields>>,
    item_id: Option<OwnedRef>,
    delta: LazyString,
    sequence_number: u64,
    index: u64,
    offset: u64,
    delta_span: Span,
    output_index: u32,
    content_index: u32,
    summary_index: u32,
    /// The nesting limit of the reader.
    depth: u16,
    kind: Kind,
    frame: Frame,
}

// SAFETY: the event owns the payload, which never changes.
unsafe impl Send for Event {}
// SAFETY: as above; the string that is created later is set once, by an atomic exchange.
unsafe impl Sync for Event {}

/// Fields that few events have.
#[derive(Default)]
struct RareFields {
    /// The decoded delta, if it has escapes.
    decoded: Option<Box<str>>,
    /// The wire name, if it differs from the name of the kind.
    name: Option<Box<str>>,
    /// The name of the frame, if it differs from the type in the payload.
    frame_name: Option<Box<str>>,
}

/// The byte range of a text in the payload.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

/// The frame's `event:` line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Absent,
    /// Equal to the type in the payload.
    SameAsType,
    Other,
}

/// The value of a number that the payload lacks or has in another form.
const NO_NUMBER: u64 = u64::MAX;
/// The value of an index that the payload lacks or that does not fit 32 bits; a lookup then reads the payload.
const NO_INDEX: u32 = u32::MAX;
/// The nesting limit of a payload that no reader has read; the default of `Limits`.
const DEFAULT_DEPTH: u16 = 128;
const NO_SPAN: Span = Span { start: u32::MAX, end: 0 };

impl Span {
    /// Locates a text that was borrowed from the payload.
    #[inline]
    fn of(text: &[u8], raw: &str) -> Self {
        let start = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        match (u32::try_from(start), u32::try_from(start.wrapping_add(text.len()))) {
            (Ok(start), Ok(end)) if end as usize <= raw.len() => Self { start, end },
            _ => NO_SPAN,
        }
    }

    /// Returns the text from the payload it was located in.
    #[inline]
    fn get(self, raw: &[u8]) -> Option<&str> {
        let text = raw.get(self.start as usize..self.end as usize)?;
        // SAFETY: `of` located a `str` in these bytes.
        Some(unsafe { std::str::from_utf8_unchecked(text) })
    }
}

/// A Python string that is created on first use. If two threads create it at once, the first one is kept.
struct LazyString(AtomicPtr<ffi::PyObject>);

impl LazyString {
    /// Returns a new reference to the string, or null with an exception set if memory runs out.
    #[inline]
    fn get(&self, _: Python<'_>, text: &str) -> *mut ffi::PyObject {
        let mut string_object = self.0.load(Ordering::Acquire);
        // SAFETY: the interpreter is attached. The stored reference is owned by this event; a string that loses the race
        // against another thread is dropped.
        unsafe {
            if string_object.is_null() {
                string_object = string(text);
                if string_object.is_null() {
                    return string_object;
                }
                let first =
                    self.0.compare_exchange(ptr::null_mut(), string_object, Ordering::AcqRel, Ordering::Acquire);
                if let Err(first) = first {
                    ffi::Py_DECREF(string_object);
                    string_object = first;
                }
            }
            ffi::Py_INCREF(string_object);
        }
        string_object
    }
}

impl Drop for LazyString {
    fn drop(&mut self) {
        let string_object = *self.0.get_mut();
        if !string_object.is_null() {
            // SAFETY: this owns the reference, and an event is freed while the interpreter is attached.
            unsafe { ffi::Py_DECREF(string_object) }
        }
    }
}

/// Creates a Python string; returns null with an exception set if memory runs out.
///
/// # Safety
///
/// The interpreter is attached.
#[inline]
unsafe fn string(text: &str) -> *mut ffi::PyObject {
    // SAFETY: by the caller; the length of a `str` always fits Python's size type.
    unsafe { ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t) }
}

/// The item ids of a stream as Python strings, so that the events of an item share one string. Keeps the newest id per output index.
#[derive(Default)]
struct ItemIds(Vec<Option<(Box<str>, OwnedRef)>>);

/// Output indexes share a slot modulo this number; two open items in one slot cost a new string per event.
const SLOTS: usize = 32;

impl ItemIds {
    /// Returns a reference to the string of the id; `None` if memory runs out.
    #[inline]
    fn get(&mut self, py: Python<'_>, id: &str, output_index: u32) -> Option<OwnedRef> {
        if let Some(Some((text, string))) = self.0.get(output_index as usize % SLOTS) {
            if **text == *id {
                // SAFETY: `share` returns a new reference.
                return unsafe { OwnedRef::from_new(string.share(py)) };
            }
        }
        self.put(py, id, output_index)
    }

    #[cold]
    fn put(&mut self, py: Python<'_>, id: &str, output_index: u32) -> Option<OwnedRef> {
        if self.0.is_empty() {
            self.0.resize_with(SLOTS, || None);
        }
        // SAFETY: the interpreter is attached; both return a new reference or null.
        let (string, shared) = unsafe {
            let string = OwnedRef::from_new(string(id))?;
            let shared = OwnedRef::from_new(string.share(py));
            (string, shared)
        };
        self.0[output_index as usize % SLOTS] = Some((id.into(), string));
        shared
    }
}

/// The class of each kind, a subclass of `deltafold.Event`.
static CLASSES: [AtomicPtr<ffi::PyTypeObject>; Kind::ALL.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; Kind::ALL.len()];

/// Creates the class of each kind. Adds them to the module as `_event_classes`, a dict from kind to class.
pub(crate) fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // SAFETY: `fast_class::add` stored the class, which is never freed.
    let base: Bound<'_, PyType> =
        unsafe { Bound::from_borrowed_ptr(py, Event::class().load(Ordering::Acquire).cast()).cast_into_unchecked() };
    let classes = PyDict::new(py);
    for kind in Kind::ALL {
        let name = CString::new(format!("deltafold.types.{}", class_name(kind.name())))?;
        let doc = match kind {
            Kind::Extension => c"An event whose type is an extension, `slug:name`.".to_owned(),
            Kind::Unknown => c"An event of an unknown type, or without one.".to_owned(),
            kind => CString::new(format!("`{}`", kind.name()))?,
        };
        // Python may keep the pointer to the name as long as the class lives, which is as long as the process.
        let class = fast_class::derive::<Event>(&base, Box::leak(name.into_boxed_c_str()), &doc, Vec::new(), false)?;
        classes.set_item(kind.name(), &class)?;
        CLASSES[*kind as usize].store(class.into_ptr().cast(), Ordering::Release);
    }
    module.add("_event_classes", classes)
}

/// The class name of a kind: `OutputTextDeltaEvent` for `response.output_text.delta`. The generator of
/// `python/deltafold/types.py` follows the same rule, and a test compares the two.
fn class_name(kind: &str) -> String {
    let words = kind.strip_prefix("response.").unwrap_or(kind).split(['.', '_']);
    let capitalized = words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    capitalized.chain(["Event".to_owned()]).collect()
}

impl FastClass for Event {
    const NAME: &'static CStr = c"deltafold.Event";
    const IS_BASE: bool = true;

    fn class() -> &'static AtomicPtr<ffi::PyTypeObject> {
        static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());
        &CLASS
    }

    fn slots(base: &Bound<'_, PyType>) -> Vec<ffi::PyType_Slot> {
        // SAFETY: the base is a heap type, like every class of PyO3; PyType_GetSlot requires that.
        let lookup = unsafe { ffi::PyType_GetSlot(base.as_type_ptr(), ffi::Py_tp_getattro) };
        GENERAL_LOOKUP.store(lookup, Ordering::Release);
        vec![fast_class::slot(ffi::Py_tp_getattro, attribute as ffi::getattrofunc as *mut c_void)]
    }
}

/// The attribute lookup of PyO3's class: its descriptors first, then the payload.
static GENERAL_LOOKUP: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Looks up an attribute. Common fields are recognized by the address of the name, because Python interns attribute names.
unsafe extern "C" fn attribute(object: *mut ffi::PyObject, name: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with the interpreter attached and a live event. Nothing here panics; the general lookup,
    // which may, is PyO3's own slot and was stored before the class was published.
    unsafe {
        let py = Python::assume_attached();
        let event = fast_class::value::<Event>(object);
        match interned::common_field(py, name).and_then(|field| event.stored_field(py, field)) {
            Some(found) => found,
            None => {
                let lookup = GENERAL_LOOKUP.load(Ordering::Relaxed);
                std::mem::transmute::<*mut c_void, ffi::getattrofunc>(lookup)(object, name)
            }
        }
    }
}

/// The fields that consecutive deltas share: the item id, the indexes and the frame name.
#[derive(Default)]
pub(crate) struct SharedFields {
    item_ids: ItemIds,
    previous: Option<PreviousEvent>,
}

struct PreviousEvent {
    index: u64,
    item_id: Option<OwnedRef>,
    output_index: u32,
    content_index: u32,
    summary_index: u32,
    kind: Kind,
    frame: Frame,
}

impl SharedFields {
    /// Forgets the previous event, because events were read without creating objects.
    pub(crate) fn forget(&mut self) {
        self.previous = None;
    }
}

impl Event {
    /// Creates the Python object of an event. Returns a new reference, or null with an exception set if memory runs out.
    /// `shared` keeps the fields that consecutive events share. No garbage collection starts meanwhile, so the caller may
    /// hold a lock.
    #[inline]
    pub(crate) fn create(
        py: Python<'_>,
        event: &deltafold::Event<'_>,
        depth: u16,
        shared: &mut SharedFields,
    ) -> *mut ffi::PyObject {
        let raw = event.raw();
        let delta = deltafold::__bindings::raw_fields(event).delta;
        // An empty raw delta may be absent or empty; only the decoded delta distinguishes the two.
        let delta = if delta.is_empty() { event.delta().as_bytes() } else { delta };
        let delta_span = Span::of(delta, raw);
        if deltafold::__bindings::continues_previous(event) && delta_span.start != NO_SPAN.start {
            if let Some(previous) = shared.previous.as_mut().filter(|previous| previous.index + 1 == event.index()) {
                previous.index += 1;
                return Self::create_with(py, event, previous, delta_span, None, depth);
            }
        }
        Self::create_new(py, event, depth, delta_span, shared)
    }

    /// Creates an event that shares nothing with the previous one, or that has rare fields.
    #[inline(never)]
    fn create_new(
        py: Python<'_>,
        event: &deltafold::Event<'_>,
        depth: u16,
        delta_span: Span,
        shared: &mut SharedFields,
    ) -> *mut ffi::PyObject {
        let (delta, wire_type, kind) = (event.delta(), event.wire_type(), event.kind());
        let decoded = delta_span.start == NO_SPAN.start && !delta.is_empty();
        let alias = !same(wire_type, kind.name());
        let frame = match event.frame_name() {
            None => Frame::Absent,
            Some(name) if same(name, wire_type) => Frame::SameAsType,
            Some(_) => Frame::Other,
        };
        let usual = !alias && frame != Frame::Other;
        let rare = (decoded || !usual).then(|| {
            Box::new(RareFields {
                decoded: decoded.then(|| delta.into()),
                name: alias.then(|| wire_type.into()),
                frame_name: event.frame_name().filter(|_| frame == Frame::Other).map(Into::into),
            })
        });
        let index = |index: Option<u64>| index.and_then(|index| u32::try_from(index).ok()).unwrap_or(NO_INDEX);
        let output_index = index(event.output_index());
        let previous = PreviousEvent {
            index: event.index(),
            item_id: event.item_id().and_then(|id| shared.item_ids.get(py, id, output_index)),
            output_index,
            content_index: index(event.content_index()),
            summary_index: index(event.summary_index()),
            kind,
            frame,
        };
        let object = Self::create_with(py, event, &previous, delta_span, rare, depth);
        shared.previous = usual.then_some(previous);
        object
    }

    /// Creates the object of an event with the given shared fields.
    #[inline]
    fn create_with(
        py: Python<'_>,
        event: &deltafold::Event<'_>,
        common: &PreviousEvent,
        delta_span: Span,
        rare: Option<Box<RareFields>>,
        depth: u16,
    ) -> *mut ffi::PyObject {
        let raw = event.raw();
        let class = CLASSES[common.kind as usize].load(Ordering::Relaxed);
        let value = |payload: NonNull<u8>| {
            // SAFETY: the object has `raw.len()` extra bytes.
            unsafe { ptr::copy_nonoverlapping(raw.as_ptr(), payload.as_ptr(), raw.len()) };
            Self {
                raw: payload,
                raw_len: raw.len(),
                rare,
                // SAFETY: `share` returns a new reference.
                item_id: common.item_id.as_ref().and_then(|id| unsafe { OwnedRef::from_new(id.share(py)) }),
                delta: LazyString(AtomicPtr::new(ptr::null_mut())),
                sequence_number: event.sequence_number().unwrap_or(NO_NUMBER),
                index: event.index(),
                offset: event.offset(),
                delta_span,
                output_index: common.output_index,
                content_index: common.content_index,
                summary_index: common.summary_index,
                depth,
                kind: common.kind,
                frame: common.frame,
            }
        };
        // SAFETY: `add_classes` derived the class of each kind.
        unsafe { fast_class::create(py, class, raw.len(), value) }
    }

    /// Parses an event from its payload text.
    fn read_text<'py>(py: Python<'py>, raw: &str, origin: Origin<'_>) -> PyResult<Bound<'py, PyAny>> {
        let mut parser = Parser::new(usize::from(DEFAULT_DEPTH));
        let event = parser.parse(raw, origin);
        // SAFETY: `create` returns a new reference, or null with an exception set.
        unsafe {
            Bound::from_owned_ptr_or_err(py, Self::create(py, &event, DEFAULT_DEPTH, &mut SharedFields::default()))
        }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: `create` wrote these bytes; they live as long as the event and never change.
        unsafe { std::slice::from_raw_parts(self.raw.as_ptr(), self.raw_len) }
    }

    fn text(&self) -> &str {
        // SAFETY: the bytes were copied from a `str`.
        unsafe { std::str::from_utf8_unchecked(self.bytes()) }
    }

    /// The wire name: the interned string of the kind, or a new string for a name that is not the name of a kind.
    fn wire_type<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        match self.name() {
            Some(name) => PyString::new(py, name),
            None => self.kind(py),
        }
    }

    fn type_text(&self) -> &str {
        self.name().unwrap_or(self.kind.name())
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

    /// Parses the payload and calls `read`. `None` if the payload is not a JSON object.
    fn read<R>(&self, read: impl FnOnce(ValueRef<'_>) -> R) -> Option<R> {
        let mut tape = Tape::default();
        tape.parse(self.text(), usize::from(self.depth)).ok()?;
        let root = tape.root(self.text());
        (root.kind() == ValueKind::Object).then(|| read(root))
    }

    /// Converts a member of the payload.
    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.read(|root| root.get(key).map(|member| convert::view(py, member)));
        found.flatten().transpose()
    }

    /// Returns a stored field as a new reference, or null with an exception set. `None` if only the payload may have it.
    #[inline]
    fn stored_field(&self, py: Python<'_>, field: CommonField) -> Option<*mut ffi::PyObject> {
        let index = |index: u32| (index != NO_INDEX).then(|| interned::integer(py, u64::from(index)));
        match field {
            CommonField::Type if self.rare.is_some() => Some(self.wire_type(py).into_ptr()),
            CommonField::Type => {
                let kind = interned::kind_name(py, self.kind);
                // SAFETY: the interpreter is attached, and the name is never freed.
                unsafe { ffi::Py_INCREF(kind) };
                Some(kind)
            }
            CommonField::Delta => self.delta_text().map(|text| self.delta.get(py, text)),
            CommonField::ItemId => self.item_id.as_ref().map(|id| id.share(py)),
            CommonField::SequenceNumber => {
                (self.sequence_number != NO_NUMBER).then(|| interned::integer(py, self.sequence_number))
            }
            CommonField::OutputIndex => index(self.output_index),
            CommonField::ContentIndex => index(self.content_index),
            CommonField::SummaryIndex => index(self.summary_index),
        }
    }

    #[inline]
    fn delta_text(&self) -> Option<&str> {
        let decoded = self.rare.as_ref().and_then(|rare| rare.decoded.as_deref());
        decoded.or_else(|| self.delta_span.get(self.bytes()))
    }
}

/// Returns whether two texts are equal. Most often they are the same memory.
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

    /// Parses an event from JSON text, for example a line of a log.
    #[staticmethod]
    #[pyo3(name = "parse", signature = (payload, /))]
    fn from_json<'py>(payload: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text = convert::json_text(payload)?;
        Self::read_text(payload.py(), &text, Origin::default())
    }

    /// The wire name, such as "response.output_text.delta"; "" if the payload has no type.
    #[getter]
    #[pyo3(name = "type")]
    fn wire_name<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.wire_type(py)
    }

    /// The kind of the event: the wire name, with aliases of `type` resolved; "extension" for a `slug:name`,
    /// "unknown" for any other type.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        // SAFETY: it is a string that is never freed.
        unsafe { Bound::from_borrowed_ptr(py, interned::kind_name(py, self.kind)).cast_into_unchecked() }
    }

    /// The exact payload text.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.text())
    }

    /// The `event:` line of the frame; None if it has none.
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

    /// The sequence number that the server gave the event; None if the event has none.
    #[getter]
    fn sequence_number<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.member(py, "sequence_number")
    }

    /// True if the type is an extension, `slug:name`.
    #[getter]
    fn is_extension(&self) -> bool {
        self.kind == Kind::Extension
    }

    /// The payload as a new dict; empty if the payload is not a JSON object.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = convert::parse_object(py, self.text(), usize::from(self.depth))?;
        Ok(dict.unwrap_or_else(|| PyDict::new(py)))
    }

    /// The same as `to_dict()`, under the name that pydantic models use.
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

    // Payloads can contain secrets, so only the routing fields are shown.
    fn __repr__(&self) -> String {
        let mut text = format!("<{}", class_name(self.kind.name()));
        if self.type_text() != self.kind.name() {
            text.push_str(&format!(" {:?}", self.type_text()));
        }
        let index = |index: u32| if index == NO_INDEX { NO_NUMBER } else { u64::from(index) };
        let numbers = [
            ("sequence_number", self.sequence_number),
            ("output_index", index(self.output_index)),
            ("content_index", index(self.content_index)),
            ("summary_index", index(self.summary_index)),
        ];
        for (name, number) in numbers.into_iter().filter(|(_, number)| *number != NO_NUMBER) {
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

/// Recreates an event from the values of `__reduce__`.
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
