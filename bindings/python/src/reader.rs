//! The reader: takes bytes, returns events one at a time; the response is readable after each event.

use std::ffi::{c_void, CStr};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use deltafold::{Error, ReaderOptions};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::event::{Event, SharedFields};
use crate::fast_class::{FastClass, OwnedRef};
use crate::finding::{self, Finding};
use crate::growing::ConvertedValues;
use crate::options::Keyword;
use crate::response::Response;
use crate::{convert, error, fast_class, options};

/// Input smaller than this is processed with the interpreter attached, because detaching costs more than the processing.
pub(crate) const DETACH_BYTES: usize = 4096;

/// Reads a stream: takes bytes, split anywhere; returns events, findings and the response.
///
/// Invalid data from a server does not raise: it becomes a finding, and reading continues. Only an exceeded limit
/// (LimitExceeded) or, if `strict`, a broken rule (StrictViolation) ends reading; then every call raises the same exception
/// until `reset`. A wrong call raises Misuse. A reader reads one stream. Threads may share it; one reader per thread is
/// faster.
#[pyclass(frozen, module = "deltafold", weakref)]
pub(crate) struct Reader {
    inner: Mutex<Inner>,
    /// The number of iterators returned so far. When dropped, the newest one reads the remaining events.
    newest_iterator: AtomicU64,
    /// Growing JSON that was converted.
    pub(crate) growing: ConvertedValues,
}

struct Inner {
    reader: deltafold::Reader,
    /// The fields that consecutive events share.
    shared: SharedFields,
    fed: u64,
    /// No event before this offset is long.
    short_events_end: u64,
    depth: u16,
}

impl Inner {
    fn new(reader: deltafold::Reader, depth: usize) -> Self {
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        Self { reader, shared: SharedFields::default(), fed: 0, short_events_end: 0, depth }
    }

    /// Feeds a chunk and returns whether events may be ready. Most chunks of a slow network complete no event.
    #[inline]
    fn feed(&mut self, chunk: &[u8]) -> Result<bool, Error> {
        self.reader.feed(chunk)?;
        self.fed += chunk.len() as u64;
        Ok(self.reader.is_ready())
    }

    /// Reads the remaining events without creating objects. The reader keeps an error, and the next call raises it.
    fn drain(&mut self) {
        self.shared.forget();
        while let Ok(Some(_)) = self.reader.poll_event() {}
    }

    fn unread(&self) -> usize {
        usize::try_from(self.fed.saturating_sub(self.reader.offset())).unwrap_or(usize::MAX)
    }

    /// Reads the next event and creates its object. Returns a new reference, or null at the end of input, or null with an
    /// exception set if memory runs out.
    #[inline]
    fn next(&mut self, py: Python<'_>) -> Result<*mut ffi::PyObject, Error> {
        // Creating the event starts no garbage collection, so no finalizer can wait for the lock that is held here.
        let long = self.reader.offset() >= self.short_events_end && self.next_is_long();
        let reader = &mut self.reader;
        let event = if long { py.detach(|| OnThisThread(reader.poll_event())).0 } else { reader.poll_event() }?;
        Ok(event.map_or(ptr::null_mut(), |event| Event::create(py, &event, self.depth, &mut self.shared)))
    }

    #[inline(never)]
    fn next_is_long(&mut self) -> bool {
        self.short_events_end = deltafold::__bindings::short_events_end(&self.reader, DETACH_BYTES);
        self.reader.offset() >= self.short_events_end && deltafold::__bindings::next_is_long(&self.reader, DETACH_BYTES)
    }
}

/// The result of a closure that runs on the calling thread.
struct OnThisThread<T>(T);

// SAFETY: `Python::detach` requires `Send` to keep Python objects out of its closure; it runs the closure on the calling
// thread, so the value never changes threads.
unsafe impl<T> Send for OnThisThread<T> {}

impl Reader {
    fn of(reader: deltafold::Reader, depth: usize) -> Self {
        Self {
            inner: Mutex::new(Inner::new(reader, depth)),
            newest_iterator: AtomicU64::new(0),
            growing: ConvertedValues::default(),
        }
    }

