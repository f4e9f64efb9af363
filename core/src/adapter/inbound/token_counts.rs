//! [`TokenCounts`]: token counts of a source, made consistent.

use super::super::{AdapterCode, AdapterFindings};
use crate::write::Usage;

/// The last token counts of a source, in the terms of Open Responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TokenCounts {
    /// All tokens that were read, cache included.
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cached: u64,
    pub(crate) cache_write: Option<u64>,
    pub(crate) reasoning: u64,
    /// The source's own total, if it has one.
    pub(crate) total: Option<u64>,
}

/// The largest count: a reader with only doubles must be able to add counts exactly.
const MOST: u64 = 1 << 50;

impl TokenCounts {
    /// The counts since `earlier`, for a source whose counts never restart.
    pub(crate) fn since(self, earlier: &Self) -> Self {
        Self {
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            cached: self.cached.saturating_sub(earlier.cached),
            cache_write: self.cache_write.map(|count| count.saturating_sub(earlier.cache_write.unwrap_or(0))),
            reasoning: self.reasoning.saturating_sub(earlier.reasoning),
            total: None,
        }
    }

    /// The counts as they are written. A provider that counts reasoning separately is recognized by its total, or by a reasoning
    /// count beyond its output count.
    pub(crate) fn into_usage(mut self, findings: &mut AdapterFindings) -> Usage {
        for count in [&mut self.input, &mut self.output, &mut self.cached, &mut self.reasoning] {
            *count = (*count).min(MOST);
        }
        let sum = self.input.saturating_add(self.output);
        let apart = self.total.is_some_and(|total| total != sum && total == sum.saturating_add(self.reasoning));
        if apart || self.reasoning > self.output {
            self.output = self.output.saturating_add(self.reasoning);
        }
        let sum = self.input.saturating_add(self.output);
        let mut usage = Usage {
            input_tokens: self.input,
            output_tokens: self.output,
            cached_tokens: self.cached,
            reasoning_tokens: self.reasoning,
            cache_write_tokens: self.cache_write,
        };
        let lowered = usage.fit();
        if let Some(total) = self.total.filter(|total| *total != sum) {
            findings
                .report(AdapterCode::UsageTotalMismatch, || alloc::format!("expected a total of {sum}, found {total}"));
        } else if lowered {
            findings
                .report(AdapterCode::UsageTotalMismatch, || "expected a detail within its total, found more".into());
        }
        usage
    }
}
