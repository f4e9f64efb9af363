//! Payloads in, events out.

use deltafold::__bindings::{parser_with_tiers, ParserTiers};
use deltafold::event::Origin;
use deltafold::Kind;
use simd_json::prelude::*;

use super::typed::Payload;
use crate::shapes::{Folded, Shape};

/// The frames of a shape: name and payload.
pub type Payloads<'a> = Vec<(&'a str, String)>;

/// A way to read payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadReader {
    /// deltafold's event layer.
    Deltafold,
    /// The same without templates.
    DeltafoldFlat,
    /// The same with a tape for every payload.
    DeltafoldTape,
    /// simd-json's tape with reused buffers.
    SimdTape,
    /// simd-json into a flat struct, with reused buffers.
    SimdTyped,
    /// serde_json into a flat struct.
    SerdeTyped,
    /// serde_json into its `Value`.
    SerdeValue,
}

impl PayloadReader {
    /// All of them; the first is what ratios refer to.
    pub const ALL: [Self; 7] = [
        Self::Deltafold,
        Self::DeltafoldFlat,
        Self::DeltafoldTape,
        Self::SimdTape,
        Self::SimdTyped,
        Self::SerdeTyped,
        Self::SerdeValue,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deltafold => "deltafold",
            Self::DeltafoldFlat => "deltafold-flat",
            Self::DeltafoldTape => "deltafold-tape",
            Self::SimdTape => "simd-json-tape",
            Self::SimdTyped => "simd-json-typed",
            Self::SerdeTyped => "serde_json-typed",
            Self::SerdeValue => "serde_json-value",
        }
    }

    /// Reads all payloads.
    pub fn run(self, payloads: &Payloads<'_>) -> Folded {
        let mut folded = Folded::default();
        match self {
            Self::Deltafold => deltafold(payloads, ParserTiers::default(), &mut folded),
            Self::DeltafoldFlat => {
                deltafold(payloads, ParserTiers { block_template: false, flat_scanner: true }, &mut folded)
            }
            Self::DeltafoldTape => {
                deltafold(payloads, ParserTiers { block_template: false, flat_scanner: false }, &mut folded)
            }
            Self::SimdTape => {
                let mut simd = Simd::default();
                payloads.iter().for_each(|(_, payload)| simd.tape(payload, &mut folded));
            }
            Self::SimdTyped => {
                let mut simd = Simd::default();
                payloads.iter().for_each(|(_, payload)| simd.typed(payload, &mut folded));
            }
            Self::SerdeTyped => payloads.iter().for_each(|(_, payload)| serde_typed(payload, &mut folded)),
            Self::SerdeValue => payloads.iter().for_each(|(_, payload)| serde_value(payload, &mut folded)),
        }
        folded
    }
}

/// Extracts the payloads of a shape.
pub fn payloads(shape: &Shape) -> Payloads<'_> {
    let text = std::str::from_utf8(&shape.stream).expect("shapes are UTF-8");
    text.split_terminator("\n\n")
        .map(|frame| {
            let (name, data) = frame.split_once('\n').unwrap_or_default();
            let data: Vec<&str> = data.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
            (name.trim_start_matches("event: "), data.join("\n"))
        })
        .collect()
}

fn deltafold(payloads: &Payloads<'_>, tiers: ParserTiers, folded: &mut Folded) {
    let mut parser = parser_with_tiers(128, tiers);
    for (index, (name, payload)) in payloads.iter().enumerate() {
        let event = parser.parse(payload, Origin { frame_name: Some(name), offset: 0, index: index as u64 });
        std::hint::black_box((event.sequence_number(), event.item_id()));
        folded.event();
        if !event.delta().is_empty() {
            let part = event.content_index().or(event.summary_index()).unwrap_or(0);
            folded.delta(event.output_index().unwrap_or(0), part, event.delta());
        } else if event.kind() == Kind::Completed {
            folded.completed(event.raw());
        }
    }
}

/// simd-json with reused buffers. It decodes in place, so it needs a copy of each payload.
pub(super) struct Simd {
    buffers: simd_json::Buffers,
    copy: Vec<u8>,
}

impl Default for Simd {
    fn default() -> Self {
        Self { buffers: simd_json::Buffers::new(4096), copy: Vec::new() }
    }
}

impl Simd {
    #[inline]
    pub(super) fn tape(&mut self, payload: &str, folded: &mut Folded) {
        self.take(payload);
        let tape = simd_json::to_tape_with_buffers(&mut self.copy, &mut self.buffers).expect("JSON");
        let value = tape.as_value();
        let object = value.as_object().expect("an object");
        let index = |key: &str| object.get(key).and_then(|value| value.as_u64());
        let text = |key: &str| object.get(key).and_then(|value| value.into_string());
        std::hint::black_box((index("sequence_number"), text("item_id")));
        folded.event();
        if let Some(delta) = text("delta") {
            let part = index("content_index").or_else(|| index("summary_index")).unwrap_or(0);
            folded.delta(index("output_index").unwrap_or(0), part, delta);
        } else if text("type") == Some("response.completed") {
            folded.completed(payload);
        }
    }

    #[inline]
    pub(super) fn typed(&mut self, payload: &str, folded: &mut Folded) {
        self.take(payload);
        let parsed: Payload<'_> =
            simd_json::serde::from_slice_with_buffers(&mut self.copy, &mut self.buffers).expect("JSON");
        parsed.fold(payload, folded);
    }

    fn take(&mut self, payload: &str) {
        self.copy.clear();
        self.copy.extend_from_slice(payload.as_bytes());
    }
}

#[inline]
pub(super) fn serde_typed(payload: &str, folded: &mut Folded) {
    let parsed: Payload<'_> = serde_json::from_str(payload).expect("JSON");
    parsed.fold(payload, folded);
}

#[inline]
pub(super) fn serde_value(payload: &str, folded: &mut Folded) {
    let value: serde_json::Value = serde_json::from_str(payload).expect("JSON");
    folded.event();
    if let Some(delta) = value["delta"].as_str() {
        let index = |key: &str| value[key].as_u64();
        let part = index("content_index").or_else(|| index("summary_index")).unwrap_or(0);
        folded.delta(index("output_index").unwrap_or(0), part, delta);
    } else if value["type"] == "response.completed" {
        folded.completed(payload);
    }
}