    /// Locks the reader. Detaches from the interpreter while waiting, because the thread that holds the lock may wait for the interpreter.
    #[inline]
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        // Only a panic of this module poisons the lock; PyO3 raised it as an exception, and the reader stays usable.
        match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(inner)) => inner.into_inner(),
            Err(TryLockError::WouldBlock) => self.wait(py),
        }
    }

    #[cold]
    fn wait(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the reader while detached from the interpreter.
    fn lock_detached(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `read` with the core reader.
    pub(crate) fn read<R>(&self, py: Python<'_>, read: impl FnOnce(&deltafold::Reader) -> R) -> R {
        read(&self.lock(py).reader)
    }

    /// Returns an iterator over the fed events: a new reference, or null with an exception set if memory runs out.
    #[inline]
    fn events(slf: Borrowed<'_, '_, Self>) -> *mut ffi::PyObject {
        let number = slf.get().newest_iterator.fetch_add(1, Ordering::Relaxed) + 1;
        // SAFETY: the reader is live; the iterator owns the new reference to it.
        let reader = unsafe {
            ffi::Py_INCREF(slf.as_ptr());
            OwnedRef::from_new(slf.as_ptr())
        };
        Events::create(slf.py(), Events { reader, number, exhausted: AtomicBool::new(false) })
    }

    /// Like `events`, for methods that PyO3 defines.
    fn all_events<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: a new reference, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(slf.py(), Self::events(slf.as_borrowed())) }
    }

    /// Adds `feed` to the class as a METH_O function, which Python calls without an argument tuple.
    pub(crate) fn add_feed(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let class = module.py().get_type::<Self>();
        // Python keeps the pointer as long as the class lives, which is as long as the process.
        let method = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: c"feed".as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: feed },
            ml_flags: ffi::METH_O,
            ml_doc: FEED.as_ptr(),
        }));
        // SAFETY: class and definition are never freed; the descriptor is a new reference or an error.
        let descriptor =
            unsafe { Bound::from_owned_ptr_or_err(module.py(), ffi::PyDescr_NewMethod(class.as_type_ptr(), method))? };
        class.setattr("feed", descriptor)
    }
}

const FEED: &CStr = c"feed($self, chunk, /)
--

Feeds a chunk, split anywhere, and returns an iterator over the events that it completes.

The iterator reads one event at a time; `response` and `findings` then include that event. When the iterator is dropped, it
reads the remaining events, so `reader.feed(chunk)` alone updates the response.";

/// `Reader.feed`: see [`FEED`].
unsafe extern "C" fn feed(slf: *mut ffi::PyObject, chunk: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with the interpreter attached, a reader (checked by the descriptor) and a live object. A
    // `bytes` object is immutable, and the caller owns a reference to it.
    unsafe {
        fast_class::boundary(|py| {
            let reader = Borrowed::from_ptr(py, slf).cast_unchecked::<Reader>();
            let chunk = Borrowed::from_ptr(py, chunk);
            let fed = match chunk.cast_exact::<PyBytes>() {
                Ok(chunk) if chunk.as_bytes().len() < DETACH_BYTES => reader.get().lock(py).feed(chunk.as_bytes()),
                _ => match feed_any(reader.get(), &chunk) {
                    Ok(fed) => fed,
                    Err(error) => return fast_class::raise(|_| error),
                },
            };
            match fed {
                Ok(true) => Reader::events(reader),
                Ok(false) => Events::empty(py),
                Err(found) => fast_class::raise(|py| error::raise(py, &found)),
            }
        })
    }
}

/// Feeds a chunk that is large or not a `bytes` object.
#[cold]
fn feed_any(reader: &Reader, chunk: &Bound<'_, PyAny>) -> PyResult<Result<bool, Error>> {
    Python::attach(|py| {
        let chunk = convert::bytes(chunk)?;
        let chunk = chunk.as_ref();
        if chunk.len() < DETACH_BYTES {
            return Ok(reader.lock(py).feed(chunk));
        }
        Ok(py.detach(|| reader.lock_detached().feed(chunk)))
    })
}

