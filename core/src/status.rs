//! [`ItemStatus`] and [`ResponseStatus`]: the status words of the wire as types.

use core::fmt;
use core::str::FromStr;

use crate::error::{Code, Error};

/// The status of an output item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ItemStatus {
    /// The item is in progress: `in_progress`, `searching`, `interpreting`, `generating` or `calling`.
    InProgress,
    /// The item is complete.
    #[default]
    Completed,
    /// The item was truncated. The response ends incomplete, and no item follows.
    Incomplete,
    /// The tool failed. Only some hosted tools and extension items have this status.
    Failed,
}

impl ItemStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::InProgress, Self::Completed, Self::Incomplete, Self::Failed];

    /// `in_progress`, `completed`, `incomplete` or `failed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
        }
    }

    /// Returns the status for a word on the wire; `None` for a word that no item type has.
    ///
    /// ```
    /// use deltafold::ItemStatus;
    /// assert_eq!(ItemStatus::from_name("searching"), Some(ItemStatus::InProgress));
    /// assert_eq!(ItemStatus::from_name("done"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "in_progress" | "searching" | "interpreting" | "generating" | "calling" => Self::InProgress,
            "completed" => Self::Completed,
            "incomplete" => Self::Incomplete,
            "failed" => Self::Failed,
            _ => return None,
        })
    }

    /// Returns the final status for a word on the wire; `None` for any other word.
    pub(crate) fn terminal_from_name(name: &str) -> Option<Self> {
        Self::from_name(name).filter(|status| status.is_terminal())
    }

    /// Returns `true` if the status is final.
    pub fn is_terminal(self) -> bool {
        self != Self::InProgress
    }

    /// Returns `true` if the item is complete.
    pub fn is_success(self) -> bool {
        self == Self::Completed
    }
}

impl fmt::Display for ItemStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ItemStatus {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = "known item statuses: in_progress, completed, incomplete and failed";
        Self::from_name(name).ok_or_else(|| Error::new(Code::UnknownName, 0, known))
    }
}

/// The status of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ResponseStatus {
    /// The request is queued.
    Queued,
    /// The model is generating.
    InProgress,
    /// The response is complete.
    Completed,
    /// The response ended early; `incomplete_details` has the reason.
    Incomplete,
    /// The response failed; `error` has the cause.
    Failed,
    /// The caller cancelled the response.
    Cancelled,
}

impl ResponseStatus {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::InProgress, Self::Completed, Self::Incomplete, Self::Failed, Self::Cancelled];

    /// `queued`, `in_progress`, `completed`, `incomplete`, `failed` or `cancelled`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the status for a word on the wire; `None` for any other word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns `true` if the status is final.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Queued | Self::InProgress)
    }

    /// Returns `true` if the response is complete.
    pub fn is_success(self) -> bool {
        self == Self::Completed
    }
}

impl fmt::Display for ResponseStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ResponseStatus {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = "known response statuses: queued, in_progress, completed, incomplete, failed and cancelled";
        Self::from_name(name).ok_or_else(|| Error::new(Code::UnknownName, 0, known))
    }
}
