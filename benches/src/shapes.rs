//! Generated streams: the same name gives the same bytes, with the result of a correct reader.
//!
//! | name | what it is |
//! | --- | --- |
//! | `W1` | chat: 2,000 text deltas of about four characters |
//! | `W1alpha` | the same with `type` first and the other fields in alphabetical order |
//! | `W1pyd` | the same in alphabetical order, `type` last, a space after commas and colons |
//! | `W2` | 20 parallel function calls whose argument deltas interleave, about 4,000 events |
//! | `W3` | three reasoning summaries of 200 deltas, then 1,000 text deltas with log probabilities |
//! | `W4` | one partial image of 5 MB in base64, and 190 kB of it in the completed response |
//! | `W5` | 2,000 deltas of CJK, emoji as surrogate escapes, and text that must be escaped |
//! | `W6` | `W1` with 200,000 deltas, about 60 MB |
//! | `huge-line` | one delta of 8 MiB in one line |
//! | `data-lines` | one frame of 20,000 `data:` lines |
//! | `deep` | extension events that are 100 levels deep |
//! | `many-items` | 20,000 output items |
//! | `many-findings` | 20,000 deltas with a repeated sequence number and no item |

mod pathological;
mod random;
mod stream;
mod typical;

pub use self::pathological::{data_lines, deep, huge_line, many_findings, many_items};
pub use self::random::Random;
pub use self::stream::Order;
pub use self::typical::{arguments, chat, image, reasoning, tools, unicode};

use std::collections::HashMap;

use crate::measure::Mode;

/// A generated stream and its result.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name in tables.
    pub name: &'static str,
    /// The bytes of the stream.
    pub stream: Vec<u8>,
    /// What a correct reader gets.
    pub expected: Expected,
}

/// What any correct reader gets from a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Number of events.
    pub events: usize,
    /// Number of texts that grew by deltas.
    pub parts: usize,
    /// Bytes of UTF-8 text in all deltas, joined per part.
    pub text_bytes: usize,
    /// 64-bit FNV-1a over the texts, in the order of output index and part index.
    pub text_hash: u64,
    /// Bytes of the payload of `response.completed`.
    pub completed_bytes: usize,
}

/// The names of all shapes.
pub const NAMES: [&str; 13] = [
    "W1",
    "W1alpha",
    "W1pyd",
    "W2",
    "W3",
    "W4",
    "W5",
    "W6",
    "huge-line",
    "data-lines",
    "deep",
    "many-items",
    "many-findings",
];

impl Shape {
    /// Makes the shape of this name; in quick mode a small one of the same kind.
    pub fn named(name: &str, mode: Mode) -> Option<Self> {
        let size = |full: usize, quick: usize| if mode == Mode::Full { full } else { quick };
        let mut shape = match name {
            "W1" => chat(1, size(2_000, 60), Order::Classic),
            "W1alpha" => chat(1, size(2_000, 60), Order::Alphabetical),
            "W1pyd" => chat(1, size(2_000, 60), Order::TypeLast),
            "W2" => tools(2, size(20, 3), size(4_000, 150)),
            "W3" => reasoning(3, size(600, 30), size(1_000, 20)),
            "W4" => image(4, size(5_000_000, 10_000), size(190_000, 1_000)),
            "W5" => unicode(5, size(2_000, 60)),
            "W6" => chat(6, size(200_000, 300), Order::Classic),
            "huge-line" => huge_line(11, size(8 << 20, 20_000)),
            "data-lines" => data_lines(12, size(20_000, 50)),
            "deep" => deep(13, size(200, 3)),
            "many-items" => many_items(14, size(20_000, 20)),
            "many-findings" => many_findings(15, size(20_000, 20)),
            _ => return None,
        };
        shape.name = NAMES.into_iter().find(|known| *known == name)?;
        Some(shape)
    }
}

/// The result of a contender so far, in the form in which results are compared.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    events: usize,
    parts: Vec<((u64, u64), String)>,
    places: HashMap<(u64, u64), usize>,
    last: usize,
    completed_bytes: usize,
}

impl Folded {
    /// Counts an event.
    #[inline]
    pub fn event(&mut self) {
        self.events += 1;
    }

    /// Adds the text of a delta to its part.
    #[inline]
    pub fn delta(&mut self, output_index: u64, part: u64, delta: &str) {
        let key = (output_index, part);
        if self.parts.get(self.last).is_none_or(|(last, _)| *last != key) {
            self.last = self.find(key);
        }
        self.parts[self.last].1.push_str(delta);
    }

    /// Counts an event, adds its delta, and returns its parsed payload; parses the whole payload with serde_json.
    ///
    /// # Errors
    ///
    /// The payload is not JSON.
    pub fn read_simply(&mut self, payload: &str) -> serde_json::Result<serde_json::Value> {
        let value: serde_json::Value = serde_json::from_str(payload)?;
        self.event();
        if let Some(delta) = value["delta"].as_str() {
            let index = |key: &str| value[key].as_u64();
            let part = index("content_index").or_else(|| index("summary_index")).unwrap_or(0);
            self.delta(index("output_index").unwrap_or(0), part, delta);
        }
        if value["type"] == "response.completed" {
            self.completed(payload);
        }
        Ok(value)
    }

    /// Notes the payload of the completed response.
    pub fn completed(&mut self, payload: &str) {
        self.completed_bytes = payload.len();
    }

    /// The result.
    pub fn result(&self) -> Expected {
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_key(|(key, _)| *key);
        Expected {
            events: self.events,
            parts: self.parts.len(),
            text_bytes: self.parts.iter().map(|(_, text)| text.len()).sum(),
            text_hash: hash(parts.iter().flat_map(|(_, text)| text.bytes())),
            completed_bytes: self.completed_bytes,
        }
    }

    fn find(&mut self, key: (u64, u64)) -> usize {
        *self.places.entry(key).or_insert_with(|| {
            self.parts.push((key, String::new()));
            self.parts.len() - 1
        })
    }
}

/// 64-bit FNV-1a.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
