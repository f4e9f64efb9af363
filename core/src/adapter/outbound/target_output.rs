//! [`TargetOutput`]: messages of a target, written member by member without a tree, and the findings of the conversion.

use alloc::string::String;
use core::fmt::{self, Write};

use crate::adapter::{AdapterCode, AdapterFindings, Frames, Framing};
use crate::json::write_string;
use crate::limits::Limits;

/// The output of a target: framed messages, and the data that was lost, repaired or assumed.
#[derive(Debug)]
pub(crate) struct TargetOutput {
    pub(super) frames: Frames,
    pub(super) findings: AdapterFindings,
    /// Bytes of stored texts of the stream, for the limit of a response.
    pub(super) held_bytes: usize,
    /// The number of written messages.
    pub(super) written: u64,
    scratch: String,
}

impl TargetOutput {
    pub(super) fn new(framing: Framing, limits: &Limits) -> Self {
        Self {
            frames: Frames::new(framing),
            findings: AdapterFindings::new(limits.findings),
            held_bytes: 0,
            written: 0,
            scratch: String::new(),
        }
    }

    /// Writes one message: its event name, if the dialect has one on the wire, and the members of its object.
    pub(crate) fn message(&mut self, event: Option<&str>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.written += 1;
        self.scratch.clear();
        object(&mut self.scratch, fill);
        self.frames.message(event, &self.scratch);
    }

    /// Writes the sentinel.
    pub(crate) fn done(&mut self) {
        self.frames.done();
    }

    /// Adds a finding at the current event.
    pub(crate) fn report(&mut self, code: AdapterCode, detail: impl FnOnce() -> String) {
        self.findings.report(code, detail);
    }

    /// Adds a finding without a detail.
    pub(crate) fn report_code(&mut self, code: AdapterCode) {
        self.findings.report(code, String::new);
    }

    /// Counts bytes that a target stores.
    pub(crate) fn account_bytes(&mut self, bytes: usize) {
        self.held_bytes = self.held_bytes.saturating_add(bytes);
    }
}

/// Appends an object with the members that `fill` writes.
pub(crate) fn object(out: &mut String, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
    out.push('{');
    members(out, fill);
    out.push('}');
}

/// Appends the members that `fill` writes, without braces.
pub(crate) fn members(out: &mut String, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
    fill(&mut ObjectWriter { out, first: true });
}

/// The members of one JSON object that is being written. Keys are constants and need no escapes.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut String,
    first: bool,
}

impl ObjectWriter<'_> {
    fn key(&mut self, key: &str) {
        if !core::mem::take(&mut self.first) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    /// A string.
    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        write_string(value, self.out);
    }

    /// A string; omitted if there is none.
    pub(crate) fn text_if(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// A string, `null` if it is empty.
    pub(crate) fn text_or_null(&mut self, key: &str, value: &str) {
        if value.is_empty() {
            self.json(key, "null");
        } else {
            self.text(key, value);
        }
    }

    /// A string made of a text and what follows it, which needs no escapes.
    pub(crate) fn joined(&mut self, key: &str, text: &str, rest: fmt::Arguments<'_>) {
        self.text(key, text);
        self.out.pop();
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{rest}\"");
    }

    /// A string under a key that is already JSON, colon included.
    pub(crate) fn text_under(&mut self, key: &str, value: &str) {
        self.members(key);
        write_string(value, self.out);
    }

    /// An integer.
    pub(crate) fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// A value that is already JSON text. Line breaks between its tokens are removed, so that a message stays one line.
    pub(crate) fn json(&mut self, key: &str, json: &str) {
        self.key(key);
        push_json(json, self.out);
    }

    /// An object.
    pub(crate) fn object(&mut self, key: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.key(key);
        object(self.out, fill);
    }

    /// An array that holds one object.
    pub(crate) fn array_of_one(&mut self, key: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.key(key);
        self.out.push('[');
        object(self.out, fill);
        self.out.push(']');
    }

    /// An array of objects.
    pub(crate) fn array<T>(
        &mut self,
        key: &str,
        values: impl Iterator<Item = T>,
        mut fill: impl FnMut(&mut ObjectWriter<'_>, T),
    ) {
        self.key(key);
        self.out.push('[');
        for (at, value) in values.enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            object(self.out, |members| fill(members, value));
        }
        self.out.push(']');
    }

    /// An array of strings.
    pub(crate) fn texts<'t>(&mut self, key: &str, values: impl Iterator<Item = &'t str>) {
        self.key(key);
        self.out.push('[');
        for (at, value) in values.enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            write_string(value, self.out);
        }
        self.out.push(']');
    }

    /// Members that are already written, separated by commas.
    pub(crate) fn members(&mut self, written: &str) {
        if written.is_empty() {
            return;
        }
        if !core::mem::take(&mut self.first) {
            self.out.push(',');
        }
        self.out.push_str(written);
    }
}

/// Appends JSON text without the line breaks between its tokens; inside a string there are none.
pub(crate) fn push_json(json: &str, out: &mut String) {
    for line in json.split(['\n', '\r']) {
        out.push_str(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_message_is_one_line_for_any_raw_values() {
        let mut out = TargetOutput::new(Framing::Native, &Limits::default());
        out.message(Some("x"), |message| {
            message.text("a", "\n\"");
            message.json("b", "{\r\n \"c\":\n1}");
            message.number("d", u64::MAX);
            message.object("e", |_| {});
            message.array_of_one("f", |one| one.text_if("g", None));
            message.texts("h", ["1", "2"].into_iter());
            message.text_or_null("i", "");
            message.joined("j", "\"", format_args!(":{}", 7));
            message.text_under("\"k\":", "l");
        });
        let mut bytes = Vec::new();
        out.frames.write_into(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let json = r#"{"a":"\n\"","b":{ "c":1},"d":18446744073709551615,"e":{},"f":[{}],"h":["1","2"],"i":null,"j":"\":7","k":"l"}"#;
        assert_eq!(text, alloc::format!("event: x\ndata: {json}\n\n"));
    }
}
