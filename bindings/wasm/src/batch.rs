//! [`Batch`]: the events of one feed as numbers and one text, which JavaScript reads straight from this memory.
//!
//! Crossing the border per event, with a string or an object, costs more than reading the event. So a feed leaves a table
//! of rows ([`Row`]), one for each event, and one text; JavaScript decodes that text once and cuts it. The numbers of a text are
//! positions in UTF-16, since that is how JavaScript cuts.
//!
//! An event is *plain* if it is a delta with all its routing fields and no member that JavaScript has no slot for: its
//! object is made from the numbers and the delta alone. Hardly anybody looks at the payload of such an event, so it is not
//! in the text but on a [`Page`]; JavaScript takes a full one away as a whole, and reads of it what is asked for. Every other
//! event is parsed from its payload, which is in the text.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use deltafold::Event;

use crate::outline;
use crate::page::{Page, Place};

/// Numbers per event. All have kind and flags first, and the ends of their two texts last; the texts of an event stand behind
/// those of the one before. Of a plain event: sequence number, both indexes, where its record is on the page; its texts are
/// delta and, if it is another than before, the item's id. Of others: byte offset (low, high) and index; their texts are payload
/// and outline.
type Row = [u32; 6];

/// Members of the header: where the table, the text and the page are, and how much there is of them.
const HEAD: usize = 6;

const PLAIN: u32 = 1 << 8;
const CONTENT: u32 = 1 << 9;
const SUMMARY: u32 = 1 << 10;
const NEW_ITEM: u32 = 1 << 11;
const LOGPROBS: u32 = 1 << 12;
const FAULTY: u32 = 1 << 13;

/// Flags of the header: the text is not ASCII, reading has ended, the page is full.
const WIDE: u32 = 1;
const STOPPED: u32 = 2;
const FULL: u32 = 4;

/// Item ids that JavaScript holds as strings, by the low bits of the output index.
const SLOTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Batch {
    /// Table, text, bytes of text, flags, page, bytes of page; kept in one place.
    head: Box<[u32; HEAD]>,
    table: Vec<Row>,
    text: Vec<u8>,
    /// Length of the text in UTF-16.
    units: u32,
    page: Page,
    items: Vec<Vec<u8>>,
    /// What is known of the payloads of a kind.
    members: [Members; 256],
    last: Last,
}

/// What is the same in plain events that were foretold by the same.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// What foretold the newest plain event; 0 if nothing did.
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
            last: Last::default(),
        }
    }

    /// Where the header is; it stays there for the life of the batch.
    pub(crate) fn head(&self) -> *const u32 {
        self.head.as_ptr()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.text.clear();
        self.units = 0;
        // A payload of megabytes must not be paid for until the reader ends.
        self.text.shrink_to(1 << 20);
        self.page.turn();
    }

    /// Adds an event. For a plain one without log probabilities, which can only have made a string grow, says by how much.
    #[inline]
    pub(crate) fn push(&mut self, event: &Event<'_>) -> Option<usize> {
        let foretold = event.foretold();
        let by = foretold.map_or(0, |foretold| foretold.by);
        let Some(number) = event.sequence_number().and_then(|number| u32::try_from(number).ok()) else {
            self.push_other(event);
            return None;
        };
        // What was foretold by the same has the same text outside its gaps: the same members, indexes and id.
        let same = by != 0 && by == self.last.by && !event.halves().lone;
        if !same {
            let Some(plain) = self.plain(event) else {
                self.push_other(event);
                return None;
            };
            self.last = Last { by, ..plain };
        }
        let Last { mut flags, indexes, .. } = self.last;
        let delta = event.delta_bytes();
        let slot = (indexes & 0xFFFF) as usize % SLOTS;
        let place = Place { index: event.index() as u32, offset: event.offset() };
        let raw = event.raw_bytes();
        let at = self.page.push(slot, raw, foretold, place);
        let delta_end = match short_in(delta, raw) {
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

    /// Says whether JavaScript holds another id for the item of an event; if so, the right one is appended.
    #[inline(never)]
    fn is_new_item(&mut self, slot: usize, event: &Event<'_>) -> bool {
        let id = event.strings().item_id;
        let Some(item) = self.items.get_mut(slot).filter(|item| *item != id) else { return false };
        item.clear();
        item.extend_from_slice(id);
        self.append_any(id);
        true
    }

    #[inline(never)]
    fn push_other(&mut self, event: &Event<'_>) {
        let payload = self.append_any(event.raw_bytes());
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
        ];
        self.table.len() as u32
    }

    /// Appends up to eight bytes of a number, the first one lowest: copying so few bytes as such is a call out of the module.
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

    /// What is known of a plain event, beside its number and its texts; `None` for all others.
    #[inline(never)]
    fn plain(&mut self, event: &Event<'_>) -> Option<Last> {
        let members = &mut self.members[event.kind() as usize];
        if *members != Members::Plain || !event.repeats() {
            if !has_plain_members(event) {
                *members = Members::Odd;
                return None;
            }
            if *members == Members::Unseen {
                *members = Members::Plain;
            }
        }
        if event.halves().lone {
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
        if event.logprobs().is_some() {
            flags |= LOGPROBS;
        }
        event.item_id()?;
        let [output, element] = [event.output_index()?, element].map(u16::try_from);
        Some(Last { by: 0, flags, indexes: u32::from(output.ok()?) | u32::from(element.ok()?) << 16 })
    }
}

/// What is known of the payloads of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Members {
    Unseen,
    /// All had only members that a plain event has, so one that repeats another has no others.
    Plain,
    /// Some had others. A repetition may repeat an older payload than the last, so every one is looked at.
    Odd,
}

/// Members that a plain event has a place for. The last two are read from the payload when somebody looks.
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
    // A name that stands for another kind is kept as it was sent, and a member that is there twice is an odd one.
    if event.wire_type() != event.kind().as_str() || event.bad_fields().chain(event.repeated_fields()).next().is_some()
    {
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

/// Up to eight bytes of ASCII as a number, the first one lowest, if they stand in a payload that goes on behind them; `None` if
/// not. What stands behind them is read with them, so that no branch depends on how many they are.
#[inline]
fn short_in(text: &[u8], payload: &[u8]) -> Option<u64> {
    let start = (text.as_ptr() as usize).wrapping_sub(payload.as_ptr() as usize);
    let bytes = payload.get(start..).and_then(<[u8]>::first_chunk::<8>).filter(|_| text.len() <= 8)?;
    // Two shifts, since one by all the bits there are is none.
    let others = u64::MAX << (4 * text.len()) << (4 * text.len());
    let word = u64::from_le_bytes(*bytes) & !others;
    (word & 0x8080_8080_8080_8080 == 0).then_some(word)
}

/// Length of a text in UTF-16: a unit for every character, and one more for those of four bytes.
fn units(text: &[u8]) -> u32 {
    if text.is_ascii() {
        return text.len() as u32;
    }
    let count = |wanted: fn(&u8) -> bool| text.iter().copied().filter(wanted).count() as u32;
    count(|byte| byte & 0xC0 != 0x80) + count(|byte| *byte >= 0xF0)
}
