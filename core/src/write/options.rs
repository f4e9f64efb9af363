//! [`WriterOptions`]: the caller's settings, known before the first event.

use alloc::string::String;

use crate::clock::Clock;
use crate::contract::Edition;
use crate::json::Object;
use crate::named::{display_name, parse_name};
use crate::options::setters;

/// Settings of a [`Writer`](super::Writer). They contain the response id and the time, because the core has neither clock nor
/// randomness.
///
/// ```
/// use deltafold::write::{ReasoningNames, WriterOptions};
/// let options = WriterOptions::new("resp_1", "m-1", 1_767_225_600).reasoning_names(ReasoningNames::OpenAi);
/// assert_eq!(options.model, "m-1");
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WriterOptions {
    /// The response's id, written unchanged. Item ids are derived from it: `<prefix>_<suffix>_<output_index>`.
    pub id: String,
    /// The model's name.
    pub model: String,
    /// `created_at`, in whole seconds.
    pub created_at: u64,
    /// Response fields that replace the defaults, usually the repeated fields of the request. [`echo_request`](super::echo_request())
    /// creates them from a request.
    pub template: Object,
    /// The event names for raw reasoning, which differ between Open Responses and OpenAI.
    pub reasoning_names: ReasoningNames,
    /// The edition, which decides the available items and events. The default has only the core ones; hosted tools need
    /// [`Edition::Split`] or [`Edition::OpenAi`].
    pub edition: Edition,
    /// The output of [`heartbeat`](super::Writer::heartbeat).
    pub heartbeat: Heartbeat,
    /// The service tier at the source of an adapter.
    pub(crate) service_tier: Option<String>,
    /// The time of `completed_at`, unless [`set_now`](super::Writer::set_now) was called. Without a clock it is `created_at`.
    pub clock: Option<Clock>,
}

/// The event names for raw reasoning, which differ between Open Responses and OpenAI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReasoningNames {
    /// Raw reasoning is `response.reasoning.delta` and `.done`.
    #[default]
    OpenResponses,
    /// Raw reasoning is `response.reasoning_text.delta` and `.done`, the names that OpenAI's SDKs read.
    OpenAi,
}

/// The keep-alive signal of an idle connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Heartbeat {
    /// A comment line, which every known reader accepts.
    #[default]
    Comment,
    /// A `keepalive` event with a sequence number, as OpenAI sends it. Not part of Open Responses.
    Keepalive,
    /// Nothing.
    Off,
}

setters!(WriterOptions {
    id: into String,
    model: into String,
    created_at: u64,
    template: Object,
    reasoning_names: ReasoningNames,
    edition: Edition,
    heartbeat: Heartbeat,
    clock: Option<Clock>,
});

impl WriterOptions {
    /// Creates options with these values and the defaults for all others.
    pub fn new(id: impl Into<String>, model: impl Into<String>, created_at: u64) -> Self {
        Self { id: id.into(), model: model.into(), created_at, ..Self::default() }
    }
}

impl ReasoningNames {
    /// Both.
    pub const ALL: [Self; 2] = [Self::OpenResponses, Self::OpenAi];

    /// `open_responses` or `openai`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenResponses => "open_responses",
            Self::OpenAi => "openai",
        }
    }
}

impl Heartbeat {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::Comment, Self::Keepalive, Self::Off];

    /// `comment`, `keepalive` or `off`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Keepalive => "keepalive",
            Self::Off => "off",
        }
    }
}

display_name!(ReasoningNames, Heartbeat);

parse_name! {
    ReasoningNames, "reasoning name set";
    Heartbeat, "heartbeat";
}
