//! The whole road: bytes in, events out one at a time, the response readable after each.

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

use crate::event::{Before, Event};
use crate::finding::{Finding, Outcome};
use crate::lean::{Held, Lean};
use crate::options::Keyword;
use crate::response::Response;
use crate::{convert, error, lean, options};

/// Less than this is read without releasing the interpreter, since giving it up costs more than reading.
pub(crate) const DETACH_BYTES: usize = 4096;

/// Reads a stream: bytes in, cut anywhere; events, findings and the response out.
///
/// Nothing that a server sends raises: it is a finding, and reading goes on. Only a limit (LimitExceeded), a call that may
/// not be made now (Misuse) or, if `strict`, a broken rule (StrictViolation) ends it; then every call raises the same until
/// `reset`. One reader reads one stream. Threads may share it; a reader for each is faster.
#[pyclass(frozen, module = "deltafold", weakref)]
pub(crate) struct Reader {
    inner: Mutex<Inner>,
    /// Counts the calls that gave an iterator: the newest reads on when it is dropped.
    turn: AtomicU64,
}

struct Inner {
    reader: deltafold::Reader,
    /// What events have in common with the one before.
    before: Before,
    fed: u64,
    /// Up to here no event is long.
    short_until: u64,
    depth: u16,
}

impl Inner {
    fn new(reader: deltafold::Reader, depth: usize) -> Self {
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        Self { reader, before: Before::default(), fed: 0, short_until: 0, depth }
    }

    /// Takes a chunk. Says whether there is anything to iterate over: most chunks of a slow network complete no event.
    #[inline]
    fn feed(&mut self, chunk: &[u8]) -> Result<bool, Error> {
        self.reader.feed(chunk)?;
        self.fed += chunk.len() as u64;
        Ok(self.reader.is_ready())
    }

    /// Reads what is left without making events. An error stays with the reader, and the next call raises it.
    fn drain(&mut self) {
        self.before.forget();
        while let Ok(Some(_)) = self.reader.poll_event() {}
    }

    fn unread(&self) -> usize {
        usize::try_from(self.fed.saturating_sub(self.reader.offset())).unwrap_or(usize::MAX)
    }

    /// Reads the next event and makes its object: a new reference, or null at the end, and without memory, which raises.
    #[inline]
    fn next(&mut self, py: Python<'_>) -> Result<*mut ffi::PyObject, Error> {
        // What is made here starts no collection, so nobody can ask for the lock that is held.
        let long = self.reader.offset() >= self.short_until && self.next_is_long();
        let reader = &mut self.reader;
        let event = if long { py.detach(|| Here(reader.poll_event())).0 } else { reader.poll_event() }?;
        Ok(event.map_or(ptr::null_mut(), |event| Event::make(py, &event, self.depth, &mut self.before)))
    }

    #[inline(never)]
    fn next_is_long(&mut self) -> bool {
        self.short_until = self.reader.short_until(DETACH_BYTES);
        self.reader.offset() >= self.short_until && self.reader.next_is_long(DETACH_BYTES)
    }
}

/// What a closure gives back to the thread that has called it.
struct Here<T>(T);

// SAFETY: `Python::detach` asks for what may go to another thread, to keep objects of Python out; it runs its closure on the thread
// that calls it, so nothing goes anywhere.
unsafe impl<T> Send for Here<T> {}

impl Reader {
    /// Locks the reader. Another thread that has it may be waiting for the interpreter, which is given up meanwhile.
    #[inline]
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        // The lock is only poisoned by a panic of ours, which has become an exception; the reader goes on.
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

    /// Locks the reader while the interpreter is released.
    fn lock_detached(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the reader of the core to `ask`.
    pub(crate) fn read<R>(&self, py: Python<'_>, ask: impl FnOnce(&deltafold::Reader) -> R) -> R {
        ask(&self.lock(py).reader)
    }

    /// An iterator over what was fed: a new reference, or null without memory, which raises.
    #[inline]
    fn events(slf: Borrowed<'_, '_, Self>) -> *mut ffi::PyObject {
        let turn = slf.get().turn.fetch_add(1, Ordering::Relaxed) + 1;
        // SAFETY: the reader is live, and gets one more reference, which the iterator owns.
        let reader = unsafe {
            ffi::Py_INCREF(slf.as_ptr());
            Held::from_new(slf.as_ptr())
        };
        lean::make(slf.py(), 0, |_| Events { reader, turn, exhausted: AtomicBool::new(false) })
    }

    /// As `events`, for a call that goes through PyO3.
    fn all_events<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: a new reference, or null and raises.
        unsafe { Bound::from_owned_ptr_or_err(slf.py(), Self::events(slf.as_borrowed())) }
    }

