//! [`Page`]: the payloads of plain events as bytes, which JavaScript reads on access.
//!
//! Payloads of one item differ only in a few gaps. So one is stored as a whole, the *base*, and others only as the text of their
//! gaps: a tenth of the bytes, which matters because copying them out of the module is a large part of the cost of a batch.
//! Each payload has a record with the position of its event in the stream.
//! All numbers in a page are little-endian; `npm/src/page.ts` reads them.

use alloc::vec;
use alloc::vec::Vec;

use deltafold::__bindings::TemplateMatch;

/// A page with this number of bytes is full: the batch has a flag for it, and the next batch starts a new page.
const FULL: usize = 1 << 14;

/// Maximum number of gaps of a base.
const GAPS: usize = 4;

#[derive(Debug)]
pub(crate) struct Page {
    /// The page, and free space after it.
    bytes: Vec<u8>,
    used: usize,
    /// The base of each slot for items in this page.
    bases: Vec<BasePayload>,
}

/// A base payload: its position in the page after its record (0 if there is none), and its template.
#[derive(Clone, Copy, Debug, Default)]
struct BasePayload {
    at: u32,
    by: u64,
}

/// Length of the record before a payload or its gaps: position of the base in four bytes (0 for a whole payload), index of the event
/// in four, offset of the payload in eight, length of each gap in two (for a whole payload: its own length in eight).
const RECORD: usize = 24;

/// Length of the head before the record of a base: the number of gaps, the length of the payload, start and end of each gap.
const HEAD: usize = 4 + 4 * GAPS;

/// A gap up to this length is copied with the bytes after it, because a copy of variable length would be a function call.
const WIDE: usize = 16;

/// The position of an event in the stream, and the byte offset of its payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventPosition {
    pub(crate) index: u32,
    pub(crate) offset: u64,
}

impl Page {
    pub(crate) fn new(slots: usize) -> Self {
        Self { bytes: Vec::new(), used: 0, bases: vec![BasePayload::default(); slots] }
    }

    /// The address of the page and its length.
    #[inline]
    pub(crate) fn span(&self) -> (*const u8, usize) {
        (self.bytes.as_ptr(), self.used)
    }

    /// Returns whether the next batch starts a new page.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.used >= FULL
    }

    /// Starts a new page if this one is full.
    #[inline]
    pub(crate) fn turn(&mut self) {
        if self.is_full() {
            self.used = 0;
            // Releases the memory of a payload of megabytes.
            self.bytes.truncate(4 * FULL);
            self.bytes.shrink_to(4 * FULL);
            self.bases.fill(BasePayload::default());
        }
    }

    /// Releases the memory; the page is empty.
    pub(crate) fn release(&mut self) {
        self.bytes = Vec::new();
        self.used = 0;
        self.bases.fill(BasePayload::default());
    }

    /// Adds a payload and returns the position of its record.
    #[inline]
    pub(crate) fn push(
        &mut self,
        slot: usize,
        payload: &[u8],
        matched: Option<TemplateMatch<'_>>,
        place: EventPosition,
    ) -> u32 {
        let Some(matched) = matched.filter(|_| payload.len() <= usize::from(u16::MAX)) else {
            return self.push_whole(payload, place);
        };
        let base = self.bases.get(slot).filter(|base| base.by == matched.template && base.at > 0);
        let Some(base) = base.map(|base| base.at) else {
            return self.push_base(slot, payload, matched, place);
        };
        let start = self.used;
        let room = self.bytes.get_mut(start..start + RECORD + GAPS * WIDE);
        let Some((record, room)) = room.and_then(|room| room.split_first_chunk_mut::<RECORD>()) else {
            return self.push_long_gaps(payload, base, matched, place);
        };
        let (mut lengths, mut shift, mut used) = (0, 0, 0);
        for (start, end) in matched.gaps() {
            let length = (end - start) as usize;
            let wide = payload.get(start as usize..).and_then(<[u8]>::first_chunk::<WIDE>).filter(|_| length <= WIDE);
            let (Some(wide), Some(to)) = (wide, room.get_mut(used..used + WIDE)) else {
                return self.push_long_gaps(payload, base, matched, place);
            };
            to.copy_from_slice(wide);
            used += length;
            lengths |= (length as u64) << shift;
            shift += 16;
        }
        *record = record_of(base, place, lengths);
        self.used = start + RECORD + used;
        start as u32
    }

    /// Adds a payload with a long gap, or with a gap at its end.
    #[inline(never)]
    fn push_long_gaps(&mut self, payload: &[u8], base: u32, matched: TemplateMatch<'_>, place: EventPosition) -> u32 {
        let start = self.used;
        let lengths = matched.gaps().zip(0..).map(|((start, end), at)| u64::from(end - start) << (16 * at));
        self.add(&record_of(base, place, lengths.sum()));
        for (start, end) in matched.gaps() {
            self.add(payload.get(start as usize..end as usize).unwrap_or_default());
        }
        start as u32
    }

    #[inline(never)]
    fn push_whole(&mut self, payload: &[u8], place: EventPosition) -> u32 {
        let start = self.used;
        self.add(&record_of(0, place, payload.len() as u64));
        self.add(payload);
        start as u32
    }

    #[inline(never)]
    fn push_base(&mut self, slot: usize, payload: &[u8], matched: TemplateMatch<'_>, place: EventPosition) -> u32 {
        let count = matched.gaps().count();
        if let Some(base) = self.bases.get_mut(slot).filter(|_| count <= GAPS) {
            *base = BasePayload { at: (self.used + HEAD + RECORD) as u32, by: matched.template };
            let head = [(count as u32, payload.len() as u32)].into_iter();
            // No number is larger than the length of the payload, which fits in 16 bits.
            for (first, second) in head.chain(matched.gaps()).chain([(0, 0); GAPS]).take(1 + GAPS) {
                self.add(&(first | second << 16).to_le_bytes());
            }
        }
        self.push_whole(payload, place)
    }

    /// Appends bytes, and keeps free space for the next payload that is stored as gaps.
    fn add(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        if end + RECORD + GAPS * WIDE > self.bytes.len() {
            self.bytes.resize((end + RECORD + GAPS * WIDE).max(2 * self.bytes.len()), 0);
        }
        if let Some(to) = self.bytes.get_mut(self.used..end) {
            to.copy_from_slice(bytes);
        }
        self.used = end;
    }
}

/// The record before a payload.
#[inline]
fn record_of(base: u32, place: EventPosition, lengths: u64) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    let words = [u64::from(base) | u64::from(place.index) << 32, place.offset, lengths];
    for (to, word) in record.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    record
}
