//! [`dfold_state`]: the progress of a reader in one struct, so that one call gets all of it.

use deltafold::{Reader, Severity};

use crate::bytes::dfold_bytes;

/// The progress of a reader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_state {
    /// A counter that grows with any input: bytes, comments, blank frames, keepalives, events.
    pub activity: u64,
    /// Number of events.
    pub events: u64,
    /// Bytes read since the start.
    pub offset: u64,
    /// The newest sequence number; a resumed stream starts after it.
    pub last_sequence_number: u64,
    /// The reconnection time that the stream requested, in milliseconds.
    pub retry: u64,
    /// Findings that are notes, kept or not.
    pub notes: u64,
    /// Findings that are warnings, kept or not.
    pub warnings: u64,
    /// Findings that are errors, kept or not.
    pub errors: u64,
    /// Number of kept findings; see dfold_reader_finding.
    pub findings: usize,
    /// Number of items in the response so far.
    pub items: usize,
    /// True if `last_sequence_number` is set.
    pub has_last_sequence_number: bool,
    /// True if `retry` is set.
    pub has_retry: bool,
    /// True if the sentinel `[DONE]` was read.
    pub saw_done: bool,
    /// True if the outcome of the stream is known.
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