    /// Adds `feed` to the class: a function of one argument, which Python calls without making a tuple.
    pub(crate) fn add_feed(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let class = module.py().get_type::<Self>();
        // Python keeps the pointer as long as the class lives, and that is as long as the process.
        let method = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: c"feed".as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: feed },
            ml_flags: ffi::METH_O,
            ml_doc: FEED.as_ptr(),
        }));
        // SAFETY: the class and the definition live for ever; the descriptor is a new reference or an error.
        let descriptor =
            unsafe { Bound::from_owned_ptr_or_err(module.py(), ffi::PyDescr_NewMethod(class.as_type_ptr(), method))? };
        class.setattr("feed", descriptor)
    }
}

const FEED: &CStr = c"feed($self, chunk, /)
--

Takes a chunk, cut anywhere, and returns an iterator over the events that it completes.

Each event is read when it is asked for, and `response` and `findings` then stand where it stands. What is not asked
for is read when the iterator is dropped, so `reader.feed(chunk)` alone folds the chunk.";

/// `Reader.feed`: see [`FEED`].
unsafe extern "C" fn feed(slf: *mut ffi::PyObject, chunk: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with the interpreter held, a reader (the descriptor has looked) and a live object. The bytes of a
    // `bytes` object do not change, and the caller keeps it.
    unsafe {
        lean::boundary(|py| {
            let reader = Borrowed::from_ptr(py, slf).cast_unchecked::<Reader>();
            let chunk = Borrowed::from_ptr(py, chunk);
            let fed = match chunk.cast_exact::<PyBytes>() {
                Ok(chunk) if chunk.as_bytes().len() < DETACH_BYTES => reader.get().lock(py).feed(chunk.as_bytes()),
                _ => match feed_any(reader.get(), &chunk) {
                    Ok(fed) => fed,
                    Err(error) => return lean::raise(|_| error),
                },
            };
            match fed {
                Ok(true) => Reader::events(reader),
                Ok(false) => Events::none(py),
                Err(found) => lean::raise(|py| error::raise(py, &found)),
            }
        })
    }
}

