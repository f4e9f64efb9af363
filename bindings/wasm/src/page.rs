//! [`Page`]: the payloads of plain events, as bytes, for whoever asks for them.
//!
//! Payloads of one item are alike but for a few gaps. So one is kept whole, as a *model*, and of those that are like it only
//! what stands in the gaps: a tenth of the bytes, and carrying them out of the module is a good part of what a batch costs.
//! Beside each payload stands what is seldom asked for as well: where the event stands in the stream.
//! All numbers in a page have their lowest byte first; `npm/src/page.ts` reads them.

use alloc::vec;
use alloc::vec::Vec;

use deltafold::event::Foretold;

/// A page with so many bytes is full. It is told with the batch, and the next one begins a new page.
const FULL: usize = 1 << 14;

/// The most gaps that a model may have.
const GAPS: usize = 4;

#[derive(Debug)]
pub(crate) struct Page {
    /// The page, and room behind it.
    bytes: Vec<u8>,
    used: usize,
    /// The model of each slot for items; those of older pages are gone.
    models: Vec<Model>,
}

/// Where a payload that others are like stands in the page, behind its record; 0 if there is none. And what foretells those.
#[derive(Clone, Copy, Debug, Default)]
struct Model {
    at: u32,
    by: u64,
}

/// Bytes before a payload, or before its gaps: where its model stands (0: it is whole), index of the event, offset of the
/// payload in eight bytes, length of each gap in two (of a whole payload: its own, in eight).
const RECORD: usize = 24;

/// Bytes before the record of a model: the number of gaps, the length of the payload, start and end of each gap.
const HEAD: usize = 4 + 4 * GAPS;

/// A gap that is no longer is copied with what stands behind it: copying a length that is not known is a call out of the module.
const WIDE: usize = 16;

/// Where an event stands: its position among all, and the offset of its payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) index: u32,
    pub(crate) offset: u64,
}

impl Page {
    pub(crate) fn new(slots: usize) -> Self {
        Self { bytes: Vec::new(), used: 0, models: vec![Model::default(); slots] }
    }

    /// Where the page is, and how many bytes it has.
    #[inline]
    pub(crate) fn span(&self) -> (*const u8, usize) {
        (self.bytes.as_ptr(), self.used)
    }

    /// Says whether the next batch begins a new page.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.used >= FULL
    }

    /// Begins a new page, if this one is full.
    #[inline]
    pub(crate) fn turn(&mut self) {
        if self.is_full() {
            self.used = 0;
            // A payload of megabytes must not be paid for until the reader ends.
            self.bytes.truncate(4 * FULL);
            self.bytes.shrink_to(4 * FULL);
            self.models.fill(Model::default());
        }
    }

    /// Adds a payload. Gives where its record is.
    #[inline]
    pub(crate) fn push(&mut self, slot: usize, payload: &[u8], foretold: Option<Foretold<'_>>, place: Place) -> u32 {
        let Some(foretold) = foretold.filter(|_| payload.len() <= usize::from(u16::MAX)) else {
            return self.push_whole(payload, place);
        };
        let model = self.models.get(slot).filter(|model| model.by == foretold.by && model.at > 0);
        let Some(model) = model.map(|model| model.at) else {
            return self.push_model(slot, payload, foretold, place);
        };
        let start = self.used;
        let room = self.bytes.get_mut(start..start + RECORD + GAPS * WIDE);
        let Some((record, room)) = room.and_then(|room| room.split_first_chunk_mut::<RECORD>()) else {
            return self.push_apart(payload, model, foretold, place);
        };
        let (mut lengths, mut shift, mut used) = (0, 0, 0);
        for (start, end) in foretold.gaps() {
            let length = (end - start) as usize;
            let wide = payload.get(start as usize..).and_then(<[u8]>::first_chunk::<WIDE>).filter(|_| length <= WIDE);
            let (Some(wide), Some(to)) = (wide, room.get_mut(used..used + WIDE)) else {
                return self.push_apart(payload, model, foretold, place);
            };
            to.copy_from_slice(wide);
            used += length;
            lengths |= (length as u64) << shift;
            shift += 16;
        }
        *record = record_of(model, place, lengths);
        self.used = start + RECORD + used;
        start as u32
    }

    /// Adds a payload whose gaps are not all short, or stand at its very end.
    #[inline(never)]
    fn push_apart(&mut self, payload: &[u8], model: u32, foretold: Foretold<'_>, place: Place) -> u32 {
        let start = self.used;
        let lengths = foretold.gaps().zip(0..).map(|((start, end), at)| u64::from(end - start) << (16 * at));
        self.add(&record_of(model, place, lengths.sum()));
        for (start, end) in foretold.gaps() {
            self.add(payload.get(start as usize..end as usize).unwrap_or_default());
        }
        start as u32
    }

    #[inline(never)]
    fn push_whole(&mut self, payload: &[u8], place: Place) -> u32 {
        let start = self.used;
        self.add(&record_of(0, place, payload.len() as u64));
        self.add(payload);
        start as u32
    }

    #[inline(never)]
    fn push_model(&mut self, slot: usize, payload: &[u8], foretold: Foretold<'_>, place: Place) -> u32 {
        let count = foretold.gaps().count();
        if let Some(model) = self.models.get_mut(slot).filter(|_| count <= GAPS) {
            *model = Model { at: (self.used + HEAD + RECORD) as u32, by: foretold.by };
            let head = [(count as u32, payload.len() as u32)].into_iter();
            // None of the numbers is larger than the length of the payload, which fits.
            for (first, second) in head.chain(foretold.gaps()).chain([(0, 0); GAPS]).take(1 + GAPS) {
                self.add(&(first | second << 16).to_le_bytes());
            }
        }
        self.push_whole(payload, place)
    }

    /// Puts bytes behind those that are used, and sees to it that there is room for the next payload that is like another.
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

/// The bytes before a payload.
#[inline]
fn record_of(model: u32, place: Place, lengths: u64) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    let words = [u64::from(model) | u64::from(place.index) << 32, place.offset, lengths];
    for (to, word) in record.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    record
}
