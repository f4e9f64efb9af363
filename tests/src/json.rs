//! Random JSON documents, for comparing parsers.

use crate::Random;

/// Features of a random document on which parsers disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ambiguity {
    /// Nothing.
    No,
    /// Repeated keys, and escapes of lone surrogates.
    RepeatsAndHalves,
}

/// Writes a random JSON document of some hundred bytes, with every kind of value, number and escape, and white space anywhere.
pub fn random_json(random: &mut Random, odd: Ambiguity) -> String {
    let mut maker = RandomJson { random, odd, out: String::new() };
    maker.space();
    maker.value(0);
    maker.space();
    maker.out
}

struct RandomJson<'a> {
    random: &'a mut Random,
    odd: Ambiguity,
    out: String,
}

impl RandomJson<'_> {
    fn value(&mut self, depth: usize) {
        // The outermost value is usually a container; deep down, or in a long document, only scalars remain.
        let kinds = if depth > 8 || self.out.len() > 600 { 4 } else { 8 };
        match if depth == 0 && !self.random.one_in(8) { 6 } else { self.random.below(kinds) } {
            0 => self.out += self.random.pick(&["true", "false", "null"]),
            1 => self.number(),
            2 | 3 => {
                let length = self.random.below(12);
                self.string(length);
            }
            4 | 5 => self.array(depth),
            _ => self.object(depth),
        }
    }

    fn array(&mut self, depth: usize) {
        self.out.push('[');
        for at in 0..self.random.below(5) {
            self.comma(at);
            self.value(depth + 1);
        }
        self.space();
        self.out.push(']');
    }

    fn object(&mut self, depth: usize) {
        self.out.push('{');
        for at in 0..self.random.below(6) {
            self.comma(at);
            if self.odd == Ambiguity::RepeatsAndHalves && self.random.one_in(3) {
                self.out += self.random.pick(&["\"\"", "\"a\"", "\"a~/b\"", "\"0\""]);
            } else {
                // The count makes the key unique.
                let from = self.out.len() + 1;
                self.string(4);
                self.out.insert_str(from, &format!("{at}"));
            }
            self.space();
            self.out.push(':');
            self.space();
            self.value(depth + 1);
        }
        self.space();
        self.out.push('}');
    }

    fn comma(&mut self, at: usize) {
        self.space();
        if at > 0 {
            self.out.push(',');
            self.space();
        }
    }

    fn string(&mut self, length: usize) {
        self.out.push('"');
        for _ in 0..length {
            let piece = match self.random.below(if self.odd == Ambiguity::No { 6 } else { 7 }) {
                0 | 1 => self.random.pick(&["a", "plain text that goes on for a while", " ", "~", "/"]),
                2 => self.random.pick(&["é", "\u{7F}", "\u{2028}", "漢字", "😀", "\u{FFFD}"]),
                3 => self.random.pick(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]),
                4 => self.random.pick(&["\\u0000", "\\u00e9", "\\u001F", "\\uFFFF", "\\u6f22"]),
                5 => self.random.pick(&["\\ud83d\\ude00", "\\uD834\\uDD1E", "\\udbff\\udfff"]),
                _ => self.random.pick(&["\\ud83d", "\\ude00", "\\uDBFF", "\\uDC00x"]),
            };
            self.out += piece;
        }
        self.out.push('"');
    }

    fn number(&mut self) {
        let digits = |random: &mut Random| {
            (0..=random.below(20)).map(|_| random.pick(&["0", "1", "5", "9"])).collect::<String>()
        };
        if self.random.one_in(3) {
            self.out.push('-');
        }
        if self.random.one_in(4) {
            self.out.push('0');
        } else {
            let first = self.random.pick(&["1", "7"]);
            let long = if self.random.one_in(12) { 90 } else { 0 };
            self.out = format!("{}{first}{}{}", self.out, digits(self.random), "3".repeat(long));
        }
        if self.random.one_in(3) {
            self.out = format!("{}.{}", self.out, digits(self.random));
        }
        if self.random.one_in(4) {
            let sign = self.random.pick(&["e", "E", "e+", "E-"]);
            self.out = format!("{}{sign}{}", self.out, self.random.below(400));
        }
    }

    fn space(&mut self) {
        if self.random.one_in(4) {
            self.out += self.random.pick(&[" ", "\n", "\t", "\r\n", "  "]);
        }
    }
}
