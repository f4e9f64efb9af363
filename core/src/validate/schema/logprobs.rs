//! Log probabilities, recognised without a walk.
//!
//! With twenty alternatives for each token they are nearly all of a stream's bytes, and always look the same. A list that
//! is written without spaces and in which every entry has all its members and no other is right in every edition; what is
//! written otherwise is walked like anything else.

/// Says whether JSON text that is known to be well formed is a plain list of log probabilities. `false` says nothing.
pub(super) fn is_plain(text: &str) -> bool {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    cursor.list(|cursor| cursor.entry(true)) && cursor.at == text.len()
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
    fn list(&mut self, mut entry: impl FnMut(&mut Self) -> bool) -> bool {
        if !self.eat(b'[') {
            return false;
        }
        if self.eat(b']') {
            return true;
        }
        while entry(self) {
            if !self.eat(b',') {
                return self.eat(b']');
            }
        }
        false
    }

    /// An entry; `outer` ones list alternatives.
    fn entry(&mut self, outer: bool) -> bool {
        if !self.eat(b'{') {
            return false;
        }
        let mut seen = 0;
        loop {
            let (member, fits) = match self.rest() {
                [b'"', b't', b'o', b'k', b'e', b'n', b'"', b':', ..] => (TOKEN, self.skip(8) && self.string()),
                [b'"', b'l', b'o', b'g', b'p', b'r', b'o', b'b', b'"', b':', ..] => {
                    (LOGPROB, self.skip(10) && self.number())
                }
                [b'"', b'b', b'y', b't', b'e', b's', b'"', b':', ..] => (BYTES, self.skip(8) && self.integers()),
                rest if outer && rest.starts_with(b"\"top_logprobs\":") => {
                    (TOP, self.skip(15) && self.list(|cursor| cursor.entry(false)))
                }
                _ => return false,
            };
            if !fits {
                return false;
            }
            seen |= member;
            if self.eat(b'}') {
                return seen == if outer { OUTER } else { INNER };
            }
            if !self.eat(b',') {
                return false;
            }
        }
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
        self.run(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
        // What is no number stops at once, and neither `,` nor `}` follows: a member has a value.
        true
    }

    fn integers(&mut self) -> bool {
        if !self.eat(b'[') {
            return false;
        }
        self.run(|byte| byte.is_ascii_digit() || byte == b',');
        self.eat(b']')
    }

    /// Passes over bytes of one sort, if there are any.
    fn run(&mut self, fits: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|byte| fits(*byte)) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn skip(&mut self, count: usize) -> bool {
        self.at += count;
        true
    }

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
