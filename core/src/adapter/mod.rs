//! Adapters: foreign dialects into Open Responses events, and Open Responses events into foreign dialects.
//!
//! ```text
//! foreign bytes ─▶ Inbound ─▶ Open Responses events ─▶ Outbound ─▶ foreign bytes
//! ```
//!
//! Open Responses is in the middle: a dialect is described once for each direction and can then be converted to every other.
//! [`Converter`] joins the two halves; each can be used alone. Events are handed over as JSON text, without SSE framing.
//!
//! - *Takes*: bytes of a dialect, split anywhere, and options as data.
//! - *Gives*: bytes of another dialect, and a report.
//! - *Costs*: linear in the bytes; memory is that of the open items and one incomplete message.
//!
//! *Promises*:
//!
//! - **Valid output.** An [`Inbound`] writes through the [`Writer`](crate::Writer), which refuses whatever would make its stream invalid.
//!   The tests validate the output of every vector and recording.
//! - **Nothing lost silently.** Each loss, repair and assumption is an [`AdapterFinding`],
//!   never something in the stream.
//! - **Reproducible.** No clock and no randomness: ids derive from the source's own, time is the option `now`, or the [`Clock`] of the
//!   caller.
//! - **Any split, linear, bounded.** Bytes may be split anywhere; the same [`Limits`] apply as for reading.
//!
//! It does no HTTP and no retries, builds no requests, and does not interpret text (a `<think>` tag inside content stays content).

#[cfg(any(feature = "adapter-anthropic", feature = "adapter-bedrock"))]
mod base64;
mod converter;
mod detect;
mod dialect;
mod finding;
mod framing;
#[cfg(feature = "__inbound")]
// A build with some of the adapters uses only a part of the shared code.
#[cfg_attr(not(feature = "adapters"), allow(dead_code, unused_imports))]
mod inbound;
mod options;
#[cfg(any(
    feature = "adapter-ag-ui",
    feature = "adapter-anthropic",
    feature = "adapter-chat-completions",
    feature = "adapter-ui-message-stream"
))]
// The shared code is used by all targets together, not by each one alone.
#[cfg_attr(not(feature = "adapters"), allow(dead_code, unused_imports))]
mod outbound;
mod passed_stream;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use converter::Converter;
pub use detect::detect;
pub use dialect::Dialect;
pub use finding::{AdapterCode, AdapterFinding, AdapterFindings, Fidelity};
pub use framing::{Frames, Framing};
pub use options::{
    option_table, AgUiOptions, AgUiVersion, CancelledAs, ChatOptions, ConverterOptions, Direction, Envelope,
    ExtensionEvents, InboundOptions, MediaStyle, OptionSpec, OptionType, ReasoningEvents, ReasoningStyle, ThinkingAs,
    Turns, UiOptions,
};

use crate::clock::Clock;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::limits::Limits;
pub use crate::options::OptionReader;

/// An event of a reading adapter.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct InboundEvent<'a> {
    /// The event's JSON text.
    pub json: &'a str,
    /// Position of the source's message that caused the event, from 0.
    pub source_index: u64,
    /// Byte offset of that message from the start of the source's stream.
    pub source_offset: u64,
}

/// Reads a foreign stream: takes bytes, returns Open Responses events or bytes.
///
/// *Inputs*: [`feed`](Self::feed), [`finish`](Self::finish), [`cancel`](Self::cancel). *Outputs*:
/// [`poll_event`](Self::poll_event) or [`write_into`](Self::write_into), after each input. *Getters*: [`findings`](Self::findings).
pub trait Inbound: Send {
    /// Takes bytes of the foreign stream, split anywhere, in the dialect's own framing.
    ///
    /// # Errors
    ///
    /// A limit was exceeded, or the input was ended. Every later call returns the same error.
    fn feed(&mut self, chunk: &[u8]) -> Result<(), Error>;

    /// Ends the input. Items that the source left open are closed or failed, as its dialect defines.
    ///
    /// # Errors
    ///
    /// The last events exceed a limit.
    fn finish(&mut self) -> Result<(), Error>;

    /// Cancels the response: open items become incomplete, and the response is incomplete with the reason `cancelled`.
    ///
    /// # Errors
    ///
    /// As for [`finish`](Self::finish).
    fn cancel(&mut self) -> Result<(), Error>;

    /// Leaves the events out that the terminal event has again, for a caller that wants the response alone: what remains are
    /// `response.created`, `error` and the terminal event, with their own sequence numbers. Call it before the first bytes. An adapter
    /// that cannot do so writes all events.
    fn keep_snapshots_only(&mut self) {}

