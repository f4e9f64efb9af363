//! [`dfold_usage`]: token counts, for the reader and the writer.

use deltafold::write::Usage;

/// Token counts. The total is input plus output.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_usage {
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// Input tokens read from a cache.
    pub cached_tokens: u64,
    /// Output tokens of reasoning.
    pub reasoning_tokens: u64,
    /// Input tokens written to a cache.
    pub cache_write_tokens: u64,
    /// Not 0: `cache_write_tokens` is set; the field is not part of the schema.
    pub has_cache_write_tokens: u32,
}

impl From<Usage> for dfold_usage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.cached_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            cache_write_tokens: usage.cache_write_tokens.unwrap_or(0),
            has_cache_write_tokens: usage.cache_write_tokens.is_some().into(),
        }
    }
}

impl From<dfold_usage> for Usage {
    fn from(usage: dfold_usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.cached_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            cache_write_tokens: (usage.has_cache_write_tokens != 0).then_some(usage.cache_write_tokens),
        }
    }
}
