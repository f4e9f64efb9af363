//! Grounding and citations: the source counts bytes, annotations count characters.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::GeminiDecoder;
use crate::accumulate::held_bytes::NAME_BYTES;
use crate::adapter::inbound::builder::{OutputSlot, ResponseBuilder};
use crate::adapter::inbound::{count, non_null, text, SurrogateCarry, TextPiece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, ValueKind, ValueRef};

/// The open text part, for citations.
#[derive(Default)]
pub(super) struct CitedText {
    slot: Option<OutputSlot>,
    text: String,
    carry: SurrogateCarry,
    /// Characters before every [`STRIDE`]th byte, so that a long text is not counted again for each citation.
    counts: Vec<u64>,
    counted: usize,
    characters: u64,
    announced: BTreeSet<(u64, u64, String)>,
    /// The message's text parts by their index among all of its parts: the bytes of text before each. Empty if earlier messages had
    /// parts: indices are about the parts of a whole answer.
    part_starts: Vec<(u64, u64)>,
    part: Option<u64>,
    counts_parts: bool,
}

const STRIDE: usize = 1024;

impl CitedText {
    /// Begins a message of the source.
    pub(super) fn start_message(&mut self, has_earlier_text: bool) {
        self.part_starts.clear();
        self.part = None;
        self.counts_parts = !has_earlier_text;
    }

    /// Begins a part of the message.
    pub(super) fn start_part(&mut self, index: usize) {
        self.part = self.counts_parts.then_some(index as u64);
    }

    /// The bytes of text before a part; 0 if there is no such part.
    fn bytes_before(&self, part: Option<u64>) -> u64 {
        let find = |part| self.part_starts.iter().find(|(index, _)| *index == part).map(|(_, start)| *start);
        part.and_then(find).unwrap_or(0)
    }

    /// Takes text that was written to a message; another message starts from 0.
    pub(super) fn grow(
        &mut self,
        slot: OutputSlot,
        piece: &TextPiece<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if self.slot != Some(slot) {
            let (part, counts_parts) = (self.part, self.counts_parts);
            *self = Self { slot: Some(slot), part, counts_parts, ..Self::default() };
        }
        if let Some(part) = self.part.take() {
            builder.account_bytes(16)?;
            self.part_starts.push((part, self.text.len() as u64));
        }
        let text = piece.join(&mut self.carry);
        builder.account_bytes(text.len())?;
        self.text.push_str(&text);
        Ok(())
    }

    /// Characters before a byte; a position inside a character is rounded down to its start.
    fn characters_before(&mut self, byte: u64) -> u64 {
        let byte = usize::try_from(byte).unwrap_or(usize::MAX).min(self.text.len());
        let bytes = self.text.as_bytes();
        while self.counted + STRIDE <= bytes.len() {
            self.counts.push(self.characters);
            let stretch = bytes.get(self.counted..self.counted + STRIDE).unwrap_or_default();
            self.characters += starts(stretch);
            self.counted += STRIDE;
        }
        let (from, before) = match self.counts.get(byte / STRIDE) {
            Some(before) => (byte / STRIDE * STRIDE, *before),
            None => (self.counted, self.characters),
        };
        let count = before + starts(bytes.get(from..byte).unwrap_or_default());
        // A character that begins before the position and ends after it does not count.
        count - u64::from(byte < bytes.len() && !self.text.is_char_boundary(byte))
    }
}

/// The number of characters that begin in these bytes.
fn starts(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64
}

impl GeminiDecoder {
    pub(super) fn apply_grounding(
        &mut self,
        metadata: ValueRef<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if metadata.kind() != ValueKind::Object || metadata.entries().next().is_none() {
            return Ok(());
        }
        let chunks: Vec<ValueRef<'_>> =
            metadata.get("groundingChunks").into_iter().flat_map(|chunks| chunks.elements()).collect();
        for support in metadata.get("groundingSupports").into_iter().flat_map(|supports| supports.elements()) {
            let segment = support.get("segment");
            let border = |key: &str| count(segment.and_then(|segment| segment.get(key))).unwrap_or(0);
            let before = self.cited.bytes_before(count(segment.and_then(|segment| segment.get("partIndex"))));
            let span = (before.saturating_add(border("startIndex")), before.saturating_add(border("endIndex")));
            for index in support.get("groundingChunkIndices").into_iter().flat_map(|list| list.elements()) {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                // A chunk of the web, maps, images, or a store of the caller: each has its address in another member.
                let chunk = index.and_then(|index| chunks.get(index));
                let places = ["/web/uri", "/maps/uri", "/image/sourceUri", "/image/uri", "/retrievedContext/uri"];
                let titles = ["/web/title", "/maps/title", "/image/title", "/retrievedContext/title"];
                let first = |paths: &[&str]| {
                    let found =
                        paths.iter().find_map(|path| text(chunk?.pointer(path)).filter(|text| !text.is_empty()));
                    found.unwrap_or_default()
                };
                let (url, title) = (first(&places), first(&titles));
                self.announce(&url, &title, span, builder)?;
            }
        }
        let mut fields = Object::new();
        fields.push("grounding_metadata", metadata.to_value());
        builder.write_extension_event("google:grounding_metadata", fields)
    }

    pub(super) fn cite(&mut self, metadata: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let list = non_null(metadata.get("citations")).or_else(|| non_null(metadata.get("citationSources")));
        for citation in list.into_iter().flat_map(|list| list.elements()) {
            let border = |key: &str| count(citation.get(key)).unwrap_or(0);
            let span = (border("startIndex"), border("endIndex"));
            let url = text(citation.get("uri")).unwrap_or_default();
            let title = text(citation.get("title")).unwrap_or_default();
            self.announce(&url, &title, span, builder)?;
        }
        Ok(())
    }

    fn announce(
        &mut self,
        url: &str,
        title: &str,
        span: (u64, u64),
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if url.is_empty() {
            builder.report(AdapterCode::CitationWithoutUrl, "");
            return Ok(());
        }
        let open = builder.last_slot().filter(|slot| builder.has_text_open(*slot) && self.cited.slot == Some(*slot));
        let Some(slot) = open else {
            builder.report(AdapterCode::LateGrounding, "");
            return Ok(());
        };
        let start = self.cited.characters_before(span.0);
        let end = self.cited.characters_before(span.1);
        // Later messages repeat earlier citations.
        if !self.cited.announced.insert((start, end, url.to_string())) {
            return Ok(());
        }
        builder.account_bytes(NAME_BYTES + url.len())?;
        let annotation = builder.url_citation(url, title, start, end);
        builder.add_annotation(slot, annotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_positions_become_character_positions_rounded_down() {
        let text: String = "aü日😀".repeat(if cfg!(miri) { 7 } else { 700 });
        let mut cited = CitedText { text: text.clone(), ..CitedText::default() };
        for byte in (0..text.len() + 3).rev().chain(0..text.len()) {
            let floor = (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            assert_eq!(cited.characters_before(byte as u64), text[..floor].chars().count() as u64, "{byte}");
        }
    }
}
