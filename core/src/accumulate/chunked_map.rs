//! [`ChunkedMap`]: a sorted map in blocks of bounded length.
//!
//! It holds up to a hundred thousand keys, mostly inserted in rising order and never removed one by one. An insertion moves at most one
//! block, in any order of keys. The code is a third of that of a search tree, which matters in the wasm module.

use alloc::vec::Vec;
use core::borrow::Borrow;

/// The maximum number of keys in a block.
const BLOCK: usize = 256;

/// Sorted keys, each with a number.
#[derive(Clone, Debug)]
pub(crate) struct ChunkedMap<K> {
    /// No block is empty.
    blocks: Vec<Vec<(K, u32)>>,
    length: usize,
}

impl<K> Default for ChunkedMap<K> {
    fn default() -> Self {
        Self { blocks: Vec::new(), length: 0 }
    }
}

impl<K: Ord> ChunkedMap<K> {
    /// The number of a key.
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
    {
        let (block, place) = self.find(key);
        place.ok().map(|at| self.blocks[block][at].1)
    }

    /// Sets the number of a key, and returns the one before.
    pub(crate) fn insert(&mut self, key: K, number: u32) -> Option<u32> {
        let (block, place) = self.find(&key);
        match place {
            Ok(at) => Some(core::mem::replace(&mut self.blocks[block][at].1, number)),
            Err(at) => {
                self.put(block, at, (key, number));
                None
            }
        }
    }

    /// Sets the number of a key that has none. Returns whether it was set.
    pub(crate) fn insert_if_absent(&mut self, key: K, number: u32) -> bool {
        let (block, place) = self.find(&key);
        if let Err(at) = place {
            self.put(block, at, (key, number));
        }
        place.is_err()
    }

    /// The keys and their numbers, in the order of the keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(K, u32)> {
        self.blocks.iter().flatten()
    }

    /// The numbers, in the order of the keys.
    pub(crate) fn values(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter().map(|(_, number)| *number)
    }

    /// The number of the key at a position in the order of the keys. A block costs one step.
    pub(crate) fn nth(&self, mut position: usize) -> Option<u32> {
        for block in &self.blocks {
            match block.get(position) {
                Some((_, number)) => return Some(*number),
                None => position -= block.len(),
            }
        }
        None
    }

    /// The position of a key in the order of the keys. A block costs one step.
    pub(crate) fn position(&self, key: &K) -> Option<usize> {
        let (block, place) = self.find(key);
        let before: usize = self.blocks.get(..block)?.iter().map(Vec::len).sum();
        Some(before + place.ok()?)
    }

    /// The last key.
    pub(crate) fn last(&self) -> Option<&K> {
        self.blocks.last()?.last().map(|(key, _)| key)
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.length = 0;
    }

    /// The block where a key is or belongs, and its position there.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> (usize, Result<usize, usize>)
    where
        K: Borrow<Q>,
    {
        // Most keys arrive in rising order.
        if let Some(block) =
            self.blocks.last().filter(|block| block.last().is_some_and(|(last, _)| last.borrow() < key))
        {
            return (self.blocks.len() - 1, Err(block.len()));
        }
        let starts = |block: &Vec<(K, u32)>| block.first().is_some_and(|(first, _)| first.borrow() <= key);
        let block = self.blocks.partition_point(starts).saturating_sub(1);
        let place = self.blocks.get(block).map_or(Err(0), |block| block.binary_search_by(|(k, _)| k.borrow().cmp(key)));
        (block, place)
    }

    fn put(&mut self, mut block: usize, mut at: usize, pair: (K, u32)) {
        self.length += 1;
        let full = self.blocks.get(block).is_none_or(|keys| keys.len() == BLOCK);
        if full {
            // Keys that arrive in order leave full blocks, others leave half-full ones.
            let rest = match self.blocks.get_mut(block) {
                Some(keys) if at < BLOCK => keys.split_off(BLOCK / 2),
                _ => Vec::new(),
            };
            let after = self.blocks.len().min(block + 1);
            if rest.is_empty() || at > BLOCK / 2 {
                at = if rest.is_empty() { 0 } else { at - BLOCK / 2 };
                block = after;
            }
            self.blocks.insert(after, rest);
        }
        self.blocks[block].insert(at, pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    #[test]
    fn any_order_of_arrival_gives_the_order_of_the_keys() {
        let rising = |at: u32| at;
        let falling = |at: u32| 5000 - at;
        let scattered = |at: u32| at.wrapping_mul(2_654_435_761) >> 7;
        let repeated = |at: u32| at % 700;
        // Under Miri, a few blocks take a minute.
        let count = if cfg!(miri) { 300 } else { 5000 };
        for key in [rising, falling, scattered, repeated] {
            let (mut sorted, mut model) = (ChunkedMap::default(), BTreeMap::new());
            for at in 0..count {
                assert_eq!(sorted.insert(key(at), at), model.insert(key(at), at));
                assert_eq!(sorted.last(), model.keys().next_back());
            }
            assert!(sorted.iter().map(|(key, at)| (key, at)).eq(model.iter()));
            assert_eq!(sorted.len(), model.len());
            assert!((0..count + 1000).all(|key| sorted.get(&key) == model.get(&key).copied()));
            for (at, (key, number)) in model.iter().enumerate() {
                assert_eq!((sorted.nth(at), sorted.position(key)), (Some(*number), Some(at)));
            }
            assert_eq!((sorted.nth(model.len()), sorted.position(&u32::MAX)), (None, None));
            sorted.insert_if_absent(3, 9999);
            assert_eq!(sorted.get(&3), Some(*model.get(&3).unwrap_or(&9999)));
        }
    }
}
