//! A writer: intents in, the bytes of a stream that cannot be wrong out. The intents by name are in `intent.rs`.

use deltafold::json::{Object, Value};
use deltafold::write::{Dialect, Heartbeat};
use deltafold::{Error, Limits, Writer, WriterOptions};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, tell, Failures};
use crate::ffi::{self, Options};
use crate::status::dfold_status;

/// Writes one response as a stream. Opaque; made by dfold_writer_new, ended by dfold_writer_free.
///
/// An intent (dfold_writer_message, dfold_writer_text, …, or dfold_writer_apply_json for all of them) either writes every event
/// that it takes, or is refused and writes nothing; either way the stream so far is valid and can go on. Outputs:
/// dfold_writer_take for SSE bytes, or dfold_writer_poll for one JSON message at a time; both take from one queue.
pub struct dfold_writer {
    writing: Writing,
    broken: bool,
}

/// What the handle wraps: the writer, and what the views of its outputs point to.
pub(crate) struct Writing {
    pub(crate) writer: Writer,
    pub(crate) failures: Failures,
    taken: Vec<u8>,
    scratch: String,
}

impl ffi::Handle for dfold_writer {
    type Inner = Writing;

    fn parts(&mut self) -> (&mut Writing, &mut bool) {
        (&mut self.writing, &mut self.broken)
    }
}

impl dfold_writer {
    fn new(options: WriterOptions) -> Self {
        let writing = Writing {
            writer: Writer::new(options),
            failures: Failures::default(),
            taken: Vec::new(),
            scratch: String::new(),
        };
        Self { writing, broken: false }
    }
}

/// What a writer must know before it starts. Fill it with dfold_writer_options_init, then set at least `id`.
///
/// The views in it are read during the call that takes the options, and not kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_writer_options {
    /// Size of this struct in the header that the program was built with; set by dfold_writer_options_init.
    pub struct_size: usize,
    /// The response's id, written as it is.
    pub id: dfold_bytes,
    /// The model's name.
    pub model: dfold_bytes,
    /// `created_at`, in whole seconds.
    pub created_at: u64,
    /// A JSON object of response fields that differ from the defaults. Empty: none.
    pub template_json: dfold_bytes,
    /// The request as a JSON object; what a response repeats of it is taken. Empty: none.
    pub request_json: dfold_bytes,
    /// Which names are used: `open_responses` or `openai`. Empty: the first.
    pub dialect: dfold_bytes,
    /// Which items and events may be written, such as `2026-04-24` or `split`. Empty: the first.
    pub edition: dfold_bytes,
    /// What dfold_writer_heartbeat writes: `comment`, `keepalive` or `off`. Empty: the first.
    pub heartbeat: dfold_bytes,
}

// SAFETY: `repr(C)`, the size first, and nothing but whole numbers and pointers, for which every bit pattern is a value.
unsafe impl Options for dfold_writer_options {
    const DEFAULT: Self = Self {
        struct_size: size_of::<Self>(),
        id: dfold_bytes::NULL,
        model: dfold_bytes::NULL,
        created_at: 0,
        template_json: dfold_bytes::NULL,
        request_json: dfold_bytes::NULL,
        dialect: dfold_bytes::NULL,
        edition: dfold_bytes::NULL,
        heartbeat: dfold_bytes::NULL,
    };
}

/// Reads the options of a writer.
///
/// # Safety
/// As for [`ffi::options`]; the views in the struct are as [`ffi::text`] asks for them.
unsafe fn writer_options(given: *const dfold_writer_options) -> Result<WriterOptions, dfold_status> {
    // SAFETY: the caller promises what both ask for.
    let (given, [id, model, template, request, dialect, edition, heartbeat]) = unsafe {
        let given = ffi::options(given)?;
        let texts = [
            ffi::text(given.id)?,
            ffi::text(given.model)?,
            ffi::text(given.template_json)?,
            ffi::text(given.request_json)?,
            ffi::text(given.dialect)?,
            ffi::text(given.edition)?,
            ffi::text(given.heartbeat)?,
        ];
        (given, texts)
    };
    let mut options = WriterOptions::new(id, model, given.created_at);
    let mut read = || -> Result<(), Error> {
        if !dialect.is_empty() {
            options.dialect = Dialect::from_name(dialect)?;
        }
        if !edition.is_empty() {
            options.edition = edition.parse()?;
        }
        if !heartbeat.is_empty() {
            options.heartbeat = Heartbeat::from_name(heartbeat)?;
        }
        if !request.is_empty() {
            options.template = deltafold::write::echo(&object(request)?, options.edition);
        }
        if !template.is_empty() {
            for (key, value) in object(template)? {
                options.template.insert(key, value);
            }
        }
        Ok(())
    };
    read().map_err(|error| error.code())?;
    Ok(options)
}

