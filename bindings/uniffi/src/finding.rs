//! Findings and outcomes.

use deltafold::json::Value;

use crate::int;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Severity {
    /// Information; the stream breaks no rule of the specification.
    Note,
    /// The stream breaks a SHOULD, or the profile exempts the error.
    Warning,
    /// The stream breaks a MUST of the specification.
    Error,
}

/// One rule broken by the stream, or one repair made.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Finding {
    /// Id of the rule, such as `STREAM-01`; `explain` describes it.
    pub rule: String,
    /// The severity after the profile is applied.
    pub severity: Severity,
    /// The layer that reported it: `framing`, `schema`, `stream` or `transport`.
    pub layer: String,
    /// Position of the event in the stream, from 0.
    pub event_index: Option<i64>,
    /// The sequence number of the event.
    pub sequence_number: Option<i64>,
    /// Byte offset from the start of the stream.
    pub offset: i64,
    /// JSON pointer into the payload of the event; empty for the whole payload.
    pub path: String,
    /// The expectation and the value that was found, without payload text.
    pub message: String,
    /// The repair that was made, such as `opened_item`.
    pub repair: Option<String>,
}

/// Number of findings, kept or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Record)]
pub struct FindingCounts {
    /// Findings that are notes.
    pub notes: i64,
    /// Findings that are warnings.
    pub warnings: i64,
    /// Findings that are errors.
    pub errors: i64,
}

/// The error of a failed stream.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Failure {
    /// Type of the error, such as `server_error`; empty if the stream has none.
    pub r#type: String,
    /// Code of the error; empty if the stream has none.
    pub code: String,
    /// Message of the error.
    pub message: String,
    /// The request parameter that caused the error, if any.
    pub param: Option<String>,
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Outcome {
    /// `response.completed` arrived.
    Completed,
    /// `response.incomplete` arrived.
    Incomplete {
        /// The reason; empty if the stream has none.
        reason: String,
    },
    /// `response.failed` or an `error` event arrived.
    Failed {
        /// The error.
        error: Failure,
    },
    /// The response was cancelled.
    Cancelled,
    /// The input ended without a terminal event. The partial response stays readable.
    Truncated {
        /// The last sequence number; a resumed stream starts after it.
        last_sequence_number: Option<i64>,
    },
    /// An outcome that this version does not know.
    Unknown {
        /// Its name.
        name: String,
    },
}

impl From<deltafold::Severity> for Severity {
    fn from(severity: deltafold::Severity) -> Self {
        match severity {
            deltafold::Severity::Note => Self::Note,
            deltafold::Severity::Warning => Self::Warning,
            deltafold::Severity::Error => Self::Error,
        }
    }
}

impl Finding {
    pub(crate) fn of(finding: &deltafold::Finding) -> Self {
        Self {
            rule: finding.rule.id().to_owned(),
            severity: finding.severity.into(),
            layer: finding.layer.name().to_owned(),
            event_index: finding.location.event_index.map(int),
            sequence_number: finding.location.sequence_number.map(int),
            offset: int(finding.location.offset),
            path: finding.path.clone(),
            message: finding.message.clone(),
            repair: finding.repair.map(|repair| repair.name().to_owned()),
        }
    }
}

impl FindingCounts {
    pub(crate) fn of(all: &deltafold::Findings) -> Self {
        use deltafold::Severity::{Error, Note, Warning};
        Self { notes: int(all.count(Note)), warnings: int(all.count(Warning)), errors: int(all.count(Error)) }
    }
}

impl Failure {
    pub(crate) fn of(failure: &deltafold::Failure) -> Self {
        let deltafold::Failure { kind, code, message, param } = failure.clone();
        Self { r#type: kind, code, message, param }
    }
}

impl Outcome {
    pub(crate) fn of(outcome: &deltafold::Outcome) -> Self {
        match outcome {
            deltafold::Outcome::Completed => Self::Completed,
            deltafold::Outcome::Incomplete { reason } => Self::Incomplete { reason: reason.clone() },
            deltafold::Outcome::Failed { error } => Self::Failed { error: Failure::of(error) },
            deltafold::Outcome::Cancelled => Self::Cancelled,
            deltafold::Outcome::Truncated { last_sequence_number } => {
                Self::Truncated { last_sequence_number: last_sequence_number.map(int) }
            }
            other => Self::Unknown { name: other.name().to_owned() },
        }
    }
}

/// Serializes findings in the JSON form of every binding.
pub(crate) fn json(findings: &[deltafold::Finding]) -> String {
    Value::Array(findings.iter().map(deltafold::Finding::to_value).collect()).to_string()
}