    /// Takes the next pending Open Responses event.
    fn poll_event(&mut self) -> Option<InboundEvent<'_>>;

    /// Appends the pending events as bytes of an Open Responses stream, and removes them. An empty buffer is swapped with the one that has
    /// them, so that a caller who passes one buffer again and again copies nothing.
    fn write_into(&mut self, out: &mut Vec<u8>);

    /// Losses, repairs and assumptions so far.
    fn findings(&self) -> &AdapterFindings;

    /// Sets the clock of responses that start later; without one, times are those of the option `now`.
    fn set_clock(&mut self, clock: Clock);
}

/// Writes a foreign stream: takes Open Responses events, returns foreign bytes.
///
/// *Inputs*: [`apply`](Self::apply), [`finish`](Self::finish), [`cancel`](Self::cancel). *Outputs*:
/// [`write_into`](Self::write_into), after each input. *Getters*: [`findings`](Self::findings).
pub trait Outbound: Send {
    /// Takes the next event. Events may come from any server: invalid ones are tolerated.
    ///
    /// # Errors
    ///
    /// A limit was exceeded.
    fn apply(&mut self, event: &Event<'_>) -> Result<(), Error>;

    /// Ends the input. If no terminal event came before it, the target's error is written.
    ///
    /// # Errors
    ///
    /// A limit was exceeded.
    fn finish(&mut self) -> Result<(), Error>;

    /// Cancels the response: the target's stream ends like that of a response with the reason `cancelled`.
    ///
    /// # Errors
    ///
    /// As for [`finish`](Self::finish).
    fn cancel(&mut self) -> Result<(), Error>;

    /// Appends the pending foreign bytes, and removes them.
    fn write_into(&mut self, out: &mut Vec<u8>);

    /// Losses, repairs and assumptions so far.
    fn findings(&self) -> &AdapterFindings;
}

/// Makes the adapter that reads a dialect.
///
/// # Errors
///
/// [`Code::UnknownName`] for a dialect that is only written, or whose feature is off; [`Code::BadArgument`] if a required
/// option is missing.
pub fn inbound(dialect: Dialect, options: InboundOptions, limits: Limits) -> Result<Box<dyn Inbound>, Error> {
    options.check_required(dialect)?;
    #[cfg(feature = "__inbound")]
    if let Some(adapter) = inbound::open(dialect, options, limits) {
        return Ok(adapter);
    }
    #[cfg(not(feature = "__inbound"))]
    let _ = limits;
    Err(not_compiled_in(dialect, "read"))
}

/// Makes the adapter that writes a dialect. Options of other targets have no effect.
///
/// # Errors
///
/// As for [`inbound()`].
pub fn outbound(dialect: Dialect, options: &ConverterOptions) -> Result<Box<dyn Outbound>, Error> {
    let ConverterOptions { framing, limits, .. } = *options;
    let clock = options.time();
    match dialect {
        #[cfg(feature = "adapter-ag-ui")]
        Dialect::AgUi => {
            options.ag_ui.check_required()?;
            let target = outbound::ag_ui::AgUiTarget::new(options.ag_ui.clone());
            Ok(Box::new(outbound::Normalizer::new(target, framing, limits, clock)))
        }
        #[cfg(feature = "adapter-anthropic")]
        Dialect::Anthropic => {
            let target = outbound::anthropic::AnthropicTarget::new(limits.depth);
            Ok(Box::new(outbound::Normalizer::new(target, framing, limits, clock)))
        }
        #[cfg(feature = "adapter-chat-completions")]
        Dialect::ChatCompletions => {
            let target = outbound::chat_completions::ChatTarget::new(options.chat_completions.clone());
            Ok(Box::new(outbound::Normalizer::new(target, framing, limits, clock)))
        }
        #[cfg(feature = "adapter-ui-message-stream")]
        Dialect::UiMessageStream => {
            let target = outbound::ui_message_stream::UiTarget::new(options.ui_message_stream.clone(), limits.depth);
            Ok(Box::new(outbound::Normalizer::new(target, framing, limits, clock)))
        }
        _ => {
            let _ = (framing, limits, clock);
            Err(not_compiled_in(dialect, "written"))
        }
    }
}

fn not_compiled_in(dialect: Dialect, verb: &str) -> Error {
    Error::new(Code::UnknownName, 0, alloc::format!("{} cannot be {verb} by this build", dialect.name()))
}
