//! [`write()`]: writes the JSON text of an event exactly as it was read.

use alloc::string::String;

use super::payload::Event;
use crate::json::{Object, Value};

/// A summary of an event, as every binding shows it: `{"index", "kind", "type", "sequence_number", "item_id", "output_index",
/// "content_index", "summary_index", "offset", "delta", "text", "raw"}`. `type` is the name as it was sent, `raw` the payload
/// as text; `delta` is empty and the others are `null` where the event has none.
///
/// ```
/// let event = deltafold::OwnedEvent::parse(r#"{"type":"response.refusal.delta","sequence_number":4,"delta":"No"}"#);
/// let summary = deltafold::event::summary(&event.as_event());
/// assert_eq!(summary.get("delta").unwrap().as_str(), Some("No"));
/// ```
pub fn summary(event: &Event<'_>) -> Value {
    let mut object = Object::with_capacity(12);
    object.push("index", event.index());
    object.push("kind", event.kind().name());
    object.push("type", event.wire_type());
    object.push("sequence_number", event.sequence_number());
    object.push("item_id", event.item_id());
    object.push("output_index", event.output_index());
    object.push("content_index", event.content_index());
    object.push("summary_index", event.summary_index());
    object.push("offset", event.offset());
    object.push("delta", event.delta());
    object.push("text", event.done_text());
    object.push("raw", event.raw());
    object.into()
}

/// Appends an event's JSON text: the payload, byte for byte.
///
/// Reading it gives the same event, with any content: it is not parsed and printed again.
pub fn write(event: &Event<'_>, out: &mut String) {
    out.push_str(event.raw());
}