#[pymethods]
impl Reader {
    /// Creates a reader.
    ///
    /// strict: raise StrictViolation at the first finding of severity error. quote: allow findings to quote short parts of
    /// the payload. ignore_terminal_snapshot: build the response from the events alone. derive_item_ids:
    /// give items without an id one when the response has ended. profile: the severity of each rule:
    /// the name of a profile, or a profile as a dict. edition: the edition to validate against. layers: the layers that
    /// validate the stream: "all", "none", or some of "framing", "schema", "stream". images: which preview images are kept:
    /// "keep-last", "keep" or "drop". starting_after: the stream is a replay that starts after this sequence number.
    /// limits: bounds on memory, nesting and counts, by name. schemas: JSON schemas of extension types: {"events": {type:
    /// schema}, "items": {type: schema}}.
    #[new]
    #[pyo3(signature = (
        *, strict = None, quote = None, ignore_terminal_snapshot = None, derive_item_ids = None, profile = None, edition = None, layers = None,
        images = None, starting_after = None, limits = None, schemas = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn new(
        py: Python<'_>,
        strict: Option<&Bound<'_, PyAny>>,
        quote: Option<&Bound<'_, PyAny>>,
        ignore_terminal_snapshot: Option<&Bound<'_, PyAny>>,
        derive_item_ids: Option<&Bound<'_, PyAny>>,
        profile: Option<&Bound<'_, PyAny>>,
        edition: Option<&Bound<'_, PyAny>>,
        layers: Option<&Bound<'_, PyAny>>,
        images: Option<&Bound<'_, PyAny>>,
        starting_after: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
        schemas: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given = [
            ("strict", strict),
            ("quote", quote),
            ("ignore_terminal_snapshot", ignore_terminal_snapshot),
            ("derive_item_ids", derive_item_ids),
            ("profile", profile),
            ("edition", edition),
            ("layers", layers),
            ("images", images),
            ("starting_after", starting_after),
            ("limits", limits),
            ("schemas", schemas),
        ];
        let options = read_options(py, &given)?;
        let depth = options.limits.depth;
        let reader = deltafold::Reader::with_options(options);
        Ok(Self::of(reader, depth))
    }

    /// Restores a reader from a saved state. The options are those of the constructor.
    ///
    /// Feed it the bytes of the new connection: events that were already read are dropped with a finding.
    #[staticmethod]
    #[pyo3(signature = (
        saved, /, *, strict = None, quote = None, ignore_terminal_snapshot = None, derive_item_ids = None, profile = None, edition = None, layers = None,
        images = None, starting_after = None, limits = None, schemas = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn restore(
        saved: &Bound<'_, PyAny>,
        strict: Option<&Bound<'_, PyAny>>,
        quote: Option<&Bound<'_, PyAny>>,
        ignore_terminal_snapshot: Option<&Bound<'_, PyAny>>,
        derive_item_ids: Option<&Bound<'_, PyAny>>,
        profile: Option<&Bound<'_, PyAny>>,
        edition: Option<&Bound<'_, PyAny>>,
        layers: Option<&Bound<'_, PyAny>>,
        images: Option<&Bound<'_, PyAny>>,
        starting_after: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
        schemas: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = saved.py();
        let given = [
            ("strict", strict),
            ("quote", quote),
            ("ignore_terminal_snapshot", ignore_terminal_snapshot),
            ("derive_item_ids", derive_item_ids),
            ("profile", profile),
            ("edition", edition),
            ("layers", layers),
            ("images", images),
            ("starting_after", starting_after),
            ("limits", limits),
            ("schemas", schemas),
        ];
        let options = read_options(py, &given)?;
        let depth = options.limits.depth;
        let reader = deltafold::Reader::restore(&convert::bytes(saved)?, options);
        let reader = reader.map_err(|found| error::raise(py, &found))?;
        Ok(Self::of(reader, depth))
    }

