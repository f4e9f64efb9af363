//! [`AgUiOptions`]: how AG-UI events are written.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::adapter::OptionReader;
use crate::error::{Code, Error};
use crate::json::Value;

/// How AG-UI events are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgUiOptions {
    /// `thread_id`: the conversation that the run belongs to.
    pub thread_id: String,
    /// `run_id`: the run; the response's id if absent.
    pub run_id: Option<String>,
    /// `provider`: who answered, for the usage entry.
    pub provider: Option<String>,
    /// `emit_run_lifecycle`: whether `RUN_STARTED`, `RUN_FINISHED` and `RUN_ERROR` are written. A host whose run spans several
    /// responses writes its own and finds the end of each response in a `CUSTOM` event.
    pub emit_run_lifecycle: bool,
    /// `reasoning_style`: which events carry reasoning.
    pub reasoning_style: ReasoningStyle,
    /// `media`: how generated media are shown.
    pub media: MediaStyle,
    /// `include_raw`: whether the first AG-UI event that is made from an event quotes it, as `rawEvent`.
    pub include_raw: bool,
}

/// Which AG-UI events carry reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReasoningStyle {
    /// `reasoning`: the `REASONING_*` events.
    #[default]
    Reasoning,
    /// `thinking`: the deprecated `THINKING_*` events, which have no ids and cannot carry encrypted reasoning.
    Thinking,
}

/// How generated media are shown in AG-UI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MediaStyle {
    /// `custom`: as `CUSTOM` events with the whole item or part.
    #[default]
    Custom,
    /// `activity`: as activity messages with media type and URL.
    Activity,
}

impl AgUiOptions {
    /// The defaults for a conversation.
    pub fn new(thread_id: impl Into<String>) -> Self {
        Self {
            thread_id: thread_id.into(),
            run_id: None,
            provider: None,
            emit_run_lifecycle: true,
            reasoning_style: ReasoningStyle::default(),
            media: MediaStyle::default(),
            include_raw: false,
        }
    }

    /// Reads them out of one object for both sides.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] if `thread_id` is missing or a value has the wrong type.
    pub fn from_value(options: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(options)?;
        let missing = || Error::new(Code::BadArgument, 0, "expected thread_id, found no such option");
        let thinking = reader.choice("reasoning_style", &["reasoning", "thinking"])? == 1;
        let legacy = reader.flag("legacy_thinking")?.unwrap_or(false);
        let activity = reader.choice("media", &["custom", "activity"])? == 1;
        Ok(Self {
            thread_id: reader.text("thread_id")?.ok_or_else(missing)?.to_owned(),
            run_id: reader.text("run_id")?.map(str::to_owned),
            provider: reader.text("provider")?.map(str::to_owned),
            emit_run_lifecycle: reader.flag("emit_run_lifecycle")?.unwrap_or(true),
            reasoning_style: if thinking || legacy { ReasoningStyle::Thinking } else { ReasoningStyle::Reasoning },
            media: if activity { MediaStyle::Activity } else { MediaStyle::Custom },
            include_raw: reader.flag("include_raw")?.unwrap_or(false),
        })
    }
}