/// Takes a chunk that is large, or no `bytes`.
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
    /// Makes a reader.
    ///
    /// strict: end reading at the first finding that is an error.
    /// quote: let findings quote short pieces of the payload.
    /// without_terminal: rebuild the response from the events alone.
    /// profile: a provider's name, or a profile as a dict: what each rule weighs.
    /// edition: the edition to validate against.
    /// layers: which layers of validation look at the stream: "all", "none", or names out of "framing", "schema", "stream".
    /// images: what happens to preview images: "keep-last", "keep" or "drop".
    /// starting_after: the stream is a replay of what came after this number.
    /// limits: bounds on memory, depth and count, by name.
    /// schemas: JSON schemas of extension types: {"events": {type: schema}, "items": {type: schema}}.
    #[new]
    #[pyo3(signature = (
        *, strict = None, quote = None, without_terminal = None, profile = None, edition = None, layers = None,
        images = None, starting_after = None, limits = None, schemas = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn new(
        py: Python<'_>,
        strict: Option<&Bound<'_, PyAny>>,
        quote: Option<&Bound<'_, PyAny>>,
        without_terminal: Option<&Bound<'_, PyAny>>,
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
            ("without_terminal", without_terminal),
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
        Ok(Self { inner: Mutex::new(Inner::new(reader, depth)), turn: AtomicU64::new(0) })
    }

    /// Takes a saved state up again; `options` are those of the constructor.
    ///
    /// Feed it the bytes of the new connection: events that were read before are dropped with a finding.
    #[staticmethod]
    #[pyo3(signature = (
        saved, /, *, strict = None, quote = None, without_terminal = None, profile = None, edition = None, layers = None,
        images = None, starting_after = None, limits = None, schemas = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn restore(
        saved: &Bound<'_, PyAny>,
        strict: Option<&Bound<'_, PyAny>>,
        quote: Option<&Bound<'_, PyAny>>,
        without_terminal: Option<&Bound<'_, PyAny>>,
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
            ("without_terminal", without_terminal),
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
        Ok(Self { inner: Mutex::new(Inner::new(reader, depth)), turn: AtomicU64::new(0) })
    }

    /// Takes one message that is JSON already: a WebSocket message, a line of a log. Returns an iterator, as `feed` does.
    fn feed_json<'py>(slf: &Bound<'py, Self>, message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let message = convert::json_text(message)?;
        let fed = slf.get().lock(py).reader.feed_json(&message);
        fed.map_err(|found| error::raise(py, &found))?;
        Self::all_events(slf)
    }

    /// Says that no more will come, and returns an iterator over what a missing blank line held back.
    fn end<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().lock(slf.py()).reader.end();
        Self::all_events(slf)
    }

    /// Ends the input, reads what is left, and says how the stream ended. May be called again: the answer stays.
    ///
    /// Raises what ended reading, if a limit or a rule of a strict reader did.
    fn close(&self, py: Python<'_>) -> PyResult<Outcome> {
        let outcome = py.detach(|| {
            let mut inner = self.lock_detached();
            inner.drain();
            let outcome = inner.reader.finish();
            inner.reader.poll_event().map(|_| outcome)
        });
        outcome.map(|outcome| Outcome::from(&outcome)).map_err(|found| error::raise(py, &found))
    }

    /// Makes the reader new; options stay.
    fn reset(&self, py: Python<'_>) {
        let mut inner = self.lock(py);
        inner.reader.reset();
        inner.before.forget();
        (inner.fed, inner.short_until) = (0, 0);
    }

    /// The state after the last event that was read, as bytes to store; `restore` takes it up.
    ///
    /// What was fed and not read is not in it: a new connection starts at a frame.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).reader.save())
    }

    /// Takes the request that the stream answers, as a dict or JSON text, for the rules about both.
    fn note_request(&self, py: Python<'_>, request: &Bound<'_, PyAny>) -> PyResult<()> {
        let request = convert::json_text(request)?;
        let noted = self.lock(py).reader.note_request(&request);
        noted.map_err(|found| error::raise(py, &found))
    }

    /// Takes HTTP headers, a mapping or pairs; with `status` the validator checks the rules about both. Rate limits are kept.
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

    /// The response so far: a live view, which shows what has been read when it is asked.
    #[getter]
    fn response(slf: &Bound<'_, Self>) -> Response {
        Response::new(slf.clone().unbind())
    }

    /// What was wrong with the stream so far, the first so many (limit `findings`), as a new list.
    #[getter]
    fn findings(&self, py: Python<'_>) -> Vec<Finding> {
        self.read(py, |reader| reader.findings().iter().map(Finding::from).collect())
    }

    /// How many findings there were, kept or not.
    #[getter]
    fn finding_count(&self, py: Python<'_>) -> u64 {
        self.read(py, |reader| reader.all_findings().total())
    }

    /// How the stream ended, once a terminal event or `close` has said so; else None.
    #[getter]
    fn outcome(&self, py: Python<'_>) -> Option<Outcome> {
        self.read(py, |reader| reader.outcome().map(Outcome::from))
    }

    /// Token counts as a dict, once a terminal event has them; else None.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.read(py, |reader| reader.usage().cloned()))
    }

    /// The newest sequence number: where to resume after. None if there was none.
    #[getter]
    fn last_sequence_number(&self, py: Python<'_>) -> Option<u64> {
        self.read(py, deltafold::Reader::last_sequence_number)
    }

    /// How many events were read.
    #[getter]
    fn event_count(&self, py: Python<'_>) -> u64 {
        self.read(py, deltafold::Reader::event_count)
    }

    /// A number that moves with any sign of life: bytes, comments, blank frames, keepalives, events.
    #[getter]
    fn activity(&self, py: Python<'_>) -> u64 {
        self.read(py, deltafold::Reader::activity)
    }

    /// Whether `[DONE]` was read.
    #[getter]
    fn saw_done(&self, py: Python<'_>) -> bool {
        self.read(py, deltafold::Reader::saw_done)
    }

    /// The last event id of the SSE layer; "" if there is none.
    #[getter]
    fn last_event_id(&self, py: Python<'_>) -> String {
        self.read(py, |reader| reader.last_event_id().to_owned())
    }

    /// The reconnection time that the stream asked for, in milliseconds, or None.
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

    /// Bytes read since the start.
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
        // An exception on its way out must not be hidden by ours.
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

