//! Options of the adapters that write a dialect.

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::{Direction, OptionSpec, OptionType};
use crate::adapter::{Dialect, OptionReader};
use crate::error::Error;
use crate::json::{Object, Value};

const AG_UI_ONLY: &[Dialect] = &[Dialect::AgUi];
const CHAT_ONLY: &[Dialect] = &[Dialect::ChatCompletions];
const UI_ONLY: &[Dialect] = &[Dialect::UiMessageStream];

option_words! {
    /// The AG-UI events that carry reasoning.
    ReasoningStyle {
        Reasoning = "reasoning", "the `REASONING_*` events";
        Thinking = "thinking", "the deprecated `THINKING_*` events, which cannot carry encrypted reasoning";
    }
}

option_words! {
    /// The form of generated media in AG-UI.
    MediaStyle {
        Custom = "custom", "`CUSTOM` events with the whole item or part";
        Activity = "activity", "activity messages with media type and URL";
    }
}

option_words! {
    /// The version of AG-UI that the events are for.
    AgUiVersion {
        Any = "any", "events that clients of every version accept";
        V1 = "1.0", "also fields and outcomes that only clients from version 1.0 on accept: `protocolVersion`, the outcomes `cancelled` and `interrupt`, `pendingToolCallIds`, and tokens written to a cache";
    }
}

adapter_options! {
    /// Options of the adapter that writes AG-UI.
    ///
    /// ```
    /// use deltafold::adapter::{AgUiOptions, ReasoningStyle};
    /// let options = AgUiOptions::new("thread_1").reasoning_style(ReasoningStyle::Thinking);
    /// assert_eq!(options.thread_id, "thread_1");
    /// ```
    AgUiOptions, AG_UI, Write;
    thread_id: string = String::new(), "none", AG_UI_ONLY, required AG_UI_ONLY,
        "the id of the conversation that the run belongs to";
    run_id: optional_string = None, "the id of the response", AG_UI_ONLY, required &[],
        "the id of the run";
    provider: optional_string = None, "none", AG_UI_ONLY, required &[],
        "the name of the provider in the usage entry";
    emit_run_lifecycle: boolean = true, "true", AG_UI_ONLY, required &[],
        "whether `RUN_STARTED`, `RUN_FINISHED` and `RUN_ERROR` are written; a host whose run spans several responses writes its own and finds the end of each response in a `CUSTOM` event";
    reasoning_style: words ReasoningStyle = ReasoningStyle::default(), "`reasoning`", AG_UI_ONLY, required &[],
        "which events carry reasoning";
    legacy_thinking: boolean = false, "false", AG_UI_ONLY, required &[],
        "`true` is the same as `reasoning_style` `thinking`";
    thinking_ids: boolean = false, "false", AG_UI_ONLY, required &[],
        "whether `THINKING_*` events, which have no ids of their own, name their reasoning message in `metadata.open_responses.message_id`; parts of a summary and raw reasoning have different ids";
    media: words MediaStyle = MediaStyle::default(), "`custom`", AG_UI_ONLY, required &[],
        "how generated media are written";
    protocol_version: words AgUiVersion = AgUiVersion::default(), "`any`", AG_UI_ONLY, required &[],
        "which version of AG-UI the events are for";
    rate_limits: object = Object::new(), "{}", AG_UI_ONLY, required &[],
        "rate limits of the response's HTTP headers, which no event of the source has; `RUN_STARTED` carries them in `metadata.open_responses.rate_limits`";
    include_raw: boolean = false, "false", AG_UI_ONLY, required &[],
        "whether the first AG-UI event that a source event causes quotes that event as `rawEvent`";
}

adapter_options! {
    /// Options of the adapter that writes Chat Completions chunks.
    ChatOptions, CHAT, Write;
    reasoning_field: nullable_string = Some("reasoning_content".to_owned()), "`reasoning_content`", CHAT_ONLY, required &[],
        "the member of a delta that carries reasoning; `null` drops reasoning";
    include_usage: boolean = true, "true", CHAT_ONLY, required &[],
        "whether a last chunk carries the token counts";
}

adapter_options! {
    /// Options of the adapter that writes the UI message stream of the Vercel AI SDK.
    UiOptions, UI, Write;
    message_id: optional_string = None, "the id of the response", UI_ONLY, required &[],
        "the id of the message that the stream builds";
    provider_key: string = "openResponses".to_owned(), "`openResponses`", UI_ONLY, required &[],
        "the key of the provider metadata that the stream adds";
    include_metadata: boolean = false, "false", UI_ONLY, required &[],
        "whether the last chunk carries id, model, status and usage of the response";
}

impl AgUiOptions {
    /// The defaults for a conversation.
    pub fn new(thread_id: impl Into<String>) -> Self {
        Self::default().thread_id(thread_id)
    }

    #[cfg(feature = "adapter-ag-ui")]
    /// Returns an error if the thread is missing.
    pub(crate) fn check_required(&self) -> Result<(), Error> {
        if self.thread_id.is_empty() {
            return Err(super::missing(Dialect::AgUi, "thread_id"));
        }
        Ok(())
    }

    #[cfg(feature = "adapter-ag-ui")]
    /// The events that carry reasoning, according to both options that affect it.
    pub(crate) fn effective_reasoning_style(&self) -> ReasoningStyle {
        if self.legacy_thinking {
            ReasoningStyle::Thinking
        } else {
            self.reasoning_style
        }
    }
}
