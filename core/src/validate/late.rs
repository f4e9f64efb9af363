//! [`Late`]: deltas that wait for their digest.
//!
//! Short deltas have any length, so that a digest that takes each by itself is a guess for the processor at every turn, and most of
//! the time of a check. Written one behind the other they cost a copy of sixteen bytes each, and the digest takes hundreds at once.

/// The deltas of one text that are not in its digest yet.
#[derive(Clone, Debug)]
pub(super) struct Late {
    bytes: [u8; ROOM],
    filled: usize,
}

const ROOM: usize = 512;

impl Default for Late {
    fn default() -> Self {
        Self { bytes: [0; ROOM], filled: 0 }
    }
}

impl Late {
    /// Adds a delta, given as sixteen bytes and how many of them it has. `false`: it is too long, or there is no room.
    #[inline]
    pub(super) fn push(&mut self, wide: Option<&[u8; 16]>, length: usize) -> bool {
        let room = self.bytes.get_mut(self.filled..).and_then(<[u8]>::first_chunk_mut);
        let (Some(wide), Some(room), true) = (wide, room, length <= 16) else { return false };
        *room = *wide;
        self.filled += length;
        true
    }

    /// Says whether none waits.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Gives all that wait. They wait no more.
    pub(super) fn take(&mut self) -> &[u8] {
        self.bytes.get(..core::mem::take(&mut self.filled)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn all_that_was_added_waits_in_its_order() {
        let wide: [u8; 16] = core::array::from_fn(|at| at as u8);
        let (mut late, mut wanted) = (Late::default(), Vec::new());
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