/// A JSON object.
pub(crate) fn object(text: &str) -> Result<Object, Error> {
    match Value::parse(text, Limits::default().depth)? {
        Value::Object(object) => Ok(object),
        _ => Err(Error::new(deltafold::Code::BadArgument, 0, "expected a JSON object")),
    }
}

/// Sets every option to its default: an empty one.
///
/// `struct_size` is `sizeof(dfold_writer_options)`. Returns DFOLD_OK, or DFOLD_MISUSE if `out_options` is NULL or the size
/// cannot be one.
///
/// - Ownership: the struct is the caller's.
/// - NULL: `out_options` may not be NULL.
/// - Threads: safe from any thread.
/// - Views: those in the struct become empty.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_options_init(
    out_options: *mut dfold_writer_options,
    struct_size: usize,
) -> dfold_status {
    // SAFETY: what `init` asks for is what our caller promises.
    unsafe { ffi::init(out_options, struct_size) }
}

/// Makes a writer. Nothing is written before the first intent.
///
/// Returns DFOLD_OK; DFOLD_MISUSE for NULL or an impossible size; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or
/// DFOLD_MISUSE_UNKNOWN_NAME for an option that cannot be used.
///
/// - Ownership: the caller owns the writer and ends it with dfold_writer_free; the options are read and not kept.
/// - NULL: neither may be NULL.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_new(
    options: *const dfold_writer_options,
    out_writer: *mut *mut dfold_writer,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::give(out_writer, || {
            if options.is_null() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            Ok(dfold_writer::new(writer_options(options)?))
        })
    }
}

/// Makes a writer from options as a JSON object, the form that every binding takes: `id`, and if needed `model`, `created_at`,
/// `template`, `request`, `dialect`, `edition`, `heartbeat`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for options that cannot be used, with the reason in
/// `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the writer and ends it with dfold_writer_free; the text is read and not kept.
/// - NULL: `out_problem` may be NULL; `out_writer` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_new_json(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_writer: *mut *mut dfold_writer,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_writer, || {
            Ok(dfold_writer::new(tell(WriterOptions::from_json(ffi::text(options)?), out_problem)?))
        })
    }
}

/// Ends a writer.
///
/// - Ownership: takes the writer back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the writer may be running.
/// - Views: ends all that the writer gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_free(writer: *mut dfold_writer) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(writer) }
}

/// Takes all SSE bytes written since the last take: whole frames, or nothing.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the bytes stay the library's; send or copy them.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next take or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_take(writer: *mut dfold_writer, out_bytes: *mut dfold_bytes) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(writer, out_bytes, |writing| {
            writing.taken.clear();
            writing.writer.write_into(&mut writing.taken);
            Ok(writing.taken.as_slice().into())
        })
    }
}

/// Takes the JSON text of the next event, without its frame, as a WebSocket wants it.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if everything written was taken; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's; send or copy it.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next call on the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_poll(writer: *mut dfold_writer, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(writer, out_json, |writing| {
            writing.writer.poll_event().map(Into::into).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// How far a writer has come.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_progress {
    /// The number that the next event gets.
    pub sequence_number: u64,
    /// How many items were opened.
    pub items: usize,
    /// Whether anything was written.
    pub started: bool,
    /// Whether a terminal event was written.
    pub ended: bool,
    /// Whether everything written has been taken.
    pub drained: bool,
}

/// Tells how far the writer has come.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: nothing changes hands.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_progress(
    writer: *mut dfold_writer,
    out_progress: *mut dfold_progress,
) -> dfold_status {
    let ask = |writing: &mut Writing| {
        let writer = &writing.writer;
        Ok(dfold_progress {
            sequence_number: writer.sequence_number(),
            items: writer.item_count(),
            started: writer.is_started(),
            ended: writer.is_ended(),
            drained: writer.is_drained(),
        })
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(writer, out_progress, ask) }
}

/// Gives the response so far as JSON text: what a snapshot would carry now; after the end, the answer that is not streamed.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next call on the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_response_json(
    writer: *mut dfold_writer,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(writer, out_json, |writing| {
            writing.scratch = writing.writer.response_json();
            Ok(writing.scratch.as_str().into())
        })
    }
}

/// Says in full why the last call on the writer was refused.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if none was, apart from NULL and impossible lengths; DFOLD_MISUSE for NULL.
///
/// - Ownership: the error's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: valid until the next call on the writer.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_error(writer: *mut dfold_writer, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(writer, out_error, |writing| writing.failures.show()) }
}
