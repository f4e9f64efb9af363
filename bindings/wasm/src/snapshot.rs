//! [`SnapshotState`]: the part of the response that JavaScript already has, so that a snapshot contains only the changes.
//!
//! Plain deltas only append to strings. While all events were plain deltas, the changes are the new ends of those strings. The lengths
//! prove it: the strings of the response must have grown by exactly the bytes of the deltas. Otherwise the changes contain
//! every item, and JavaScript keeps its objects for items with the same text.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use deltafold::json::{write_string, Value};
use deltafold::{Item, Response};

/// What the last snapshot had, and what changed after it.
#[derive(Debug, Default)]
pub(crate) struct SnapshotState {
    /// True after the first snapshot.
    started: bool,
    /// True if something other than the end of a string may have changed.
    changed: bool,
    /// Bytes that deltas appended since the last snapshot.
    grown: usize,
    /// Lengths of the strings of each item that deltas append to.
    lengths: Vec<Vec<usize>>,
}

impl SnapshotState {
    /// Records an event: the number of bytes that it appended to a string, or `None` if it can have changed anything else.
    #[inline]
    pub(crate) fn note(&mut self, grown: Option<usize>) {
        match grown {
            Some(bytes) => self.grown += bytes,
            None => self.changed = true,
        }
    }

    /// Records any other change.
    pub(crate) fn changed(&mut self) {
        self.changed = true;
    }

    /// Returns the changes since the last call, as JSON text.
    ///
    /// No changes: empty. Only longer strings: `[[item, list or field, part or null, "the new end"], …]`. Otherwise:
    /// `{"fields":{…},"output":["an item as JSON text", …]}`, with `output` null if the response has none.
    pub(crate) fn changes(&mut self, response: Response<'_>) -> String {
        if self.started && !self.changed {
            if self.grown == 0 {
                return String::new();
            }
            if let Some(ends) = self.ends(response) {
                self.grown = 0;
                return ends;
            }
        }
        self.started = true;
        self.changed = false;
        self.grown = 0;
        self.lengths = response.items().map(|item| texts(item).map(|(.., text)| text.len()).collect()).collect();
        whole(response)
    }

    /// The new ends of strings; `None` if their lengths do not match the bytes of the deltas.
    fn ends(&mut self, response: Response<'_>) -> Option<String> {
        if response.len() != self.lengths.len() {
            return None;
        }
        let mut out = String::from("[");
        let mut grown = 0;
        for (at, item) in response.items().enumerate() {
            let lengths = &mut self.lengths[at];
            let mut count = 0;
            for ((list, part, text), length) in texts(item).zip(lengths.iter_mut()) {
                count += 1;
                if text.len() == *length {
                    continue;
                }
                let end = text.get(*length..)?;
                grown += end.len();
                *length = text.len();
                if out.len() > 1 {
                    out.push(',');
                }
                let part = part.map_or(Value::Null, Value::from);
                out.push_str(&format!("[{at},\"{list}\",{part},"));
                write_string(end, &mut out);
                out.push(']');
            }
            if count != lengths.len() || texts(item).count() != count {
                return None;
            }
        }
        out.push(']');
        (grown == self.grown).then_some(out)
    }
}

/// The strings of an item that deltas append to: the name of the list or field, the position in a list, the text.
fn texts(item: Item<'_>) -> impl Iterator<Item = (&'static str, Option<usize>, &str)> {
    let content = item.parts().enumerate().map(|(at, part)| ("content", Some(at), part.text().unwrap_or_default()));
    let summary = item.summary().enumerate().map(|(at, part)| ("summary", Some(at), part.text().unwrap_or_default()));
    let fields = ["arguments", "input", "code"].into_iter().filter_map(move |name| {
        let text = item.get(name)?.as_str()?;
        Some((name, None, text))
    });
    content.chain(summary).chain(fields)
}

fn whole(response: Response<'_>) -> String {
    let value = response.to_value();
    let mut out = String::from("{\"fields\":{");
    let mut first = true;
    let mut has_output = false;
    for (key, value) in value.as_object().into_iter().flat_map(|object| object.iter()) {
        if !core::mem::take(&mut first) {
            out.push(',');
        }
        write_string(key, &mut out);
        out.push(':');
        if key == "output" {
            // Keeps the position among the members; the items follow separately.
            has_output = true;
            out.push_str("null");
        } else {
            value.write_into(&mut out);
        }
    }
    out.push_str("},\"output\":");
    if has_output {
        let mut json = String::new();
        for (at, item) in response.items().enumerate() {
            out.push(if at > 0 { ',' } else { '[' });
            json.clear();
            item.write_json(&mut json);
            write_string(&json, &mut out);
        }
        out.push_str(if response.is_empty() { "[]" } else { "]" });
    } else {
        out.push_str("null");
    }
    out.push('}');
    out
}
