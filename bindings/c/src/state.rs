//! [`dfold_state`]: how far a reader has come, in one struct, so that asking is one call.

use deltafold::{Reader, Severity};

use crate::bytes::dfold_bytes;

/// How far a reader has come.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_state {
    /// A number that moves with any sign of life: bytes, comments, blank frames, keepalives, events.
    pub activity: u64,
    /// How many events there were.
    pub events: u64,
    /// Bytes read since the start.
    pub offset: u64,
    /// The newest sequence number: where to resume after.
    pub last_sequence_number: u64,
    /// The reconnection time that the stream asked for, in milliseconds.
    pub retry: u64,
    /// Findings that are notes, kept or not.
    pub notes: u64,
    /// Findings that are warnings, kept or not.
    pub warnings: u64,
    /// Findings that are errors, kept or not.
    pub errors: u64,
    /// Findings that are kept: dfold_reader_finding gives them.
    pub findings: usize,
    /// Items of the response so far.
    pub items: usize,
    /// Whether `last_sequence_number` is there.
    pub has_last_sequence_number: bool,
    /// Whether `retry` is there.
    pub has_retry: bool,
    /// Whether the sentinel `[DONE]` was read.
    pub saw_done: bool,
    /// Whether it is known how the stream ended.
    pub has_outcome: bool,
    /// The last event id of the SSE layer.
    pub last_event_id: dfold_bytes,
}

impl From<&Reader> for dfold_state {
    fn from(reader: &Reader) -> Self {
        let findings = reader.all_findings();
        Self {
            activity: reader.activity(),
            events: reader.event_count(),
            offset: reader.offset(),
            last_sequence_number: reader.last_sequence_number().unwrap_or(0),
            retry: reader.retry().unwrap_or(0),
            notes: findings.count(Severity::Note),
            warnings: findings.count(Severity::Warning),
            errors: findings.count(Severity::Error),
            findings: findings.as_slice().len(),
            items: reader.response().len(),
            has_last_sequence_number: reader.last_sequence_number().is_some(),
            has_retry: reader.retry().is_some(),
            saw_done: reader.saw_done(),
            has_outcome: reader.outcome().is_some(),
            last_event_id: reader.last_event_id().into(),
        }
    }
}
