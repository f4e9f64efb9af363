//! What was wrong with a stream, and how it ended.

use deltafold::json::Value;

use crate::int;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Severity {
    /// Worth knowing; nothing in the specification is broken.
    Note,
    /// A SHOULD is broken, or a profile forgives the error.
    Warning,
    /// The stream breaks the specification.
    Error,
}

/// One rule broken by the stream, or one repair made.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Finding {
    /// Id of the rule, such as `STREAM-01`; `explain` has it in words.
    pub rule: String,
    /// How much it weighs, after the profile.
    pub severity: Severity,
    /// Which layer saw it: `framing`, `schema`, `stream` or `transport`.
    pub layer: String,
    /// Position of the event in the stream, from 0.
    pub event_index: Option<i64>,
    /// The event's own number.
    pub sequence_number: Option<i64>,
    /// Byte offset from the start of the stream.
    pub offset: i64,
    /// JSON pointer into the event's payload; empty for the whole.
    pub path: String,
    /// What was expected and what was found, without payload text.
    pub message: String,
    /// What was done about it, such as `opened_item`.
    pub repair: Option<String>,
}

/// How many findings there were, kept or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Record)]
pub struct FindingCounts {
    /// Findings that are notes.
    pub notes: i64,
    /// Findings that are warnings.
    pub warnings: i64,
    /// Findings that are errors.
    pub errors: i64,
}

/// An error as a stream reports it.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Failure {
    /// Class of the error, such as `server_error`; empty where the stream has none.
    pub r#type: String,
    /// Exact cause; empty where the stream has none.
    pub code: String,
    /// Text for people.
    pub message: String,
    /// The request parameter concerned, if any.
    pub param: Option<String>,
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Outcome {
    /// `response.completed` arrived.
    Completed,
    /// `response.incomplete` arrived.
    Incomplete {
        /// Why; empty where the stream named no reason.
        reason: String,
    },
    /// `response.failed` or an `error` event arrived.
    Failed {
        /// What the stream said about it.
        error: Failure,
    },
    /// The response was cancelled.
    Cancelled,
    /// Input ended without a terminal event. The partial response stays readable.
    Truncated {
        /// The last sequence number seen: resume after it.
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
            event_index: finding.place.event_index.map(int),
            sequence_number: finding.place.sequence_number.map(int),
            offset: int(finding.place.offset),
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

/// Findings as the JSON text that every binding has for them.
pub(crate) fn json(findings: &[deltafold::Finding]) -> String {
    Value::Array(findings.iter().map(deltafold::Finding::to_value).collect()).to_string()
}