    /// Feeds one JSON message without SSE framing: a WebSocket message, a line of a log. Returns an iterator, as `feed` does.
    fn feed_json<'py>(slf: &Bound<'py, Self>, message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let message = convert::json_text(message)?;
        let fed = slf.get().lock(py).reader.feed_json(&message);
        fed.map_err(|found| error::raise(py, &found))?;
        Self::all_events(slf)
    }

    /// Ends the input, and returns an iterator over the last events: one without a blank line after it is complete now.
    fn end<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().lock(slf.py()).reader.end();
        Self::all_events(slf)
    }

    /// Ends the input, applies every event that was not read, and returns how the stream ended. May be called again.
    ///
    /// Raises the exception that ended reading, if there was one; `outcome` and `response` then include everything before it.
    /// A last block without a blank line after it is read if its payload is complete JSON.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let outcome = py.detach(|| {
            let mut inner = self.lock_detached();
            inner.drain();
            inner.reader.finish()
        });
        finding::outcome(py, &outcome.map_err(|found| error::raise(py, &found))?)
    }

    /// Continues the stream over a new connection, after the old one broke. Feed the bytes of the new connection next.
    ///
    /// Discards bytes that were not read, including an incomplete block. Events with a sequence number up to
    /// `last_sequence_number` are dropped with a finding, so the server may replay them. Offsets count the bytes of the new
    /// connection. Raises Misuse after `close`.
    fn reconnect(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock(py);
        let result = inner.reader.reconnect();
        inner.shared.forget();
        (inner.fed, inner.short_events_end) = (0, 0);
        drop(inner);
        result.map_err(|found| error::raise(py, &found))
    }

    /// Resets the reader to its initial state; the options stay.
    fn reset(&self, py: Python<'_>) {
        let mut inner = self.lock(py);
        inner.reader.reset();
        inner.shared.forget();
        (inner.fed, inner.short_events_end) = (0, 0);
        drop(inner);
        self.growing.clear();
    }

    /// Saves the state after the last event that was read, as bytes for `restore`.
    ///
    /// The state does not include bytes that were fed and not read, because a new connection starts at a frame.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).reader.save())
    }

    /// Sets the request of the stream, as a dict or JSON text, for the rules that compare request and response.
    fn note_request(&self, py: Python<'_>, request: &Bound<'_, PyAny>) -> PyResult<()> {
        let request = convert::json_text(request)?;
        let noted = self.lock(py).reader.note_request(&request);
        noted.map_err(|found| error::raise(py, &found))
    }

    /// Sets the HTTP headers, as a mapping or pairs. The reader records rate limits; with `status` the validator also
    /// checks the transport rules.
    #[pyo3(signature = (headers, status = None))]
    fn note_headers(&self, py: Python<'_>, headers: &Bound<'_, PyAny>, status: Option<u16>) -> PyResult<()> {
        let headers = convert::headers(headers)?;
        let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut inner = self.lock(py);
        match status {
            Some(status) => inner.reader.note_head(status, pairs),
            None => inner.reader.note_headers(pairs),
        }
        Ok(())
    }

    /// The response so far, as a live view on the reader.
    #[getter]
    fn response(slf: &Bound<'_, Self>) -> Response {
        Response::new(slf.clone().unbind())
    }

    /// The findings so far as a new list; the limit `findings` bounds how many are kept.
    #[getter]
    fn findings(&self, py: Python<'_>) -> Vec<Finding> {
        self.read(py, |reader| reader.findings().iter().map(Finding::from).collect())
    }

    /// Number of findings, kept or not.
    #[getter]
    fn finding_count(&self, py: Python<'_>) -> u64 {
        self.read(py, |reader| reader.all_findings().total())
    }

    /// How the stream ended; None before a terminal event or `close`.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.read(py, |reader| reader.outcome().cloned());
        outcome.map(|outcome| finding::outcome(py, &outcome)).transpose()
    }

    /// Token counts as a dict; None before a terminal event that has them.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.read(py, |reader| reader.response().usage_value().cloned()))
    }

    /// The newest sequence number; a resumed stream starts after it. None if there was none.
    #[getter]
    fn last_sequence_number(&self, py: Python<'_>) -> Option<u64> {
        self.read(py, deltafold::Reader::last_sequence_number)
    }

    /// Number of events that were read.
    #[getter]
    fn event_count(&self, py: Python<'_>) -> u64 {
        self.read(py, deltafold::Reader::event_count)
    }

    /// A counter that grows with any input: bytes, comments, blank frames, keepalives, events.
    #[getter]
    fn activity(&self, py: Python<'_>) -> u64 {
        self.read(py, deltafold::Reader::activity)
    }

    /// True if `[DONE]` was read.
    #[getter]
    fn saw_done(&self, py: Python<'_>) -> bool {
        self.read(py, deltafold::Reader::saw_done)
    }

    /// The last event id of the SSE layer; "" if there is none.
    #[getter]
    fn last_event_id(&self, py: Python<'_>) -> String {
        self.read(py, |reader| reader.last_event_id().to_owned())
    }

    /// The reconnection time that the stream requested, in milliseconds; or None.
    #[getter]
    fn retry(&self, py: Python<'_>) -> Option<u64> {
        self.read(py, deltafold::Reader::retry)
    }

    /// Rate limits from headers and events: a dict with `headers`, `event` and `retry_after_seconds`.
    #[getter]
    fn rate_limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let limits = self.read(py, |reader| reader.rate_limits().clone());
        let dict = PyDict::new(py);
        dict.set_item("retry_after_seconds", limits.retry_after_seconds())?;
        dict.set_item("headers", convert::value(py, &limits.headers.into())?)?;
        dict.set_item("event", convert::value(py, &limits.event)?)?;
        Ok(dict)
    }

    /// Number of bytes read since the start.
    #[getter]
    fn offset(&self, py: Python<'_>) -> u64 {
        self.read(py, deltafold::Reader::offset)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (kind = None, _error = None, _traceback = None, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        _error: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        // An exception of the `with` block takes precedence.
        match self.close(py) {
            Err(found) if kind.is_none() => Err(found),
            _ => Ok(()),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.read(py, |reader| {
            let (events, findings) = (reader.event_count(), reader.all_findings().total());
            let outcome = reader.outcome().map_or("open", deltafold::Outcome::name);
            format!("<Reader {outcome}, {events} events, {findings} findings>")
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Reader cannot be pickled or copied: use save() and Reader.restore()"))
    }
}

/// Converts the keywords of a reader to options of the core.
fn read_options(py: Python<'_>, given: &[Keyword<'_, '_>]) -> PyResult<ReaderOptions> {
    let options = ReaderOptions::from_json(&options::json(py, given)?).map_err(|found| error::raise(py, &found))?;
    options::check_depth(py, options.limits.depth).map(|()| options)
}

/// An iterator over the events that a chunk completes; reads one event at a time.
#[pyclass(frozen, subclass, name = "_Events", module = "deltafold")]
pub(crate) struct Events {
    /// `None` for the empty iterator, which all chunks without a complete event share.
    reader: Option<OwnedRef>,
    number: u64,
    exhausted: AtomicBool,
}

#[pymethods]
impl Events {
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("an iterator of events cannot be pickled or copied: pickle a list of the events"))
    }
}

impl FastClass for Events {
    const NAME: &'static CStr = c"deltafold.Events";
    const IS_BASE: bool = false;

    fn class() -> &'static AtomicPtr<ffi::PyTypeObject> {
        static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());
        &CLASS
    }

    fn slots(_: &Bound<'_, PyType>) -> Vec<ffi::PyType_Slot> {
        vec![
            fast_class::slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as ffi::getiterfunc as *mut c_void),
            fast_class::slot(ffi::Py_tp_iternext, next as ffi::iternextfunc as *mut c_void),
        ]
    }
}

