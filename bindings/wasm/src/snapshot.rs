//! [`Seen`]: what JavaScript knows of the response, so that a snapshot tells only what is new.
//!
//! Deltas make strings grow, and nothing else; while only deltas came, the new ends of those strings are all there is to
//! tell. Whether that is so is proved by lengths: what the strings of the response have grown by must be what the deltas
//! brought. Otherwise every item is told, and JavaScript keeps those whose text is the same.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use deltafold::json::{write_string, Value};
use deltafold::{Item, Response};

/// What was told, and what came since.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    told: bool,
    /// Something other than a growing string may have changed.
    changed: bool,
    /// Bytes of text that deltas have brought since.
    grown: usize,
    /// Lengths of the growing strings of each item.
    lengths: Vec<Vec<usize>>,
}

impl Seen {
    /// Takes note of an event: by how many bytes it has made a string grow, if it can have done nothing else.
    #[inline]
    pub(crate) fn note(&mut self, grown: Option<usize>) {
        match grown {
            Some(bytes) => self.grown += bytes,
            None => self.changed = true,
        }
    }

    /// Takes note of any other change.
    pub(crate) fn changed(&mut self) {
        self.changed = true;
    }

    /// What is new since the last call, as JSON text.
    ///
    /// Nothing: empty. Only longer strings: `[[item, list or field, part or null, "the new end"], …]`. Anything else:
    /// `{"fields":{…},"output":["an item as JSON text", …]}`, `output` null where the response has none.
    pub(crate) fn changes(&mut self, response: Response<'_>) -> String {
        if self.told && !self.changed {
            if self.grown == 0 {
                return String::new();
            }
            if let Some(ends) = self.ends(response) {
                self.grown = 0;
                return ends;
            }
        }
        self.told = true;
        self.changed = false;
        self.grown = 0;
        self.lengths = response.items().map(|item| texts(item).map(|(.., text)| text.len()).collect()).collect();
        whole(response)
    }

    /// The new ends of strings; `None` if they do not explain everything that came.
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

/// The strings of an item that deltas usually go to: the name of the list or field, the position in a list, the text.
fn texts(item: Item<'_>) -> impl Iterator<Item = (&'static str, Option<usize>, &str)> {
    let content = item.parts().enumerate().map(|(at, part)| ("content", Some(at), part.text()));
    let summary = item.summary().enumerate().map(|(at, part)| ("summary", Some(at), part.text()));
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
            // Its place among the members; the items come apart.
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
