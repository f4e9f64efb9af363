//! [`PendingDeltas`]: deltas that are not in the digest of their text yet.
//!
//! Digesting each short delta separately costs a mispredicted branch per delta, because lengths vary; that was most of the time
//! of validation. Copying 16 bytes per delta into one buffer is cheaper, and the digest then takes hundreds of bytes at once.

/// The deltas of one text that are not in its digest yet.
#[derive(Clone, Debug)]
pub(super) struct PendingDeltas {
    bytes: [u8; ROOM],
    filled: usize,
}

const ROOM: usize = 512;

impl Default for PendingDeltas {
    fn default() -> Self {
        Self { bytes: [0; ROOM], filled: 0 }
    }
}

impl PendingDeltas {
    /// Appends a delta, given as 16 bytes and its length. Returns `false` if it is longer than 16 bytes or the buffer is full.
    #[inline]
    pub(super) fn push(&mut self, wide: Option<&[u8; 16]>, length: usize) -> bool {
        let room = self.bytes.get_mut(self.filled..).and_then(<[u8]>::first_chunk_mut);
        let (Some(wide), Some(room), true) = (wide, room, length <= 16) else { return false };
        *room = *wide;
        self.filled += length;
        true
    }

    /// Returns `true` if no delta is pending.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Returns the pending deltas and clears the buffer.
    pub(super) fn take(&mut self) -> &[u8] {
        self.bytes.get(..core::mem::take(&mut self.filled)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn take_returns_the_deltas_in_order() {
        let wide: [u8; 16] = core::array::from_fn(|at| at as u8);
        let (mut late, mut wanted) = (PendingDeltas::default(), Vec::new());
        for length in (0..=16).cycle() {
            if !late.push(Some(&wide), length) {
                break;
            }
            wanted.extend_from_slice(&wide[..length]);
        }
        assert!(wanted.len() > ROOM - 16 && !late.is_empty());
        assert_eq!(late.take(), wanted);
        assert!(late.is_empty() && late.take().is_empty());
        assert!(!late.push(Some(&wide), 17) && !late.push(None, 1) && late.is_empty());
    }
}
