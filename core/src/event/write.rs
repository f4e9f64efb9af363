//! [`write()`]: an event → JSON text, exactly as it came.

use alloc::string::String;

use super::payload::Event;

/// Appends an event's JSON text: the payload as it was read, byte for byte.
///
/// Reading what was written gives the same event, whatever it carries: nothing is parsed and printed again.
pub fn write(event: &Event<'_>, out: &mut String) {
    out.push_str(event.raw());
}
