//! [`AdapterFinding`]: what a conversion lost, repaired or assumed, as one table of codes.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::json::{Object, Value};

/// What a conversion did to what the source said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// The target has no place for it: it is gone.
    Lost,
    /// The source contradicted itself or its dialect, and the adapter mended it.
    Repaired,
    /// The source said nothing, or nothing known, and the adapter chose.
    Assumed,
}

impl Fidelity {
    /// `lost`, `repaired` or `assumed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Repaired => "repaired",
            Self::Assumed => "assumed",
        }
    }
}

macro_rules! codes {
    ($($variant:ident, $name:literal, $kind:ident, $doc:literal;)*) => {
        /// The exact cause of an [`AdapterFinding`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum AdapterCode { $(#[doc = $doc] $variant,)* }

        impl AdapterCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in a report, such as `caller_dropped`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Whether something was lost, repaired or assumed.
            pub fn kind(self) -> Fidelity {
                match self { $(Self::$variant => Fidelity::$kind,)* }
            }

            /// One sentence that says what it means.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

codes! {
    AnnotationDropped, "annotation_dropped", Lost, "An annotation came when no text was open for it.";
    CallerDropped, "caller_dropped", Lost, "A tool call named a caller other than the model itself.";
    CitationWithoutText, "citation_without_text", Lost, "A citation belongs to a block without text.";
    CitationWithoutUrl, "citation_without_url", Lost, "A citation has no URL, so it is no annotation.";
    ContentAfterFinish, "content_after_finish", Lost, "Content came after the finish reason.";
    ContentPartDropped, "content_part_dropped", Lost, "A content part has a type that is not carried.";
    EncryptedContentDropped, "encrypted_content_dropped", Lost, "Encrypted reasoning that the target cannot hold or must not see.";
    EventAfterItemDone, "event_after_item_done", Lost, "An event came for an item that was done.";
    EventAfterTerminal, "event_after_terminal", Lost, "An event came after the end of the response.";
    EventDropped, "event_dropped", Lost, "An event that the target has no form for, or that could not be read.";
    IncompleteReasonLost, "incomplete_reason_lost", Lost, "The target has no word for this reason of an incomplete response.";
    ItemDropped, "item_dropped", Lost, "An item that the target has no form for, or that the options leave out.";
    LateGrounding, "late_grounding", Lost, "Grounding came when no text was open for it.";
    MediaDropped, "media_dropped", Lost, "Media that the target has no form for.";
    MultipleChoices, "multiple_choices", Lost, "More than one answer in one stream; the first is carried.";
    PartDropped, "part_dropped", Lost, "A part has a type that is not carried.";
    ReasoningDropped, "reasoning_dropped", Lost, "Reasoning that the options leave out.";
    ReasoningKindDropped, "reasoning_kind_dropped", Lost, "Reasoning came raw and as a summary; the target holds one of them.";
    RefusalLogprobsDropped, "refusal_logprobs_dropped", Lost, "Log probabilities of a refusal.";
    SafetyRatingsDropped, "safety_ratings_dropped", Lost, "Safety ratings.";
    SignatureDropped, "signature_dropped", Lost, "A signature that came too late to be attached.";
    ToolOutputDropped, "tool_output_dropped", Lost, "The output of a tool.";
    UnhandledSse, "unhandled_sse", Lost, "The source itself did not understand an event.";
    DeltaTypeMismatch, "delta_type_mismatch", Repaired, "A delta of another type than its block.";
    DoneMismatch, "done_mismatch", Repaired, "A done event does not continue what its deltas said.";
    DuplicateItemAdded, "duplicate_item_added", Repaired, "An item was added twice.";
    DuplicateMessageStart, "duplicate_message_start", Repaired, "A message was started twice.";
    ItemIdChanged, "item_id_changed", Repaired, "An item changed its id; the first is kept.";
    LateCallId, "late_call_id", Repaired, "The id of a call came after the call was written under another.";
    MissingBlockStart, "missing_block_start", Repaired, "A delta came for a block that was not started.";
    MissingBlockStop, "missing_block_stop", Repaired, "A block was not stopped.";
    MissingItemDone, "missing_item_done", Repaired, "An item was not done at the end of the response.";
    NonAppendUpdate, "non_append_update", Repaired, "An update rewrote text that was written.";
    OrphanCodeResult, "orphan_code_result", Repaired, "The result of code that never came.";
    OrphanDelta, "orphan_delta", Repaired, "A delta that belongs to nothing.";
    OrphanStop, "orphan_stop", Repaired, "The stop of a block that was not started.";
    ToolCallWithoutName, "tool_call_without_name", Repaired, "A tool call that never got a name.";
    TruncatedParallelCall, "truncated_parallel_call", Repaired, "Several calls were cut at once.";
    UsageTotalMismatch, "usage_total_mismatch", Repaired, "The source's total of tokens is not the sum of its parts.";
    MissingFinishReason, "missing_finish_reason", Assumed, "The source ended without a finish reason; taken as a normal end.";
    MissingStatus, "missing_status", Assumed, "The source ended without a status; taken as completed.";
    MissingStopReason, "missing_stop_reason", Assumed, "The source ended without a stop reason; taken as a normal end.";
    UnknownDelta, "unknown_delta", Assumed, "A delta of a type that is not known; passed over.";
    UnknownEvent, "unknown_event", Assumed, "An event of a type that is not known; passed over.";
    UnknownFinishReason, "unknown_finish_reason", Assumed, "A finish reason that is not known; taken as a normal end.";
}

/// One thing that a conversion lost, repaired or assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterFinding {
    /// The exact cause.
    pub code: AdapterCode,
    /// Position of the source's event or message in its stream, from 0.
    pub event_index: u64,
    /// Byte offset of that event's payload from the start of the source's stream, 0 where there is none.
    pub offset: u64,
    /// What exactly: names of types and fields, never payload text. May be empty.
    pub detail: String,
}

impl AdapterFinding {
    /// The finding as it stands in a report: `{"code", "kind", "event_index", "offset"[, "detail"]}`.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(5);
        object.push("code", self.code.name());
        object.push("kind", self.code.kind().name());
        object.push("event_index", self.event_index);
        object.push("offset", self.offset);
        if !self.detail.is_empty() {
            object.push("detail", self.detail.as_str());
        }
        object.into()
    }
}

