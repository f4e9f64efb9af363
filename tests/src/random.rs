//! Randomness that a failing test can repeat.

/// A small seeded generator (SplitMix64). Not for secrets; the same seed gives the same numbers on every machine.
///
/// It can also be led by bytes: then they make the choices, in order, as long as there are some. So a fuzzer that changes a
/// byte changes one choice.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Bytes that make choices, the next one last.
    led: Vec<u8>,
}

impl Random {
    /// Makes a generator. Any seed is good, also 0.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, led: Vec::new() }
    }

    /// Makes a generator that these bytes lead.
    pub fn led_by(bytes: &[u8]) -> Self {
        Self { state: 0, led: bytes.iter().rev().copied().collect() }
    }

    /// Gives 64 random bits.
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

    /// Gives a number from 0 to `bound - 1`; 0 if the bound is 0. The slight bias towards small numbers does no harm here.
    pub fn below(&mut self, bound: usize) -> usize {
        let mut bits = self.bits();
        // One leading byte has no more than 256 answers.
        if bound > 256 && !self.led.is_empty() {
            bits = bits << 8 | self.bits();
        }
        (bits % (bound.max(1) as u64)) as usize
    }

    /// Says yes once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Gives one of the choices, of which there must be one.
    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// Gives so many random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.bits() as u8).collect()
    }
}
