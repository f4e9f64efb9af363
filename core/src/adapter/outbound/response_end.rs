//! The start and the end of a response, as every target needs them.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;

use crate::json::ValueRef;
use crate::outcome::Failure;

/// The facts about a response when its stream begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseStart {
    /// The response's id; empty if no event has it.
    pub(crate) id: String,
    /// The model's name; empty if no event has it.
    pub(crate) model: String,
    /// The creation time of the response, in whole seconds.
    pub(crate) created_at: u64,
}

impl ResponseStart {
    /// Takes the facts of a snapshot that are not known yet.
    pub(super) fn learn(&mut self, response: ValueRef<'_>) {
        let text = |key: &str| response.get(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned();
        if self.id.is_empty() {
            self.id = text("id");
        }
        if self.model.is_empty() {
            self.model = text("model");
        }
        if self.created_at == 0 {
            // Some servers send fractions of a second.
            let whole = |text: &str| text.split('.').next().and_then(|digits| digits.parse().ok());
            let time = response.get("created_at").and_then(|time| time.as_u64().or_else(|| whole(time.raw())));
            self.created_at = time.unwrap_or(0);
        }
    }

    /// The part of the id that other ids are derived from.
    pub(crate) fn suffix(&self) -> String {
        let prefixes = ["resp_", "msg_", "chatcmpl-", "cmpl-", "gen-", "thread_", "run_"];
        let id = prefixes.into_iter().find_map(|prefix| self.id.strip_prefix(prefix)).unwrap_or(&self.id);
        let count = id.chars().count();
        let plain = |char: char| if char.is_ascii_alphanumeric() || "_-".contains(char) { char } else { '_' };
        let suffix: String = id.chars().skip(count.saturating_sub(48)).map(plain).collect();
        if suffix.is_empty() {
            "0".to_owned()
        } else {
            suffix
        }
    }
}

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndStatus {
    /// The response is complete.
    Completed,
    /// The response was truncated, and its content is usable.
    Incomplete,
    /// The response failed, or its stream broke off.
    Failed,
}

impl EndStatus {
    /// The status word.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
        }
    }
}

/// The end of a response.
#[derive(Debug)]
pub(crate) struct ResponseEnd<'a> {
    pub(crate) status: EndStatus,
    /// The reason of an incomplete response; empty otherwise.
    pub(crate) reason: String,
    /// The error of a failed response.
    pub(crate) failure: Failure,
    /// The terminal snapshot; `None` if the input ended without one.
    pub(crate) response: Option<ValueRef<'a>>,
    pub(crate) start: &'a ResponseStart,
    /// The ids of calls without an output in the response.
    pub(crate) unanswered_calls: &'a BTreeSet<String>,
}

impl<'a> ResponseEnd<'a> {
    /// The usage object as it was sent.
    pub(crate) fn usage(&self) -> Option<ValueRef<'a>> {
        self.response?.get("usage").filter(|usage| usage.entries().next().is_some())
    }

    /// The counters of the usage object.
    pub(crate) fn tokens(&self) -> Option<UsageTokens> {
        self.usage().map(UsageTokens::read)
    }

    /// The model's name according to the last event.
    pub(crate) fn model(&self) -> String {
        let late = self.response.and_then(|response| response.get("model")?.as_str());
        late.map_or_else(|| self.start.model.clone(), |model| model.into_owned())
    }

    /// The type of a failure, one of those of the specification. A failed snapshot has only a code, so the code is mapped too.
    pub(crate) fn error_type(&self) -> &'static str {
        let known = |word: &str| match word {
            "invalid_request" | "invalid_request_error" | "invalid_prompt" => Some("invalid_request"),
            "not_found" | "not_found_error" => Some("not_found"),
            "too_many_requests" | "rate_limit_error" | "rate_limit_exceeded" => Some("too_many_requests"),
            "model_error" => Some("model_error"),
            "server_error" => Some("server_error"),
            _ => None,
        };
        known(&self.failure.kind).or_else(|| known(&self.failure.code)).unwrap_or("server_error")
    }

    /// The message of a failure; never empty.
    pub(crate) fn message(&self) -> &str {
        match self.failure.message.as_str() {
            "" => "The response failed.",
            message => message,
        }
    }
}

/// The counters of a usage object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageTokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) total: u64,
    pub(crate) cached: u64,
    /// Tokens that were written to a cache, if the source counts them.
    pub(crate) cache_write: Option<u64>,
    pub(crate) reasoning: u64,
}

/// The largest integer that every JSON reader represents exactly.
const EXACT: u64 = (1 << 53) - 1;

impl UsageTokens {
    fn read(usage: ValueRef<'_>) -> Self {
        let count = |pointer: &str| usage.pointer(pointer).and_then(|value| value.as_u64()).map(|n| n.min(EXACT));
        let (input, output) = (count("/input_tokens").unwrap_or(0), count("/output_tokens").unwrap_or(0));
        Self {
            input,
            output,
            total: count("/total_tokens").unwrap_or((input + output).min(EXACT)),
            cached: count("/input_tokens_details/cached_tokens").unwrap_or(0),
            cache_write: count("/input_tokens_details/cache_write_tokens"),
            reasoning: count("/output_tokens_details/reasoning_tokens").unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    #[test]
    fn an_id_suffix_has_no_prefix_at_most_48_characters_and_no_special_ones() {
        let suffix = |id: &str| ResponseStart { id: id.to_owned(), ..ResponseStart::default() }.suffix();
        assert_eq!(suffix("resp_01Tools"), "01Tools");
        assert_eq!(suffix("resp_msg_1"), "msg_1");
        assert_eq!(suffix("a.b/é"), "a_b__");
        assert_eq!(suffix(&"x".repeat(60)).len(), 48);
        assert_eq!(suffix(""), "0");
    }

    #[test]
    fn missing_and_too_large_counters_give_consistent_usage() {
        let text = r#"{"input_tokens":3,"output_tokens":18446744073709551615,"input_tokens_details":null}"#;
        let mut tape = Tape::default();
        tape.parse(text, 8).unwrap();
        let tokens = UsageTokens::read(tape.root(text));
        assert_eq!((tokens.input, tokens.output, tokens.total), (3, EXACT, EXACT));
        assert_eq!((tokens.cached, tokens.cache_write, tokens.reasoning), (0, None, 0));
    }

    #[test]
    fn a_creation_time_with_a_fraction_counts_its_whole_seconds() {
        let text = r#"{"id":"resp_1","created_at":1767225600.75}"#;
        let mut tape = Tape::default();
        tape.parse(text, 8).unwrap();
        let mut start = ResponseStart::default();
        start.learn(tape.root(text));
        assert_eq!((start.id.as_str(), start.created_at), ("resp_1", 1_767_225_600));
    }
}
