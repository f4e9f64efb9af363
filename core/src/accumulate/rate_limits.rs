//! [`RateLimits`]: rate limits from response headers, error events and rate-limit events.

use alloc::format;
use alloc::string::String;

use crate::event::Event;
use crate::json::{Object, Value};
use crate::retry_after;

/// Rate limits as the server reported them, the newest value of each.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Header name in lower case → value. From the HTTP response and from `error.headers`; at most 64 headers of at most 4 KiB.
    pub headers: Object,
    /// The newest `rate_limits` payload of an event (`response.rate_limits.updated`, `codex.rate_limits`), or null.
    pub event: Value,
}

/// More headers than any server sends: a stream with ever new names must not use unbounded memory.
const MAX_HEADERS: usize = 64;

/// Longer headers are not kept.
const MAX_HEADER_BYTES: usize = 4 << 10;

impl RateLimits {
    /// Seconds to wait before the next request, from `retry-after-ms` or `retry-after`; `None` if the server asks for no wait.
    ///
    /// A date in `retry-after` is compared with the `date` header of the same response; with a clock, ask
    /// [`retry_after_at`](Self::retry_after_at).
    pub fn retry_after_seconds(&self) -> Option<f64> {
        retry_after::seconds(|name| self.header(name), None)
    }

    /// As [`retry_after_seconds`](Self::retry_after_seconds), at a given time in seconds since 1970.
    pub fn retry_after_at(&self, now: u64) -> Option<f64> {
        retry_after::seconds(|name| self.header(name), i64::try_from(now).ok())
    }

    /// The size of a window (`requests`, `tokens`, `input-tokens`, …).
    pub fn limit(&self, window: &str) -> Option<u64> {
        self.of_window("limit", window)?.parse().ok()
    }

    /// The units that are left in a window (`requests`, `tokens`, `input-tokens`, …).
    pub fn remaining(&self, window: &str) -> Option<u64> {
        self.of_window("remaining", window)?.parse().ok()
    }

    /// The time when a window is full again, in the format of the server: a duration such as `6m0s` (OpenAI) or a time such as
    /// `2026-01-01T00:00:00Z` (Anthropic).
    pub fn reset(&self, window: &str) -> Option<&str> {
        self.of_window("reset", window)
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.as_str()
    }

    /// `x-ratelimit-remaining-tokens` (OpenAI and most others) or `anthropic-ratelimit-tokens-remaining`.
    fn of_window(&self, what: &str, window: &str) -> Option<&str> {
        let value = self.header(&format!("x-ratelimit-{what}-{window}"));
        value.or_else(|| self.header(&format!("anthropic-ratelimit-{window}-{what}"))).map(str::trim)
    }

    /// Records the headers of an HTTP response. They replace the retry advice of an earlier response.
    pub(crate) fn record_response<'h>(&mut self, headers: impl IntoIterator<Item = (&'h str, &'h str)>) {
        self.forget_wait();
        self.record_headers(headers);
    }

    /// Removes the retry advice: a later response arrived or succeeded.
    pub(crate) fn forget_wait(&mut self) {
        for name in ["retry-after", "retry-after-ms", "date"] {
            self.headers.remove(name);
        }
    }

    fn record_headers<'h>(&mut self, headers: impl IntoIterator<Item = (&'h str, &'h str)>) {
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            // Substring search by `str::contains` is kilobytes of code in a small build, and headers are short.
            let has = |part: &[u8]| name.as_bytes().windows(part.len()).any(|window| window == part);
            let wanted = has(b"ratelimit") || has(b"rate-limit") || name.starts_with("retry-after") || name == "date";
            let room = self.headers.len() < MAX_HEADERS || self.headers.contains_key(&name);
            if wanted && room && name.len() + value.len() <= MAX_HEADER_BYTES {
                self.headers.insert(name, value);
            }
        }
    }

    /// Records the headers that an `error` event carries.
    pub(crate) fn record_error_headers(&mut self, error: &Event<'_>) {
        let nested = error.error().and_then(|error| error.get("headers"));
        let Some(headers) = nested.or_else(|| error.member("headers")) else { return };
        for (name, value) in headers.entries() {
            let value: String = value.as_str().map_or_else(|| value.raw().into(), |text| text.into_owned());
            self.record_headers([(&*name.as_str().unwrap_or_default(), value.as_str())]);
        }
    }

    /// Records a rate-limit event.
    pub(crate) fn record_event(&mut self, event: &Event<'_>) {
        self.event = event.member("rate_limits").map_or_else(|| event.to_value(), |limits| limits.to_value());
    }
}
