//! Requests: what is sent to a server, and what of an answer is sent with the next one.
//!
//! - [`CreateResponse`], [`CompactResponse`] and [`TokenCount`] are the bodies: readers that lose nothing, and builders whose
//!   methods come from the contract's tables. [`check`](CreateResponse::check) judges a body by schema and rules.
//! - [`History`] turns answers into the input of the next turn, by a [`Policy`] that is data.
//! - [`ToolResult`] is what a tool gave back, and makes the item that answers its call; [`tool_results`] makes all of them.
//! - [`enforce()`] holds the calls of an answer against `tool_choice`, `allowed_tools`, `parallel_tool_calls` and
//!   `max_tool_calls` of its request, and [`check_arguments`] their arguments against the tool's schema.
//! - [`ToolLoop`] keeps a conversation with tools going: calls out, results in, next request out. It runs nothing itself.
//! - [`ErrorReport`] is an error in whatever form it came, with advice whether to try again, and how.
//! - [`create_message`] and [`MultiplexedReader`] are what a WebSocket adds.
//!
//! All of it works on whole bodies, in time linear in their size; nothing here is on the way of a stream.

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
pub use error_report::{Action, ErrorAdvice, ErrorForm, ErrorReport};
pub use history::{History, HistoryCode, HistoryFinding};
pub use parts::{InputItem, InputPart, TextFormat, Tool, ToolChoice};
pub use policy::{Chain, Inclusion, Policy, ReasoningPolicy};
pub use result::{tool_results, ToolResult};
pub use socket::{create_message, MultiplexedReader};
pub use tool_loop::{LoopLimits, LoopState, StopReason, ToolLoop};