/// Returns the next event; null at the end, or with an exception set.
unsafe extern "C" fn next(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with the interpreter attached and a live iterator, which keeps its reader alive.
    unsafe {
        fast_class::boundary(|py| {
            let events = fast_class::value::<Events>(object);
            let Some(reader) = events.reader(py) else { return ptr::null_mut() };
            // The lock is released before an exception is created; see `convert::option`.
            let event = reader.lock(py).next(py);
            match event {
                Ok(event) => {
                    if event.is_null() {
                        events.exhausted.store(true, Ordering::Relaxed);
                    }
                    event
                }
                Err(found) => fast_class::raise(|py| error::raise(py, &found)),
            }
        })
    }
}

impl Events {
    /// Creates the Python object: a new reference, or null with an exception set if memory runs out.
    #[inline]
    fn create(py: Python<'_>, events: Self) -> *mut ffi::PyObject {
        let class = Self::class().load(Ordering::Relaxed);
        // SAFETY: it is the class of `Events`.
        unsafe { fast_class::create(py, class, 0, |_| events) }
    }

    /// Returns a new reference to the empty iterator, or null with an exception set if memory runs out.
    #[inline]
    fn empty(py: Python<'_>) -> *mut ffi::PyObject {
        static EMPTY: PyOnceLock<OwnedRef> = PyOnceLock::new();
        if let Some(empty) = EMPTY.get(py) {
            return empty.share(py);
        }
        let made = Self::create(py, Self { reader: None, number: 0, exhausted: AtomicBool::new(true) });
        // SAFETY: a new reference or null.
        if let Some(made) = unsafe { OwnedRef::from_new(made) } {
            return EMPTY.get_or_init(py, || made).share(py);
        }
        ptr::null_mut()
    }

    #[inline]
    fn reader<'a>(&'a self, py: Python<'a>) -> Option<&'a Reader> {
        let held = self.reader.as_ref()?;
        // SAFETY: it is a reader, which this reference keeps alive.
        Some(unsafe { Borrowed::from_ptr(py, held.as_ptr()).cast_unchecked::<Reader>() }.get())
    }
}

impl Drop for Events {
    /// Reads the remaining events, unless a later call returned a newer iterator.
    fn drop(&mut self) {
        if *self.exhausted.get_mut() {
            return;
        }
        // SAFETY: an iterator is freed while the interpreter is attached.
        let py = unsafe { Python::assume_attached() };
        let Some(reader) = self.reader(py) else { return };
        if reader.newest_iterator.load(Ordering::Relaxed) != self.number {
            return;
        }
        // This thread itself may hold the lock, if a garbage collection during its work dropped the iterator. The next
        // iterator then reads the rest.
        let Ok(mut inner) = reader.inner.try_lock() else { return };
        if inner.unread() < DETACH_BYTES {
            return inner.drain();
        }
        drop(inner);
        py.detach(|| reader.lock_detached().drain());
    }
}
