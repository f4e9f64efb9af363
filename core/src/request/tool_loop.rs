//! [`ToolLoop`]: the state of a conversation with tools. It runs nothing and sends nothing.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::body::CreateResponse;
use super::enforce::{enforce, CallVerdict};
use super::history::{History, HistoryFinding};
use super::parts::InputItem;
use super::policy::Policy;
use super::result::ToolResult;
use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::named::display_name;
use crate::options::{parse, setters, OptionReader};

/// The state machine of a conversation with tools.
///
/// 1. Send [`request`](Self::request) and pass the finished response to [`apply`](Self::apply).
/// 2. Run the [`pending`](Self::pending) calls and pass each [`result`](Self::result), in any order.
/// 3. When [`state`](Self::state) is `Ready` again, go to 1; when it is `Finished` or `Stopped`, the last response is the
///    answer.
///
/// Calls that the request does not allow, calls of unknown tools and calls with invalid arguments are answered by the loop
/// itself ([`rejected`](Self::rejected)), so that the model learns of it. Results are sent in the order of the calls.
///
/// ```
/// use deltafold::json::Value;
/// use deltafold::request::{CreateResponse, LoopState, Policy, Tool, ToolLoop, ToolResult};
///
/// let request = CreateResponse::new().with_model("m-1").with_input("2 + 2?").with_tool(Tool::function("add"));
/// let mut tools = ToolLoop::new(request, Policy::builtin("stateless")?);
/// let parse = |text: &str| Value::parse(text, 64).unwrap();
/// tools.apply(&parse(r#"{"id":"resp_1","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1",
///     "name":"add","arguments":"{\"a\":2,\"b\":2}","status":"completed"}]}"#))?;
/// assert_eq!(tools.state(), LoopState::Waiting);
/// assert_eq!(tools.pending().next().unwrap().name(), "add");
/// tools.result("c1", &ToolResult::Text("4".into()))?;
/// assert_eq!((tools.state(), tools.request().input_items().len()), (LoopState::Ready, 3));
/// tools.apply(&parse(r#"{"id":"resp_2","status":"completed","output":[]}"#))?;
/// assert_eq!(tools.state(), LoopState::Finished);
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolLoop {
    history: History,
    limits: LoopLimits,
    state: LoopState,
    /// The calls of the last response, in order, with their answers so far.
    calls: Vec<(CallVerdict, Option<InputItem>)>,
    turns: u64,
    run: u64,
}

/// The limits of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopLimits {
    /// Maximum number of responses whose calls are answered.
    pub turns: u64,
    /// Maximum number of calls that are run.
    pub calls: u64,
}

setters!(LoopLimits { turns: u64, calls: u64 });

impl Default for LoopLimits {
    /// 16 turns and 128 calls: more than a task that makes progress needs.
    fn default() -> Self {
        Self { turns: 16, calls: 128 }
    }
}

/// The state of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopState {
    /// The next request can be sent.
    Ready,
    /// Calls wait for results.
    Waiting,
    /// The last response has no calls that need an answer.
    Finished,
    /// The loop has ended; there is no further request.
    Stopped(StopReason),
}

/// The reason why a loop stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// The limit of turns was reached.
    Turns,
    /// The limit of calls was reached.
    Calls,
    /// The response ended incomplete: its calls are not run.
    Incomplete,
    /// The response failed, or was cancelled.
    Failed,
    /// The caller stopped it.
    Caller,
}

impl StopReason {
    /// `turns`, `calls`, `incomplete`, `failed` or `caller`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Caller => "caller",
        }
    }
}

impl LoopState {
    /// `ready`, `waiting`, `finished` or `stopped`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Finished => "finished",
            Self::Stopped(_) => "stopped",
        }
    }
}

impl ToolLoop {
    /// Begins with the first request.
    pub fn new(request: CreateResponse, policy: Policy) -> Self {
        Self {
            history: History::new(policy, &request),
            limits: LoopLimits::default(),
            state: LoopState::Ready,
            calls: Vec::new(),
            turns: 0,
            run: 0,
        }
    }

