//! Reproducible randomness.

/// A small seeded generator (SplitMix64). Not for secrets; the same seed gives the same numbers on every machine.
///
/// It can also be driven by bytes: they make the choices, in order, until they are used up. A fuzzer that changes a
/// byte changes one choice.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Bytes that make the choices, the next one last.
    led: Vec<u8>,
}

impl Random {
    /// Creates a generator. Any seed is valid, including 0.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, led: Vec::new() }
    }

    /// Creates a generator that is driven by these bytes.
    pub fn led_by(bytes: &[u8]) -> Self {
        Self { state: 0, led: bytes.iter().rev().copied().collect() }
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        if let Some(byte) = self.led.pop() {
            return u64::from(byte);
        }
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `bound - 1`; 0 if the bound is 0. The slight bias towards small numbers is irrelevant here.
    pub fn below(&mut self, bound: usize) -> usize {
        let mut bits = self.bits();
        // One driving byte has at most 256 results.
        if bound > 256 && !self.led.is_empty() {
            bits = bits << 8 | self.bits();
        }
        (bits % (bound.max(1) as u64)) as usize
    }

    /// Returns `true` once in `times` on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the choices, of which there must be at least one.
    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// Returns this many random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.bits() as u8).collect()
    }
}
