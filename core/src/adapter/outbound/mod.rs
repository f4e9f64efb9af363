//! Open Responses events → a foreign stream: what every target shares.
//!
//! Servers leave out starts, parts and done events, change ids, repeat themselves. [`Outgoing`] mends all of that once, as the
//! reading layer does, and tells its [`Target`] a tidy story: each item is added once and done once, every text begins,
//! grows without empty deltas and ends, and what only a done event says comes as a last delta. A target only chooses words.
//!
//! A delta costs O(its length) and builds no tree. The texts of open items are kept, so that a done event can be compared
//! with what was passed on; they are forgotten when the item is done.

#[cfg(feature = "adapter-ag-ui")]
pub(crate) mod ag_ui;
#[cfg(feature = "adapter-anthropic")]
pub(crate) mod anthropic;
#[cfg(feature = "adapter-chat-completions")]
pub(crate) mod chat;
mod end;
mod media;
mod message;
mod part;
mod slot;
#[cfg(feature = "adapter-ui-message-stream")]
pub(crate) mod ui;
mod walk;

use crate::event::Event;
use crate::json::View;

pub(crate) use end::{End, Start, Tokens, Verdict};
pub(crate) use message::{push_json, Members, Out};
pub(crate) use slot::{Channel, Head, Part, Shape, Slot};
pub(crate) use walk::Outgoing;

/// A foreign stream that is being written. Every method has the story's next step; the order is the one of the module's text.
pub(crate) trait Target: Send {
    /// Whether `custom_tool_call` and `mcp_call` items are calls here, with their arguments told by
    /// [`arguments`](Self::arguments); otherwise they are items like any other.
    fn hosted_calls(&self) -> bool {
        false
    }

    /// An event is about to be told. Only for targets that quote it.
    fn quote(&mut self, _event: &Event<'_>, _out: &Out) {}

    /// The stream begins. Told once, before everything else.
    fn start(&mut self, start: &Start, out: &mut Out);

    /// An item begins. `item` is the object where there is one.
    fn item_added(&mut self, head: &mut Head, item: Option<View<'_>>, out: &mut Out);

    /// A text begins, for any channel but the foreign one; again if it goes on after it was done.
    fn part_added(&mut self, _head: &mut Head, _part: &mut Part, _out: &mut Out) {}

    /// A text grows. `text` is never empty and already part of the part's own text; `logprobs` is a JSON array.
    fn delta(&mut self, head: &mut Head, part: &mut Part, text: &str, logprobs: Option<&str>, out: &mut Out);

    /// A text has its annotation of this index.
    fn annotation(&mut self, head: &mut Head, part: &mut Part, index: u64, annotation: View<'_>, out: &mut Out);

    /// A text part is about to be done; `finished` is its object. Only for targets that know properties of their own.
    fn finished(&mut self, _head: &mut Head, _part: &mut Part, _finished: View<'_>, _out: &mut Out) {}

    /// A text is complete. Annotations may still come.
    fn text_done(&mut self, _head: &mut Head, _part: &mut Part, _out: &mut Out) {}

    /// A part is finished. [`text_done`](Self::text_done) was told before.
    fn part_done(&mut self, _head: &mut Head, _part: &mut Part, _out: &mut Out) {}

    /// A part of another kind than text is finished.
    fn foreign_part(&mut self, head: &mut Head, index: u64, part: View<'_>, out: &mut Out);

    /// The arguments of a call grow. `text` is never empty and already part of the head's own arguments.
    fn arguments(&mut self, head: &mut Head, text: &str, out: &mut Out);

    /// An item is finished; its parts were told to be done before. `item` is the finished object.
    fn item_done(&mut self, slot: &mut Slot, item: View<'_>, out: &mut Out);

    /// An event that is about no text, part or item.
    fn event(&mut self, event: &Event<'_>, out: &mut Out);

    /// The stream ends. Told once, after everything else. `open` are the items that were not finished, in order of output.
    fn end(&mut self, end: &End<'_>, open: &mut [&mut Slot], out: &mut Out);
}
