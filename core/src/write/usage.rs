//! [`Usage`]: token counts that add up.

use alloc::string::String;

use super::emit::push_u64;
use crate::error::{Code, Error};
use crate::json::Value;

/// Token counts of a response. The total is always input plus output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Everything that was read, cached tokens included.
    pub input_tokens: u64,
    /// Everything that was written, reasoning included.
    pub output_tokens: u64,
    /// Input that came from a cache.
    pub cached_tokens: u64,
    /// Output that was reasoning.
    pub reasoning_tokens: u64,
    /// Input that was written to a cache: a field beyond the schema, written where it is known.
    pub cache_write_tokens: Option<u64>,
}

impl Usage {
    /// Counts without details.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Lowers details that exceed their totals; says whether there was one. A provider's counts need not add up.
    pub fn fit(&mut self) -> bool {
        let fits = self.fits();
        self.cached_tokens = self.cached_tokens.min(self.input_tokens);
        self.reasoning_tokens = self.reasoning_tokens.min(self.output_tokens);
        !fits
    }

    /// Reads a usage object as the wire has it; missing counts are 0, a total is not read.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let bad = || Error::new(Code::BadArgument, 0, "expected a usage object with whole counts");
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

    pub(crate) fn fits(&self) -> bool {
        self.cached_tokens <= self.input_tokens && self.reasoning_tokens <= self.output_tokens
    }

    pub(crate) fn write(&self, out: &mut String) {
        let mut count = |head: &str, value: u64| {
            out.push_str(head);
            push_u64(out, value);
        };
        count("{\"input_tokens\":", self.input_tokens);
        count(",\"output_tokens\":", self.output_tokens);
        count(",\"total_tokens\":", self.input_tokens.saturating_add(self.output_tokens));
        count(",\"input_tokens_details\":{\"cached_tokens\":", self.cached_tokens);
        if let Some(written) = self.cache_write_tokens {
            count(",\"cache_write_tokens\":", written);
        }
        count("},\"output_tokens_details\":{\"reasoning_tokens\":", self.reasoning_tokens);
        out.push_str("}}");
    }
}
