//! Options of the adapters that read a dialect.

use alloc::string::String;

use super::{Direction, OptionSpec, OptionType};
use crate::adapter::{Dialect, OptionReader};
use crate::contract::Edition;
use crate::error::Error;
use crate::json::{Object, Value};

use Dialect::{Anthropic, Bedrock, Blocks, ChatCompletions, Cohere, Gemini, Mistral, Ollama, ThreadEvents};

/// Every dialect that can be read.
const ALL: &[Dialect] = &[Anthropic, ChatCompletions, Gemini, Blocks, ThreadEvents, Ollama, Mistral, Cohere, Bedrock];
/// Dialects with raw reasoning text. Gemini sends summaries only.
const WITH_REASONING: &[Dialect] =
    &[Anthropic, ChatCompletions, Blocks, ThreadEvents, Ollama, Mistral, Cohere, Bedrock];
/// Dialects without a response id on the wire.
const WITHOUT_ID: &[Dialect] = &[Blocks, Ollama, Bedrock];

/// The editions that a response can be written for.
const EDITIONS: &[(&str, &str)] = &[
    ("2026-04-24", "the newest release of Open Responses"),
    ("2026-01-15", "the first release of Open Responses"),
    ("split", "the full surface with hosted tools and custom tool calls"),
    ("split-2026-01", "the full surface as first published"),
    ("openai", "the types of OpenAI's SDKs"),
];

option_words! {
    /// The place of raw reasoning text.
    ThinkingAs {
        Content = "content", "a `reasoning_text` part of the reasoning item";
        Summary = "summary", "a `summary_text` part of the reasoning item";
    }
}

option_words! {
    /// How a cancelled response ends, whether the source or [`Converter::cancel`](crate::adapter::Converter::cancel) cancelled it.
    CancelledAs {
        Incomplete = "incomplete", "`response.incomplete` with reason `cancelled`; open items are incomplete";
        Failed = "failed", "`error` and `response.failed` with code `cancelled`; open items stay open";
    }
}

option_words! {
    /// The turns of a thread log that are converted.
    Turns {
        All = "all", "each turn is a complete stream with its own id and sentinel, one after another";
        First = "first", "the first turn alone; events of later turns are findings";
    }
}

option_words! {
    /// How the signature of a thinking text is stored in `encrypted_content`.
    Envelope {
        Signature = "signature", "the signature alone; the client must send the thinking text back with it";
        SelfContained = "self_contained", "thinking text and signature together, for clients that drop the text";
    }
}

option_words! {
    /// The names of the events for raw reasoning.
    ReasoningEvents {
        OpenAi = "openai", "`response.reasoning_text.delta` and `.done`, which every client reads and rule RSN-04 warns about";
        OpenResponses = "open_responses", "`response.reasoning.delta` and `.done`, which `openai` for Node refuses";
    }
}

option_words! {
    /// The place of the extension events of a stream.
    ExtensionEvents {
        Snapshot = "snapshot", "the member `deltafold:events` of the last snapshot, which every client reads";
        Events = "events", "separate events at their position in the stream, which `openai` for Node refuses";
    }
}

adapter_options! {
    /// Options of the adapters that read a dialect and write Open Responses.
    ///
    /// ```
    /// use deltafold::adapter::{InboundOptions, ThinkingAs};
    /// let options = InboundOptions::default().model("m-1").thinking_as(ThinkingAs::Summary);
    /// assert_eq!(options.model.as_deref(), Some("m-1"));
    /// ```
    InboundOptions, INBOUND, Read;
    response_id: optional_string = None, "the id in the stream", ALL, required WITHOUT_ID,
        "the id of the response, where the stream has none or fails before its id arrives";
    model: optional_string = None, "the name in the stream, else `unknown`", ALL, required &[],
        "the name of the model, where the stream does not give it";
    now: integer = 0, "the clock; 0 in Rust and in the batch functions", ALL, required &[],
        "the current time in whole seconds since 1970, for `completed_at`, and for `created_at` where the stream has no time";
    template: object = Object::new(), "{}", ALL, required &[],
        "members that are merged over the default response object, to echo the request";
    provider: optional_string = None, "`openai` or `mistral`; for thread events `codex` or `vtcode`, by the form of the thread id", &[ChatCompletions, Mistral, ThreadEvents], required &[],
        "the name of the provider or agent, in the types of extension items and in `deltafold:finish`";
    include_extensions: boolean = true, "true", ALL, required &[],
        "whether extension items and extension events are written; each omission is a finding";
    provider_details: boolean = false, "false", &[Anthropic, ChatCompletions, ThreadEvents, Ollama, Mistral, Cohere, Bedrock], required &[],
        "whether the last snapshot also has operational data of the source: prices, billed units, times, fingerprints and routing; other members that Open Responses has no place for are always kept, under a name of the provider";
    thinking_as: words ThinkingAs = ThinkingAs::default(), "`content`", WITH_REASONING, required &[],
        "where raw reasoning text goes";
    enabled: boolean = true, "true", &[ThreadEvents], required &[],
        "whether the log is converted at all; otherwise nothing is written, and a finding reports it";
    emit_events: boolean = true, "true", &[ThreadEvents], required &[],
        "whether events are written as they come; otherwise only the event that ends each response, with the whole response. Targets other than Open Responses get all events";
    turns: words Turns = Turns::default(), "`all`; `first` where the target is not Open Responses", &[ThreadEvents], required &[],
        "which turns of a thread log are converted";
    map_tool_calls: boolean = true, "true", &[ThreadEvents], required &[],
        "whether a command is a `function_call` with its output beside it; otherwise a command is an extension item";
    include_reasoning: boolean = true, "true", &[ThreadEvents], required &[],
        "whether reasoning items are written; each omission is a finding";
    cancelled_as: words CancelledAs = CancelledAs::default(), "`incomplete`", ALL, required &[],
        "how a cancelled response ends";
    envelope: words Envelope = Envelope::default(), "`signature`", &[Anthropic, Blocks, Bedrock], required &[],
        "how the signature of a thinking text is stored in `encrypted_content`";
    edition: edition = Edition::default(), "`2026-04-24`", ALL, required &[],
        "the edition whose members and items are written";
    reasoning_events: words ReasoningEvents = ReasoningEvents::default(), "`openai`", WITH_REASONING, required &[],
        "the names of the events for raw reasoning";
    extension_events: words ExtensionEvents = ExtensionEvents::default(), "`snapshot`; `events` where the target is not Open Responses", &[Anthropic, Gemini, ThreadEvents], required &[],
        "where extension events go";
}

impl InboundOptions {
    /// Refuses options without a response id for a dialect that has none on the wire.
    pub(crate) fn check_required(&self, dialect: Dialect) -> Result<(), Error> {
        if WITHOUT_ID.contains(&dialect) && self.response_id.is_none() {
            return Err(super::missing(dialect, "response_id"));
        }
        Ok(())
    }
}
