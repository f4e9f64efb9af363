//! What every reading adapter shares: framing, the writing side, ids, usage, text that is cut inside a character.

#[cfg(feature = "adapter-anthropic")]
mod anthropic;
mod aws;
#[cfg(feature = "adapter-bedrock")]
mod bedrock;
#[cfg(feature = "adapter-blocks")]
mod blocks;
#[cfg(feature = "adapter-chat-completions")]
mod chat_completions;
mod citations;
#[cfg(feature = "adapter-cohere")]
mod cohere;
mod envelope;
mod framer;
#[cfg(feature = "adapter-gemini")]
mod gemini;
mod hub;
#[cfg(feature = "adapter-ollama")]
mod ollama;
mod piece;
mod source;
#[cfg(feature = "adapter-thread-events")]
mod thread_events;
mod time;
mod usage;

use alloc::borrow::Cow;
use alloc::boxed::Box;

use framer::{Framer, Json};
use hub::{extension, Hub};
use piece::{Carry, Piece};
use source::{Decode, Source};
use time::seconds;

use super::{Dialect, Inbound, InboundOptions};
use crate::json::View;
use crate::limits::Limits;

/// Makes the adapter that reads a dialect; `None` if there is none in this build.
pub(crate) fn open(dialect: Dialect, options: InboundOptions, limits: Limits) -> Option<Box<dyn Inbound>> {
    Some(match dialect {
        #[cfg(feature = "adapter-anthropic")]
        Dialect::Anthropic => source(anthropic::Anthropic::default(), Json::Objects, options, limits),
        #[cfg(feature = "adapter-chat-completions")]
        Dialect::ChatCompletions => {
            let chat = chat_completions::Chat::new(options.provider.as_deref().unwrap_or("openai"));
            source(chat, Json::Objects, options, limits)
        }
        #[cfg(feature = "adapter-mistral")]
        Dialect::Mistral => {
            let chat = chat_completions::Chat::new(options.provider.as_deref().unwrap_or("mistral"));
            source(chat, Json::Objects, options, limits)
        }
        #[cfg(feature = "adapter-gemini")]
        Dialect::Gemini => source(gemini::Gemini::default(), Json::Objects, options, limits),
        #[cfg(feature = "adapter-blocks")]
        Dialect::Blocks => source(blocks::Blocks::default(), Json::Lines, options, limits),
        #[cfg(feature = "adapter-thread-events")]
        Dialect::ThreadEvents => source(thread_events::ThreadEvents::default(), Json::Lines, options, limits),
        #[cfg(feature = "adapter-ollama")]
        Dialect::Ollama => source(ollama::Ollama, Json::Lines, options, limits),
        #[cfg(feature = "adapter-cohere")]
        Dialect::Cohere => source(cohere::Cohere, Json::Objects, options, limits),
        #[cfg(feature = "adapter-bedrock")]
        Dialect::Bedrock => source(bedrock::Bedrock::default(), Json::Lines, options, limits),
        _ => return None,
    })
}

/// Puts a decoder behind the framing that its dialect uses without SSE.
fn source<D: Decode + 'static>(decoder: D, json: Json, options: InboundOptions, limits: Limits) -> Box<dyn Inbound> {
    Box::new(Source::new(Box::new(decoder), Framer::new(json, &limits), Hub::new(options, limits)))
}

/// The text of a value that is a string.
fn text<'a>(value: Option<View<'a>>) -> Option<Cow<'a, str>> {
    value?.as_str()
}

/// The number of a value that is a count.
fn count(value: Option<View<'_>>) -> Option<u64> {
    value?.as_u64()
}

/// A value that is there and not null.
fn given<'a>(value: Option<View<'a>>) -> Option<View<'a>> {
    value.filter(|value| !value.is_null())
}
