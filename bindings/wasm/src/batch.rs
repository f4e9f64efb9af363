//! [`Batch`]: the events of one feed as numbers and one text, which JavaScript reads straight from this memory.
//!
//! Crossing the border per event, with a string or an object, costs more than reading the event. So a feed leaves a table
//! of [`WORDS`] numbers per event, and one text with every payload; JavaScript decodes that text once and cuts it. The
//! numbers of a text are positions in UTF-16, since that is how JavaScript cuts.
//!
//! An event is *plain* if it is a delta with all its routing fields and no member that JavaScript has no slot for: its
//! object is made from the numbers alone. Every other event is parsed from its payload text.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use deltafold::json::write_string;
use deltafold::Event;

/// Numbers per event: kind and flags, sequence number, output index, element index, item id slot, payload start and end,
/// delta start and end, item id start and end, byte offset (low, high).
const WORDS: usize = 13;

/// Members of the header: where the table and the text are, and how much there is of them.
const HEAD: usize = 7;

const PLAIN: u32 = 1 << 8;
const CONTENT: u32 = 1 << 9;
const SUMMARY: u32 = 1 << 10;
const NEW_ITEM: u32 = 1 << 11;
const LOGPROBS: u32 = 1 << 12;
const FAULTY: u32 = 1 << 13;

/// Item ids that JavaScript holds as strings, by the low bits of the output index.
const SLOTS: usize = 64;

/// Payloads from this length on are parsed when somebody looks; their member names are told beside them.
const LAZY: usize = 2048;

#[derive(Debug)]
pub(crate) struct Batch {
    /// Event count, table, text, bytes of text, whether reading has ended, index of the first event, whether the text is ASCII;
    /// kept in one place.
    head: Box<[u32; HEAD]>,
    table: Vec<u32>,
    text: String,
    /// Length of the text in UTF-16.
    units: u32,
    items: Vec<String>,
    /// What is known of the payloads of a kind.
    members: [Members; 256],
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self {
            head: Box::new([0; HEAD]),
            table: Vec::new(),
            text: String::new(),
            units: 0,
            items: vec![String::new(); SLOTS],
            members: [Members::Unseen; 256],
        }
    }

    /// Where the header is; it stays there for the life of the batch.
    pub(crate) fn head(&self) -> *const u32 {
        self.head.as_ptr()
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.text.clear();
        self.units = 0;
        // A payload of megabytes must not be paid for until the reader ends.
        self.text.shrink_to(1 << 20);
    }

    /// Adds an event. Says whether it is a plain one without log probabilities: one that can only have made a string grow.
    #[inline]
    pub(crate) fn push(&mut self, event: &Event<'_>) -> bool {
        if self.table.is_empty() {
            self.head[5] = event.index() as u32;
        }
        let raw = event.raw();
        let ascii = raw.is_ascii();
        let start = self.units;
        let end = self.append(raw, ascii);
        let (offset_low, offset_high) = (event.offset() as u32, (event.offset() >> 32) as u32);
        let kind = event.kind() as u32;
        let Some(plain) = self.plain(event) else {
            let fault = if event.fault().is_some() { FAULTY } else { 0 };
            let (names, names_end) = self.names(event);
            let row = [kind | fault, 0, 0, 0, 0, start, end, names, names_end, 0, 0, offset_low, offset_high];
            self.table.extend_from_slice(&row);
            return false;
        };
        let delta = event.delta();
        let (delta_start, delta_end) = match span(raw, delta) {
            Some((from, to)) if ascii => (start + from, start + to),
            Some((from, _)) => {
                let from = start + units(&raw[..from as usize]);
                (from, from + units(delta))
            }
            // Escapes were decoded, so the payload does not have it.
            None => (self.units, self.append(delta, delta.is_ascii())),
        };
        let slot = plain.output_index as usize % SLOTS;
        let mut flags = plain.flags;
        let mut id = (0, 0);
        if self.items[slot] != plain.item_id {
            flags |= NEW_ITEM;
            self.items[slot].clear();
            self.items[slot].push_str(plain.item_id);
            id = (self.units, self.append(plain.item_id, plain.item_id.is_ascii()));
        }
        self.table.extend_from_slice(&[
            kind | flags,
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
            offset_low,
            offset_high,
        ]);
        flags & LOGPROBS == 0
    }

    /// Fills the header and returns the number of events.
    pub(crate) fn seal(&mut self, stopped: bool) -> u32 {
        let count = (self.table.len() / WORDS) as u32;
        self.head[0] = count;
        self.head[1] = self.table.as_ptr() as u32;
        self.head[2] = self.text.as_ptr() as u32;
        self.head[3] = self.text.len() as u32;
        self.head[4] = u32::from(stopped);
        self.head[6] = u32::from(self.units as usize == self.text.len());
        count
    }

    #[inline]
    fn append(&mut self, text: &str, ascii: bool) -> u32 {
        self.text.push_str(text);
        self.units += if ascii { text.len() as u32 } else { units(text) };
        self.units
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
        Some(Plain {
            flags,
            sequence_number: u32::try_from(event.sequence_number()?).ok()?,
            output_index: u32::try_from(event.output_index()?).ok()?,
            element: u32::try_from(element).ok()?,
            item_id: event.item_id()?,
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
        let end = self.append(&names, names.is_ascii());
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

/// What a plain event is made of, beside its delta.
struct Plain<'a> {
    flags: u32,
    sequence_number: u32,
    output_index: u32,
    element: u32,
    item_id: &'a str,
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

/// Position of a part of a text in it, in bytes; `None` if it is not a part of it.
#[inline]
fn span(whole: &str, part: &str) -> Option<(u32, u32)> {
    let from = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (from + part.len() <= whole.len()).then_some((from as u32, (from + part.len()) as u32))
}

/// Length of a text in UTF-16: a unit for every character, and one more for those of four bytes.
fn units(text: &str) -> u32 {
    let count = |wanted: fn(&u8) -> bool| text.bytes().filter(wanted).count() as u32;
    count(|byte| byte & 0xC0 != 0x80) + count(|byte| *byte >= 0xF0)
}
