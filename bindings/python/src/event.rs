//! One event as a Python object: small, frozen, and converting nothing before it is asked.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use deltafold::event::{Origin, Parser};
use deltafold::json::{Tag, Tape, View};
use deltafold::Kind;
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::names::Hot;
use crate::{convert, names};

/// What an event keeps of its payload, without any Python object: it is made while the interpreter may be released.
///
/// Small, since it is moved a few times on its way into an object: what few events have stands in a box of its own.
pub(crate) struct Kept {
    raw: Box<str>,
    rare: Option<Box<Rare>>,
    sequence_number: u64,
    index: u64,
    offset: u64,
    delta: Span,
    item_id: Span,
    output_index: u32,
    content_index: u32,
    summary_index: u32,
    /// How deep the reader looks into a payload.
    depth: u16,
    kind: Kind,
    frame: Frame,
}

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
    fn of(text: &str, raw: &str) -> Self {
        let start = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        match (u32::try_from(start), u32::try_from(start.wrapping_add(text.len()))) {
            (Ok(start), Ok(end)) if end as usize <= raw.len() => Self { start, end },
            _ => NOWHERE,
        }
    }

    fn get(self, raw: &str) -> Option<&str> {
        raw.get(self.start as usize..self.end as usize)
    }
}

impl Kept {
    /// Copies an event out of the reader.
    pub(crate) fn new(event: &deltafold::Event<'_>, depth: u16) -> Self {
        let (raw, delta, wire_type) = (event.raw(), event.delta(), event.wire_type());
        let place = Span::of(delta, raw);
        let decoded = place.start == NOWHERE.start && !delta.is_empty();
        let alias = wire_type != event.kind().as_str();
        let frame = match event.frame_name() {
            None => Frame::Absent,
            Some(name) if name == wire_type => Frame::SameAsType,
            Some(_) => Frame::Other,
        };
        let rare = (decoded || alias || frame == Frame::Other).then(|| {
            Box::new(Rare {
                decoded: decoded.then(|| delta.into()),
                name: alias.then(|| wire_type.into()),
                frame_name: event.frame_name().filter(|_| frame == Frame::Other).map(Into::into),
            })
        });
        let index = |index: Option<u64>| index.and_then(|index| u32::try_from(index).ok()).unwrap_or(NO_INDEX);
        Self {
            raw: raw.into(),
            rare,
            sequence_number: event.sequence_number().unwrap_or(NONE),
            index: event.index(),
            offset: event.offset(),
            delta: place,
            item_id: event.item_id().map_or(NOWHERE, |id| Span::of(id, raw)),
            output_index: index(event.output_index()),
            content_index: index(event.content_index()),
            summary_index: index(event.summary_index()),
            depth,
            kind: event.kind(),
            frame,
        }
    }

    /// The wire name: interned if it is in the contract, else a string of its own, since a stream may name anything.
    fn wire_type(&self, py: Python<'_>) -> Py<PyString> {
        match self.name() {
            Some(name) => PyString::new(py, name).unbind(),
            None => names::kind(py, self.kind).clone_ref(py),
        }
    }

    fn type_text(&self) -> &str {
        self.name().unwrap_or(self.kind.as_str())
    }

    fn name(&self) -> Option<&str> {
        self.rare.as_ref()?.name.as_deref()
    }

    fn frame_name(&self) -> Option<&str> {
        self.rare.as_ref()?.frame_name.as_deref()
    }

    fn delta(&self) -> Option<&str> {
        let decoded = self.rare.as_ref().and_then(|rare| rare.decoded.as_deref());
        decoded.or_else(|| self.delta.get(&self.raw))
    }

