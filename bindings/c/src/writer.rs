//! A writer: takes intents and returns the bytes of a valid stream. `intent.rs` has the functions of the intents.

use deltafold::json::{Object, Value};
use deltafold::{Error, Limits, Writer, WriterOptions};

use crate::bytes::dfold_bytes;
use crate::clock::CLOCK;
use crate::error::{dfold_error, dfold_problem, report_problem, LastError};
use crate::ffi::{self, Options};
use crate::status::dfold_status;

/// Writes one response as a stream. Opaque; created by dfold_writer_new, freed by dfold_writer_free.
///
/// An intent (dfold_writer_message, dfold_writer_text, …, or dfold_writer_apply_json for all of them) either writes all its
/// events, or returns an error and writes nothing; in both cases the stream remains valid and can continue. Outputs:
/// dfold_writer_take for SSE bytes, or dfold_writer_poll for one JSON message at a time; both take from one queue.
pub struct dfold_writer {
    state: WriterState,
    panicked: bool,
}

/// Contents of the handle: the writer, and the storage that its views point to.
pub(crate) struct WriterState {
    pub(crate) writer: Writer,
    pub(crate) last_error: LastError,
    taken: Vec<u8>,
    scratch: String,
}

impl ffi::Handle for dfold_writer {
    type Inner = WriterState;

    fn parts(&mut self) -> (&mut WriterState, &mut bool) {
        (&mut self.state, &mut self.panicked)
    }
}

impl dfold_writer {
    fn new(options: WriterOptions) -> Self {
        let state = WriterState {
            writer: Writer::new(options),
            last_error: LastError::default(),
            taken: Vec::new(),
            scratch: String::new(),
        };
        Self { state, panicked: false }
    }
}

/// The options of a writer. Initialize the struct with dfold_writer_options_init, then set at least `id`.
///
/// The views in it are read during the call that receives the options, and not kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_writer_options {
    /// Size of this struct in the header the program was built with; set by dfold_writer_options_init.
    pub struct_size: usize,
    /// The id of the response, written unchanged.
    pub id: dfold_bytes,
    /// The model's name.
    pub model: dfold_bytes,
    /// `created_at`, in whole seconds. 0, the default: the clock, also for `completed_at`. JSON options can have any time.
    pub created_at: u64,
    /// Response fields with values other than the defaults, as a JSON object. Empty: none.
    pub template_json: dfold_bytes,
    /// The request as a JSON object; the response repeats some of its fields. Empty: none.
    pub request_json: dfold_bytes,
    /// The names of reasoning events: `open_responses` or `openai`. Empty: the first.
    pub reasoning_names: dfold_bytes,
    /// The edition of the specification to write, such as `2026-04-24` or `split`. Empty: the first.
    pub edition: dfold_bytes,
    /// The output of dfold_writer_heartbeat: `comment`, `keepalive` or `off`. Empty: the first.
    pub heartbeat: dfold_bytes,
}

// SAFETY: `repr(C)`, the size first, then only integers and pointers, for which every bit pattern is valid.
unsafe impl Options for dfold_writer_options {
    const DEFAULT: Self = Self {
        struct_size: size_of::<Self>(),
        id: dfold_bytes::NULL,
        model: dfold_bytes::NULL,
        created_at: 0,
        template_json: dfold_bytes::NULL,
        request_json: dfold_bytes::NULL,
        reasoning_names: dfold_bytes::NULL,
        edition: dfold_bytes::NULL,
        heartbeat: dfold_bytes::NULL,
    };
}

/// Reads the options of a writer.
///
/// # Safety
/// As for [`ffi::options`]; the views in the struct meet the contract of [`ffi::text`].
unsafe fn writer_options(given: *const dfold_writer_options) -> Result<WriterOptions, dfold_status> {
    // SAFETY: the caller upholds the contracts of both functions.
    let (given, [id, model, template, request, reasoning_names, edition, heartbeat]) = unsafe {
        let given = ffi::options(given)?;
        let texts = [
            ffi::text(given.id)?,
            ffi::text(given.model)?,
            ffi::text(given.template_json)?,
            ffi::text(given.request_json)?,
            ffi::text(given.reasoning_names)?,
            ffi::text(given.edition)?,
            ffi::text(given.heartbeat)?,
        ];
        (given, texts)
    };
    let mut options = WriterOptions::new(id, model, given.created_at);
    if given.created_at == 0 {
        options = options.created_at(CLOCK.now()).clock(Some(CLOCK));
    }
    let mut read = || -> Result<(), Error> {
        if !reasoning_names.is_empty() {
            options.reasoning_names = reasoning_names.parse()?;
        }
        if !edition.is_empty() {
            options.edition = edition.parse()?;
        }
        if !heartbeat.is_empty() {
            options.heartbeat = heartbeat.parse()?;
        }
        if !request.is_empty() {
            options.template = deltafold::write::echo_request(&parse_object(request)?, options.edition);
        }
        if !template.is_empty() {
            for (key, value) in parse_object(template)? {
                options.template.insert(key, value);
            }
        }
        Ok(())
    };
    read().map_err(|error| error.code())?;
    Ok(options)
}

