//! Chunks in, the joined text out.

use deltafold::validate::Layers;
use deltafold::{Edition, Event, Kind, Limits, Profile, Reader};

use super::event::{serde_typed, serde_value, Simd};
use super::Splitter;
use crate::shapes::Folded;

/// A way to read chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamReader {
    /// `deltafold::Reader`: framing, routing, findings, accumulation. The text is taken from the response at the end.
    Reader,
    /// The same, but the program reads the deltas of the events and not the response. Its result is only the number of events.
    ReaderUnread,
    /// The same as the first, reading the length of the text after each event.
    ReaderLooking,
    /// The same as the first, with all layers of validation.
    ReaderChecking,
    /// Frames only, without parsing: the limit. Its result is only the number of events.
    Split,
    /// Frames and simd-json's tape with reused buffers.
    SplitSimdTape,
    /// Frames and serde_json into a flat struct.
    SplitSerdeTyped,
    /// Frames and serde_json into its `Value`.
    SplitSerdeValue,
}

impl StreamReader {
    /// All of them; the first is what ratios refer to.
    pub const ALL: [Self; 8] = [
        Self::Reader,
        Self::ReaderUnread,
        Self::ReaderLooking,
        Self::ReaderChecking,
        Self::Split,
        Self::SplitSimdTape,
        Self::SplitSerdeTyped,
        Self::SplitSerdeValue,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::ReaderUnread => "reader-unread",
            Self::ReaderLooking => "reader-looking",
            Self::ReaderChecking => "reader-checking",
            Self::Split => "split",
            Self::SplitSimdTape => "split+simd-json-tape",
            Self::SplitSerdeTyped => "split+serde_json-typed",
            Self::SplitSerdeValue => "split+serde_json-value",
        }
    }

    /// Returns `true` if the result holds text; otherwise only the number of events can be checked.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Split | Self::ReaderUnread)
    }

    /// Reads all chunks.
    pub fn run(self, chunks: &[&[u8]]) -> Folded {
        match self {
            Self::Reader => reader(chunks, Reader::new(), false),
            Self::ReaderUnread => reader_unread(chunks),
            Self::ReaderLooking => reader(chunks, Reader::new(), true),
            Self::ReaderChecking => {
                let profile = Profile::builtin("open-responses").expect("a built-in profile");
                let builder = Reader::builder().validate(Layers::ALL).profile(profile).edition(Edition::Split);
                reader(chunks, builder.build(), false)
            }
            Self::Split => split(chunks, |data, folded| {
                std::hint::black_box(data);
                folded.event();
            }),
            Self::SplitSimdTape => {
                let mut simd = Simd::default();
                split(chunks, |data, folded| simd.tape(text(data), folded))
            }
            Self::SplitSerdeTyped => split(chunks, |data, folded| serde_typed(text(data), folded)),
            Self::SplitSerdeValue => split(chunks, |data, folded| serde_value(text(data), folded)),
        }
    }
}

/// `deltafold::Reader` for streams beyond the default limits.
pub fn reader_unlimited(chunks: &[&[u8]]) -> Folded {
    let [line_bytes, frame_bytes, response_bytes] = [usize::MAX; 3];
    let limits = Limits::default().line_bytes(line_bytes).frame_bytes(frame_bytes).response_bytes(response_bytes);
    reader(chunks, Reader::builder().limits(limits).build(), false)
}

/// `deltafold::Reader` for a program that reads every field of the C struct of an event: the C functions are compared with it.
pub fn reader_members(chunks: &[&[u8]]) -> Folded {
    reader_with(chunks, Reader::new(), |event| {
        std::hint::black_box((
            (event.index(), event.offset(), event.fault(), event.frame_name()),
            (event.sequence_number(), event.output_index(), event.content_index(), event.summary_index()),
            (event.wire_type(), event.item_id(), event.delta(), event.done_text(), event.raw()),
        ));
    })
}

fn split(chunks: &[&[u8]], mut take: impl FnMut(&[u8], &mut Folded)) -> Folded {
    let mut folded = Folded::default();
    let mut splitter = Splitter::default();
    for chunk in chunks {
        splitter.feed(chunk, |_, data| take(data, &mut folded));
    }
    folded
}

fn text(data: &[u8]) -> &str {
    std::str::from_utf8(data).expect("shapes are UTF-8")
}

fn reader(chunks: &[&[u8]], mut reader: Reader, look: bool) -> Folded {
    let mut folded = Folded::default();
    for chunk in chunks {
        reader.feed(chunk).expect("within the limits");
        while let Some(event) = reader.poll_event().expect("within the limits") {
            folded.event();
            if event.kind() == Kind::Completed {
                folded.completed(event.raw());
            }
            if look {
                std::hint::black_box(reader.response().output_text_len());
            }
        }
    }
    fold_texts(&reader, &mut folded);
    folded
}

fn reader_unread(chunks: &[&[u8]]) -> Folded {
    let (mut folded, mut reader) = (Folded::default(), Reader::new());
    for chunk in chunks {
        reader.feed(chunk).expect("within the limits");
        while let Some(event) = reader.poll_event().expect("within the limits") {
            std::hint::black_box((event.kind(), event.sequence_number(), event.delta()));
            folded.event();
        }
    }
    folded
}

fn reader_with(chunks: &[&[u8]], mut reader: Reader, mut look: impl FnMut(&Event<'_>)) -> Folded {
    let mut folded = Folded::default();
    for chunk in chunks {
        reader.feed(chunk).expect("within the limits");
        while let Some(event) = reader.poll_event().expect("within the limits") {
            folded.event();
            look(&event);
            if event.kind() == Kind::Completed {
                folded.completed(event.raw());
            }
        }
    }
    fold_texts(&reader, &mut folded);
    folded
}

/// The text of every part, from the response.
fn fold_texts(reader: &Reader, folded: &mut Folded) {
    for (output_index, item) in reader.response().items().enumerate() {
        let texts = match item.wire_type().unwrap_or_default() {
            "message" => item.parts().map(|part| part.text().unwrap_or_default()).collect(),
            "reasoning" => item.summary().map(|part| part.text().unwrap_or_default()).collect(),
            _ => vec![item.arguments().unwrap_or_default()],
        };
        for (part, text) in texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            folded.delta(output_index as u64, part as u64, text);
        }
    }
}
