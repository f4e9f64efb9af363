//! [`Batch`]: the events of one feed as numbers and one text, which JavaScript reads directly from this memory.
//!
//! A call per event, with a string or an object, costs more than reading the event. So a feed returns a table with one row
//! ([`Row`]) per event, and one text; JavaScript decodes the text once and slices it. Positions in the text count UTF-16 units, as
//! JavaScript does.
//!
//! An event is *plain* if it is a delta with all routing fields and only members of [`MEMBERS`]. JavaScript builds its object from
//! the numbers and the delta alone. Programs rarely read the payload of a plain event, so the payload is not in the text but on a
//! [`Page`], which JavaScript copies when it is full. Every other event is parsed from its payload in the text.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use deltafold::Event;

use crate::outline;
use crate::page::{EventPosition, Page};

/// The numbers of an event. The first is kind and flags, the last two are the ends of its two texts, which follow those of the
/// previous event. A plain event has its sequence number, both indexes and the position of its record on the page; its texts are
/// the delta and, if it changed, the item id. Other events have byte offset (low, high) and event index; their texts are payload and
/// outline.
type Row = [u32; 6];

/// Number of header fields: addresses and lengths of table, text and page, flags, and the size of a finished response.
const HEAD: usize = 7;

const PLAIN: u32 = 1 << 8;
const CONTENT: u32 = 1 << 9;
const SUMMARY: u32 = 1 << 10;
const NEW_ITEM: u32 = 1 << 11;
const LOGPROBS: u32 = 1 << 12;
const FAULTY: u32 = 1 << 13;
const EMPTY_LOGPROBS: u32 = 1 << 14;

/// Flags of the header: the text is not ASCII, reading has ended, the page is full.
const WIDE: u32 = 1;
const STOPPED: u32 = 2;
const FULL: u32 = 4;

/// Number of item ids that JavaScript caches as strings, by the low bits of the output index.
const SLOTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Batch {
    /// Table, text, bytes of text, flags, page, bytes of page, bytes of the response. Boxed, so that its address never changes.
    head: Box<[u32; HEAD]>,
    table: Vec<Row>,
    text: Vec<u8>,
    /// Length of the text in UTF-16.
    units: u32,
    page: Page,
    items: Vec<Vec<u8>>,
    /// Which members the payloads of each kind had so far.
    members: [Members; 256],
    last: LastPlain,
}

