//! [`Limits`]: the bounds of a reader on memory, depth and counts.

use crate::error::Error;
use crate::json::Value;
use crate::options::{parse, setters, OptionReader};

/// The bounds of a reader. Each bound has a default that is far above real streams.
///
/// ```
/// let limits = deltafold::Limits::default().frame_bytes(1 << 20);
/// assert_eq!(limits.depth, 128);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes in one line. Default 64 MiB: events with an image of 4 MB and more occur in practice, and base64 plus JSON escapes
    /// of the largest image that a schema allows (20 MiB) still fit. Fields that are not stored (comments, unknown fields, the digits of
    /// `retry`) may be longer.
    pub line_bytes: usize,
    /// Bytes of data in one frame. Default 64 MiB, as for a line: servers send one data line per frame.
    pub frame_bytes: usize,
    /// Bytes fed but not yet polled, as bytes or as messages. Default 256 MiB: enough for a whole capture in one `feed`.
    pub buffered_bytes: usize,
    /// Nesting of one JSON payload. Default 128, as in serde_json; the deepest recorded event has 14 levels. Values above
    /// [`MAX_DEPTH`](crate::json::MAX_DEPTH) are reduced to it, so that no setting lets a stream exhaust the stack.
    pub depth: usize,
    /// Output items in a response. Default 100,000.
    pub items: usize,
    /// Parts, summaries, commands or annotations in one item. Default 100,000. With any value, a part that would be inserted
    /// before more than 4,096 others exceeds the limit, because it would move all of them.
    pub parts: usize,
    /// Bytes that are held of a response, with everything that the stream reports beside it. Default 256 MiB: real responses have at most a few megabytes, and most of those are images.
    ///
    /// Counted are the bytes of texts, ids, names, keys, numbers, log probabilities, preview images, rate limits and the last error, and
    /// fixed amounts that follow the memory: 1,024 bytes for an item, 256 for a part, 128 for the log probabilities of a part, 24 for a
    /// value, 32 for a key. A finished item and a snapshot are held and counted as text, until a caller reads their fields. The count is
    /// the same on every machine; the memory is at most about three times as much, because buffers grow by doubling.
    /// [`Reader::held_bytes`](crate::Reader::held_bytes) gives the count.
    pub response_bytes: usize,
    /// Findings that are stored; further ones are only counted. Default 1,000.
    pub findings: usize,
    /// The behavior for a line or frame past its limit.
    pub overflow: Overflow,
}

/// The behavior for a line or frame that exceeds its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// Reading ends with a [`Class::Limit`](crate::Class::Limit) error; every later call returns it again until `reset`.
    #[default]
    Error,
    /// The payload is dropped, the frame keeps its name and is marked, and reading continues at the next frame.
    Drop,
}

crate::named::option_names!(Overflow, "overflow behavior": Error "error", Drop "drop");

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 64 << 20,
            frame_bytes: 64 << 20,
            buffered_bytes: 256 << 20,
            depth: 128,
            items: 100_000,
            parts: 100_000,
            response_bytes: 256 << 20,
            findings: 1_000,
            overflow: Overflow::Error,
        }
    }
}

setters!(Limits {
    line_bytes: usize,
    frame_bytes: usize,
    buffered_bytes: usize,
    depth: usize,
    items: usize,
    parts: usize,
    response_bytes: usize,
    findings: usize,
    overflow: Overflow,
});

impl Limits {
    /// Reads limits from JSON text: an object with the names of the fields; `overflow` is `error` or `drop`. Limits that are not
    /// given have their defaults.
    ///
    /// ```
    /// let limits = deltafold::Limits::from_json(r#"{"frame_bytes":1024,"overflow":"drop"}"#)?;
    /// assert_eq!((limits.frame_bytes, limits.depth), (1024, 128));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`](crate::Code::UnknownName) for a limit that does not exist,
    /// [`Code::BadArgument`](crate::Code::BadArgument) for one of the wrong type.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// Reads limits from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// As for [`from_json`](Self::from_json).
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(value)?;
        reader.check_names(&[
            "line_bytes",
            "frame_bytes",
            "buffered_bytes",
            "depth",
            "items",
            "parts",
            "response_bytes",
            "findings",
            "overflow",
        ])?;
        // A limit that does not fit `usize` is no limit on this machine.
        let limit = |name, default| {
            let given = reader.count(name)?;
            Ok::<_, Error>(given.map_or(default, |given| usize::try_from(given).unwrap_or(usize::MAX)))
        };
        let default = Self::default();
        Ok(Self {
            line_bytes: limit("line_bytes", default.line_bytes)?,
            frame_bytes: limit("frame_bytes", default.frame_bytes)?,
            buffered_bytes: limit("buffered_bytes", default.buffered_bytes)?,
            depth: limit("depth", default.depth)?,
            items: limit("items", default.items)?,
            parts: limit("parts", default.parts)?,
            response_bytes: limit("response_bytes", default.response_bytes)?,
            findings: limit("findings", default.findings)?,
            overflow: Overflow::ALL[reader.choice("overflow", Overflow::NAMES)?],
        })
    }
}
