//! [`dfold_event`]: one event as numbers and views. Filling it needs no conversion and no allocation.

use deltafold::Event;

use crate::bytes::dfold_bytes;
use crate::kind::dfold_kind;

/// Bit of `dfold_event.has`: `sequence_number` is set.
pub const DFOLD_HAS_SEQUENCE_NUMBER: u32 = 1;
/// Bit of `dfold_event.has`: `output_index` is set.
pub const DFOLD_HAS_OUTPUT_INDEX: u32 = 2;
/// Bit of `dfold_event.has`: `content_index` is set.
pub const DFOLD_HAS_CONTENT_INDEX: u32 = 4;
/// Bit of `dfold_event.has`: `summary_index` is set.
pub const DFOLD_HAS_SUMMARY_INDEX: u32 = 8;
/// Bit of `dfold_event.has`: `item_id` is set.
pub const DFOLD_HAS_ITEM_ID: u32 = 16;
/// Bit of `dfold_event.has`: `text` is set.
pub const DFOLD_HAS_TEXT: u32 = 32;
/// Bit of `dfold_event.has`: `frame_name` is set.
pub const DFOLD_HAS_FRAME_NAME: u32 = 64;
/// Bit of `dfold_event.has`: the payload is not a JSON object or is nested too deeply; `raw` has the payload as received.
pub const DFOLD_HAS_FAULT: u32 = 128;

/// One event: its routing fields, its text, and its exact payload. An absent field is 0 or empty; the bits of `has`
/// distinguish an absent number from 0. dfold_event_get reads every other field (`/annotation_index`, `/item/name`, …).
///
/// The views are valid until the next call that feeds, polls, ends, resets or frees the reader; getters do not invalidate them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_event {
    /// The kind of the event.
    pub kind: dfold_kind,
    /// Bits of the fields that are set: DFOLD_HAS_*.
    pub has: u32,
    /// Position of the event in the stream, from 0.
    pub index: u64,
    /// Byte offset of the payload from the start of the stream.
    pub offset: u64,
    /// Sequence number that the server gave the event.
    pub sequence_number: u64,
    /// Position of the item in the response's output.
    pub output_index: u64,
    /// Position of the part in the item's content.
    pub content_index: u64,
    /// Position of the part in the item's summary.
    pub summary_index: u64,
    /// The `type` string of the payload.
    pub r#type: dfold_bytes,
    /// Id of the item of the event.
    pub item_id: dfold_bytes,
    /// The text of a delta event. A lone surrogate is U+FFFD here; the response joins surrogate pairs that are split between deltas.
    pub delta: dfold_bytes,
    /// The complete string of a done event: `text`, `refusal`, `arguments`, `input`, `code`, `diff` or `command`.
    pub text: dfold_bytes,
    /// The payload exactly as received.
    pub raw: dfold_bytes,
    /// The frame's `event:` line.
    pub frame_name: dfold_bytes,
}

impl dfold_event {
    /// Writes the members of the caller's struct in memory order. This is the hottest function of the crate: building a
    /// struct and moving it would double its cost.
    ///
    /// # Safety
    /// `out` points to writable memory for an event that is not used elsewhere during the call.
    #[inline]
    pub(crate) unsafe fn fill(out: *mut Self, event: &Event<'_>) {
        let mut has = 0;
        macro_rules! set {
            ($member:ident, $value:expr) => {
                // SAFETY: the caller guarantees that `out` is writable.
                unsafe { (&raw mut (*out).$member).write($value) }
            };
            ($member:ident, $value:expr, $bit:ident) => {{
                let value = $value;
                has |= if value.is_some() { $bit } else { 0 };
                set!($member, value.map_or(Default::default(), Into::into));
            }};
        }
        let strings = deltafold::__bindings::raw_fields(event);
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
