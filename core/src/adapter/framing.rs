//! The bytes of a target's messages.

use alloc::vec::Vec;

use super::Inbound;

/// The layout of messages in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framing {
    /// The dialect's own framing: SSE for every target.
    #[default]
    Native,
    /// One JSON document per line, no sentinel.
    JsonLines,
}

crate::named::option_names!(Framing, "framing": Native "sse", JsonLines "jsonl");

/// Encoded messages.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    framing: Framing,
    out: Vec<u8>,
}

impl Frames {
    /// Starts without messages.
    pub fn new(framing: Framing) -> Self {
        Self { framing, out: Vec::new() }
    }

    /// Adds a message: its event name, if the dialect has one on the wire, and its JSON text.
    ///
    /// A line break in the JSON text is white space between values; an event name with a line break is left out.
    pub fn message(&mut self, event: Option<&str>, json: &str) {
        let native = self.framing == Framing::Native;
        if let Some(event) = event.filter(|event| native && !event.contains(['\n', '\r'])) {
            self.out.extend_from_slice(b"event: ");
            self.out.extend_from_slice(event.as_bytes());
            self.out.push(b'\n');
        }
        for (at, line) in json.split(['\n', '\r']).enumerate() {
            match (native, at) {
                (true, 0) => self.out.extend_from_slice(b"data: "),
                (true, _) => self.out.extend_from_slice(b"\ndata: "),
                (false, 0) => {}
                (false, _) => self.out.push(b' '),
            }
            self.out.extend_from_slice(line.as_bytes());
        }
        self.out.extend_from_slice(if native { b"\n\n" } else { b"\n" });
    }

    /// Adds the sentinel `[DONE]`. JSON lines have none.
    pub fn done(&mut self) {
        if self.framing == Framing::Native {
            self.out.extend_from_slice(b"data: [DONE]\n\n");
        }
    }

    /// Adds the pending events of a reading adapter. Its own bytes are already SSE.
    pub(super) fn events_of(&mut self, source: &mut dyn Inbound) {
        if self.framing == Framing::Native {
            return source.write_into(&mut self.out);
        }
        while let Some(event) = source.poll_event() {
            self.message(None, event.json);
        }
    }

    /// Appends the pending bytes, and removes them.
    pub fn write_into(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.out);
    }
}
