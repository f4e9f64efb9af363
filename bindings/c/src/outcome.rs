//! [`dfold_outcome`]: how a stream ended.

use deltafold::Outcome;

use crate::bytes::dfold_bytes;

/// How a stream ended.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_outcome_kind {
    /// `response.completed` arrived.
    DFOLD_OUTCOME_COMPLETED = 0,
    /// `response.incomplete` arrived; `reason` has the reason.
    DFOLD_OUTCOME_INCOMPLETE = 1,
    /// `response.failed` or an `error` event arrived; the `error_*` views have the details.
    DFOLD_OUTCOME_FAILED = 2,
    /// The response was cancelled.
    DFOLD_OUTCOME_CANCELLED = 3,
    /// The input ended without a terminal event; resume after `last_sequence_number`.
    DFOLD_OUTCOME_TRUNCATED = 4,
    /// An outcome that is newer than this header; `name` has its name.
    DFOLD_OUTCOME_OTHER = 5,
}

/// How a stream ended, with the reason or error. Views that do not apply are empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_outcome {
    /// The outcome.
    pub kind: dfold_outcome_kind,
    /// True if `last_sequence_number` is set; only for a truncated stream.
    pub has_last_sequence_number: bool,
    /// True if `error_param` is set.
    pub has_error_param: bool,
    /// The last sequence number that was received.
    pub last_sequence_number: u64,
    /// The name of the outcome: `completed`, `incomplete`, `failed`, `cancelled`, `truncated`.
    pub name: dfold_bytes,
    /// `incomplete_details.reason`.
    pub reason: dfold_bytes,
    /// Type of the error, such as `server_error`.
    pub error_type: dfold_bytes,
    /// Code of the error.
    pub error_code: dfold_bytes,
    /// Message of the error.
    pub error_message: dfold_bytes,
    /// The request parameter that caused the error.
    pub error_param: dfold_bytes,
}

impl From<&Outcome> for dfold_outcome {
    fn from(outcome: &Outcome) -> Self {
        let mut seen = Self {
            kind: dfold_outcome_kind::DFOLD_OUTCOME_OTHER,
            has_last_sequence_number: false,
            has_error_param: false,
            last_sequence_number: 0,
            name: outcome.name().into(),
            reason: dfold_bytes::EMPTY,
            error_type: dfold_bytes::EMPTY,
            error_code: dfold_bytes::EMPTY,
            error_message: dfold_bytes::EMPTY,
            error_param: dfold_bytes::EMPTY,
        };
        match outcome {
            Outcome::Completed => seen.kind = dfold_outcome_kind::DFOLD_OUTCOME_COMPLETED,
            Outcome::Incomplete { reason } => {
                seen.kind = dfold_outcome_kind::DFOLD_OUTCOME_INCOMPLETE;
                seen.reason = reason.as_str().into();
            }
            Outcome::Failed { error } => {
                seen.kind = dfold_outcome_kind::DFOLD_OUTCOME_FAILED;
                seen.error_type = error.kind.as_str().into();
                seen.error_code = error.code.as_str().into();
                seen.error_message = error.message.as_str().into();
                seen.has_error_param = error.param.is_some();
                seen.error_param = error.param.as_deref().into();
            }
            Outcome::Cancelled => seen.kind = dfold_outcome_kind::DFOLD_OUTCOME_CANCELLED,
            Outcome::Truncated { last_sequence_number } => {
                seen.kind = dfold_outcome_kind::DFOLD_OUTCOME_TRUNCATED;
                seen.has_last_sequence_number = last_sequence_number.is_some();
                seen.last_sequence_number = last_sequence_number.unwrap_or(0);
            }
            // An outcome that a newer core adds keeps DFOLD_OUTCOME_OTHER; `name` identifies it.
            _ => {}
        }
        seen
    }
}
