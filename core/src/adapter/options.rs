//! Options: one JSON object with the names of both sides, read into a struct for each.

use alloc::format;
use alloc::string::String;

use crate::error::{Code, Error};
use crate::json::{Object, Value};

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
    /// [`Code::BadArgument`] for a value of the wrong type.
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

/// Reads single options with one wording for what is wrong with them. An option that is absent or `null` has its default.
#[derive(Clone, Copy, Debug)]
pub struct OptionReader<'a>(Option<&'a Object>);

impl<'a> OptionReader<'a> {
    /// Takes an object; `null` is an empty one.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] for any other value.
    pub fn new(options: &'a Value) -> Result<Self, Error> {
        match options {
            Value::Object(object) => Ok(Self(Some(object))),
            Value::Null => Ok(Self(None)),
            _ => Err(Error::new(Code::BadArgument, 0, "expected the options to be an object")),
        }
    }

    /// Says whether every name is one of an adapter's options.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] with the first that is not.
    pub fn check_names(&self) -> Result<(), Error> {
        for (name, _) in self.0.into_iter().flat_map(Object::iter) {
            if !NAMES.contains(&name) {
                return Err(Error::new(Code::UnknownName, 0, format!("no option is called {name}")));
            }
        }
        Ok(())
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.0?.get(name).filter(|value| !value.is_null())
    }

    /// Says whether the option is given as `null`, where that means something else than its default.
    pub fn is_null(&self, name: &str) -> bool {
        self.0.and_then(|options| options.get(name)).is_some_and(Value::is_null)
    }

    /// An option that is a string.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Error> {
        self.value(name).map(|value| value.as_str().ok_or_else(|| wrong(name, "a string"))).transpose()
    }

    /// An option that is `true` or `false`.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        self.value(name).map(|value| value.as_bool().ok_or_else(|| wrong(name, "true or false"))).transpose()
    }

    /// An option that is a whole number.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn integer(&self, name: &str) -> Result<Option<i64>, Error> {
        self.value(name).map(|value| value.as_i64().ok_or_else(|| wrong(name, "a whole number"))).transpose()
    }

    /// An option that is an object.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn object(&self, name: &str) -> Result<Option<&'a Object>, Error> {
        self.value(name).map(|value| value.as_object().ok_or_else(|| wrong(name, "an object"))).transpose()
    }

    /// An option that is one of a few words: the position of the word, 0 if the option is absent.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn choice(&self, name: &str, words: &[&str]) -> Result<usize, Error> {
        let Some(word) = self.text(name)? else { return Ok(0) };
        words.iter().position(|known| *known == word).ok_or_else(|| wrong(name, &words.join(" or ")))
    }
}

fn wrong(name: &str, expected: &str) -> Error {
    Error::new(Code::BadArgument, 0, format!("expected {name} to be {expected}"))
}

/// Every option of every adapter.
const NAMES: &[&str] = &[
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
