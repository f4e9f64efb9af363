//! Requests: what is sent next, and what may be run of an answer. One function by name, JSON in and JSON out.

use deltafold::request::request_named;

use crate::bytes::dfold_bytes;
use crate::error::{dfold_problem, tell};
use crate::ffi;
use crate::status::dfold_status;

/// Text that a call without a handle made. Opaque; made by dfold_request, ended by dfold_text_free.
pub struct dfold_text {
    text: String,
    broken: bool,
}

impl ffi::Handle for dfold_text {
    type Inner = String;

    fn parts(&mut self) -> (&mut String, &mut bool) {
        (&mut self.text, &mut self.broken)
    }
}

/// Does one thing about requests, from a JSON object to a JSON object. Nothing is sent and nothing is run.
///
/// - `history`: `{"policy", "request", "steps": [{"response"} or {"item"}, ...]}` gives `{"request", "findings"}`: the request that
///   continues from answers, and what was left out of it. A policy is `"stateless"`, `"stateful"`, another known name, or an
///   object.
/// - `enforce`: `{"request", "response"}` gives `{"calls"}`: for each call of an answer whether it may be run, and if not, the
///   `answer`: the item that tells the model so.
/// - `tool_loop`: the whole of a dfold_tool_loop at once, its `steps` included.
/// - `advice`: `{"error", "status", "headers"}` gives the error in one form, and whether to try again, and how.
/// - `create_message`: `{"request"}` gives `{"message", "left_out"}`: the message of a WebSocket that asks for a response.
///
/// Returns DFOLD_OK with the text; DFOLD_MISUSE_UNKNOWN_NAME for another name or key, DFOLD_JSON_SYNTAX or DFOLD_JSON_DEPTH for
/// a text that cannot be read, DFOLD_MISUSE_ARGUMENT for a value that cannot be used, DFOLD_MISUSE_INTENT for a step that a loop
/// does not take, with the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the text and ends it with dfold_text_free; `what` and `json` are read and not kept.
/// - NULL: `out_problem` may be NULL; `out_text` may not.
/// - Threads: safe from any thread.
/// - Views: gives none; dfold_text_view does.
#[no_mangle]
pub unsafe extern "C" fn dfold_request(
    what: dfold_bytes,
    json: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_text: *mut *mut dfold_text,
) -> dfold_status {
    // SAFETY: what all ask for is what our caller promises.
    unsafe {
        ffi::give(out_text, || {
            let (what, json) = (ffi::text(what)?, ffi::text(json)?);
            Ok(dfold_text { text: tell(request_named(what, json), out_problem)?, broken: false })
        })
    }
}

/// Looks at a text.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the bytes stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a text; different texts are independent.
/// - Views: valid until dfold_text_free.
#[no_mangle]
pub unsafe extern "C" fn dfold_text_view(text: *mut dfold_text, out_bytes: *mut dfold_bytes) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(text, out_bytes, |text| Ok(text.as_str().into())) }
}

/// Ends a text.
///
/// - Ownership: takes the text back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the text may be running.
/// - Views: ends all that the text gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_text_free(text: *mut dfold_text) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(text) }
}
