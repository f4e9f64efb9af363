//! A tool loop: takes finished responses and tool results; returns pending calls and the next request. It runs no tool.

use deltafold::json::Value;
use deltafold::request::{CallVerdict, LoopState, Rejection, ToolLoop};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, report_problem, LastError};
use crate::ffi;
use crate::status::dfold_status;

/// The state of a conversation with tools. Opaque; created by dfold_tool_loop_new, freed by dfold_tool_loop_free.
///
/// 1. Send the text of dfold_tool_loop_request, and give the finished response to dfold_tool_loop_apply.
/// 2. Run what is pending and give each result to dfold_tool_loop_result, in any order.
/// 3. When the state is DFOLD_LOOP_READY again, go to 1. When it is DFOLD_LOOP_FINISHED or DFOLD_LOOP_STOPPED, the last response
///    is the answer.
///
/// The loop itself answers calls that the request does not allow, that name an unknown tool, or whose arguments are
/// invalid, so that the model is informed. The loop sends nothing, runs nothing and does not block.
pub struct dfold_tool_loop {
    state: ToolLoopState,
    panicked: bool,
}

/// Contents of the handle: the loop, and the storage that its views point to.
pub(crate) struct ToolLoopState {
    tools: ToolLoop,
    last_error: LastError,
    scratch: String,
}

impl ToolLoopState {
    fn store(&mut self, text: String) -> dfold_bytes {
        self.scratch = text;
        self.scratch.as_str().into()
    }
}

impl ffi::Handle for dfold_tool_loop {
    type Inner = ToolLoopState;

    fn parts(&mut self) -> (&mut ToolLoopState, &mut bool) {
        (&mut self.state, &mut self.panicked)
    }
}

/// The state of a tool loop.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_loop {
    /// The next request can be sent.
    DFOLD_LOOP_READY = 0,
    /// Results of pending calls are missing.
    DFOLD_LOOP_WAITING = 1,
    /// The last response has no calls to answer.
    DFOLD_LOOP_FINISHED = 2,
    /// No further request is made; `reason` has the reason.
    DFOLD_LOOP_STOPPED = 3,
}

impl From<LoopState> for dfold_loop {
    fn from(state: LoopState) -> Self {
        match state {
            LoopState::Ready => Self::DFOLD_LOOP_READY,
            LoopState::Waiting => Self::DFOLD_LOOP_WAITING,
            LoopState::Finished => Self::DFOLD_LOOP_FINISHED,
            // A state that a newer core adds counts as stopped.
            _ => Self::DFOLD_LOOP_STOPPED,
        }
    }
}

/// The state of a tool loop with its counts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_loop_state {
    /// The state.
    pub state: dfold_loop,
    /// Number of calls without a result; see dfold_tool_loop_pending.
    pub pending: usize,
    /// Number of calls of the last response that must not be run; see dfold_tool_loop_rejected.
    pub rejected: usize,
    /// Number of responses with calls so far.
    pub turns: u64,
    /// The reason for stopping: `turns`, `calls`, `incomplete`, `failed` or `caller`; empty if it did not.
    pub reason: dfold_bytes,
}

/// A call of the last response.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_call {
    /// Its position in the output of the response.
    pub index: usize,
    /// The type of the item, such as `function_call`.
    pub r#type: dfold_bytes,
    /// The id to pass to dfold_tool_loop_result: the `call_id`, or the `id` of an approval request.
    pub call_id: dfold_bytes,
    /// The name of the tool; empty for tools that have none.
    pub name: dfold_bytes,
    /// The arguments of a function, as JSON text, or the input of a custom tool; empty for other calls.
    pub arguments: dfold_bytes,
    /// The reason why the call must not be run, such as `not_allowed`; empty if it may be run.
    pub reason: dfold_bytes,
    /// Details of the reason; may be empty.
    pub detail: dfold_bytes,
    /// The whole item, as JSON text.
    pub item: dfold_bytes,
    /// The item that tells the model why the call was not run, as JSON text; empty if it may be run.
    pub answer: dfold_bytes,
}

/// Creates a loop from `{"request", "policy", "max_turns", "max_calls"}`; only `request` is required. The policy is
/// `"stateless"` (the default), `"stateful"`, another known name, or an object.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid options, with the
/// reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the loop and frees it with dfold_tool_loop_free; the text is read and not kept.
/// - NULL: `out_problem` may be NULL; `out_loop` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_new(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_loop: *mut *mut dfold_tool_loop,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_loop, || {
            let tools = report_problem(ToolLoop::from_json(ffi::text(options)?), out_problem)?;
            let state = ToolLoopState { tools, last_error: LastError::default(), scratch: String::new() };
            Ok(dfold_tool_loop { state, panicked: false })
        })
    }
}

