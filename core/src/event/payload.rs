//! [`Event`]: one event of a stream, as a view that converts values on demand.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use super::fields::{Field, Fields, Gaps, Index};
use super::parse::{Fault, Origin, Parser};
use super::span::{RawText, Source};
use crate::contract::Kind;
use crate::finding::Location;
use crate::json::{decode_into, text::literal_eq, LoneSurrogates, Tape, Value, ValueRef};
use crate::sync::{OnceCell, Shared};

/// One event: its kind, its routing fields and the exact text it came in.
///
/// Borrowed from the reader until the next call on it; [`to_owned`](Event::to_owned) keeps it. Only the routing fields are
/// converted in advance.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    pub(super) raw: RawText<'a>,
    pub(super) scratch: &'a str,
    pub(super) fields: &'a Fields,
    pub(super) lazy: &'a Lazy,
    pub(super) matches_template: bool,
    pub(super) continues_previous: bool,
    pub(super) fault: Option<&'a Fault>,
    pub(super) origin: Origin<'a>,
}

/// The strings of an event as bytes, all of them UTF-8; empty where there is none. `__bindings::raw_fields` returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawFields<'a> {
    /// [`Event::wire_type`].
    pub wire_type: &'a [u8],
    /// [`Event::item_id`].
    pub item_id: &'a [u8],
    /// [`Event::delta`].
    pub delta: &'a [u8],
    /// [`Event::done_text`].
    pub text: &'a [u8],
    /// [`Event::raw`].
    pub raw: &'a [u8],
    /// True if there is an [`Event::item_id`].
    pub has_item_id: bool,
    /// True if there is an [`Event::done_text`].
    pub has_text: bool,
}

/// How a payload differs from the template that it matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateMatch<'a> {
    /// The number of the template. Payloads of one reader with the same number have the same gaps, at most four, and the same text outside
    /// them.
    pub template: u64,
    gaps: &'a Gaps,
}

impl<'a> TemplateMatch<'a> {
    /// Start and end in bytes of the sequence number, the delta and the padding, as far as the payload has them, in their order.
    #[inline]
    pub fn gaps(&self) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.gaps.spans()
    }
}

/// The nested values: parsed with the payload, or on the first access to them.
#[derive(Default)]
pub(crate) struct Lazy {
    /// The maximum nesting of a payload.
    pub(super) depth: usize,
    /// The tape that the payload was read from, if it was; otherwise unused buffers. Empty if the payload is not JSON.
    pub(super) tape: Tape,
    pub(super) has_tape: bool,
    /// The tape of any other payload, created on the first access, and the buffers for it.
    pub(super) late: OnceCell<Tape>,
    pub(super) spare: Shared<Tape>,
    /// The whole string of a done event, decoded.
    pub(super) whole: OnceCell<(String, LoneSurrogates)>,
}

impl<'a> Event<'a> {
    /// The kind of the event. Aliases seen on real servers have the kind of the name that they stand for.
    #[inline]
    pub fn kind(&self) -> Kind {
        self.fields.kind
    }

