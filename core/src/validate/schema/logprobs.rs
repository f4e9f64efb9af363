//! Log probabilities, recognised without a walk.
//!
//! With twenty alternatives for each token they are nearly all of a stream's bytes, and always look the same. A list that
//! is written without spaces and in which every entry has all its members and no other is right in every edition; what is
//! written otherwise is walked like anything else.

use alloc::vec::Vec;

use crate::validate::digest::{Digest, Running};
use crate::validate::logprob::{digits_end, Entry};
use crate::SPEED;

/// The lists of a stream that were found plain.
///
/// A text's own done event, its part, its item and the last snapshot have the list that the deltas had, entry by entry. So a list
/// is read once, and known by its digest where it comes again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Whether the event at hand is a delta.
    delta: bool,
    /// All lists of the deltas since the last event that was none and had a list, as one, but for its last bracket.
    grown: Option<Running>,
    /// The last lists of other events, and where the next one is put.
    known: Vec<Digest>,
    next: usize,
}

/// How many lists are known: a message has one for each of its parts.
const KNOWN: usize = 16;

/// Shorter ones are read as fast as they are found.
const SHORT: usize = 128;

impl Lists {
    /// Says whether the lists to come are those of a delta.
    #[inline]
    pub(crate) fn grow(&mut self, delta: bool) {
        self.delta = delta;
    }

    /// As [`is_plain`].
    pub(crate) fn is_plain(&mut self, text: &str) -> bool {
        if !SPEED || (text.len() < SHORT && !self.delta) {
            return is_plain(text);
        }
        if self.delta {
            return is_plain(text) && self.add(text);
        }
        let digest = Digest::of_raw(text);
        let grown = self.grown.take().is_some_and(|mut grown| {
            grown.push("]");
            grown.digest() == Digest::of(text)
        });
        let known = self.known.contains(&digest);
        if !known && !grown && !is_plain(text) {
            return false;
        }
        if !known {
            self.remember(digest);
        }
        true
    }

    /// Adds the entries of a plain list to those of the deltas before it.
    fn add(&mut self, list: &str) -> bool {
        if let Some(entries) = list.get(1..list.len() - 1).filter(|entries| !entries.is_empty()) {
            let before = if self.grown.is_some() { "," } else { "[" };
            let grown = self.grown.get_or_insert_default();
            grown.push(before);
            grown.push(entries);
        }
        true
    }

    fn remember(&mut self, digest: Digest) {
        match self.known.get_mut(self.next) {
            Some(known) => *known = digest,
            None => self.known.push(digest),
        }
        self.next = (self.next + 1) % KNOWN;
    }
}

/// Says whether JSON text that is known to be well formed is a plain list of log probabilities. `false` says nothing.
pub(super) fn is_plain(text: &str) -> bool {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    cursor.list(true) && cursor.at == text.len()
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The members of an entry, a bit each.
const TOKEN: u8 = 1;
const LOGPROB: u8 = 2;
const BYTES: u8 = 4;
const TOP: u8 = 8;
/// All of them, with alternatives and without.
const OUTER: u8 = 15;
const INNER: u8 = 7;

impl Cursor<'_> {
    /// A list of entries; `outer` ones list alternatives.
    fn list(&mut self, outer: bool) -> bool {
        if !self.eat(b'[') {
            return false;
        }
        if self.eat(b']') {
            return true;
        }
        while self.entry(outer) {
            if !self.eat(b',') {
                return self.eat(b']');
            }
        }
        false
    }

    fn entry(&mut self, outer: bool) -> bool {
        let mut seen = 0;
        if let Some(entry) = Entry::at(self.bytes, self.at).filter(|_| SPEED) {
            self.at = entry.end;
            seen = TOKEN | LOGPROB | BYTES;
        } else if !self.eat(b'{') || !self.member(outer, &mut seen) {
            return false;
        }
        while self.eat(b',') {
            if !self.member(outer, &mut seen) {
                return false;
            }
        }
        self.eat(b'}') && seen == if outer { OUTER } else { INNER }
    }

    fn member(&mut self, outer: bool, seen: &mut u8) -> bool {
        let (member, fits) = match self.rest() {
            [b'"', b't', b'o', b'k', b'e', b'n', b'"', b':', ..] => (TOKEN, self.skip(8) && self.string()),
            [b'"', b'l', b'o', b'g', b'p', b'r', b'o', b'b', b'"', b':', ..] => {
                (LOGPROB, self.skip(10) && self.number())
            }
            [b'"', b'b', b'y', b't', b'e', b's', b'"', b':', ..] => (BYTES, self.skip(8) && self.integers()),
            rest if outer && rest.starts_with(b"\"top_logprobs\":") => (TOP, self.skip(15) && self.list(false)),
            _ => return false,
        };
        *seen |= member;
        fits
    }

    fn string(&mut self) -> bool {
        if !self.eat(b'"') {
            return false;
        }
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => return true,
                b'\\' => self.at += 1,
                _ => {}
            }
        }
        false
    }

    fn number(&mut self) -> bool {
        // What is no number stops at once, and neither `,` nor `}` follows: a member has a value.
        let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        true
    }

    fn integers(&mut self) -> bool {
        if !self.eat(b'[') {
            return false;
        }
        self.at = digits_end(self.bytes, self.at);
        self.eat(b']')
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn skip(&mut self, count: usize) -> bool {
        self.at += count;
        true
    }

    #[inline]
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    const TOP: &str = r#"{"token":"\"","logprob":-1.5e-3,"bytes":[34]}"#;

    #[test]
    fn whole_lists_are_plain_in_any_order_of_members() {
        for list in [
            "[]".into(),
            alloc::format!(r#"[{{"token":"a","logprob":-0,"bytes":[97,1],"top_logprobs":[{TOP},{TOP}]}}]"#),
            alloc::format!(
                r#"[{{"top_logprobs":[],"bytes":[],"logprob":1,"token":""}},{{"bytes":[1],"token":"\\","top_logprobs":[{TOP}],"logprob":2}}]"#
            ),
        ] {
            assert!(is_plain(&list), "{list}");
        }
    }

    #[test]
    fn what_lacks_a_member_or_has_another_is_not_plain() {
        let whole = alloc::format!(r#"[{{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[{TOP}]}}]"#);
        assert!(is_plain(&whole));
        for (from, to) in [
            (r#""bytes":[97],"#, ""),
            (r#""token":"a","#, ""),
            (r#""logprob":-1"#, r#""logprob":null"#),
            (r#""logprob":-1"#, r#""logprob":"x""#),
            (r#""bytes":[97]"#, r#""bytes":[9.5]"#),
            (r#""bytes":[97]"#, r#""bytes":null"#),
            (r#""token":"a""#, r#""token":1"#),
            (r#""token":"a""#, r#""token": "a""#),
            (r#","bytes":[34]"#, ""),
            (r#"[97],"#, r#"[97],"more":1,"#),
            (r#","top_logprobs""#, r#","top""#),
            (r#"}]}]"#, r#"},1]}]"#),
            // As long as the name of the list.
            (r#""top_logprobs":["#, r#""top_logprobz":["#),
            (r#""bytes":[34]"#, r#""bytes":[34],"top_logprobs":[]"#),
        ] {
            assert!(whole.contains(from) && !is_plain(&whole.replacen(from, to, 1)), "{from} {to}");
        }
        for cut in 0..whole.len() {
            assert!(!is_plain(&whole[..cut]), "{cut}");
        }
    }
}
