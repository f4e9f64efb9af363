//! The options of every adapter, declared once.
//!
//! *Takes* one JSON object with the options of both sides of a conversion. *Gives* a typed struct per side, and
//! [`option_table`], from which the help of the command line, the reference page, the Python stubs and the TypeScript types
//! are generated. *Promises* that a name outside the table is an error that lists the known names. *Costs* one look-up per
//! option when a converter is made.

#[macro_use]
mod macros;
mod source;
mod target;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use source::{CancelledAs, Envelope, ExtensionEvents, InboundOptions, ReasoningEvents, ThinkingAs, Turns};
pub use target::{AgUiOptions, AgUiVersion, ChatOptions, MediaStyle, ReasoningStyle, UiOptions};

use super::{Dialect, Framing, OptionReader};
use crate::clock::Clock;
use crate::error::{Code, Error};
use crate::json::Value;
use crate::limits::Limits;
use crate::options::listed;

/// One option of the adapters, as documentation and as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The name in an options object.
    pub name: &'static str,
    /// The type of its values.
    pub value: OptionType,
    /// The default in words: a value, or the origin of the value.
    pub default: &'static str,
    /// What the option sets, as a clause in lower case without a full stop.
    pub meaning: &'static str,
    /// Whether reading or writing adapters have the option.
    pub direction: Direction,
    /// The dialects whose adapters use the option.
    pub dialects: &'static [Dialect],
    /// The dialects whose adapters require the option.
    pub required: &'static [Dialect],
}

/// The side of a conversion that an option belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The adapter that reads a dialect.
    Read,
    /// The adapter that writes a dialect.
    Write,
}

/// The type of an option's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionType {
    /// A string.
    String,
    /// A string, or `null` with a separate meaning.
    StringOrNull,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// An object.
    Object,
    /// One of these words, each with its meaning; the first is the default.
    Words(&'static [(&'static str, &'static str)]),
}

impl OptionType {
    /// The type in documentation, such as `string` or `content | summary`.
    pub fn name(self) -> String {
        match self {
            Self::String => "string".into(),
            Self::StringOrNull => "string | null".into(),
            Self::Boolean => "boolean".into(),
            Self::Integer => "integer".into(),
            Self::Object => "object".into(),
            Self::Words(words) => listed(words.iter().map(|(word, _)| *word), " | "),
        }
    }
}

/// Every option of every adapter: those of reading adapters first, then those of each writing adapter.
///
/// A name that both sides have, such as `provider`, has one row per side.
///
/// ```
/// use deltafold::adapter::{option_table, Dialect};
/// let needed: Vec<_> = option_table().filter(|option| option.required.contains(&Dialect::AgUi)).collect();
/// assert_eq!(needed[0].name, "thread_id");
/// ```
pub fn option_table() -> impl Iterator<Item = &'static OptionSpec> {
    [source::INBOUND, target::AG_UI, target::CHAT, target::UI].into_iter().flatten()
}

/// The options of both sides of a conversion, typed.
///
/// ```
/// use deltafold::adapter::{AgUiOptions, Converter, ConverterOptions, Dialect, InboundOptions};
/// let options = ConverterOptions::default()
///     .source(InboundOptions::default().model("m-1").now(1_767_225_600))
///     .ag_ui(AgUiOptions::new("thread_1"));
/// let converter = Converter::with_options(Some(Dialect::Gemini), Dialect::AgUi, options)?;
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConverterOptions {
    /// Options of the adapter that reads.
    pub source: InboundOptions,
    /// Options of the adapter that writes AG-UI.
    pub ag_ui: AgUiOptions,
    /// Options of the adapter that writes Chat Completions chunks.
    pub chat_completions: ChatOptions,
    /// Options of the adapter that writes the UI message stream.
    pub ui_message_stream: UiOptions,
    /// The layout of the target's messages.
    pub framing: Framing,
    /// The limits of both sides.
    pub limits: Limits,
    /// The clock, which replaces the option `now`.
    pub clock: Option<Clock>,
}

impl ConverterOptions {
    /// Reads the options of every adapter from one object. Framing and limits keep their defaults.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] with the known names in the message for an option that no adapter has;
    /// [`Code::BadArgument`] for a value of the wrong type.
    pub fn from_value(options: &Value) -> Result<Self, Error> {
        let mut names: Vec<&str> = option_table().map(|option| option.name).collect();
        names.sort_unstable();
        names.dedup();
        OptionReader::new(options)?.check_names(&names)?;
        Ok(Self {
            source: InboundOptions::from_value(options)?,
            ag_ui: AgUiOptions::from_value(options)?,
            chat_completions: ChatOptions::from_value(options)?,
            ui_message_stream: UiOptions::from_value(options)?,
            ..Self::default()
        })
    }

    /// Sets the options of the adapter that reads.
    #[must_use]
    pub fn source(mut self, options: InboundOptions) -> Self {
        self.source = options;
        self
    }

    /// Sets the options of the adapter that writes AG-UI.
    #[must_use]
    pub fn ag_ui(mut self, options: AgUiOptions) -> Self {
        self.ag_ui = options;
        self
    }

    /// Sets the options of the adapter that writes Chat Completions chunks.
    #[must_use]
    pub fn chat_completions(mut self, options: ChatOptions) -> Self {
        self.chat_completions = options;
        self
    }

    /// Sets the options of the adapter that writes the UI message stream.
    #[must_use]
    pub fn ui_message_stream(mut self, options: UiOptions) -> Self {
        self.ui_message_stream = options;
        self
    }

    /// Sets the layout of the target's messages.
    #[must_use]
    pub fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Sets the limits of both sides.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the clock, which replaces the option `now`.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The clock, or one that stands at the option `now`.
    pub(super) fn time(&self) -> Clock {
        self.clock.unwrap_or(Clock::fixed(u64::try_from(self.source.now).unwrap_or(0)))
    }
}

/// The error for a missing option that the adapter of a dialect requires.
pub(super) fn missing(dialect: Dialect, option: &str) -> Error {
    let detail = format!("{} needs the option {option}, found no such option", dialect.name());
    Error::new(Code::BadArgument, 0, detail)
}

fn unknown_word(word: &str, known: &[(&str, &str)]) -> Error {
    let known = listed(known.iter().map(|(word, _)| *word), ", ");
    Error::new(Code::UnknownName, 0, format!("expected one of {known}, found {word}"))
}

fn invalid_word(option: &str, known: &[(&str, &str)]) -> Error {
    crate::options::invalid_option(option, &listed(known.iter().map(|(word, _)| *word), " or "))
}
