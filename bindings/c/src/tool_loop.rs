//! A tool loop: finished responses in, calls out; their results in, the next request out. It runs nothing.

use deltafold::json::Value;
use deltafold::request::{CallVerdict, LoopState, Rejection, ToolLoop};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, tell, Failures};
use crate::ffi;
use crate::status::dfold_status;

/// Keeps a conversation with tools going. Opaque; made by dfold_tool_loop_new, ended by dfold_tool_loop_free.
///
/// 1. Send the text of dfold_tool_loop_request, and give the finished response to dfold_tool_loop_apply.
/// 2. Run what is pending and give each result to dfold_tool_loop_result, in any order.
/// 3. When the state is DFOLD_LOOP_READY again, go to 1. When it is DFOLD_LOOP_FINISHED or DFOLD_LOOP_STOPPED, the last response
///    is the answer.
///
/// Calls that the request does not allow, that name an unknown tool or whose arguments are wrong are answered by the loop itself,
/// so the model learns of it. It sends nothing, runs nothing and waits for nothing.
pub struct dfold_tool_loop {
    looping: Looping,
    broken: bool,
}

/// What the handle wraps: the loop, and what the views of its getters point to.
pub(crate) struct Looping {
    tools: ToolLoop,
    failures: Failures,
    scratch: String,
}

impl Looping {
    fn show(&mut self, text: String) -> dfold_bytes {
        self.scratch = text;
        self.scratch.as_str().into()
    }
}

impl ffi::Handle for dfold_tool_loop {
    type Inner = Looping;

    fn parts(&mut self) -> (&mut Looping, &mut bool) {
        (&mut self.looping, &mut self.broken)
    }
}

/// Where a tool loop stands.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_loop {
    /// The next request can be sent.
    DFOLD_LOOP_READY = 0,
    /// Calls wait for their results.
    DFOLD_LOOP_WAITING = 1,
    /// The last response has no calls to answer.
    DFOLD_LOOP_FINISHED = 2,
    /// No further request is made; `reason` says why.
    DFOLD_LOOP_STOPPED = 3,
}

impl From<LoopState> for dfold_loop {
    fn from(state: LoopState) -> Self {
        match state {
            LoopState::Ready => Self::DFOLD_LOOP_READY,
            LoopState::Waiting => Self::DFOLD_LOOP_WAITING,
            LoopState::Finished => Self::DFOLD_LOOP_FINISHED,
            // Nothing more comes of a state that is not known here.
            _ => Self::DFOLD_LOOP_STOPPED,
        }
    }
}

/// Where a tool loop stands, in numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_loop_state {
    /// Where it stands.
    pub state: dfold_loop,
    /// Calls that wait for a result: dfold_tool_loop_pending gives them.
    pub pending: usize,
    /// Calls of the last response that must not be run: dfold_tool_loop_rejected gives them.
    pub rejected: usize,
    /// Responses with calls, so far.
    pub turns: u64,
    /// Why it stopped: `turns`, `calls`, `incomplete`, `failed` or `caller`; empty if it did not.
    pub reason: dfold_bytes,
}

/// A call of the last response.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_call {
    /// Its place in the output of the response.
    pub index: usize,
    /// The type of the item, such as `function_call`.
    pub r#type: dfold_bytes,
    /// What the result is given by: `call_id`, or `id` of a request for approval.
    pub call_id: dfold_bytes,
    /// The name of the tool; empty for tools that have none.
    pub name: dfold_bytes,
    /// The arguments of a function, as JSON text, or the input of a custom tool; empty for other calls.
    pub arguments: dfold_bytes,
    /// Why it must not be run, such as `not_allowed`; empty if it may.
    pub reason: dfold_bytes,
    /// More about the reason; may be empty.
    pub detail: dfold_bytes,
    /// The whole item, as JSON text.
    pub item: dfold_bytes,
    /// The item that tells the model that, and why, the call was not run, as JSON text; empty if it may be run.
    pub answer: dfold_bytes,
}

/// Makes a loop from `{"request", "policy", "max_turns", "max_calls"}`; all but the request may be left out. The policy is
/// `"stateless"` (the default), `"stateful"`, another known name, or an object.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for options that cannot be used, with
/// the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the loop and ends it with dfold_tool_loop_free; the text is read and not kept.
/// - NULL: `out_problem` may be NULL; `out_loop` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_new(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_loop: *mut *mut dfold_tool_loop,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_loop, || {
            let tools = tell(ToolLoop::from_json(ffi::text(options)?), out_problem)?;
            let looping = Looping { tools, failures: Failures::default(), scratch: String::new() };
            Ok(dfold_tool_loop { looping, broken: false })
        })
    }
}

/// Ends a loop.
///
/// - Ownership: takes the loop back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the loop may be running.
/// - Views: ends all that the loop gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_free(tools: *mut dfold_tool_loop) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(tools) }
}

