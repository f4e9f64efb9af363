//! [`WriterOptions`]: what the caller knows before the first event.

use alloc::string::String;

use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::json::Object;

/// Everything a [`Writer`](super::Writer) needs before it starts. Ids and times come from here: the core has neither.
///
/// ```
/// use deltafold::write::{Dialect, WriterOptions};
/// let options = WriterOptions { dialect: Dialect::OpenAi, ..WriterOptions::new("resp_1", "m-1", 1_767_225_600) };
/// assert_eq!(options.model, "m-1");
/// ```
#[derive(Clone, Debug, Default)]
pub struct WriterOptions {
    /// The response's id, written as it is. Item ids are derived from it: `<prefix>_<suffix>_<output_index>`.
    pub id: String,
    /// The model's name.
    pub model: String,
    /// `created_at`, in whole seconds.
    pub created_at: u64,
    /// Response fields that differ from the defaults, most of them an echo of the request: merged over the defaults by
    /// key. [`echo`](super::echo()) makes them from a request.
    pub template: Object,
    /// Which names are used where Open Responses and OpenAI differ.
    pub dialect: Dialect,
    /// Which items and events may be written. The default has only the core ones; hosted tools need [`Edition::Split`]
    /// or [`Edition::OpenAi`].
    pub edition: Edition,
    /// What [`heartbeat`](super::Writer::heartbeat) writes.
    pub heartbeat: Heartbeat,
}

/// Which names are used where Open Responses and OpenAI differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Raw reasoning is `response.reasoning.delta` and `.done`.
    #[default]
    OpenResponses,
    /// Raw reasoning is `response.reasoning_text.delta` and `.done`: what OpenAI's SDKs read.
    OpenAi,
}

/// What keeps an idle connection alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Heartbeat {
    /// A comment line, the one idle signal that every known reader survives.
    #[default]
    Comment,
    /// A `keepalive` event with a sequence number, as OpenAI sends it. Not part of Open Responses.
    Keepalive,
    /// Nothing.
    Off,
}

impl WriterOptions {
    /// Options with these three values and the defaults for all others.
    pub fn new(id: impl Into<String>, model: impl Into<String>, created_at: u64) -> Self {
        Self { id: id.into(), model: model.into(), created_at, ..Self::default() }
    }
}

impl Dialect {
    /// `open_responses` or `openai`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenResponses => "open_responses",
            Self::OpenAi => "openai",
        }
    }

    /// The dialect of a name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "open_responses" => Ok(Self::OpenResponses),
            "openai" => Ok(Self::OpenAi),
            _ => Err(Error::new(Code::UnknownName, 0, "dialects are open_responses and openai")),
        }
    }
}

impl Heartbeat {
    /// `comment`, `keepalive` or `off`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Keepalive => "keepalive",
            Self::Off => "off",
        }
    }

    /// The heartbeat of a name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "comment" => Ok(Self::Comment),
            "keepalive" => Ok(Self::Keepalive),
            "off" => Ok(Self::Off),
            _ => Err(Error::new(Code::UnknownName, 0, "heartbeats are comment, keepalive and off")),
        }
    }
}