    /// Looks into the payload. `None` if it is no JSON object.
    fn read<R>(&self, ask: impl FnOnce(View<'_>) -> R) -> Option<R> {
        let mut tape = Tape::default();
        tape.parse(&self.raw, usize::from(self.depth)).ok()?;
        let root = tape.root(&self.raw);
        (root.tag() == Tag::Object).then(|| ask(root))
    }
}

/// The item ids of a stream as Python strings, so that events of one item share one: the newest id for each position.
#[derive(Default)]
pub(crate) struct ItemIds(Vec<Option<(Box<str>, Py<PyString>)>>);

/// More calls than these at once are rare, and cost a string each.
const POSITIONS: usize = 32;

impl ItemIds {
    fn get(&mut self, py: Python<'_>, id: &str, output_index: u32) -> Py<PyString> {
        if self.0.is_empty() {
            self.0.resize_with(POSITIONS, || None);
        }
        let known = &mut self.0[output_index as usize % POSITIONS];
        match known {
            Some((text, string)) if **text == *id => string.clone_ref(py),
            _ => {
                let string = PyString::new(py, id).unbind();
                *known = Some((id.into(), string.clone_ref(py)));
                string
            }
        }
    }
}

/// One event of a stream.
///
/// Every wire field is an attribute (`event.delta`) and an item (`event["delta"]`); one that the event does not have is an
/// AttributeError or a KeyError. Fields are converted when they are asked for. `raw` is the exact payload text.
#[pyclass(frozen, mapping, module = "deltafold")]
pub(crate) struct Event {
    kept: Kept,
    item_id: Option<Py<PyString>>,
    /// Set when it is first asked for. No lock of Python's: two threads may make it at once, and the first one stays.
    delta: OnceLock<Py<PyString>>,
}

impl Event {
    /// Makes the Python half of an event. `ids` remembers item ids from event to event.
    pub(crate) fn new(py: Python<'_>, kept: Kept, ids: &mut ItemIds) -> Self {
        let item_id = kept.item_id.get(&kept.raw).map(|id| ids.get(py, id, kept.output_index));
        Self { kept, item_id, delta: OnceLock::new() }
    }

    /// Reads an event from its payload text.
    pub(crate) fn parse(py: Python<'_>, raw: &str, origin: Origin<'_>) -> Self {
        let mut parser = Parser::new(usize::from(DEPTH));
        let event = parser.parse(raw, origin);
        Self::new(py, Kept::new(&event, DEPTH), &mut ItemIds::default())
    }

    fn frame(&self, py: Python<'_>) -> Option<Py<PyString>> {
        match self.kept.frame {
            Frame::Absent => None,
            Frame::SameAsType => Some(self.kept.wire_type(py)),
            Frame::Other => self.kept.frame_name().map(|name| PyString::new(py, name).unbind()),
        }
    }

    /// A member of the payload, converted.
    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.kept.read(|root| root.get(key).map(|member| convert::view(py, member)));
        found.flatten().transpose()
    }