/// Turns the keywords of a reader into options of the core.
fn read_options(py: Python<'_>, given: &[Keyword<'_, '_>]) -> PyResult<ReaderOptions> {
    let options = ReaderOptions::from_json(&options::json(py, given)?).map_err(|found| error::raise(py, &found))?;
    options::check_depth(py, options.limits.depth).map(|()| options)
}

/// The events that a chunk completes, each read when it is asked for.
#[pyclass(frozen, subclass, name = "_Events", module = "deltafold")]
pub(crate) struct Events {
    /// `None` for the one that all chunks share which complete no event.
    reader: Option<Held>,
    turn: u64,
    exhausted: AtomicBool,
}

#[pymethods]
impl Events {
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("events that were not read cannot be pickled or copied: make a list of them"))
    }
}

impl Lean for Events {
    const NAME: &'static CStr = c"deltafold.Events";

    fn class() -> &'static AtomicPtr<ffi::PyTypeObject> {
        static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());
        &CLASS
    }

    fn slots(_: &Bound<'_, PyType>) -> Vec<ffi::PyType_Slot> {
        vec![
            lean::slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as ffi::getiterfunc as *mut c_void),
            lean::slot(ffi::Py_tp_iternext, next as ffi::iternextfunc as *mut c_void),
        ]
    }
}

/// Gives the next event; null at the end, or if it raises.
unsafe extern "C" fn next(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with the interpreter held and a live iterator, which keeps its reader alive.
    unsafe {
        lean::boundary(|py| {
            let events = lean::value::<Events>(object);
            let Some(reader) = events.reader(py) else { return ptr::null_mut() };
            // The lock is free again before an exception is made; see `convert::option`.
            let event = reader.lock(py).next(py);
            match event {
                Ok(event) => {
                    if event.is_null() {
                        events.exhausted.store(true, Ordering::Relaxed);
                    }
                    event
                }
                Err(found) => lean::raise(|py| error::raise(py, &found)),
            }
        })
    }
}

impl Events {
    /// A new reference to the one that gives nothing; null without memory, and raises.
    #[inline]
    fn none(py: Python<'_>) -> *mut ffi::PyObject {
        static NONE: PyOnceLock<Held> = PyOnceLock::new();
        if let Some(none) = NONE.get(py) {
            return none.share(py);
        }
        let made = lean::make(py, 0, |_| Self { reader: None, turn: 0, exhausted: AtomicBool::new(true) });
        // SAFETY: a new reference or null.
        if let Some(made) = unsafe { Held::from_new(made) } {
            return NONE.get_or_init(py, || made).share(py);
        }
        ptr::null_mut()
    }

    #[inline]
    fn reader<'a>(&'a self, py: Python<'a>) -> Option<&'a Reader> {
        let held = self.reader.as_ref()?;
        // SAFETY: it is a reader, and lives as long as this refers to it.
        Some(unsafe { Borrowed::from_ptr(py, held.as_ptr()).cast_unchecked::<Reader>() }.get())
    }
}

impl Drop for Events {
    /// Reads what nobody asked for, unless a later call has taken over.
    fn drop(&mut self) {
        if *self.exhausted.get_mut() {
            return;
        }
        // SAFETY: an iterator is freed while the interpreter is held.
        let py = unsafe { Python::assume_attached() };
        let Some(reader) = self.reader(py) else { return };
        if reader.turn.load(Ordering::Relaxed) != self.turn {
            return;
        }
        // Whoever has the lock may be this very thread, in a collection that its work has started: the rest is then left to the
        // next iterator.
        let Ok(mut inner) = reader.inner.try_lock() else { return };
        if inner.unread() < DETACH_BYTES {
            return inner.drain();
        }
        drop(inner);
        py.detach(|| reader.lock_detached().drain());
    }
}
