//! [`Batch`]: the events of one feed as numbers and one text, which JavaScript reads straight from this memory.
//!
//! Crossing the border per event, with a string or an object, costs more than reading the event. So a feed leaves a table
//! of [`WORDS`] numbers per event, and one text; JavaScript decodes that text once and cuts it. The numbers of a text are
//! positions in UTF-16, since that is how JavaScript cuts.
//!
//! An event is *plain* if it is a delta with all its routing fields and no member that JavaScript has no slot for: its
//! object is made from the numbers and the delta alone. Hardly anybody looks at the payload of such an event, so it is not
//! in the text but on a [`Page`]; JavaScript takes a full one away as a whole, and reads of it what is asked for. Every other
//! event is parsed from its payload, which is in the text.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use deltafold::json::write_string;
use deltafold::Event;

use crate::page::Page;

/// Numbers per event: kind and flags, sequence number, output index, element index, item id slot, payload start and end,
/// delta start and end, item id start and end, byte offset (low, high). The payload of a plain event is on the page, where
/// positions are in bytes; all else is in the text.
const WORDS: usize = 13;

/// Members of the header: where the table, the text and the page are, and how much there is of them.
const HEAD: usize = 8;

const PLAIN: u32 = 1 << 8;
const CONTENT: u32 = 1 << 9;
const SUMMARY: u32 = 1 << 10;
const NEW_ITEM: u32 = 1 << 11;
const LOGPROBS: u32 = 1 << 12;
const FAULTY: u32 = 1 << 13;
const ALIKE: u32 = 1 << 14;

/// Item ids that JavaScript holds as strings, by the low bits of the output index.
const SLOTS: usize = 64;

/// Payloads from this length on are parsed when somebody looks; their member names are told beside them.
const LAZY: usize = 2048;

#[derive(Debug)]
pub(crate) struct Batch {
    /// Table, text, bytes of text, whether reading has ended, index of the first event, whether the text is ASCII, page, bytes
    /// of page; kept in one place.
    head: Box<[u32; HEAD]>,
    table: Vec<u32>,
    text: Vec<u8>,
    /// Length of the text in UTF-16.
    units: u32,
    page: Page,
    items: Vec<Vec<u8>>,
    /// What is known of the payloads of a kind.
    members: [Members; 256],
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
        if self.table.is_empty() {
            self.head[4] = event.index() as u32;
        }
        let Some(plain) = self.plain(event) else {
            self.push_other(event);
            return None;
        };
        let slot = plain.output_index as usize % SLOTS;
        let (start, end, alike) = self.page.push(slot, plain.payload, event.foretold());
        let delta_start = self.units;
        let delta_end = self.append(plain.delta);
        let mut flags = plain.flags | if alike { ALIKE } else { 0 };
        let mut id = (0, 0);
        if self.items[slot] != plain.item_id {
            flags |= NEW_ITEM;
            self.items[slot].clear();
            self.items[slot].extend_from_slice(plain.item_id);
            id = (self.units, self.append(plain.item_id));
        }
        self.table.extend_from_slice(&[
            event.kind() as u32 | flags,
            plain.sequence_number,
            plain.output_index,
            plain.element,
            slot as u32,
            start,
            end,
            delta_start,
            delta_end,
            id.0,
            id.1,
            event.offset() as u32,
            (event.offset() >> 32) as u32,
        ]);
        (flags & LOGPROBS == 0).then_some(plain.delta.len())
    }

    #[inline(never)]
    fn push_other(&mut self, event: &Event<'_>) {
        let start = self.units;
        let end = self.append(event.raw().as_bytes());
        let fault = if event.fault().is_some() { FAULTY } else { 0 };
        let (names, names_end) = self.names(event);
        let (offset_low, offset_high) = (event.offset() as u32, (event.offset() >> 32) as u32);
        let kind = event.kind() as u32;
        let row = [kind | fault, 0, 0, 0, 0, start, end, names, names_end, 0, 0, offset_low, offset_high];
        self.table.extend_from_slice(&row);
    }

    /// Fills the header and returns the number of events.
    #[inline]
    pub(crate) fn seal(&mut self, stopped: bool) -> u32 {
        *self.head = [
            self.table.as_ptr() as u32,
            self.text.as_ptr() as u32,
            self.text.len() as u32,
            u32::from(stopped),
            self.head[4],
            u32::from(self.units as usize == self.text.len()),
            self.page.bytes().as_ptr() as u32,
            self.page.bytes().len() as u32,
        ];
        (self.table.len() / WORDS) as u32
    }

    #[inline]
    fn append(&mut self, text: &[u8]) -> u32 {
        match word(text).filter(|word| word & 0x8080_8080_8080_8080 == 0) {
            // Copying so few bytes as such is a call out of the module.
            Some(word) => {
                self.text.extend_from_slice(&word.to_le_bytes());
                self.text.truncate(self.text.len() - 8 + text.len());
                self.units += text.len() as u32;
            }
            None => self.append_any(text),
        }
        self.units
    }

    #[inline(never)]
    fn append_any(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.units += if text.is_ascii() { text.len() as u32 } else { units(text) };
    }

    /// The numbers of a plain event; `None` for all others.
    #[inline]
    fn plain<'a>(&mut self, event: &Event<'a>) -> Option<Plain<'a>> {
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
        let strings = event.strings();
        if !strings.has_item_id {
            return None;
        }
        Some(Plain {
            flags,
            sequence_number: u32::try_from(event.sequence_number()?).ok()?,
            output_index: u32::try_from(event.output_index()?).ok()?,
            element: u32::try_from(element).ok()?,
            item_id: strings.item_id,
            delta: strings.delta,
            payload: strings.raw,
        })
    }

    /// Appends what is known of a long payload without parsing it, as a JSON array: `type`, sequence number or null, and the
    /// names of the members.
    #[cold]
    fn names(&mut self, event: &Event<'_>) -> (u32, u32) {
        let Some(root) = event.root().filter(|_| event.raw().len() >= LAZY) else { return (0, 0) };
        let start = self.units;
        let mut names = String::from("[");
        write_string(event.wire_type(), &mut names);
        names.push(',');
        names.push_str(root.get("sequence_number").map_or("null", |number| number.raw()));
        for (name, _) in root.entries() {
            names.push(',');
            names.push_str(name.raw());
        }
        names.push(']');
        let end = self.append(names.as_bytes());
        (start, end)
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

/// What a plain event is made of.
struct Plain<'a> {
    flags: u32,
    sequence_number: u32,
    output_index: u32,
    element: u32,
    item_id: &'a [u8],
    delta: &'a [u8],
    payload: &'a [u8],
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

/// Up to eight bytes as a number, the first one lowest; `None` if there are more.
#[inline]
fn word(text: &[u8]) -> Option<u64> {
    let length = text.len();
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let [first, last] = [*first, *last].map(|bytes| u64::from(u32::from_le_bytes(bytes)));
        return (length <= 8).then(|| first | last << (8 * (length - 4)));
    }
    Some(text.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

/// Length of a text in UTF-16: a unit for every character, and one more for those of four bytes.
fn units(text: &[u8]) -> u32 {
    let count = |wanted: fn(&u8) -> bool| text.iter().copied().filter(wanted).count() as u32;
    count(|byte| byte & 0xC0 != 0x80) + count(|byte| *byte >= 0xF0)
}