    /// A member that is no plain number or text, or that is not there.
    #[cold]
    fn attribute<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, key)?.ok_or_else(|| {
            let of = self.kept.type_text();
            PyAttributeError::new_err(format!("event {of:?} has no field {key:?}"))
        })
    }

    #[inline]
    fn delta(&self, py: Python<'_>, text: &str) -> &Py<PyString> {
        if self.delta.get().is_none() {
            let _ = self.delta.set(PyString::new(py, text).unbind());
        }
        // Either this thread has set it or another one.
        self.delta.get().expect("the delta was set")
    }

    #[inline]
    fn hot<'py>(&self, py: Python<'py>, hot: Hot) -> PyResult<Bound<'py, PyAny>> {
        let kept = &self.kept;
        match hot {
            Hot::Type => Ok(self.kept.wire_type(py).into_bound(py).into_any()),
            Hot::Delta => match kept.delta() {
                Some(text) => Ok(self.delta(py, text).bind(py).clone().into_any()),
                None => self.attribute(py, "delta"),
            },
            Hot::ItemId => match &self.item_id {
                Some(id) => Ok(id.bind(py).clone().into_any()),
                None => self.attribute(py, "item_id"),
            },
            Hot::SequenceNumber => self.number(py, kept.sequence_number, "sequence_number"),
            Hot::OutputIndex => self.place(py, kept.output_index, "output_index"),
            Hot::ContentIndex => self.place(py, kept.content_index, "content_index"),
            Hot::SummaryIndex => self.place(py, kept.summary_index, "summary_index"),
        }
    }

    #[inline]
    fn place<'py>(&self, py: Python<'py>, index: u32, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.number(py, if index == NO_INDEX { NONE } else { u64::from(index) }, key)
    }

    #[inline]
    fn number<'py>(&self, py: Python<'py>, number: u64, key: &str) -> PyResult<Bound<'py, PyAny>> {
        if number == NONE {
            return self.attribute(py, key);
        }
        Ok(number.into_pyobject(py)?.into_any())
    }
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
    fn from_json(payload: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = convert::json_text(payload)?;
        Ok(Self::parse(payload.py(), &text, Origin::default()))
    }

    /// The wire name, such as "response.output_text.delta"; "" if the payload has none.
    #[getter]
    #[pyo3(name = "type")]
    fn wire_name(&self, py: Python<'_>) -> Py<PyString> {
        self.kept.wire_type(py)
    }

    /// The wire name in the contract that `type` is read as: the same, or what an alias stands for; "extension" for a
    /// `slug:name`, "unknown" for anything else.
    #[getter]
    fn kind(&self, py: Python<'_>) -> Py<PyString> {
        names::kind(py, self.kept.kind).clone_ref(py)
    }

    /// The exact payload text.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.kept.raw)
    }

    /// The frame's `event:` line; None without one.
    #[getter]
    fn frame_name(&self, py: Python<'_>) -> Option<Py<PyString>> {
        self.frame(py)
    }

    /// Position of the event in the stream, from 0.
    #[getter]
    fn index(&self) -> u64 {
        self.kept.index
    }

    /// Byte offset of the payload from the start of the stream.
    #[getter]
    fn offset(&self) -> u64 {
        self.kept.offset
    }

    /// Whether the type is a `slug:name` of its sender's own.
    #[getter]
    fn is_extension(&self) -> bool {
        self.kept.kind == Kind::Extension
    }

    /// The payload as a new dict; empty if it is no JSON object.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.kept.read(|root| convert::object(py, root)).unwrap_or_else(|| Ok(PyDict::new(py)))
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

    // Python would look for a descriptor first. The few names that every loop asks for are known by their address, since names in
    // code are interned; everything else goes Python's way, and what it does not find is looked for in the payload.
    fn __getattribute__<'py>(slf: &Bound<'py, Self>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        match names::hot(py, name) {
            Some(hot) => this.hot(py, hot),
            // SAFETY: both are live objects, and the interpreter is held; what comes back is a new reference or an error.
            None => unsafe {
                Bound::from_owned_ptr_or_err(py, ffi::PyObject_GenericGetAttr(slf.as_ptr(), name.as_ptr()))
            },
        }
    }

    fn __getattr__<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.attribute(name.py(), &name.to_string_lossy())
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
        self.kept.read(|root| root.get(&name.to_string_lossy()).is_some()).unwrap_or(false)
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
        let (one, two) = (&self.kept, &other.get().kept);
        let same_frame = one.frame == two.frame && one.frame_name() == two.frame_name();
        one.raw == two.raw && same_frame
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.kept.raw.hash(&mut hasher);
        hasher.finish()
    }

    // Payloads can hold secrets: only what routes is shown.
    fn __repr__(&self) -> String {
        let mut text = format!("<Event {:?}", self.kept.type_text());
        let kept = &self.kept;
        let index = |index: u32| if index == NO_INDEX { NONE } else { u64::from(index) };
        let numbers = [
            ("sequence_number", kept.sequence_number),
            ("output_index", index(kept.output_index)),
            ("content_index", index(kept.content_index)),
            ("summary_index", index(kept.summary_index)),
        ];
        for (name, number) in numbers.into_iter().filter(|(_, number)| *number != NONE) {
            text.push_str(&format!(" {name}={number}"));
        }
        format!("{text}, {} bytes>", kept.raw.len())
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = (&*self.kept.raw, self.frame(py), self.kept.index, self.kept.offset);
        Ok((py.import("deltafold._native")?.getattr("_event")?, state.into_pyobject(py)?))
    }
}

/// Makes an event again from what `__reduce__` gave.
#[pyfunction]
#[pyo3(signature = (raw, frame_name, index, offset, /))]
pub(crate) fn _event(py: Python<'_>, raw: &str, frame_name: Option<&str>, index: u64, offset: u64) -> Event {
    Event::parse(py, raw, Origin { frame_name, offset, index })
}