/// Frees a loop.
///
/// - Ownership: the loop is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the loop may be running.
/// - Views: invalidates all views of the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_free(tools: *mut dfold_tool_loop) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(tools) }
}

/// Adds the finished response to the request, as JSON text. The loop answers calls that must not be run.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the loop expects no response; DFOLD_JSON_SYNTAX, DFOLD_JSON_DEPTH or
/// DFOLD_MISUSE_ARGUMENT if the text is not a response; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `tools` must not be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: invalidates all views of the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_apply(tools: *mut dfold_tool_loop, response: dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(tools, |ToolLoopState { tools, last_error, .. }| {
            let response = ffi::text(response)?;
            last_error.check(tools.apply_json(response).map(drop))
        })
    }
}

/// Adds the result of a pending call, as JSON text: a string, or an object with `text`, `json`, `parts`, `error`, or
/// `approve` and `reason`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if no such call is pending; DFOLD_JSON_SYNTAX, DFOLD_JSON_DEPTH or
/// DFOLD_MISUSE_ARGUMENT for a result that is invalid or does not fit the type of the call; DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are copied; the caller keeps them.
/// - NULL: `tools` must not be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: invalidates all views of the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_result(
    tools: *mut dfold_tool_loop,
    call_id: dfold_bytes,
    result: dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all these functions.
    unsafe {
        ffi::with(tools, |ToolLoopState { tools, last_error, .. }| {
            let (call_id, result) = (ffi::text(call_id)?, ffi::text(result)?);
            last_error.check(tools.result_json(call_id, result).map(drop))
        })
    }
}

/// Ends the conversation: no further request is made.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `tools` must not be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: invalidates all views of the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_stop(tools: *mut dfold_tool_loop) -> dfold_status {
    let stop = |state: &mut ToolLoopState| {
        state.tools.stop();
        Ok(())
    };
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(tools, stop) }
}

/// Gets the state of the loop.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the reason.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: the reason is constant and lives as long as the library.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_state(
    tools: *mut dfold_tool_loop,
    out_state: *mut dfold_loop_state,
) -> dfold_status {
    let state = |ToolLoopState { tools, .. }: &mut ToolLoopState| {
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
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(tools, out_state, state) }
}

/// Gets a pending call by its position among the pending calls.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last one; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_pending(
    tools: *mut dfold_tool_loop,
    position: usize,
    out_call: *mut dfold_call,
) -> dfold_status {
    let pending =
        |ToolLoopState { tools, scratch, .. }: &mut ToolLoopState| call(tools.pending().nth(position), scratch);
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(tools, out_call, pending) }
}

/// Gets a rejected call of the last response by its position among the rejected calls. The loop has already answered it.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last one; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_rejected(
    tools: *mut dfold_tool_loop,
    position: usize,
    out_call: *mut dfold_call,
) -> dfold_status {
    let rejected =
        |ToolLoopState { tools, scratch, .. }: &mut ToolLoopState| call(tools.rejected().nth(position), scratch);
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(tools, out_call, rejected) }
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
        r#type: call.wire_type().into(),
        call_id: call.id().into(),
        name: call.name().into(),
        arguments: member("arguments").or(member("input")).into(),
        reason: call.rejection.map(Rejection::name).into(),
        detail: call.detail.as_str().into(),
        item: item.into(),
        answer: answer.into(),
    })
}

/// Gets the next request to send, as JSON text. Call it when the state is DFOLD_LOOP_READY.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_request(
    tools: *mut dfold_tool_loop,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(tools, out_json, |state| Ok(state.store(state.tools.request().to_json()))) }
}

/// Gets the whole state as JSON text: `{"state", "reason", "turns", "pending", "rejected", "findings"}`; the findings list
/// the data that the requests omit.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_json(tools: *mut dfold_tool_loop, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(tools, out_json, |state| Ok(state.store(state.tools.to_json()))) }
}

/// Gets the error of the last failed call on the loop.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no call has failed; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a loop; different loops are independent.
/// - Views: valid until the next call on the loop.
#[no_mangle]
pub unsafe extern "C" fn dfold_tool_loop_error(
    tools: *mut dfold_tool_loop,
    out_error: *mut dfold_error,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(tools, out_error, |state| state.last_error.get()) }
}
