//! [`dfold_finding`]: one rule broken by the stream, or one repair made.

use deltafold::json::Value;
use deltafold::{Finding, Severity};

use crate::bytes::dfold_bytes;

/// The severity of a finding after the profile is applied.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_severity {
    /// Information; the stream breaks no rule of the specification.
    DFOLD_SEVERITY_NOTE = 0,
    /// The stream breaks a SHOULD, or the profile exempts the error.
    DFOLD_SEVERITY_WARNING = 1,
    /// The stream breaks a MUST of the specification.
    DFOLD_SEVERITY_ERROR = 2,
}

/// One rule that the stream broke, or one repair that was made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_finding {
    /// The severity.
    pub severity: dfold_severity,
    /// True if the finding belongs to an event; `event_index` is its position.
    pub has_event_index: bool,
    /// True if `sequence_number` is set.
    pub has_sequence_number: bool,
    /// Position of the event in the stream, from 0.
    pub event_index: u64,
    /// The sequence number of the event.
    pub sequence_number: u64,
    /// Byte offset from the start of the stream.
    pub offset: u64,
    /// The rule's id, such as `SEQ-03`.
    pub rule: dfold_bytes,
    /// The layer that reported it: `framing`, `schema`, `stream` or `transport`.
    pub layer: dfold_bytes,
    /// JSON pointer into the payload of the event; empty for the whole payload.
    pub path: dfold_bytes,
    /// The expectation and the value that was found.
    pub message: dfold_bytes,
    /// The repair that was made, such as `opened_item`; empty if there was none.
    pub repair: dfold_bytes,
}

impl From<&Finding> for dfold_finding {
    fn from(finding: &Finding) -> Self {
        let location = &finding.location;
        Self {
            severity: match finding.severity {
                Severity::Note => dfold_severity::DFOLD_SEVERITY_NOTE,
                Severity::Warning => dfold_severity::DFOLD_SEVERITY_WARNING,
                Severity::Error => dfold_severity::DFOLD_SEVERITY_ERROR,
            },
            has_event_index: location.event_index.is_some(),
            has_sequence_number: location.sequence_number.is_some(),
            event_index: location.event_index.unwrap_or(0),
            sequence_number: location.sequence_number.unwrap_or(0),
            offset: location.offset,
            rule: finding.rule.id().into(),
            layer: finding.layer.name().into(),
            path: finding.path.as_str().into(),
            message: finding.message.as_str().into(),
            repair: finding.repair.map(|repair| repair.name()).into(),
        }
    }
}

/// Serializes findings in the JSON form of the core.
pub(crate) fn findings_json(findings: &[Finding]) -> String {
    Value::Array(findings.iter().map(Finding::to_value).collect()).to_string()
}