    /// The routing fields.
    #[inline]
    pub(crate) fn fields(&self) -> &'a Fields {
        self.fields
    }

    /// The buffers that its strings are in.
    #[inline]
    pub(crate) fn source(&self) -> Source<'a> {
        Source { payload: self.raw, scratch: self.scratch, known: &self.fields.known }
    }

    /// The `type` as it was sent; empty if the payload has none.
    #[inline]
    pub fn wire_type(&self) -> &'a str {
        self.fields.wire_type.get(self.source()).unwrap_or("")
    }

    /// The frame's `event:` line; `None` without one.
    #[inline]
    pub fn frame_name(&self) -> Option<&'a str> {
        self.origin.frame_name
    }

    /// Position of the event in the stream, from 0.
    #[inline]
    pub fn index(&self) -> u64 {
        self.origin.index
    }

    /// Byte offset of the payload from the start of the stream.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.origin.offset
    }

    /// The location of the event for findings.
    pub fn location(&self) -> Location {
        Location { event_index: Some(self.index()), sequence_number: self.sequence_number(), offset: self.offset() }
    }

    /// The sequence number; `None` if absent, not an integer or out of range.
    #[inline]
    pub fn sequence_number(&self) -> Option<u64> {
        self.fields.sequence_number()
    }

    /// Position of the item in the response's output.
    #[inline]
    pub fn output_index(&self) -> Option<u64> {
        self.fields.index(Index::Output)
    }

    /// Position of the part in the item's content.
    #[inline]
    pub fn content_index(&self) -> Option<u64> {
        self.fields.index(Index::Content)
    }

    /// Position of the part in the item's summary.
    #[inline]
    pub fn summary_index(&self) -> Option<u64> {
        self.fields.index(Index::Summary)
    }

    /// Position of the annotation in its part.
    #[inline]
    pub fn annotation_index(&self) -> Option<u64> {
        self.fields.index(Index::Annotation)
    }

    /// Position of the command in its shell call.
    #[inline]
    pub fn command_index(&self) -> Option<u64> {
        self.fields.index(Index::Command)
    }

    /// Number of a preview image.
    #[inline]
    pub fn partial_image_index(&self) -> Option<u64> {
        self.fields.index(Index::PartialImage)
    }

    /// Id of the item that the event belongs to.
    #[inline]
    pub fn item_id(&self) -> Option<&'a str> {
        self.fields.item_id.get(self.source())
    }

    /// The text that a delta event adds; empty for all others. Half of a surrogate pair is U+FFFD here, see
    /// [`delta_surrogates`](Event::delta_surrogates).
    #[inline]
    pub fn delta(&self) -> &'a str {
        self.fields.delta.get(self.source()).unwrap_or("")
    }

    /// The strings that [`wire_type`](Event::wire_type), [`item_id`](Event::item_id), [`delta`](Event::delta),
    /// [`done_text`](Event::done_text) and [`raw`](Event::raw) return, as bytes without a check: for languages whose strings
    /// are bytes.
    #[inline]
    pub(crate) fn raw_fields(&self) -> RawFields<'a> {
        let (fields, source) = (self.fields, self.source());
        RawFields {
            wire_type: fields.wire_type.bytes(source),
            item_id: fields.item_id.bytes(source),
            delta: fields.delta.bytes(source),
            text: if fields.whole_escaped { self.whole().0.as_bytes() } else { fields.whole.bytes(source) },
            raw: self.raw.bytes(),
            has_item_id: fields.item_id.is_present(),
            has_text: fields.whole.is_present(),
        }
    }

    /// The bytes of [`delta`](Event::delta), which cost less than the text.
    #[inline]
    pub(crate) fn delta_bytes(&self) -> &'a [u8] {
        self.fields.delta.bytes(self.source())
    }

    /// The bytes of [`raw`](Event::raw), which cost less than the text.
    #[inline]
    pub(crate) fn raw_bytes(&self) -> &'a [u8] {
        self.raw.bytes()
    }

    /// Unpaired surrogate halves at the ends of the delta, for joining it with its neighbours.
    pub fn delta_surrogates(&self) -> LoneSurrogates {
        self.fields.halves
    }

    /// The whole string of a done event: `text`, `refusal`, `arguments`, `input`, `code`, `diff` or `command`.
    #[inline]
    pub fn done_text(&self) -> Option<&'a str> {
        if self.fields.whole_escaped {
            return Some(&self.whole().0);
        }
        self.fields.whole.get(self.source())
    }

    /// The whole string with its escapes decoded, cached.
    #[cold]
    fn whole(&self) -> &'a (String, LoneSurrogates) {
        self.lazy.whole.get_or_init(|| {
            let literal = self.fields.whole.get(self.source()).unwrap_or_default();
            let mut text = String::with_capacity(literal.len());
            let halves = decode_into(literal, &mut text);
            (text, halves)
        })
    }

    /// Returns whether the whole string equals the given one; `None` if the event has none. Decodes nothing.
    pub(crate) fn done_text_is(&self, text: &str) -> Option<bool> {
        let literal = self.fields.whole.get(self.source())?;
        Some(if self.fields.whole_escaped { literal_eq(literal, text) } else { literal == text })
    }

    /// The inside of the whole string as it was written; empty if there is none.
    pub(crate) fn done_text_literal(&self) -> &'a str {
        self.fields.whole.get(self.source()).unwrap_or_default()
    }

    /// Unpaired surrogate halves at the ends of [`done_text`](Event::done_text).
    pub fn done_text_surrogates(&self) -> LoneSurrogates {
        if self.fields.whole_escaped {
            self.whole().1
        } else {
            LoneSurrogates::default()
        }
    }

    /// The `logprobs` array as it was written; `None` if it is absent or empty.
    pub fn logprobs(&self) -> Option<&'a str> {
        self.fields.logprobs.get(self.source()).filter(|text| text.len() > 2)
    }

    /// Returns `true` if the payload has the member `logprobs` as `[]`. `false` means unknown.
    #[inline]
    pub(crate) fn has_empty_logprobs(&self) -> bool {
        self.fields.logprobs.is_present() && self.fields.logprobs.len() == 2
    }

    /// Returns `true` if the event has the type, frame name, item and part of the previous one ([`index`](Event::index)), because both
    /// matched one template. `false` means unknown.
    #[inline]
    pub(crate) fn continues_previous(&self) -> bool {
        self.continues_previous
    }

    /// Returns `true` if the event has this item id or none.
    #[inline]
    pub(crate) fn fits_item(&self, id: &str) -> bool {
        self.fields.fits_item(id, self.source())
    }

    /// The whole arguments of a done event of a call; the same as [`done_text`](Event::done_text).
    pub fn arguments(&self) -> Option<&'a str> {
        self.done_text()
    }

    /// The `item` object.
    pub fn item(&self) -> Option<ValueRef<'a>> {
        self.member("item")
    }

    /// The `part` object.
    pub fn part(&self) -> Option<ValueRef<'a>> {
        self.member("part")
    }

    /// The `response` object.
    pub fn response(&self) -> Option<ValueRef<'a>> {
        self.member("response")
    }

    /// The length of the `response`, if its text equals that of the previous event.
    pub(crate) fn repeated_response_bytes(&self) -> Option<usize> {
        let response = self.fields.repeated_response;
        response.is_present().then(|| response.len())
    }

    /// The `error` object.
    pub fn error(&self) -> Option<ValueRef<'a>> {
        self.member("error")
    }

    /// The `annotation` object.
    pub fn annotation(&self) -> Option<ValueRef<'a>> {
        self.member("annotation")
    }

    /// Any member of the payload; `None` if it is absent or null.
    pub fn member(&self, key: &str) -> Option<ValueRef<'a>> {
        self.root()?.get(key).filter(|view| !view.is_null())
    }

    /// The value at a JSON pointer into the payload.
    ///
    /// ```
    /// # use deltafold::event::{Origin, Parser};
    /// let mut parser = Parser::new(128);
    /// let event = parser.parse(r#"{"type":"x:y","a":[{"b":7}]}"#, Origin::default());
    /// assert_eq!(event.get("/a/0/b").unwrap().as_u64(), Some(7));
    /// ```
    pub fn get(&self, pointer: &str) -> Option<ValueRef<'a>> {
        self.root()?.pointer(pointer)
    }

    /// The whole payload; `None` if it is not JSON or too deep.
    pub fn root(&self) -> Option<ValueRef<'a>> {
        let parse = || {
            let mut tape = self.lazy.spare.with(core::mem::take);
            // After an error the tape is empty, which is checked below.
            let _ = tape.parse(self.raw(), self.lazy.depth);
            tape
        };
        let tape = if self.lazy.has_tape { &self.lazy.tape } else { self.lazy.late.get_or_init(parse) };
        (!tape.is_empty()).then(|| tape.root(self.raw()))
    }

    /// The whole payload as an owned value; `null` if it is not JSON.
    pub fn to_value(&self) -> Value {
        self.root().map_or(Value::Null, |root| root.to_value())
    }

    /// The exact payload text.
    #[inline]
    pub fn raw(&self) -> &'a str {
        self.raw.text()
    }

    /// Why the payload is not a JSON object; `None` if it is one.
    #[inline]
    pub fn fault(&self) -> Option<Fault> {
        self.fault.copied()
    }

    /// The routing fields whose value has the wrong type or is out of range, by wire name.
    pub fn bad_fields(&self) -> impl Iterator<Item = &'static str> {
        Field::names(self.fields.bad)
    }

    /// The routing fields that occur more than once, by wire name. The last one is used.
    pub fn repeated_fields(&self) -> impl Iterator<Item = &'static str> {
        Field::names(self.fields.repeated)
    }

    /// Returns `true` if any routing field is bad or repeated.
    #[inline]
    pub(crate) fn has_field_faults(&self) -> bool {
        self.fields.bad | self.fields.repeated != 0 || self.fault.is_some()
    }

    /// Returns `true` if this payload equals an earlier one of its kind outside sequence number, delta and padding: everything known about
    /// its other members still holds. `false` means unknown.
    #[inline]
    pub(crate) fn has_same_shape(&self) -> bool {
        self.matches_template
    }

    /// How this payload differs from others that matched the same template, if it matched one.
    ///
    /// For callers that keep payloads: of those with the same template number, one payload and the gaps of the others are enough.
    #[inline]
    pub(crate) fn template_match(&self) -> Option<TemplateMatch<'a>> {
        let gaps = &self.fields.gaps;
        (self.matches_template && gaps.template != 0).then_some(TemplateMatch { template: gaps.template, gaps })
    }

    /// Copies the event out of the reader.
    pub fn to_owned(&self) -> OwnedEvent {
        OwnedEvent {
            raw: self.raw().to_owned(),
            frame_name: self.origin.frame_name.map(ToOwned::to_owned),
            scratch: self.scratch.to_owned(),
            fields: Box::new(self.fields.clone()),
            lazy: Lazy { depth: self.lazy.depth, ..Lazy::default() },
            fault: self.fault(),
            offset: self.origin.offset,
            index: self.origin.index,
        }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Payloads can contain secrets: only the routing fields are shown.
        f.debug_struct("Event")
            .field("kind", &self.kind())
            .field("sequence_number", &self.sequence_number())
            .field("output_index", &self.output_index())
            .field("bytes", &self.raw.bytes().len())
            .finish()
    }
}

