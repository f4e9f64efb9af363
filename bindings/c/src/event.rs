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
/// Bit of `dfold_event.has`: `annotation_index` is there.
pub const DFOLD_HAS_ANNOTATION_INDEX: u32 = 16;
/// Bit of `dfold_event.has`: `command_index` is there.
pub const DFOLD_HAS_COMMAND_INDEX: u32 = 32;
/// Bit of `dfold_event.has`: `partial_image_index` is there.
pub const DFOLD_HAS_PARTIAL_IMAGE_INDEX: u32 = 64;
/// Bit of `dfold_event.has`: `item_id` is there.
pub const DFOLD_HAS_ITEM_ID: u32 = 128;
/// Bit of `dfold_event.has`: `text` is there.
pub const DFOLD_HAS_TEXT: u32 = 256;
/// Bit of `dfold_event.has`: the frame had a name.
pub const DFOLD_HAS_FRAME_NAME: u32 = 512;
/// Bit of `dfold_event.has`: the payload is no JSON object, or nested too deep; `raw` has what came.
pub const DFOLD_HAS_FAULT: u32 = 1024;

/// One event. What it lacks is 0 or empty; the bits of `has` tell an absent number from 0.
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
    /// Position of the annotation in its part.
    pub annotation_index: u64,
    /// Position of the command in its shell call.
    pub command_index: u64,
    /// Number of a preview image.
    pub partial_image_index: u64,
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

impl From<&Event<'_>> for dfold_event {
    #[inline]
    fn from(event: &Event<'_>) -> Self {
        let mut has = 0;
        let mut number = |bit: u32, value: Option<u64>| {
            has |= if value.is_some() { bit } else { 0 };
            value.unwrap_or(0)
        };
        let sequence_number = number(DFOLD_HAS_SEQUENCE_NUMBER, event.sequence_number());
        let output_index = number(DFOLD_HAS_OUTPUT_INDEX, event.output_index());
        let content_index = number(DFOLD_HAS_CONTENT_INDEX, event.content_index());
        let summary_index = number(DFOLD_HAS_SUMMARY_INDEX, event.summary_index());
        let annotation_index = number(DFOLD_HAS_ANNOTATION_INDEX, event.annotation_index());
        let command_index = number(DFOLD_HAS_COMMAND_INDEX, event.command_index());
        let partial_image_index = number(DFOLD_HAS_PARTIAL_IMAGE_INDEX, event.partial_image_index());
        let mut view = |bit: u32, text: Option<&str>| {
            has |= if text.is_some() { bit } else { 0 };
            dfold_bytes::from(text)
        };
        let item_id = view(DFOLD_HAS_ITEM_ID, event.item_id());
        let text = view(DFOLD_HAS_TEXT, event.text());
        let frame_name = view(DFOLD_HAS_FRAME_NAME, event.frame_name());
        has |= if event.fault().is_some() { DFOLD_HAS_FAULT } else { 0 };
        Self {
            kind: event.kind().into(),
            has,
            index: event.index(),
            offset: event.offset(),
            sequence_number,
            output_index,
            content_index,
            summary_index,
            annotation_index,
            command_index,
            partial_image_index,
            r#type: event.wire_type().into(),
            item_id,
            delta: event.delta().into(),
            text,
            raw: event.raw().into(),
            frame_name,
        }
    }
}
