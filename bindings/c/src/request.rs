//! Requests: the next request to send, and the calls of a response that may be run. One function selects the operation by
//! name; it takes and returns JSON.

use deltafold::__bindings::request_named;

use crate::bytes::dfold_bytes;
use crate::error::{dfold_problem, report_problem};
use crate::ffi;
use crate::status::dfold_status;

/// The text that dfold_request returns. Opaque; created by dfold_request, freed by dfold_text_free.
pub struct dfold_text {
    text: String,
    panicked: bool,
}

impl ffi::Handle for dfold_text {
    type Inner = String;

    fn parts(&mut self) -> (&mut String, &mut bool) {
        (&mut self.text, &mut self.panicked)
    }
}

/// Runs one operation on requests; it takes and returns a JSON object. The library sends nothing and runs no tool.
///
/// - `history`: `{"policy", "request", "steps": [{"response"} or {"item"}, ...]}` returns `{"request", "findings"}`: the
///   request that continues after the responses, and the data that it omits. A policy is `"stateless"`, `"stateful"`,
///   another known name, or an object.
/// - `enforce`: `{"request", "response"}` returns `{"calls"}`: for each call of a response whether it may be run, and if
///   not, the `answer` item that tells the model.
/// - `tool_loop`: a whole dfold_tool_loop in one call, including its `steps`.
/// - `tool_results`: `{"response", "results": {call_id: result}}` returns `{"items"}`: the outputs that the response has, and the
///   answers to its calls, as input items of the next request.
/// - `advice`: `{"error", "status", "headers"}` returns the error in a uniform form, whether to retry, and how.
/// - `create_message`: `{"request"}` returns `{"message", "left_out"}`: the WebSocket message that requests a response.
/// - `api_error`: `{"type", "message", "code", "param"}` returns `{"status", "body", "message"}`: an error for a client, as HTTP
///   status and body and as WebSocket message. The types are `server_error`, `invalid_request`, `not_found`, `model_error` and
///   `too_many_requests`.
///
/// Returns DFOLD_OK with the text; DFOLD_MISUSE_UNKNOWN_NAME for an unknown name or key, DFOLD_JSON_SYNTAX or
/// DFOLD_JSON_DEPTH for invalid JSON, DFOLD_MISUSE_ARGUMENT for an invalid value, DFOLD_MISUSE_INTENT for a step that is
/// invalid in the state of the loop, with the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the text and frees it with dfold_text_free; `what` and `json` are read and not kept.
/// - NULL: `out_problem` may be NULL; `out_text` must not.
/// - Threads: safe from any thread.
/// - Views: returns none; dfold_text_view does.
#[no_mangle]
pub unsafe extern "C" fn dfold_request(
    what: dfold_bytes,
    json: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_text: *mut *mut dfold_text,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all these functions.
    unsafe {
        ffi::create(out_text, || {
            let (what, json) = (ffi::text(what)?, ffi::text(json)?);
            Ok(dfold_text { text: report_problem(request_named(what, json), out_problem)?, panicked: false })
        })
    }
}

/// Gets the bytes of a text.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the bytes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a text; different texts are independent.
/// - Views: valid until dfold_text_free.
#[no_mangle]
pub unsafe extern "C" fn dfold_text_view(text: *mut dfold_text, out_bytes: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(text, out_bytes, |text| Ok(text.as_str().into())) }
}

/// Frees a text.
///
/// - Ownership: the text is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the text may be running.
/// - Views: invalidates all views of the text.
#[no_mangle]
pub unsafe extern "C" fn dfold_text_free(text: *mut dfold_text) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(text) }
}
