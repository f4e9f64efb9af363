//! Seeded random choices: SplitMix64, so that a seed gives the same stream on every machine.

/// A seeded source of choices.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// Common words; with a space before each, about the size of a token.
const WORDS: [&str; 96] = [
    "so", "we", "can", "take", "each", "part", "and", "then", "move", "on", "to", "it", "if", "that", "is", "not", "a",
    "good", "idea", "here", "let", "us", "look", "at", "what", "they", "gave", "in", "case", "of", "need", "the",
    "first", "step", "will", "be", "to", "read", "one", "line", "after", "that", "you", "may", "call", "back", "with",
    "your", "own", "data", "as", "an", "input", "or", "keep", "all", "for", "later", "use", "this", "way", "does",
    "cost", "more", "time", "but", "makes", "sure", "no", "value", "gets", "lost", "when", "two", "users", "write",
    "same", "page", "over", "and", "over", "again", "from", "their", "home", "by", "hand", "which", "few", "would",
    "want", "until", "very", "end", "even", "there",
];

/// Other tokens: endings, punctuation, line ends.
const ENDINGS: [&str; 18] =
    [",", ".", "s", "ing", "er", "ed", "est", "ness", "-", "'t", "?", ":", "\n\n", "\n", " **", "**", "7", "`"];

const HEX: &[u8] = b"0123456789abcdef";
const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Random {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// A number in `from..=to`.
    pub fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    /// One of the choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A word.
    pub fn word(&mut self) -> &'static str {
        self.pick(&WORDS)
    }

    /// Words with spaces between.
    pub fn sentence(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// A text delta: four times in five a word with its space.
    pub fn token(&mut self) -> String {
        if self.below(5) < 4 {
            format!(" {}", self.word())
        } else {
            self.pick(&ENDINGS).to_string()
        }
    }

    /// An id such as `msg_…`, as long as real ones.
    pub fn id(&mut self, prefix: &str) -> String {
        format!("{prefix}_{}", self.letters(HEX, 50))
    }

    /// Letters and digits.
    pub fn alnum(&mut self, count: usize) -> String {
        self.letters(ALNUM, count)
    }

    /// Base64 text.
    pub fn base64(&mut self, count: usize) -> String {
        self.letters(BASE64, count)
    }

    fn letters(&mut self, alphabet: &[u8], count: usize) -> String {
        (0..count).map(|_| char::from(self.pick(alphabet))).collect()
    }
}