/// An event that owns its text.
pub struct OwnedEvent {
    raw: String,
    frame_name: Option<String>,
    scratch: String,
    fields: Box<Fields>,
    lazy: Lazy,
    fault: Option<Fault>,
    offset: u64,
    index: u64,
}

impl OwnedEvent {
    /// Reads an event from JSON text.
    pub fn parse(payload: &str) -> Self {
        Parser::new(crate::Limits::default().depth).parse(payload, Origin::default()).to_owned()
    }

    /// The event as a view, with all its methods.
    pub fn as_event(&self) -> Event<'_> {
        Event {
            raw: RawText::Text(&self.raw),
            scratch: &self.scratch,
            fields: &self.fields,
            lazy: &self.lazy,
            matches_template: false,
            continues_previous: false,
            fault: self.fault.as_ref(),
            origin: Origin { frame_name: self.frame_name.as_deref(), offset: self.offset, index: self.index },
        }
    }

    /// The exact payload text.
    pub fn into_raw(self) -> String {
        self.raw
    }
}

impl Clone for OwnedEvent {
    fn clone(&self) -> Self {
        self.as_event().to_owned()
    }
}

impl PartialEq for OwnedEvent {
    /// Two events are equal if their payloads and frame names are.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw && self.frame_name == other.frame_name
    }
}

impl Eq for OwnedEvent {}

impl fmt::Debug for OwnedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_event().fmt(f)
    }
}
