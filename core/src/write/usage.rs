//! [`Usage`]: token counts of a response.

use alloc::string::String;

use super::emitter::push_u64;
use crate::error::{Code, Error};
use crate::json::Value;

/// Token counts of a response. The total is always input plus output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All input tokens, including cached ones.
    pub input_tokens: u64,
    /// All output tokens, including reasoning.
    pub output_tokens: u64,
    /// Input tokens read from a cache.
    pub cached_tokens: u64,
    /// Output tokens used for reasoning.
    pub reasoning_tokens: u64,
    /// Input tokens written to a cache: an additional field outside the schema, written if set.
    pub cache_write_tokens: Option<u64>,
}

impl Usage {
    /// Creates counts without details.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Lowers counts that make the usage invalid, since a provider's counts need not be consistent: details that exceed their totals,
    /// and a total beyond 64 bits. Returns `true` if a count was changed.
    pub fn fit(&mut self) -> bool {
        let fits = self.fits();
        self.output_tokens = self.output_tokens.min(u64::MAX - self.input_tokens);
        self.cached_tokens = self.cached_tokens.min(self.input_tokens);
        self.reasoning_tokens = self.reasoning_tokens.min(self.output_tokens);
        !fits
    }

    /// Reads a usage object of the wire. Missing counts are 0; the total is not read.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let bad = || Error::new(Code::BadArgument, 0, "expected a usage object with whole numbers");
        let count = |path: &str| match value.pointer(path) {
            None | Some(Value::Null) => Ok(None),
            Some(number) => number.as_u64().map(Some).ok_or_else(bad),
        };
        value.as_object().ok_or_else(bad)?;
        Ok(Self {
            input_tokens: count("/input_tokens")?.unwrap_or(0),
            output_tokens: count("/output_tokens")?.unwrap_or(0),
            cached_tokens: count("/input_tokens_details/cached_tokens")?.unwrap_or(0),
            reasoning_tokens: count("/output_tokens_details/reasoning_tokens")?.unwrap_or(0),
            cache_write_tokens: count("/input_tokens_details/cache_write_tokens")?,
        })
    }

    /// Reads a usage object that a server reported. Counts that are absent or not whole numbers are 0.
    pub fn from_reported(value: &Value) -> Self {
        let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
        Self {
            input_tokens: count("/input_tokens").unwrap_or(0),
            output_tokens: count("/output_tokens").unwrap_or(0),
            cached_tokens: count("/input_tokens_details/cached_tokens").unwrap_or(0),
            reasoning_tokens: count("/output_tokens_details/reasoning_tokens").unwrap_or(0),
            cache_write_tokens: count("/input_tokens_details/cache_write_tokens"),
        }
    }

    /// Input plus output.
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The object as on the wire, with the total.
    pub fn to_value(&self) -> Value {
        let mut text = String::new();
        self.write(&mut text);
        // What `write` writes is JSON.
        Value::parse(&text, 4).unwrap_or_default()
    }

    pub(crate) fn fits(&self) -> bool {
        self.cached_tokens <= self.input_tokens
            && self.reasoning_tokens <= self.output_tokens
            && self.input_tokens.checked_add(self.output_tokens).is_some()
    }

    pub(crate) fn write(&self, out: &mut String) {
        let mut count = |delta_head: &str, value: u64| {
            out.push_str(delta_head);
            push_u64(out, value);
        };
        count("{\"input_tokens\":", self.input_tokens);
        count(",\"output_tokens\":", self.output_tokens);
        count(",\"total_tokens\":", self.total_tokens());
        count(",\"input_tokens_details\":{\"cached_tokens\":", self.cached_tokens);
        if let Some(written) = self.cache_write_tokens {
            count(",\"cache_write_tokens\":", written);
        }
        count("},\"output_tokens_details\":{\"reasoning_tokens\":", self.reasoning_tokens);
        out.push_str("}}");
    }
}