/// A JSON object.
pub(crate) fn parse_object(text: &str) -> Result<Object, Error> {
    match Value::parse(text, Limits::default().depth)? {
        Value::Object(object) => Ok(object),
        _ => Err(Error::new(deltafold::Code::BadArgument, 0, "expected a JSON object")),
    }
}

/// Sets every option to its default, which is empty or 0.
///
/// `struct_size` is `sizeof(dfold_writer_options)`. Returns DFOLD_OK, or DFOLD_MISUSE if `out_options` is NULL or the size
/// is impossible.
///
/// - Ownership: the caller owns the struct.
/// - NULL: `out_options` must not be NULL.
/// - Threads: safe from any thread.
/// - Views: the views in the struct become empty.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_options_init(
    out_options: *mut dfold_writer_options,
    struct_size: usize,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `init`.
    unsafe { ffi::init(out_options, struct_size) }
}

/// Creates a writer. It writes nothing before the first intent.
///
/// Returns DFOLD_OK; DFOLD_MISUSE for NULL or an impossible size; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or
/// DFOLD_MISUSE_UNKNOWN_NAME for an invalid option.
///
/// - Ownership: the caller owns the writer and frees it with dfold_writer_free; the options are read and not kept.
/// - NULL: neither may be NULL.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_new(
    options: *const dfold_writer_options,
    out_writer: *mut *mut dfold_writer,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::create(out_writer, || {
            if options.is_null() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            Ok(dfold_writer::new(writer_options(options)?))
        })
    }
}

/// Creates a writer from options as a JSON object, the same form as in every binding: `id` (required), `model`,
/// `created_at` (by default the clock), `template`, `request`, `reasoning_names`, `edition`, `heartbeat`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid options, with the reason in
/// `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the writer and frees it with dfold_writer_free; the text is read and not kept.
/// - NULL: `out_problem` may be NULL; `out_writer` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_new_json(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_writer: *mut *mut dfold_writer,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_writer, || {
            Ok(dfold_writer::new(report_problem(
                WriterOptions::from_json_with_clock(ffi::text(options)?, CLOCK),
                out_problem,
            )?))
        })
    }
}

/// Frees a writer.
///
/// - Ownership: the writer is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the writer may be running.
/// - Views: invalidates all views of the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_free(writer: *mut dfold_writer) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(writer) }
}

/// Takes all SSE bytes written since the last take: whole frames, or an empty view.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the bytes; send or copy them.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next take or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_take(writer: *mut dfold_writer, out_bytes: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(writer, out_bytes, |state| {
            state.taken.clear();
            state.writer.write_into(&mut state.taken);
            Ok(state.taken.as_slice().into())
        })
    }
}

/// Takes the JSON text of the next event without SSE framing, for WebSockets.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no event is left; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text; send or copy it.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next call on the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_poll(writer: *mut dfold_writer, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(writer, out_json, |state| {
            state.writer.poll_event().map(Into::into).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// The progress of a writer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_progress {
    /// The sequence number of the next event.
    pub sequence_number: u64,
    /// Number of opened items.
    pub items: usize,
    /// True if anything was written.
    pub started: bool,
    /// True if a terminal event was written.
    pub ended: bool,
    /// True if all output has been taken.
    pub drained: bool,
}

/// Gets the progress of the writer.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: no ownership changes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_progress(
    writer: *mut dfold_writer,
    out_progress: *mut dfold_progress,
) -> dfold_status {
    let get = |state: &mut WriterState| {
        let writer = &state.writer;
        Ok(dfold_progress {
            sequence_number: writer.sequence_number(),
            items: writer.item_count(),
            started: writer.is_started(),
            ended: writer.is_ended(),
            drained: writer.is_drained(),
        })
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(writer, out_progress, get) }
}

/// Gets the response so far as JSON text, as the next snapshot would have it; after the end, the complete response for a
/// request without streaming.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next call on the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_response_json(
    writer: *mut dfold_writer,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(writer, out_json, |state| {
            state.scratch = state.writer.response_json();
            Ok(state.scratch.as_str().into())
        })
    }
}

/// Gets the error of the last failed call on the writer.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no call has failed (DFOLD_MISUSE is not recorded); DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the error.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next call on the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_error(writer: *mut dfold_writer, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(writer, out_error, |state| state.last_error.get()) }
}