impl fmt::Display for AdapterFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at event {}", self.code.kind().name(), self.code.name(), self.event_index)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// How much of a detail is kept.
const DETAIL_BYTES: usize = 200;

/// The findings of one conversion: the first so many, and a count of all.
#[derive(Clone, Debug, Default)]
pub struct AdapterFindings {
    kept: Vec<AdapterFinding>,
    limit: usize,
    total: u64,
    lost: u64,
    event_index: u64,
    offset: u64,
}

impl AdapterFindings {
    /// Keeps at most `limit` findings and counts the rest.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Says which event of the source is being looked at; findings are placed there.
    pub fn at(&mut self, event_index: u64, offset: u64) {
        self.event_index = event_index;
        self.offset = offset;
    }

    /// Adds a finding at the current event. The detail is made only if it is kept.
    pub fn report(&mut self, code: AdapterCode, detail: impl FnOnce() -> String) {
        self.total += 1;
        self.lost += u64::from(code.kind() == Fidelity::Lost);
        if self.kept.len() < self.limit {
            let Self { event_index, offset, .. } = *self;
            let mut detail = detail();
            // Names come from the source and may be of any length.
            let cut = (0..=DETAIL_BYTES).rev().find(|at| detail.is_char_boundary(*at)).unwrap_or(0);
            detail.truncate(cut.min(detail.len()));
            self.kept.push(AdapterFinding { code, event_index, offset, detail });
        }
    }

    /// The findings that are kept, in order.
    pub fn as_slice(&self) -> &[AdapterFinding] {
        &self.kept
    }

    /// How many findings there were, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many of them were losses.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}
