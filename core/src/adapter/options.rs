//! Options: one JSON object with the names of both sides, read into a struct for each.

use alloc::string::String;

use crate::error::Error;
use crate::json::{Object, Value};
use crate::options::OptionReader;

/// What a reading adapter needs to know beyond its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct InboundOptions {
    /// `response_id`: the response's id where the source has none on the wire, or fails before it comes.
    pub response_id: Option<String>,
    /// `model`: the model's name where the source does not give it.
    pub model: Option<String>,
    /// `now`: the caller's time in whole seconds, for `completed_at`, and for `created_at` where the source has no time.
    pub now: i64,
    /// `template`: members merged over the default response object, to echo the request.
    pub template: Object,
    /// `provider`: who answered, for dialects that many providers speak.
    pub provider: Option<String>,
    /// `include_extensions`: whether extension items and events are written.
    pub include_extensions: bool,
    /// `thinking_as`: where raw reasoning text goes.
    pub thinking_as: ThinkingAs,
    /// `envelope`: how a signature is wrapped.
    pub envelope: Envelope,
    /// `reasoning_events`: what raw reasoning events are called.
    pub reasoning_events: ReasoningEvents,
}

/// Where raw reasoning text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThinkingAs {
    /// `content`: a `reasoning_text` part.
    #[default]
    Content,
    /// `summary`: a `summary_text` part.
    Summary,
}

/// How the signature of a thinking text is wrapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Envelope {
    /// `signature`: the signature alone.
    #[default]
    Signature,
    /// `self_contained`: thinking text and signature together, for clients that drop the text.
    SelfContained,
}

/// What raw reasoning events are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReasoningEvents {
    /// `open_responses`: `response.reasoning.*`.
    #[default]
    OpenResponses,
    /// `openai`: `response.reasoning_text.*`.
    OpenAi,
}

impl Default for InboundOptions {
    fn default() -> Self {
        Self {
            response_id: None,
            model: None,
            now: 0,
            template: Object::new(),
            provider: None,
            include_extensions: true,
            thinking_as: ThinkingAs::default(),
            envelope: Envelope::default(),
            reasoning_events: ReasoningEvents::default(),
        }
    }
}

impl InboundOptions {
    /// Reads the options of the reading side out of one object for both sides.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`](crate::Code::BadArgument) for a value of the wrong type.
    pub fn from_value(options: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(options)?;
        let thinking = reader.choice("thinking_as", &["content", "summary"])?;
        let envelope = reader.choice("envelope", &["signature", "self_contained"])?;
        let events = reader.choice("reasoning_events", &["open_responses", "openai"])?;
        Ok(Self {
            response_id: reader.text("response_id")?.map(String::from),
            model: reader.text("model")?.map(String::from),
            now: reader.integer("now")?.unwrap_or(0),
            template: reader.object("template")?.cloned().unwrap_or_default(),
            provider: reader.text("provider")?.map(String::from),
            include_extensions: reader.flag("include_extensions")?.unwrap_or(true),
            thinking_as: if thinking == 1 { ThinkingAs::Summary } else { ThinkingAs::Content },
            envelope: if envelope == 1 { Envelope::SelfContained } else { Envelope::Signature },
            reasoning_events: if events == 1 { ReasoningEvents::OpenAi } else { ReasoningEvents::OpenResponses },
        })
    }
}

/// Every option of every adapter.
pub(super) const NAMES: &[&str] = &[
    // reading
    "response_id",
    "model",
    "now",
    "template",
    "provider",
    "include_extensions",
    "thinking_as",
    "envelope",
    "reasoning_events",
    // AG-UI
    "thread_id",
    "run_id",
    "emit_run_lifecycle",
    "reasoning_style",
    "media",
    "include_raw",
    "legacy_thinking",
    // Chat Completions
    "reasoning_field",
    "include_usage",
    // UI message stream
    "message_id",
    "provider_key",
    "include_metadata",
];
