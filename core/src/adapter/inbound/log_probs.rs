//! [`LogProbs`]: log probabilities in the form of the specification, as JSON text.

use alloc::string::String;

use crate::json::{ValueKind, ValueRef};
use crate::write::push_u64;

/// Log probabilities that wait for their text: the elements of a list, written from the source without a value between, because they
/// are most of the bytes of a stream that has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogProbs {
    elements: String,
}

/// The log probability of one token at its source.
#[derive(Clone, Copy)]
pub(crate) struct TokenLogProb<'a> {
    token: ValueRef<'a>,
    logprob: ValueRef<'a>,
    bytes: TokenBytes<'a>,
}

/// Where the bytes of a token are.
#[derive(Clone, Copy)]
pub(crate) enum TokenBytes<'a> {
    /// In a list of numbers. Without a list there are none.
    Listed(Option<ValueRef<'a>>),
    /// They are those of the token's text.
    OfToken,
}

impl<'a> TokenLogProb<'a> {
    /// `None` without the text of a token or the number of its probability, which the specification requires.
    pub(crate) fn new(
        token: Option<ValueRef<'a>>,
        logprob: Option<ValueRef<'a>>,
        bytes: TokenBytes<'a>,
    ) -> Option<Self> {
        let token = token.filter(|token| token.kind() == ValueKind::String)?;
        let logprob = logprob.filter(|logprob| logprob.kind() == ValueKind::Number)?;
        Some(Self { token, logprob, bytes })
    }

    /// Appends the members, without the end of the object.
    fn write_members(&self, out: &mut String) {
        out.push_str("{\"token\":");
        self.token.write_string(out);
        out.push_str(",\"logprob\":");
        out.push_str(self.logprob.raw());
        out.push_str(",\"bytes\":[");
        match self.bytes {
            TokenBytes::Listed(Some(list)) => write_integers(list, out),
            TokenBytes::Listed(None) => {}
            TokenBytes::OfToken => {
                for (at, byte) in self.token.as_str().unwrap_or_default().bytes().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    push_u64(out, u64::from(byte));
                }
            }
        }
        out.push(']');
    }
}

impl LogProbs {
    /// Adds the log probability of a token, and those of the tokens that could have been in its place. Returns the number of bytes that
    /// are held for them.
    pub(crate) fn push<'a>(
        &mut self,
        token: TokenLogProb<'a>,
        others: impl Iterator<Item = TokenLogProb<'a>>,
    ) -> usize {
        let before = self.elements.len();
        if before > 0 {
            self.elements.push(',');
        }
        token.write_members(&mut self.elements);
        self.elements.push_str(",\"top_logprobs\":[");
        for (at, other) in others.enumerate() {
            if at > 0 {
                self.elements.push(',');
            }
            other.write_members(&mut self.elements);
            self.elements.push('}');
        }
        self.elements.push_str("]}");
        self.elements.len() - before
    }

    /// The elements of the list as JSON text.
    pub(crate) fn elements(&self) -> &str {
        &self.elements
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.elements.clear();
    }
}

/// Appends the integers of a list with commas between them; other elements are left out.
fn write_integers(list: ValueRef<'_>, out: &mut String) {
    let inside = list.raw().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
    if inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',') {
        out.push_str(inside);
        return;
    }
    let mut between = "";
    for integer in list.elements().filter(|element| element.as_i64().is_some()) {
        out.push_str(between);
        out.push_str(integer.raw());
        between = ",";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn token(value: ValueRef<'_>) -> Option<TokenLogProb<'_>> {
        let bytes = value.get("bytes").map_or(TokenBytes::OfToken, |list| TokenBytes::Listed(Some(list)));
        TokenLogProb::new(value.get("token"), value.get("logprob"), bytes)
    }

    fn write(source: &str) -> String {
        let mut tape = Tape::default();
        tape.parse(source, 9).unwrap();
        let mut logprobs = LogProbs::default();
        for element in tape.root(source).elements() {
            let others = element.get("others").into_iter().flat_map(|list| list.elements()).filter_map(token);
            if let Some(found) = token(element) {
                let before = logprobs.elements().len();
                assert_eq!(logprobs.push(found, others), logprobs.elements().len() - before);
            }
        }
        logprobs.elements
    }

    #[test]
    fn elements_have_all_members_and_the_numbers_of_the_source() {
        let source = r#"[{"token":"é","logprob":-0.10,"others":[{"token":"a","logprob":-1e1,"bytes":[ 97 , 1.5, 98]},{"token":1}]},
            {"logprob":0},{"token":"b\n","logprob":0,"bytes":[]}]"#;
        assert_eq!(
            write(source),
            r#"{"token":"é","logprob":-0.10,"bytes":[195,169],"top_logprobs":[{"token":"a","logprob":-1e1,"bytes":[97,98]}]},{"token":"b\n","logprob":0,"bytes":[],"top_logprobs":[]}"#
        );
    }

    #[test]
    fn half_a_character_is_replaced_and_a_list_that_is_none_has_no_bytes() {
        assert_eq!(
            write(r#"[{"token":"\ud83d","logprob":0,"bytes":"x"},{"token":"","logprob":1,"bytes":[[1]]}]"#),
            "{\"token\":\"\u{FFFD}\",\"logprob\":0,\"bytes\":[],\"top_logprobs\":[]},\
             {\"token\":\"\",\"logprob\":1,\"bytes\":[],\"top_logprobs\":[]}"
        );
    }
}
