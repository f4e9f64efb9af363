//! ITEM-08: an item that ends incomplete is the last item, with two exceptions.
//!
//! Several items can be cut off at the same time, and then each of them is incomplete:
//!
//! - A *call* may be incomplete before other items if the last item is incomplete too or, in a failed response, never ended.
//!   Calls that run in parallel are cut off together.
//! - If the caller cancels the response (reason `cancelled`), every open item is incomplete.
//!
//! Everything else is a finding, for example two incomplete messages, or an incomplete call before a complete last item.

use super::records::ItemClass;
use super::response_members::ResponseMembers;
use crate::json::ValueRef;

/// How an item ended, as ITEM-08 distinguishes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ItemEnding {
    /// No done event, or its status is one of `UNFINISHED`.
    #[default]
    Open,
    /// Status `incomplete`, or `in_progress` for a patch, whose schema has no `incomplete`.
    Incomplete {
        /// True if the item is a call.
        call: bool,
        /// True if the status is `incomplete`.
        declared: bool,
    },
    /// Any other status, or none.
    Complete,
}

/// The statuses of items that have not ended: `in_progress`, and what a tool is doing.
const UNFINISHED: [&str; 5] = ["in_progress", "searching", "interpreting", "generating", "calling"];

impl ItemEnding {
    pub(super) fn of(item: ValueRef<'_>) -> Self {
        let text = |key| item.get(key).and_then(|value| value.as_str());
        let status = text("status").unwrap_or_default();
        if status != "incomplete" && !UNFINISHED.contains(&&*status) {
            return Self::Complete;
        }
        let class = text("type").map_or(ItemClass::Unknown, |kind| ItemClass::of(&kind));
        match &*status {
            "incomplete" => Self::Incomplete { call: class.is_call(), declared: true },
            "in_progress" if class == ItemClass::ApplyPatchCall => Self::Incomplete { call: true, declared: false },
            _ => Self::Open,
        }
    }
}

/// What the terminal snapshot allows for incomplete items.
#[derive(Clone, Copy, Debug)]
pub(super) struct IncompletePolicy {
    cancelled: bool,
    /// True if the last item is incomplete too.
    last: bool,
}

impl IncompletePolicy {
    pub(super) fn of(response: &ResponseMembers<'_>, last: Option<ItemEnding>) -> Self {
        let cancelled = response.has_incomplete_reason("cancelled");
        // Only a failed response leaves items open; in any other response `in_progress` is not an ending.
        let failed = response.has_status("failed");
        let last = last.is_some_and(|last| match last {
            ItemEnding::Open => failed,
            ItemEnding::Incomplete { .. } => true,
            ItemEnding::Complete => false,
        });
        Self { cancelled, last }
    }

    /// Returns `true` if an item with this ending must be the last one.
    pub(super) fn must_be_last(self, ending: ItemEnding) -> bool {
        match ending {
            ItemEnding::Incomplete { call, declared: true } => !(self.cancelled || (call && self.last)),
            _ => false,
        }
    }
}
