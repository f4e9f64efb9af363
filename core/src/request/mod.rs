//! Requests: building them, and continuing a conversation with the answers.
//!
//! - *Takes*: request bodies, responses, results of tools, errors.
//! - *Gives*: the next request, the calls that may be run, retry advice.
//! - *Promises*: bodies keep fields that the contract lacks; nothing is sent or run; data that is left out is a finding.
//! - *Costs*: linear in the size of the bodies; none of it is used while a stream is read.
//!
//! - [`CreateResponse`], [`CompactResponse`] and [`TokenCount`] are the bodies: lossless parsers, and builders whose
//!   methods are generated from the contract. [`check`](CreateResponse::check) checks a body against its schema and the rules.
//! - [`History`] builds the input of the next turn from the answers, according to a [`Policy`].
//! - [`ToolResult`] is the result of a tool, and makes the item that answers its call; [`tool_results`] makes all of them.
//! - [`enforce()`] checks the calls of an answer against `tool_choice`, `allowed_tools`, `parallel_tool_calls` and
//!   `max_tool_calls` of its request, and [`check_arguments`] their arguments against the tool's schema.
//! - [`ToolLoop`] is the state machine of a conversation with tools: calls out, results in, next request out. It runs nothing itself.
//! - [`ErrorReport`] is an error in any of its forms, with advice on retrying.
//! - [`create_message`] and [`MultiplexedReader`] are for WebSockets.

mod arguments;
mod body;
mod choice;
mod enforce;
mod error_report;
// Checked by `deltafold-contract --check` instead.
#[rustfmt::skip]
mod generated;
pub(crate) mod by_name;
mod history;
mod parts;
mod policy;
mod result;
mod socket;
mod tool_loop;

pub use arguments::check_arguments;
pub use body::{CompactResponse, CreateResponse, RequestInput, TokenCount};
pub use choice::{Choice, ToolName};
pub use enforce::{enforce, CallVerdict, Rejection};
pub use error_report::{ErrorAdvice, ErrorForm, ErrorReport, RetryAction};
pub use history::{History, HistoryCode, HistoryFinding};
pub use parts::{InputItem, InputPart, TextFormat, Tool, ToolChoice};
pub use policy::{Chain, Inclusion, Policy, ReasoningPolicy};
pub use result::{tool_results, ToolResult};
pub use socket::{create_message, MultiplexedReader};
pub use tool_loop::{LoopLimits, LoopState, StopReason, ToolLoop};
