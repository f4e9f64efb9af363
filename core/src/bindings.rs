//! Entry points for the language bindings, tests and benches of this project. They are not part of the public API and may change at any
//! time.
//!
//! *Takes* values of the public API. *Gives* functions that a binding needs and a Rust program does not: functions selected by a name,
//! with JSON in and JSON out; the strings of an event as bytes; the facts about an event that the fast paths know; what is new in a
//! growing JSON value; and, for tests, readers and parsers without fast paths. *Promises* the same results as the public functions.
//! *Costs* nothing beyond them: each function is one call.

pub use crate::event::parse::ParserTiers;
pub use crate::event::payload::{RawFields, TemplateMatch};
use crate::event::Parser;
pub use crate::json::partial::growth::{way_to_last_leaf, Growth, LastChild, LeafGrowth, NewChildren, SeenValue};
use crate::json::PartialJson;
pub use crate::request::by_name::{request_named, REQUEST_OPERATIONS};
pub use crate::validate::by_name::{validate_named, validate_named_with, VALIDATION_TARGETS};
pub use crate::write::json_intents::INTENTS;
use crate::{Event, Item, Part, Reader, ReaderBuilder, ReaderOptions};

/// The strings of an event as bytes; see [`RawFields`].
#[inline]
pub fn raw_fields<'a>(event: &Event<'a>) -> RawFields<'a> {
    event.raw_fields()
}

/// The bytes of [`Event::delta`], without a check for character boundaries.
#[inline]
pub fn delta_bytes<'a>(event: &Event<'a>) -> &'a [u8] {
    event.delta_bytes()
}

/// The bytes of [`Event::raw`], without a check for character boundaries.
#[inline]
pub fn raw_bytes<'a>(event: &Event<'a>) -> &'a [u8] {
    event.raw_bytes()
}

/// `true` if the payload has an empty list `logprobs`. `false` if that is not known, which is so for an event that matched a template.
#[inline]
pub fn has_empty_logprobs(event: &Event<'_>) -> bool {
    event.has_empty_logprobs()
}

/// `true` if the type, the frame's name, the item and the part of the event are those of the previous event. `false` if that is not known.
#[inline]
pub fn continues_previous(event: &Event<'_>) -> bool {
    event.continues_previous()
}

/// `true` if the payload differs from the last one of its kind only in sequence number, ids, indexes, delta, padding and nested values.
/// `false` if that is not known.
#[inline]
pub fn has_same_shape(event: &Event<'_>) -> bool {
    event.has_same_shape()
}

/// The template that the payload matched, and the gaps in it where the payload differs from the template.
#[inline]
pub fn template_match<'a>(event: &Event<'a>) -> Option<TemplateMatch<'a>> {
    event.template_match()
}

/// Estimates whether the next event is at least `bytes` long, so that a binding can release a lock such as the GIL first. Nothing is read.
#[inline]
pub fn next_is_long(reader: &Reader, bytes: usize) -> bool {
    reader.next_is_long(bytes)
}

/// The offset up to which no event is longer than `bytes`: for events that begin before it, [`next_is_long`] returns `false`.
#[inline]
pub fn short_events_end(reader: &Reader, bytes: usize) -> u64 {
    reader.short_events_end(bytes)
}

/// A builder of a reader that uses only these tiers and the tape, for comparing them.
pub fn builder_with_tiers(tiers: ParserTiers) -> ReaderBuilder {
    Reader::builder().parser_tiers(tiers)
}

/// Options of a reader that uses only these tiers and the tape, for comparing them.
pub fn options_with_tiers(options: ReaderOptions, tiers: ParserTiers) -> ReaderOptions {
    ReaderOptions { parser_tiers: tiers, ..options }
}

/// A parser that uses only these tiers and the tape, for comparing and measuring them.
pub fn parser_with_tiers(depth: usize, tiers: ParserTiers) -> Parser {
    Parser::with_tiers(depth, tiers)
}

/// As [`Item::read_arguments`], with a number that belongs to the parser: a value that `ask` stores there is returned by the next call. A
/// new parser has 0, also after the arguments were replaced. A binding that caches its converted value recognizes the value by this number.
pub fn read_arguments_marked<R>(item: &Item<'_>, ask: impl FnOnce(&PartialJson, &mut u64) -> R) -> R {
    item.read_arguments_marked(ask)
}

/// As [`Part::read_json`], with a number that belongs to the parser; see [`read_arguments_marked`].
pub fn read_json_marked<R>(part: &Part<'_>, ask: impl FnOnce(&PartialJson, &mut u64) -> R) -> R {
    part.read_json_marked(ask)
}

/// [`Reader::held_bytes`], computed from scratch. For tests: it costs as much as reading everything.
pub fn recount_bytes(reader: &Reader) -> usize {
    reader.recount_bytes()
}
