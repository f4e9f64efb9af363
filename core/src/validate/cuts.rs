//! ITEM-08: which items may end incomplete although others stand behind them.
//!
//! RULES.md says that an item which ends incomplete is the last one, and that is checked to the letter. MAPPINGS.md, which
//! says what a producer of ours writes, knows two cases where several items are cut at once and each says so:
//!
//! - I9 and the end of section 1.8: of several calls that were cut together each one says so. So a
//!   *call* may be incomplete before others, as long as the last item was cut too (or, in a failed response, never ended).
//! - The row "cancelled by the caller" of section 1.8, and D2: all open items are incomplete, whatever their type.
//!
//! Everything else is a finding, also two messages that are incomplete, and a call before a last item that is whole.

use super::slots::Class;
use super::validator::status_is;
use crate::json::View;

/// How an item ended, as far as ITEM-08 asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// No done event was seen, or it says `in_progress`.
    #[default]
    Open,
    /// `incomplete`, or `in_progress` for a patch, whose type has no other word for it.
    Cut {
        /// Whether the item is a call.
        call: bool,
        /// Whether it says `incomplete`.
        told: bool,
    },
    /// Any other status, or none.
    Whole,
}

impl Ending {
    pub(super) fn of(item: View<'_>) -> Self {
        let class = item.get("type").and_then(|kind| kind.as_str()).map_or(Class::Untold, |kind| Class::of(&kind));
        match () {
            () if status_is(item, "incomplete") => Self::Cut { call: class.is_call(), told: true },
            () if !status_is(item, "in_progress") => Self::Whole,
            () if class == Class::ApplyPatchCall => Self::Cut { call: true, told: false },
            () => Self::Open,
        }
    }
}

/// What the end of a response says about the items that were cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cuts {
    cancelled: bool,
    /// Whether the last item was cut as well.
    last: bool,
}

impl Cuts {
    pub(super) fn of(response: View<'_>, last: Option<Ending>) -> Self {
        let cancelled = response.pointer("/incomplete_details/reason").is_some_and(|reason| reason.is_str("cancelled"));
        // Only a failure may leave an item open; elsewhere `in_progress` is no way to be cut.
        let failed = status_is(response, "failed");
        let last = last.is_some_and(|last| match last {
            Ending::Open => failed,
            Ending::Cut { .. } => true,
            Ending::Whole => false,
        });
        Self { cancelled, last }
    }

    /// Says whether an item that ended like this has to be the last one.
    pub(super) fn misplaced(self, ending: Ending) -> bool {
        match ending {
            Ending::Cut { call, told: true } => !(self.cancelled || (call && self.last)),
            _ => false,
        }
    }
}
