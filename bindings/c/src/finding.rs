//! [`dfold_finding`]: one rule broken by the stream, or one repair made.

use deltafold::json::Value;
use deltafold::{Finding, Severity};

use crate::bytes::dfold_bytes;

/// How much a finding weighs, after the profile.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_severity {
    /// Worth knowing; nothing in the specification is broken.
    DFOLD_SEVERITY_NOTE = 0,
    /// A SHOULD is broken, or the profile forgives the error.
    DFOLD_SEVERITY_WARNING = 1,
    /// The stream breaks the specification.
    DFOLD_SEVERITY_ERROR = 2,
}

/// One rule that the stream broke, or one repair that was made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_finding {
    /// How much it weighs.
    pub severity: dfold_severity,
    /// Whether it belongs to an event, whose position is `event_index`.
    pub has_event_index: bool,
    /// Whether `sequence_number` is there.
    pub has_sequence_number: bool,
    /// Position of the event in the stream, from 0.
    pub event_index: u64,
    /// The event's own number.
    pub sequence_number: u64,
    /// Byte offset from the start of the stream.
    pub offset: u64,
    /// The rule's id, such as `SEQ-03`.
    pub rule: dfold_bytes,
    /// Which layer saw it: `framing`, `schema`, `stream` or `transport`.
    pub layer: dfold_bytes,
    /// JSON pointer into the event's payload; empty for the whole.
    pub path: dfold_bytes,
    /// What was expected and what was found.
    pub message: dfold_bytes,
    /// What was done about it, such as `opened_item`; empty if nothing was.
    pub repair: dfold_bytes,
}

impl From<&Finding> for dfold_finding {
    fn from(finding: &Finding) -> Self {
        let place = &finding.place;
        Self {
            severity: match finding.severity {
                Severity::Note => dfold_severity::DFOLD_SEVERITY_NOTE,
                Severity::Warning => dfold_severity::DFOLD_SEVERITY_WARNING,
                Severity::Error => dfold_severity::DFOLD_SEVERITY_ERROR,
            },
            has_event_index: place.event_index.is_some(),
            has_sequence_number: place.sequence_number.is_some(),
            event_index: place.event_index.unwrap_or(0),
            sequence_number: place.sequence_number.unwrap_or(0),
            offset: place.offset,
            rule: finding.rule.id().into(),
            layer: finding.layer.name().into(),
            path: finding.path.as_str().into(),
            message: finding.message.as_str().into(),
            repair: finding.repair.map(|repair| repair.name()).into(),
        }
    }
}

/// Findings as the core words them in JSON.
pub(crate) fn findings_json(findings: &[Finding]) -> String {
    Value::Array(findings.iter().map(Finding::to_value).collect()).to_string()
}