/// The values that plain events of one template share.
#[derive(Clone, Copy, Debug, Default)]
struct LastPlain {
    /// The template of the newest plain event; 0 if there is none.
    by: u64,
    flags: u32,
    indexes: u32,
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self {
            head: Box::new([0; HEAD]),
            table: Vec::new(),
            text: Vec::new(),
            units: 0,
            page: Page::new(SLOTS),
            items: vec![Vec::new(); SLOTS],
            members: [Members::Unseen; 256],
            last: LastPlain::default(),
        }
    }

    /// The address of the header, constant for the life of the batch.
    pub(crate) fn head(&self) -> *const u32 {
        self.head.as_ptr()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.text.clear();
        self.units = 0;
        // Releases the memory of a payload of megabytes.
        self.text.shrink_to(1 << 20);
        self.page.turn();
    }

    /// Releases the memory of table, text and page at the end, and notes the size of the response. JavaScript must have copied the page
    /// before.
    pub(crate) fn release(&mut self, response_bytes: usize) {
        self.table = Vec::new();
        self.text = Vec::new();
        self.units = 0;
        self.page.release();
        self.seal(false);
        self.head[HEAD - 1] = response_bytes as u32;
    }

    /// Adds an event. Returns the number of bytes that it appended to a string of the response, if it can have changed nothing else:
    /// only for plain events without log probabilities.
    #[inline]
    pub(crate) fn push(&mut self, event: &Event<'_>) -> Option<usize> {
        let matched = deltafold::__bindings::template_match(event);
        let by = matched.map_or(0, |matched| matched.template);
        let Some(number) = event.sequence_number().and_then(|number| u32::try_from(number).ok()) else {
            self.push_other(event);
            return None;
        };
        // Payloads of one template have the same text outside their gaps: the same members, indexes and id.
        let same = by != 0 && by == self.last.by && !event.delta_surrogates().lone;
        if !same {
            let Some(plain) = self.plain(event) else {
                self.push_other(event);
                return None;
            };
            self.last = LastPlain { by, ..plain };
        }
        let LastPlain { mut flags, indexes, .. } = self.last;
        let delta = deltafold::__bindings::delta_bytes(event);
        let slot = (indexes & 0xFFFF) as usize % SLOTS;
        let place = EventPosition { index: event.index() as u32, offset: event.offset() };
        let raw = deltafold::__bindings::raw_bytes(event);
        let at = self.page.push(slot, raw, matched, place);
        let delta_end = match short_text(delta, raw) {
            Some(word) => self.append_word(word, delta.len()),
            None => self.append_any(delta),
        };
        let mut end = delta_end;
        if !same && self.is_new_item(slot, event) {
            flags |= NEW_ITEM;
            end = self.units;
        }
        self.table.push([event.kind() as u32 | flags, number, indexes, at, delta_end, end]);
        (flags & LOGPROBS == 0).then_some(delta.len())
    }

    /// Returns whether JavaScript caches another id for the item of an event; if so, appends the new one to the text.
    #[inline(never)]
    fn is_new_item(&mut self, slot: usize, event: &Event<'_>) -> bool {
        let id = deltafold::__bindings::raw_fields(event).item_id;
        let Some(item) = self.items.get_mut(slot).filter(|item| *item != id) else { return false };
        item.clear();
        item.extend_from_slice(id);
        self.append_any(id);
        true
    }

    #[inline(never)]
    fn push_other(&mut self, event: &Event<'_>) {
        let payload = self.append_any(deltafold::__bindings::raw_bytes(event));
        let fault = if event.fault().is_some() { FAULTY } else { 0 };
        let outlined = self.text.len();
        outline::write(event, &mut self.text);
        let outline = self.text.get(outlined..).unwrap_or_default();
        self.units += units(outline);
        let (low, high) = (event.offset() as u32, (event.offset() >> 32) as u32);
        let index = event.index() as u32;
        self.table.push([event.kind() as u32 | fault, low, high, index, payload, self.units]);
    }

    /// Fills the header and returns the number of events.
    #[inline]
    pub(crate) fn seal(&mut self, stopped: bool) -> u32 {
        let flags = [(WIDE, self.units as usize != self.text.len()), (STOPPED, stopped), (FULL, self.page.is_full())];
        let (page, page_bytes) = self.page.span();
        *self.head = [
            self.table.as_ptr() as u32,
            self.text.as_ptr() as u32,
            self.text.len() as u32,
            flags.iter().map(|(flag, is)| flag * u32::from(*is)).sum(),
            page as u32,
            page_bytes as u32,
            0,
        ];
        self.table.len() as u32
    }

    /// Appends up to eight bytes of a little-endian number. A copy of so few bytes would be a function call.
    #[inline]
    fn append_word(&mut self, word: u64, length: usize) -> u32 {
        self.text.extend_from_slice(&word.to_le_bytes());
        self.text.truncate(self.text.len() - 8 + length);
        self.units += length as u32;
        self.units
    }

    #[inline(never)]
    fn append_any(&mut self, text: &[u8]) -> u32 {
        self.text.extend_from_slice(text);
        self.units += units(text);
        self.units
    }

    /// Flags and indexes of a plain event; `None` for all others.
    #[inline(never)]
    fn plain(&mut self, event: &Event<'_>) -> Option<LastPlain> {
        let members = &mut self.members[event.kind() as usize];
        if *members != Members::Plain || !deltafold::__bindings::has_same_shape(event) {
            if !has_plain_members(event) {
                *members = Members::Mixed;
                return None;
            }
            if *members == Members::Unseen {
                *members = Members::Plain;
            }
        }
        if event.delta_surrogates().lone {
            return None;
        }
        let mut flags = PLAIN;
        let element = match (event.content_index(), event.summary_index()) {
            (Some(index), None) => {
                flags |= CONTENT;
                index
            }
            (None, Some(index)) => {
                flags |= SUMMARY;
                index
            }
            (None, None) => 0,
            (Some(_), Some(_)) => return None,
        };
        flags |= logprobs_flag(event);
        event.item_id()?;
        let [output, element] = [event.output_index()?, element].map(u16::try_from);
        Some(LastPlain { by: 0, flags, indexes: u32::from(output.ok()?) | u32::from(element.ok()?) << 16 })
    }
}

