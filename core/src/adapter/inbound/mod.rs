//! The code that all reading adapters share: framing, writing, ids, usage, text that is split inside a character.
//!
//! - *Takes*: bytes of a dialect, split anywhere.
//! - *Gives*: Open Responses events as SSE bytes or JSON texts, and findings.
//! - *Promises*: no bytes cause an error except an exceeded limit; the output is a complete stream.
//! - *Costs*: linear in the bytes; an incomplete message is buffered up to the limit of a frame.

/// Declares the members of an object that an adapter reads. They are found in one pass; the last one of repeated keys counts.
///
/// Members that are `ignored` have no meaning here; `details` are about the provider's work, and are kept with the option
/// `provider_details` only.
macro_rules! members {
    (
        $(#[$doc:meta])*
        $name:ident { $($field:ident: $key:literal,)* }
        $(ignored { $($ignored:literal),* })?
        $(details { $($detail:literal),* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        struct $name<'a> {
            $($field: Option<ValueRef<'a>>,)*
            has_details: bool,
            has_others: bool,
        }

        #[allow(dead_code, reason = "the other members of some objects are not kept")]
        impl<'a> $name<'a> {
            /// The keys of members that are read or ignored.
            const KNOWN: &'static [&'static str] = &[$($key,)* $($($ignored,)*)?];
            /// The keys of details.
            const DETAILS: &'static [&'static str] = &[$($($detail,)*)?];

            fn of(holder: ValueRef<'a>) -> Self {
                let mut found = Self::default();
                for (key, value) in holder.entries() {
                    match key.as_str().as_deref() {
                        $(Some($key) => found.$field = Some(value),)*
                        $($(Some($ignored) => {})*)?
                        $($(Some($detail) => found.has_details = true,)*)?
                        _ => found.has_others = true,
                    }
                }
                found
            }

            /// Returns `true` if the object may have members to keep, with [`ResponseBuilder::keep_others`].
            fn has_more(&self, builder: &ResponseBuilder) -> bool {
                self.has_others || (self.has_details && builder.options.provider_details)
            }
        }
    };
}

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
mod log_probs;
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

use crate::json::SurrogateCarry;
use builder::{extension_type, ErrorType, ResponseBuilder};
use dialect_reader::{DialectDecoder, DialectReader};
use log_probs::{LogProbs, TokenBytes, TokenLogProb};
use message_framer::{JsonLayout, MessageFramer};
use rfc3339::unix_seconds;
use text_piece::TextPiece;

use super::{Dialect, Inbound, InboundOptions};
use crate::error::Error;
use crate::json::ValueRef;
use crate::limits::Limits;

/// Makes the adapter that reads a dialect; `None` if there is none in this build.
pub(crate) fn open(dialect: Dialect, mut options: InboundOptions, limits: Limits) -> Option<Box<dyn Inbound>> {
    if dialect != Dialect::ThreadEvents {
        // Options that the other dialects do not have.
        (options.enabled, options.emit_events) = (true, true);
    }
    let layout = match dialect {
        Dialect::Blocks | Dialect::ThreadEvents | Dialect::Ollama | Dialect::Bedrock => JsonLayout::Lines,
        _ => JsonLayout::Objects,
    };
    let decoder = decoder(dialect, &options)?;
    let builder = ResponseBuilder::new(options, limits);
    Some(Box::new(DialectReader::new(decoder, MessageFramer::new(layout, &limits), builder)))
}

/// Makes the decoder of a dialect; `None` if there is none in this build.
#[cfg_attr(
    not(any(feature = "adapter-chat-completions", feature = "adapter-mistral")),
    allow(unused_variables, reason = "no other decoder has options")
)]
fn decoder(dialect: Dialect, options: &InboundOptions) -> Option<Box<dyn DialectDecoder>> {
    Some(match dialect {
        #[cfg(feature = "adapter-anthropic")]
        Dialect::Anthropic => Box::new(anthropic::AnthropicDecoder::default()),
        #[cfg(feature = "adapter-chat-completions")]
        Dialect::ChatCompletions => {
            Box::new(chat_completions::ChatDecoder::new(options.provider.as_deref().unwrap_or("openai")))
        }
        #[cfg(feature = "adapter-mistral")]
        Dialect::Mistral => {
            Box::new(chat_completions::ChatDecoder::new(options.provider.as_deref().unwrap_or("mistral")))
        }
        #[cfg(feature = "adapter-gemini")]
        Dialect::Gemini => Box::new(gemini::GeminiDecoder::default()),
        #[cfg(feature = "adapter-blocks")]
        Dialect::Blocks => Box::new(blocks::BlocksDecoder::default()),
        #[cfg(feature = "adapter-thread-events")]
        Dialect::ThreadEvents => Box::new(thread_events::ThreadEventsDecoder::default()),
        #[cfg(feature = "adapter-ollama")]
        Dialect::Ollama => Box::new(ollama::OllamaDecoder),
        #[cfg(feature = "adapter-cohere")]
        Dialect::Cohere => Box::new(cohere::CohereDecoder::default()),
        #[cfg(feature = "adapter-bedrock")]
        Dialect::Bedrock => Box::new(bedrock::BedrockDecoder::default()),
        _ => return None,
    })
}

/// The text of a value that is a string.
fn text<'a>(value: Option<ValueRef<'a>>) -> Option<Cow<'a, str>> {
    value?.as_str()
}

/// The value as a count: an integer that is not negative.
fn count(value: Option<ValueRef<'_>>) -> Option<u64> {
    value?.as_u64()
}

/// Returns whether a message in place of a stream is the body of an HTTP error: `{"error": …}` or `{"message": "…"}`.
fn is_error_body(root: ValueRef<'_>, builder: &ResponseBuilder) -> bool {
    let has_error = non_null(root.get("error")).is_some();
    !builder.is_started() && (has_error || root.get("message").is_some_and(|message| message.as_str().is_some()))
}

/// Ends a response whose source sent the body of an HTTP error; see [`is_error_body`].
fn fail_with_body(root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let error = non_null(root.get("error")).unwrap_or(root);
    let member = |key: &str| text(error.get(key)).or_else(|| text(root.get(key))).filter(|text| !text.is_empty());
    let status = ["status", "code", "statusCode"].iter().find_map(|key| count(error.get(key)).or(count(root.get(key))));
    let kind = status.map(ErrorType::from_http_status).unwrap_or_default();
    let code = ["code", "type", "__type", "status"].iter().find_map(|key| member(key));
    let message = error.as_str().or_else(|| member("message")).unwrap_or_default();
    builder.fail(kind, code.as_deref(), &message, None)
}

/// A value that is present and not null.
fn non_null<'a>(value: Option<ValueRef<'a>>) -> Option<ValueRef<'a>> {
    value.filter(|value| !value.is_null())
}
