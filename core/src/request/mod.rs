//! Requests: what is sent to a server, and what of an answer is sent with the next one.
//!
//! - [`CreateResponse`], [`CompactResponse`] and [`TokenCount`] are the bodies: readers that lose nothing, and builders whose
//!   methods come from the contract's tables. [`check`](CreateResponse::check) judges a body by schema and rules.
//! - [`History`] turns answers into the input of the next turn, by a [`Policy`] that is data.
//! - [`ToolResult`] is what a tool gave back, and makes the item that answers its call.
//! - [`Choice`] is `tool_choice` as it is read.
//!
//! All of it works on whole bodies, in time linear in their size; nothing here is on the way of a stream.

mod body;
mod choice;
// Checked by `deltafold-contract --check` instead.
#[rustfmt::skip]
mod generated;
mod history;
mod parts;
mod policy;
mod result;

pub use body::{CompactResponse, CreateResponse, Input, TokenCount};
pub use choice::{Choice, ToolName};
pub use history::{history_json, History, HistoryCode, HistoryFinding};
pub use parts::{InputItem, Part, TextFormat, Tool, ToolChoice};
pub use policy::{Chain, Keep, Policy, Reasoning};
pub use result::ToolResult;
