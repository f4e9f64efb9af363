//! [`RateLimits`]: what headers, error events and rate-limit events say about limits, in one place.

use alloc::string::String;

use crate::event::Event;
use crate::json::{Object, Value};

/// Rate limits as the server words them, newest value of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateLimits {
    /// Header name in lower case → value. From the HTTP response and from `error.headers`.
    pub headers: Object,
    /// The newest `rate_limits` payload of an event (`response.rate_limits.updated`, `codex.rate_limits`), or null.
    pub event: Value,
}

impl RateLimits {
    /// Seconds to wait before the next request, if the server said so in `retry-after` or `retry-after-ms`.
    pub fn retry_after_seconds(&self) -> Option<f64> {
        let number = |name: &str| self.headers.get(name)?.as_str()?.trim().parse::<f64>().ok();
        let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
        (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
    }

    /// What is left in a window, by the name that the server uses (`requests`, `tokens`, …).
    pub fn remaining(&self, name: &str) -> Option<u64> {
        let of = |prefix: &str| {
            let key = alloc::format!("{prefix}{name}");
            self.headers.get(&key)?.as_str()?.trim().parse().ok()
        };
        of("x-ratelimit-remaining-")
    }

    pub(crate) fn take_headers<'h>(&mut self, headers: impl IntoIterator<Item = (&'h str, &'h str)>) {
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            // By windows: the search for a string inside of another is kilobytes of code, and headers are short.
            let has = |part: &[u8]| name.as_bytes().windows(part.len()).any(|window| window == part);
            if has(b"ratelimit") || has(b"rate-limit") || name.starts_with("retry-after") {
                self.headers.insert(name, value);
            }
        }
    }

    pub(crate) fn take_headers_of(&mut self, error: &Event<'_>) {
        let nested = error.error().and_then(|error| error.get("headers"));
        let Some(headers) = nested.or_else(|| error.member("headers")) else { return };
        for (name, value) in headers.entries() {
            let value: String = value.as_str().map_or_else(|| value.raw().into(), |text| text.into_owned());
            self.take_headers([(&*name.as_str().unwrap_or_default(), value.as_str())]);
        }
    }

    pub(crate) fn take_event(&mut self, event: &Event<'_>) {
        self.event = event.member("rate_limits").map_or_else(|| event.to_value(), |limits| limits.to_value());
    }
}
