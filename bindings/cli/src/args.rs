//! Arguments that several commands share, and parsers for their values.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::ValueEnum;
use deltafold::adapter::Dialect;

/// When to use color or to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

/// The format of `show` and `diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextOrJson {
    Text,
    Json,
}

/// The format of a written stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StreamFormat {
    Sse,
    Jsonl,
}

/// The dialect of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceDialect {
    /// Detect the dialect from the first message.
    Auto,
    Named(Dialect),
}

/// How commands that read events interpret their input.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SourceArgs {
    /// Dialect of the input; auto detects it from the first message. Dialects other than Open Responses are converted
    /// first
    #[arg(long, value_name = "DIALECT", default_value = "auto", value_parser = source_dialect())]
    pub(crate) from: SourceDialect,
    /// Read each line of the input as one JSON message (from a WebSocket or a log) instead of an SSE stream
    #[arg(long)]
    pub(crate) messages: bool,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SplitArg {
    /// Feed N bytes at a time; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) split: Option<usize>,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ColorArg {
    /// When to use color; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub(crate) color: When,
}

/// How commands process many files.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct BatchArgs {
    /// Read N files in parallel (default: one per core); the output keeps their order
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) jobs: Option<usize>,
    /// When to show progress on stderr; auto: a bar on a terminal, otherwise a line every 10 seconds; always: without a
    /// terminal, a line per file
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub(crate) progress: When,
}

/// Parses a whole number above zero.
pub(crate) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a whole number above 0".to_owned()),
    }
}

/// Accepts `auto` and every dialect that can be read.
pub(crate) fn source_dialect() -> impl TypedValueParser<Value = SourceDialect> {
    let names = Dialect::ALL.iter().filter(|dialect| dialect.is_read()).map(|dialect| dialect.name());
    PossibleValuesParser::new(["auto"].into_iter().chain(names)).try_map(|name| match name.as_str() {
        "auto" => Ok(SourceDialect::Auto),
        name => name.parse().map(SourceDialect::Named),
    })
}

/// Accepts every dialect that can be written.
pub(crate) fn target_dialect() -> impl TypedValueParser<Value = Dialect> {
    let names = Dialect::ALL.iter().filter(|dialect| dialect.is_written()).map(|dialect| dialect.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Dialect>())
}

/// Accepts any text; shells complete the words that `known` returns.
pub(crate) fn any_of(known: fn() -> Vec<&'static str>) -> impl TypedValueParser<Value = String> {
    AnyText { known }
}

#[derive(Clone)]
struct AnyText {
    known: fn() -> Vec<&'static str>,
}

impl TypedValueParser for AnyText {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.known)().into_iter().map(PossibleValue::new)))
    }
}

/// Returns ` (did you mean …?)` for the most similar of the known words; empty if none is similar.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    match known.map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate)).min() {
        Some((distance, candidate)) if distance <= 2 => format!(" (did you mean {candidate}?)"),
        _ => String::new(),
    }
}
