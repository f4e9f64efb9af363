//! [`Dialect`]: the stream formats by name.

use crate::named::{display_name, parse_name};

macro_rules! dialects {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $read:literal, $write:literal;)*) => {
        /// A stream format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Dialect { $($(#[$doc])* $variant,)* }

        impl Dialect {
            /// Every dialect.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the command line and in every binding, such as `chat-completions`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns `true` if the dialect can be read.
            pub fn is_read(self) -> bool {
                match self { $(Self::$variant => $read,)* }
            }

            /// Returns `true` if the dialect can be written.
            pub fn is_written(self) -> bool {
                match self { $(Self::$variant => $write,)* }
            }
        }
    };
}

dialects! {
    /// Open Responses itself, and the OpenAI Responses superset.
    OpenResponses, "open-responses", true, true;
    /// Anthropic Messages.
    Anthropic, "anthropic", true, true;
    /// OpenAI Chat Completions and the dialects of DeepSeek, vLLM, OpenRouter, Groq, Azure, xAI and others.
    ChatCompletions, "chat-completions", true, true;
    /// Gemini `streamGenerateContent`.
    Gemini, "gemini", true, false;
    /// The generic block model: externally tagged block events.
    Blocks, "blocks", true, false;
    /// Agent thread events as VT Code writes them.
    ThreadEvents, "thread-events", true, false;
    /// Ollama `/api/chat`.
    Ollama, "ollama", true, false;
    /// Mistral's dialect of Chat Completions.
    Mistral, "mistral", true, false;
    /// Cohere v2 chat.
    Cohere, "cohere", true, false;
    /// Amazon Bedrock `ConverseStream`.
    Bedrock, "bedrock", true, false;
    /// AG-UI agent events.
    AgUi, "ag-ui", false, true;
    /// The UI message stream of the Vercel AI SDK.
    UiMessageStream, "ui-message-stream", false, true;
}

display_name!(Dialect);
parse_name! { Dialect, "dialect"; }
