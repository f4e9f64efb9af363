//! Open Responses events → a foreign stream: the code that all targets share.
//!
//! - *Takes*: events, as a server or a reading adapter sends them.
//! - *Gives*: messages of the target, in its framing, and findings.
//! - *Promises*: the output follows the rules of the target for any events.
//! - *Costs*: a delta costs O(its length); the texts of open items are held.
//!
//! Servers omit starts, parts and done events, change ids and repeat events. [`Normalizer`] repairs all of that once, as the
//! accumulator does, and gives its [`TargetFormat`] a regular sequence of steps: each item is added once and done once, every text begins,
//! grows without empty deltas and ends, and text that only a done event has is the last delta. A target only chooses the words.
//!
//! The text of an open item is compared with its done event, and dropped when the item is done.

#[cfg(feature = "adapter-ag-ui")]
pub(crate) mod ag_ui;
#[cfg(feature = "adapter-anthropic")]
pub(crate) mod anthropic;
#[cfg(feature = "adapter-chat-completions")]
pub(crate) mod chat_completions;
mod media;
mod normalizer;
mod normalizer_parts;
mod response_end;
mod source_item;
mod target_output;
#[cfg(feature = "adapter-ui-message-stream")]
pub(crate) mod ui_message_stream;

use crate::event::Event;
use crate::json::ValueRef;

pub(crate) use normalizer::Normalizer;
pub(crate) use response_end::{EndStatus, ResponseEnd, ResponseStart, UsageTokens};
pub(crate) use source_item::{ItemHead, ItemShape, ShownCalls, SourceItem, SourcePart, TextChannel};
pub(crate) use target_output::{push_json, ObjectWriter, TargetOutput};

/// A foreign stream that is being written. Each method writes one step; the module's documentation describes their order.
pub(crate) trait TargetFormat: Send {
    /// Which items besides `function_call` are calls here, with their arguments passed to [`arguments`](Self::arguments); all others are
    /// items of another type.
    fn shown_calls(&self) -> ShownCalls {
        ShownCalls::default()
    }

    /// The slug of the response members that the target writes; those of other slugs are reported.
    fn own_slug(&self) -> &'static str {
        "deltafold"
    }

    /// The next steps belong to this event. Only for targets that quote it.
    fn observe_event(&mut self, _event: &Event<'_>, _out: &TargetOutput) {}

    /// The stream begins. Called once, before everything else.
    fn start(&mut self, start: &ResponseStart, out: &mut TargetOutput);

    /// An item begins. `item` is the object, if the event has one.
    fn item_added(&mut self, head: &mut ItemHead, item: Option<ValueRef<'_>>, out: &mut TargetOutput);

    /// A text begins, in any channel except the foreign one; again if it continues after it was done.
    fn part_added(&mut self, _head: &mut ItemHead, _part: &mut SourcePart, _out: &mut TargetOutput) {}

    /// A text grows. `text` is never empty and already part of the part's own text; `logprobs` is a JSON array.
    fn delta(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        text: &str,
        logprobs: Option<&str>,
        out: &mut TargetOutput,
    );

    /// A text has its annotation of this index.
    fn annotation(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        index: u64,
        annotation: ValueRef<'_>,
        out: &mut TargetOutput,
    );

    /// A text part is about to be done; `finished` is its object. Only for targets with part properties of their own.
    fn part_finishing(
        &mut self,
        _head: &mut ItemHead,
        _part: &mut SourcePart,
        _finished: ValueRef<'_>,
        _out: &mut TargetOutput,
    ) {
    }

    /// A text is complete. Annotations may still come.
    fn text_done(&mut self, _head: &mut ItemHead, _part: &mut SourcePart, _out: &mut TargetOutput) {}

    /// A part is finished. [`text_done`](Self::text_done) was called before.
    fn part_done(&mut self, _head: &mut ItemHead, _part: &mut SourcePart, _out: &mut TargetOutput) {}

    /// A part that is not text is finished.
    fn foreign_part(&mut self, head: &mut ItemHead, index: u64, part: ValueRef<'_>, out: &mut TargetOutput);

    /// The arguments of a call grow. `text` is never empty and already part of the head's own arguments.
    fn arguments(&mut self, head: &mut ItemHead, text: &str, out: &mut TargetOutput);

    /// An item is finished; its parts were ended before. `item` is the finished object.
    fn item_done(&mut self, slot: &mut SourceItem, item: ValueRef<'_>, out: &mut TargetOutput);

    /// An event that does not concern a text, part or item.
    fn event(&mut self, event: &Event<'_>, out: &mut TargetOutput);

    /// The stream ends. Called once, after everything else. `open` are the items that were not finished, in order of output.
    fn end(&mut self, end: &ResponseEnd<'_>, open: &mut [&mut SourceItem], out: &mut TargetOutput);
}
