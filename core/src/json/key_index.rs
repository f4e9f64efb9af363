//! [`KeyIndex`]: finds a key among the members of a large object in O(log² n).
//!
//! It is a list of sorted runs of positions. A new position is a run of one, and runs of equal length are merged, so an insertion costs
//! O(log n) comparisons on average. It hashes nothing: a sender that chooses the keys cannot make it slow.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The positions of members, sorted by key in runs whose lengths are powers of two, the longest run first.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyIndex {
    runs: Vec<Vec<u32>>,
}

impl KeyIndex {
    /// Adds the member at a position, which is after all others. `key_at` gives the key of each position.
    pub(super) fn push<'k>(&mut self, position: u32, key_at: impl Fn(u32) -> &'k str) {
        let mut run = Vec::from([position]);
        while self.runs.last().is_some_and(|before| before.len() == run.len()) {
            let before = self.runs.pop().unwrap_or_default();
            run = merge(&before, &run, &key_at);
        }
        self.runs.push(run);
    }

    /// The last position of a key.
    pub(super) fn position<'k>(&self, key: &str, key_at: impl Fn(u32) -> &'k str) -> Option<u32> {
        // Later runs have later positions, and equal keys of a run are in the order of their positions.
        self.runs.iter().rev().find_map(|run| {
            let end = run.partition_point(|position| key_at(*position) <= key);
            let last = *run.get(end.checked_sub(1)?)?;
            (key_at(last) == key).then_some(last)
        })
    }
}

/// Merges two sorted runs; the positions of the first precede those of the second.
fn merge<'k>(first: &[u32], second: &[u32], key_at: &impl Fn(u32) -> &'k str) -> Vec<u32> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.iter().copied().peekable(), second.iter().copied().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        let next = if key_at(*a).cmp(key_at(*b)) == Ordering::Greater { &mut second } else { &mut first };
        merged.extend(next.next());
    }
    merged.extend(first);
    merged.extend(second);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn the_last_position_of_every_key_is_found_in_any_order_of_keys() {
        let count = if cfg!(miri) { 70 } else { 700 };
        let orders: [fn(usize) -> usize; 4] = [|at| at, |at| 10_000 - at, |at| at * 7919 % 701, |at| at % 13];
        for order in orders {
            let (mut index, mut keys) = (KeyIndex::default(), Vec::<String>::new());
            for at in 0..count {
                keys.push(format!("k{}", order(at)));
                index.push(at as u32, |at| &keys[at as usize]);
                for key in [&keys[at], &keys[at / 2], &String::from("absent"), &String::new()] {
                    let expected = keys.iter().rposition(|known| known == key).map(|at| at as u32);
                    assert_eq!(index.position(key, |at| &keys[at as usize]), expected, "{key} of {at}");
                }
            }
            assert!(index.runs.windows(2).all(|pair| pair[0].len() > pair[1].len()));
        }
    }
}