/// `LOGPROBS` if the payload has log probabilities, `EMPTY_LOGPROBS` if it has the empty list, 0 if it has neither.
fn logprobs_flag(event: &Event<'_>) -> u32 {
    if event.logprobs().is_some() {
        return LOGPROBS;
    }
    if deltafold::__bindings::has_empty_logprobs(event) {
        return EMPTY_LOGPROBS;
    }
    if deltafold::__bindings::template_match(event).is_none() {
        return 0;
    }
    // A template does not keep the place of the list. Inside of a string one of these quotes would be escaped, and no colon follows a value.
    const NAME: &[u8] = b"\"logprobs\"";
    let mut rest = deltafold::__bindings::raw_bytes(event);
    while let Some(at) = rest.windows(NAME.len()).position(|window| window == NAME) {
        rest = rest.get(at + NAME.len()..).unwrap_or_default();
        if let Some(list) = rest.trim_ascii_start().strip_prefix(b":") {
            return if list.trim_ascii_start().starts_with(b"[]") { EMPTY_LOGPROBS } else { LOGPROBS };
        }
    }
    0
}

/// The members that payloads of a kind had so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Members {
    Unseen,
    /// All payloads had only members of a plain event, so a payload with the same shape as an earlier one is plain too.
    Plain,
    /// Some payloads had other members. A payload can have the shape of any earlier one, so each is checked.
    Mixed,
}

/// The members of a plain event. JavaScript reads the last two from the payload on access.
const MEMBERS: [&str; 9] = [
    "type",
    "sequence_number",
    "item_id",
    "output_index",
    "content_index",
    "summary_index",
    "delta",
    "logprobs",
    "obfuscation",
];

#[cold]
fn has_plain_members(event: &Event<'_>) -> bool {
    // An alias of a kind keeps its wire name, and a repeated member needs the whole payload.
    if event.wire_type() != event.kind().name() || event.bad_fields().chain(event.repeated_fields()).next().is_some() {
        return false;
    }
    let Some(root) = event.root() else { return false };
    let Some(delta) = root.get("delta") else { return false };
    delta.as_str().is_some()
        && root.entries().all(|(name, value)| {
            let known = MEMBERS.iter().any(|known| name.is_str(known));
            known && !value.is_null()
        })
}

/// Returns up to eight bytes of ASCII as a little-endian number; `None` for other text, and for text at the end of the payload. Always
/// reads eight bytes, so that no branch depends on the length.
#[inline]
fn short_text(text: &[u8], payload: &[u8]) -> Option<u64> {
    let start = (text.as_ptr() as usize).wrapping_sub(payload.as_ptr() as usize);
    let bytes = payload.get(start..).and_then(<[u8]>::first_chunk::<8>).filter(|_| text.len() <= 8)?;
    // Two shifts, because a shift by 64 is an overflow.
    let others = u64::MAX << (4 * text.len()) << (4 * text.len());
    let word = u64::from_le_bytes(*bytes) & !others;
    (word & 0x8080_8080_8080_8080 == 0).then_some(word)
}

/// The length of a text in UTF-16: one unit per character, two for characters of four bytes. Eight bytes at a time.
fn units(text: &[u8]) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let words = text.chunks_exact(8);
    let rest = words.remainder();
    let mut units = text.len() as u32;
    let mut count = |word: u64| {
        if word & (ONES << 7) != 0 {
            // Bit 0 of each byte: the byte continues a character; it starts one of four bytes.
            let continues = word >> 7 & !(word >> 6) & ONES;
            let starts_four = word >> 7 & word >> 6 & word >> 5 & word >> 4 & ONES;
            units = units - continues.count_ones() + starts_four.count_ones();
        }
    };
    words.filter_map(<[u8]>::first_chunk::<8>).for_each(|word| count(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    count(u64::from_le_bytes(last));
    units
}
