//! The code that all reading adapters share: framing, writing, ids, usage, text that is split inside a character.

#[cfg(feature = "adapter-anthropic")]
mod anthropic;
mod aws;
#[cfg(feature = "adapter-bedrock")]
mod bedrock;
#[cfg(feature = "adapter-blocks")]
mod blocks;
mod builder;
#[cfg(feature = "adapter-chat-completions")]
mod chat_completions;
mod citations;
#[cfg(feature = "adapter-cohere")]
mod cohere;
mod dialect_reader;
mod encrypted_content;
#[cfg(feature = "adapter-gemini")]
mod gemini;
mod message_framer;
#[cfg(feature = "adapter-ollama")]
mod ollama;
mod rfc3339;
mod text_piece;
#[cfg(feature = "adapter-thread-events")]
mod thread_events;
mod token_counts;

use alloc::borrow::Cow;
use alloc::boxed::Box;

use builder::{extension_type, ResponseBuilder};
use dialect_reader::{DialectDecoder, DialectReader};
use message_framer::{JsonLayout, MessageFramer};
use rfc3339::unix_seconds;
use text_piece::{SurrogateCarry, TextPiece};

use super::{Dialect, Inbound, InboundOptions};
use crate::json::ValueRef;
use crate::limits::Limits;

/// Makes the adapter that reads a dialect; `None` if there is none in this build.
pub(crate) fn open(dialect: Dialect, mut options: InboundOptions, limits: Limits) -> Option<Box<dyn Inbound>> {
    if dialect != Dialect::ThreadEvents {
        // Options that the other dialects do not have.
        (options.enabled, options.emit_events) = (true, true);
    }
    Some(match dialect {
        #[cfg(feature = "adapter-anthropic")]
        Dialect::Anthropic => reader(anthropic::AnthropicDecoder::default(), JsonLayout::Objects, options, limits),
        #[cfg(feature = "adapter-chat-completions")]
        Dialect::ChatCompletions => {
            let chat = chat_completions::ChatDecoder::new(options.provider.as_deref().unwrap_or("openai"));
            reader(chat, JsonLayout::Objects, options, limits)
        }
        #[cfg(feature = "adapter-mistral")]
        Dialect::Mistral => {
            let chat = chat_completions::ChatDecoder::new(options.provider.as_deref().unwrap_or("mistral"));
            reader(chat, JsonLayout::Objects, options, limits)
        }
        #[cfg(feature = "adapter-gemini")]
        Dialect::Gemini => reader(gemini::GeminiDecoder::default(), JsonLayout::Objects, options, limits),
        #[cfg(feature = "adapter-blocks")]
        Dialect::Blocks => reader(blocks::BlocksDecoder::default(), JsonLayout::Lines, options, limits),
        #[cfg(feature = "adapter-thread-events")]
        Dialect::ThreadEvents => {
            reader(thread_events::ThreadEventsDecoder::default(), JsonLayout::Lines, options, limits)
        }
        #[cfg(feature = "adapter-ollama")]
        Dialect::Ollama => reader(ollama::OllamaDecoder, JsonLayout::Lines, options, limits),
        #[cfg(feature = "adapter-cohere")]
        Dialect::Cohere => reader(cohere::CohereDecoder, JsonLayout::Objects, options, limits),
        #[cfg(feature = "adapter-bedrock")]
        Dialect::Bedrock => reader(bedrock::BedrockDecoder::default(), JsonLayout::Lines, options, limits),
        _ => return None,
    })
}

/// Combines a decoder with the framing that its dialect uses without SSE.
fn reader<D: DialectDecoder + 'static>(
    decoder: D,
    json: JsonLayout,
    options: InboundOptions,
    limits: Limits,
) -> Box<dyn Inbound> {
    Box::new(DialectReader::new(
        Box::new(decoder),
        MessageFramer::new(json, &limits),
        ResponseBuilder::new(options, limits),
    ))
}

/// The text of a value that is a string.
fn text<'a>(value: Option<ValueRef<'a>>) -> Option<Cow<'a, str>> {
    value?.as_str()
}

/// The value as a count: an integer that is not negative.
fn count(value: Option<ValueRef<'_>>) -> Option<u64> {
    value?.as_u64()
}

/// A value that is present and not null.
fn non_null<'a>(value: Option<ValueRef<'a>>) -> Option<ValueRef<'a>> {
    value.filter(|value| !value.is_null())
}
