//! [`Page`]: the payloads of plain events, as bytes, for whoever asks for them.
//!
//! Payloads of one item are alike but for a few gaps. So one is kept whole, as a *model*, and of those that are like it only
//! what stands in the gaps: a tenth of the bytes, and carrying them out of the module is a good part of what a batch costs.
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
    bytes: Vec<u8>,
    /// The model of each slot for items; those of older pages are gone.
    models: Vec<Model>,
}

/// Where a payload that others are like stands in the page, behind its head; 0 if there is none. And what foretells those.
#[derive(Clone, Copy, Debug, Default)]
struct Model {
    at: u32,
    by: u64,
}

/// Bytes before the payload of a model: the number of gaps, the length of the payload, start and end of each gap.
const HEAD: usize = 4 + 4 * GAPS;

impl Page {
    pub(crate) fn new(slots: usize) -> Self {
        Self { bytes: Vec::new(), models: vec![Model::default(); slots] }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins a new page, if this one is full.
    #[inline]
    pub(crate) fn turn(&mut self) {
        if self.bytes.len() >= FULL {
            self.bytes.clear();
            // A payload of megabytes must not be paid for until the reader ends.
            self.bytes.shrink_to(4 * FULL);
            self.models.fill(Model::default());
        }
    }

    /// Adds a payload. Gives where it is, and whether that only says how it differs from a model.
    #[inline]
    pub(crate) fn push(&mut self, slot: usize, payload: &[u8], foretold: Option<Foretold>) -> (u32, u32, bool) {
        let Some(foretold) = foretold.filter(|_| payload.len() <= usize::from(u16::MAX)) else {
            return self.push_whole(payload);
        };
        let (by, gaps) = (foretold.by, foretold.gaps());
        let Some(model) = self.models.get(slot).filter(|model| model.by == by && model.at > 0) else {
            return self.push_model(slot, payload, by, gaps);
        };
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&model.at.to_le_bytes());
        let lengths = gaps.iter().rev().fold(0u64, |lengths, (start, end)| lengths << 16 | u64::from(end - start));
        self.bytes.extend_from_slice(&lengths.to_le_bytes());
        for (start, end) in gaps {
            let (start, end) = (*start as usize, *end as usize);
            // More is copied than is wanted, and then cut off: copying a length that is not known is a call out of the module.
            match payload.get(start..start + 16) {
                Some(wide) if end - start <= 16 => {
                    self.bytes.extend_from_slice(wide);
                    self.bytes.truncate(self.bytes.len() + end - start - 16);
                }
                _ => self.bytes.extend_from_slice(payload.get(start..end).unwrap_or_default()),
            }
        }
        (start as u32, self.bytes.len() as u32, true)
    }

    fn push_whole(&mut self, payload: &[u8]) -> (u32, u32, bool) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(payload);
        (start as u32, self.bytes.len() as u32, false)
    }

    #[inline(never)]
    fn push_model(&mut self, slot: usize, payload: &[u8], by: u64, gaps: &[(u32, u32)]) -> (u32, u32, bool) {
        let Some(model) = self.models.get_mut(slot).filter(|_| gaps.len() <= GAPS) else {
            return self.push_whole(payload);
        };
        *model = Model { at: (self.bytes.len() + HEAD) as u32, by };
        let head = [(gaps.len() as u32, payload.len() as u32)];
        let none = [(0, 0); GAPS];
        // None of the numbers is larger than the length of the payload, which fits.
        for (first, second) in head.iter().chain(gaps).chain(&none[gaps.len()..]) {
            self.bytes.extend_from_slice(&(first | second << 16).to_le_bytes());
        }
        self.push_whole(payload)
    }
}