/// Takes the finished response to the request, as JSON text. Calls that must not be run are answered at once.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if no request is under way; DFOLD_JSON_SYNTAX, DFOLD_JSON_DEPTH or
/// DFOLD_MISUSE_ARGUMENT if it is no response; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `tools` may not be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: ends all that the loop gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_apply(tools: *mut dfold_tool_loop, response: dfold_bytes) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(tools, |Looping { tools, failures, .. }| {
            let response = ffi::text(response)?;
            failures.check(tools.apply_json(response).map(drop))
        })
    }
}

/// Takes the result of a pending call, as JSON text: a string, or an object with `text`, `json`, `parts`, `error`, or `approve` and
/// `reason`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if no such call is pending; DFOLD_JSON_SYNTAX, DFOLD_JSON_DEPTH or
/// DFOLD_MISUSE_ARGUMENT for a result that cannot be used, or that calls of this type do not take; DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are copied and stay the caller's.
/// - NULL: `tools` may not be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: ends all that the loop gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_result(
    tools: *mut dfold_tool_loop,
    call_id: dfold_bytes,
    result: dfold_bytes,
) -> dfold_status {
    // SAFETY: what all ask for is what our caller promises.
    unsafe {
        ffi::with(tools, |Looping { tools, failures, .. }| {
            let (call_id, result) = (ffi::text(call_id)?, ffi::text(result)?);
            failures.check(tools.result_json(call_id, result).map(drop))
        })
    }
}

/// Ends the conversation: no further request is made.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `tools` may not be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: ends all that the loop gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_stop(tools: *mut dfold_tool_loop) -> dfold_status {
    let stop = |looping: &mut Looping| {
        looping.tools.stop();
        Ok(())
    };
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(tools, stop) }
}

/// Says where the loop stands.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the reason stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: the reason is constant and lives as long as the library.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_state(
    tools: *mut dfold_tool_loop,
    out_state: *mut dfold_loop_state,
) -> dfold_status {
    let state = |Looping { tools, .. }: &mut Looping| {
        Ok(dfold_loop_state {
            state: tools.state().into(),
            pending: tools.pending().count(),
            rejected: tools.rejected().count(),
            turns: tools.turns(),
            reason: match tools.state() {
                LoopState::Stopped(reason) => reason.name().into(),
                _ => dfold_bytes::EMPTY,
            },
        })
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(tools, out_state, state) }
}

/// Gives a call that waits for its result, by its position among those.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there are not so many; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_pending(
    tools: *mut dfold_tool_loop,
    position: usize,
    out_call: *mut dfold_call,
) -> dfold_status {
    let pending = |Looping { tools, scratch, .. }: &mut Looping| call(tools.pending().nth(position), scratch);
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(tools, out_call, pending) }
}

/// Gives a call of the last response that must not be run, by its position among those. The loop has answered it.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there are not so many; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_rejected(
    tools: *mut dfold_tool_loop,
    position: usize,
    out_call: *mut dfold_call,
) -> dfold_status {
    let rejected = |Looping { tools, scratch, .. }: &mut Looping| call(tools.rejected().nth(position), scratch);
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(tools, out_call, rejected) }
}

fn call(call: Option<&CallVerdict>, scratch: &mut String) -> Result<dfold_call, dfold_status> {
    let call = call.ok_or(dfold_status::DFOLD_NO_MORE)?;
    *scratch = call.item.to_string();
    let end = scratch.len();
    if let Some(answer) = call.answer() {
        scratch.push_str(&Value::from(answer).to_string());
    }
    let (item, answer) = scratch.split_at(end);
    let member = |key: &str| call.item.str_at(key);
    Ok(dfold_call {
        index: call.index,
        r#type: call.kind().into(),
        call_id: call.id().into(),
        name: call.name().into(),
        arguments: member("arguments").or(member("input")).into(),
        reason: call.rejection.map(Rejection::name).into(),
        detail: call.detail.as_str().into(),
        item: item.into(),
        answer: answer.into(),
    })
}

/// Gives the request to send, as JSON text. Worth asking for when the state is DFOLD_LOOP_READY.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_request(
    tools: *mut dfold_tool_loop,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(tools, out_json, |looping| Ok(looping.show(looping.tools.request().to_json()))) }
}

/// Gives all of it as JSON text: `{"state", "reason", "turns", "pending", "rejected", "findings"}`, where the findings say what was
/// left out of the requests.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_json(tools: *mut dfold_tool_loop, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(tools, out_json, |looping| Ok(looping.show(looping.tools.to_json()))) }
}

/// Gives the last failure of the loop.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there was none; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_error(
    tools: *mut dfold_tool_loop,
    out_error: *mut dfold_error,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(tools, out_error, |looping| looping.failures.show()) }
}
