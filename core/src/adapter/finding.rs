//! [`AdapterFinding`]: one report of a conversion, and [`AdapterCode`], the table of all causes.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::json::{Object, Value};
use crate::named::display_name;

/// The effect of a conversion on a piece of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// Dropped: it is not in the output.
    Lost,
    /// The source contradicted itself or its dialect; the adapter chose a consistent reading.
    Repaired,
    /// The source omitted a value; the adapter supplied it.
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

            /// The effect: lost, repaired or assumed.
            pub fn fidelity(self) -> Fidelity {
                match self { $(Self::$variant => Fidelity::$kind,)* }
            }

            /// One sentence that explains the code.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

codes! {
    AnnotationDropped, "annotation_dropped", Lost, "An annotation that the target has no form for, or that arrived while no text was open.";
    CallerDropped, "caller_dropped", Lost, "The caller of a tool call, where it is not the model itself.";
    CitationWithoutText, "citation_without_text", Lost, "A citation of a block that has no text.";
    CitationWithoutUrl, "citation_without_url", Lost, "A citation without a URL: it cannot be an annotation.";
    ContentAfterFinish, "content_after_finish", Lost, "Content that arrived after the finish reason.";
    ContentPartDropped, "content_part_dropped", Lost, "A content part of a type that the target has no form for.";
    DeltaTypeMismatch, "delta_type_mismatch", Lost, "A delta whose type does not fit the block or item that it names.";
    EncryptedContentDropped, "encrypted_content_dropped", Lost, "Encrypted reasoning that the target has no form for, or that another provider made.";
    EventAfterItemDone, "event_after_item_done", Lost, "An event for an item that was already done.";
    EventAfterTerminal, "event_after_terminal", Lost, "An event that arrived after the end of the response.";
    EventDropped, "event_dropped", Lost, "An event that the target has no form for, or a message that could not be read.";
    IncompleteReasonLost, "incomplete_reason_lost", Lost, "The reason of an incomplete response, for which the target has no word.";
    ItemDropped, "item_dropped", Lost, "An item that the target has no form for, or that the options leave out.";
    LateGrounding, "late_grounding", Lost, "Grounding that arrived while no text was open.";
    MediaDropped, "media_dropped", Lost, "Media that the target has no form for, or that the source could not make.";
    MultipleChoices, "multiple_choices", Lost, "Answers after the first in a stream with several; the first is converted.";
    OrphanCodeResult, "orphan_code_result", Lost, "The result of a code execution that the stream did not start.";
    OrphanDelta, "orphan_delta", Lost, "A delta that names no open block or item.";
    PartDropped, "part_dropped", Lost, "A part of a type that the adapter does not know.";
    ReasoningDropped, "reasoning_dropped", Lost, "Reasoning that the options leave out, or of a type that the adapter does not know.";
    ReasoningKindDropped, "reasoning_kind_dropped", Lost, "The second kind of reasoning in one item: the target holds either raw text or a summary.";
    RefusalLogprobsDropped, "refusal_logprobs_dropped", Lost, "Log probabilities of a refusal.";
    SafetyRatingsDropped, "safety_ratings_dropped", Lost, "Safety ratings.";
    SignatureDropped, "signature_dropped", Lost, "A signature that arrived after the item it belongs to was closed.";
    ToolCallDropped, "tool_call_dropped", Lost, "A tool call without a name, or of a type that the adapter does not know.";
    ToolOutputDropped, "tool_output_dropped", Lost, "The output of a tool, for which the target has no form.";
    UnhandledSse, "unhandled_sse", Lost, "An event that the source itself reports as not understood.";
    UnknownDelta, "unknown_delta", Lost, "A delta of a type that the adapter does not know.";
    UnknownEvent, "unknown_event", Lost, "An event of a type that the adapter does not know.";
    DoneMismatch, "done_mismatch", Repaired, "A done event whose text differs from its deltas; the deltas are kept.";
    DuplicateItemAdded, "duplicate_item_added", Repaired, "An item that was added twice; the first is kept.";
    DuplicateMessageStart, "duplicate_message_start", Repaired, "A message that was started twice; the first start is kept.";
    ItemIdChanged, "item_id_changed", Repaired, "An item whose id changed; the first id is kept.";
    LateCallId, "late_call_id", Repaired, "The id of a call arrived after the call was written under another id.";
    MissingBlockStart, "missing_block_start", Repaired, "A delta of a block that was not started; the block is opened.";
    MissingBlockStop, "missing_block_stop", Repaired, "A block that was not stopped; it is closed.";
    MissingItemDone, "missing_item_done", Repaired, "An item without a done event at the end of the response; it is closed.";
    NonAppendUpdate, "non_append_update", Repaired, "An update that rewrites text which was already written.";
    OrphanStop, "orphan_stop", Repaired, "The stop of a block that was not started; it is skipped.";
    ToolCallWithoutName, "tool_call_without_name", Repaired, "A tool call without a name; it is written as `unknown`.";
    TruncatedParallelCall, "truncated_parallel_call", Repaired, "Several tool calls that are incomplete at once.";
    UsageTotalMismatch, "usage_total_mismatch", Repaired, "A total of tokens that is not the sum of its parts; the sum is written.";
    MissingFinishReason, "missing_finish_reason", Assumed, "No finish reason at the end of the stream; taken as a normal end.";
    MissingStatus, "missing_status", Assumed, "No status at the end of the stream; taken as completed.";
    MissingStopReason, "missing_stop_reason", Assumed, "No stop reason at the end of the stream; taken as a normal end.";
    UnknownFinishReason, "unknown_finish_reason", Assumed, "A finish reason that the adapter does not know; taken as a normal end.";
}

/// One loss, repair or assumption of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterFinding {
    /// The exact cause.
    pub code: AdapterCode,
    /// Position of the source's event or message in its stream, from 0.
    pub event_index: u64,
    /// Byte offset of that event's payload from the start of the source's stream; 0 if there is none.
    pub offset: u64,
    /// Names of types and fields, never payload text. May be empty.
    pub detail: String,
}

impl AdapterFinding {
    /// The finding as reports show it: `{"code", "kind", "event_index", "offset"[, "detail"]}`.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(5);
        object.push("code", self.code.name());
        object.push("kind", self.code.fidelity().name());
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
        write!(f, "{} {} at event {}", self.code.fidelity().name(), self.code.name(), self.event_index)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// The maximum length of a stored detail.
const DETAIL_BYTES: usize = 200;

/// The findings of one conversion: the first ones up to a limit, and a count of all.
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
    /// Stores at most `limit` findings and counts all.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Sets the current event of the source, which later findings refer to.
    pub fn set_event(&mut self, event_index: u64, offset: u64) {
        self.event_index = event_index;
        self.offset = offset;
    }

    /// Adds a finding at the current event. The detail is built only if it is stored.
    pub fn report(&mut self, code: AdapterCode, detail: impl FnOnce() -> String) {
        self.total += 1;
        self.lost += u64::from(code.fidelity() == Fidelity::Lost);
        if self.kept.len() < self.limit {
            let Self { event_index, offset, .. } = *self;
            let mut detail = detail();
            // Names come from the source and may have any length.
            let cut = (0..=DETAIL_BYTES).rev().find(|at| detail.is_char_boundary(*at)).unwrap_or(0);
            detail.truncate(cut.min(detail.len()));
            self.kept.push(AdapterFinding { code, event_index, offset, detail });
        }
    }

    /// The stored findings, in order.
    pub fn as_slice(&self) -> &[AdapterFinding] {
        &self.kept
    }

    /// The number of findings, stored or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of losses.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

display_name!(Fidelity, AdapterCode);