    /// Makes a loop from JSON text: `{"request", "policy", "max_turns", "max_calls"}`; only the request is required.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`], [`Code::UnknownName`], [`Code::BadArgument`].
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let options = parse(json)?;
        let reader = OptionReader::new(&options)?;
        reader.check_names(&["request", "policy", "max_turns", "max_calls"])?;
        let request = reader.value("request").cloned().unwrap_or_else(|| Value::Object(Object::new()));
        let policy = reader.value("policy").map_or_else(|| Policy::builtin("stateless"), Policy::from_value)?;
        let default = LoopLimits::default();
        let limits = LoopLimits {
            turns: reader.count("max_turns")?.unwrap_or(default.turns),
            calls: reader.count("max_calls")?.unwrap_or(default.calls),
        };
        Ok(Self::new(CreateResponse::from_value(request)?, policy).with_limits(limits))
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: LoopLimits) -> Self {
        Self { limits, ..self }
    }

    /// Takes the response to the request. Rejected calls are answered immediately.
    ///
    /// # Errors
    ///
    /// [`Code::BadIntent`] if no request is pending, [`Code::BadArgument`] if the value is not a response.
    pub fn apply(&mut self, response: &Value) -> Result<LoopState, Error> {
        if self.state != LoopState::Ready {
            return Err(misuse("expected one response per request, found another one"));
        }
        // The decision does not depend on the conversation before this response, so a turn costs only its new items.
        let verdicts = enforce(self.history.base(), response);
        self.history.add_response(response)?;
        self.calls.clear();
        let failed = match response.str_at("status").unwrap_or("completed") {
            "incomplete" => Some(StopReason::Incomplete),
            "failed" | "cancelled" => Some(StopReason::Failed),
            _ => None,
        };
        if let Some(reason) = failed {
            self.state = LoopState::Stopped(reason);
            return Ok(self.state);
        }
        let for_client = verdicts.into_iter().filter(CallVerdict::is_for_client);
        self.calls = for_client.map(|call| (call.answer(), call)).map(|(answer, call)| (call, answer)).collect();
        if self.calls.is_empty() {
            self.state = LoopState::Finished;
            return Ok(self.state);
        }
        self.turns += 1;
        self.run += self.calls.iter().filter(|(call, _)| call.rejection.is_none()).count() as u64;
        self.state = if self.turns > self.limits.turns {
            LoopState::Stopped(StopReason::Turns)
        } else if self.run > self.limits.calls {
            LoopState::Stopped(StopReason::Calls)
        } else {
            LoopState::Waiting
        };
        self.advance();
        Ok(self.state)
    }

    /// Takes a response as JSON text; see [`apply`](Self::apply).
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply), and [`Code::NotJson`].
    pub fn apply_json(&mut self, response: &str) -> Result<LoopState, Error> {
        self.apply(&Value::parse(response, Limits::default().depth)?)
    }

    /// Takes the result of a pending call, by its `call_id` (an approval request has its `id`).
    ///
    /// # Errors
    ///
    /// [`Code::BadIntent`] if the call is not pending, [`Code::BadArgument`] if calls of its type do not accept this form of result.
    pub fn result(&mut self, call_id: &str, result: &ToolResult) -> Result<LoopState, Error> {
        let waiting = |(call, answer): &&mut (CallVerdict, Option<InputItem>)| answer.is_none() && call.id() == call_id;
        if self.state != LoopState::Waiting {
            return Err(misuse("no call is pending"));
        }
        let (call, answer) =
            self.calls.iter_mut().find(waiting).ok_or_else(|| misuse("no call of this id is pending"))?;
        *answer = Some(result.answer(&call.item)?);
        self.advance();
        Ok(self.state)
    }

    /// Takes a result as JSON text, in the form of [`ToolResult::from_value`].
    ///
    /// # Errors
    ///
    /// As for [`result`](Self::result), and [`Code::NotJson`].
    pub fn result_json(&mut self, call_id: &str, result: &str) -> Result<LoopState, Error> {
        self.result(call_id, &ToolResult::from_value(&Value::parse(result, Limits::default().depth)?)?)
    }

    /// Ends the loop; there is no further request.
    pub fn stop(&mut self) {
        self.state = LoopState::Stopped(StopReason::Caller);
    }

    /// The state of the loop.
    pub fn state(&self) -> LoopState {
        self.state
    }

    /// The number of responses with calls so far.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The next request; meaningful if the state is `Ready`.
    pub fn request(&self) -> CreateResponse {
        self.history.request()
    }

    /// Calls that wait for a result, in order.
    pub fn pending(&self) -> impl Iterator<Item = &CallVerdict> {
        let waiting = self.state == LoopState::Waiting;
        self.calls.iter().filter(move |(_, answer)| waiting && answer.is_none()).map(|(call, _)| call)
    }

    /// Rejected calls of the last response, in order.
    pub fn rejected(&self) -> impl Iterator<Item = &CallVerdict> {
        self.calls.iter().map(|(call, _)| call).filter(|call| call.rejection.is_some())
    }

    /// The items that were left out of the requests.
    pub fn findings(&self) -> &[HistoryFinding] {
        self.history.findings()
    }

    /// The state in the form of every binding: `{"state", "reason", "turns", "pending", "rejected", "findings"}`.
    pub fn to_value(&self) -> Value {
        let reason = match self.state {
            LoopState::Stopped(reason) => Value::from(reason.name()),
            _ => Value::Null,
        };
        let mut object = Object::with_capacity(6);
        object.push("state", self.state.name());
        object.push("reason", reason);
        object.push("turns", self.turns);
        object.push("pending", self.pending().map(CallVerdict::to_value).collect::<Vec<_>>());
        object.push("rejected", self.rejected().map(CallVerdict::to_value).collect::<Vec<_>>());
        object.push("findings", self.findings().iter().map(HistoryFinding::to_value).collect::<Vec<_>>());
        Value::Object(object)
    }

    /// [`to_value`](Self::to_value) as JSON text.
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    /// Adds the answers to the next request once all are known.
    fn advance(&mut self) {
        if self.state != LoopState::Waiting || self.calls.iter().any(|(_, answer)| answer.is_none()) {
            return;
        }
        for answer in self.calls.iter().filter_map(|(_, answer)| answer.clone()) {
            self.history.add_item(answer);
        }
        self.state = LoopState::Ready;
    }
}

fn misuse(detail: &'static str) -> Error {
    Error::new(Code::BadIntent, 0, detail.to_string())
}

display_name!(LoopState, StopReason);
