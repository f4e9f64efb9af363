//! [`dfold_event`]: one event as numbers and views. Filling it converts nothing and allocates nothing.

use deltafold::Event;

use crate::bytes::dfold_bytes;
use crate::kind::dfold_kind;

/// Bit of `dfold_event.has`: `sequence_number` is there.
pub const DFOLD_HAS_SEQUENCE_NUMBER: u32 = 1;
/// Bit of `dfold_event.has`: `output_index` is there.
pub const DFOLD_HAS_OUTPUT_INDEX: u32 = 2;
/// Bit of `dfold_event.has`: `content_index` is there.
pub const DFOLD_HAS_CONTENT_INDEX: u32 = 4;
/// Bit of `dfold_event.has`: `summary_index` is there.
pub const DFOLD_HAS_SUMMARY_INDEX: u32 = 8;
/// Bit of `dfold_event.has`: `item_id` is there.
pub const DFOLD_HAS_ITEM_ID: u32 = 16;
/// Bit of `dfold_event.has`: `text` is there.
pub const DFOLD_HAS_TEXT: u32 = 32;
/// Bit of `dfold_event.has`: the frame had a name.
pub const DFOLD_HAS_FRAME_NAME: u32 = 64;
/// Bit of `dfold_event.has`: the payload is no JSON object, or nested too deep; `raw` has what came.
pub const DFOLD_HAS_FAULT: u32 = 128;

/// One event: what routes it, its text, and its exact payload. What it lacks is 0 or empty; the bits of `has` tell an absent number
/// from 0. Every other field (`/annotation_index`, `/item/name`, …) is found by dfold_event_get.
///
/// The views are valid until the next call that feeds, polls, ends, resets or frees the reader; getters leave them alone.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_event {
    /// What happened.
    pub kind: dfold_kind,
    /// Which fields are there: bits DFOLD_HAS_*.
    pub has: u32,
    /// Position of the event in the stream, from 0.
    pub index: u64,
    /// Byte offset of the payload from the start of the stream.
    pub offset: u64,
    /// Number of the event by its producer.
    pub sequence_number: u64,
    /// Position of the item in the response's output.
    pub output_index: u64,
    /// Position of the part in the item's content.
    pub content_index: u64,
    /// Position of the part in the item's summary.
    pub summary_index: u64,
    /// The `type` as it was sent.
    pub r#type: dfold_bytes,
    /// Id of the item that the event belongs to.
    pub item_id: dfold_bytes,
    /// The text that a delta event adds. Half of a surrogate pair is U+FFFD here; the response joins the halves.
    pub delta: dfold_bytes,
    /// The whole string of a done event: `text`, `refusal`, `arguments`, `input`, `code`, `diff` or `command`.
    pub text: dfold_bytes,
    /// The exact payload.
    pub raw: dfold_bytes,
    /// The frame's `event:` line.
    pub frame_name: dfold_bytes,
}

impl dfold_event {
    /// Fills the caller's struct, member by member in the order of memory: this is the hottest place of the crate, and moving a
    /// whole event costs as much as finding it.
    ///
    /// # Safety
    /// `out` points to memory for an event that nobody else uses now.
    #[inline]
    pub(crate) unsafe fn fill(out: *mut Self, event: &Event<'_>) {
        let mut has = 0;
        macro_rules! set {
            ($member:ident, $value:expr) => {
                // SAFETY: the caller promises that the place is writable.
                unsafe { (&raw mut (*out).$member).write($value) }
            };
            ($member:ident, $value:expr, $bit:ident) => {{
                let value = $value;
                has |= if value.is_some() { $bit } else { 0 };
                set!($member, value.map_or(Default::default(), Into::into));
            }};
        }
        let strings = event.strings();
        set!(kind, event.kind().into());
        set!(index, event.index());
        set!(offset, event.offset());
        set!(sequence_number, event.sequence_number(), DFOLD_HAS_SEQUENCE_NUMBER);
        set!(output_index, event.output_index(), DFOLD_HAS_OUTPUT_INDEX);
        set!(content_index, event.content_index(), DFOLD_HAS_CONTENT_INDEX);
        set!(summary_index, event.summary_index(), DFOLD_HAS_SUMMARY_INDEX);
        set!(r#type, strings.wire_type.into());
        set!(item_id, strings.item_id.into());
        set!(delta, strings.delta.into());
        set!(text, strings.text.into());
        set!(raw, strings.raw.into());
        set!(frame_name, event.frame_name(), DFOLD_HAS_FRAME_NAME);
        has |= if strings.has_item_id { DFOLD_HAS_ITEM_ID } else { 0 };
        has |= if strings.has_text { DFOLD_HAS_TEXT } else { 0 };
        has |= if event.fault().is_some() { DFOLD_HAS_FAULT } else { 0 };
        set!(has, has);
    }
}
