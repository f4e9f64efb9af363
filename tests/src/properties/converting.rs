//! Conversions of arbitrary bytes of any dialect: the same result for any split, and a valid stream if the target is Open Responses.

use deltafold::adapter::{Converter, ConverterOptions, Dialect};
use deltafold::json::Value;
use deltafold::validate::Layers;
use deltafold::{Class, Edition, Limits, Reader, Severity};

use crate::Split;

/// The source dialects, in the order of their numbers in fuzzing inputs.
pub const SOURCES: [&str; 10] = [
    "open-responses",
    "anthropic",
    "chat-completions",
    "gemini",
    "blocks",
    "thread-events",
    "ollama",
    "mistral",
    "cohere",
    "bedrock",
];

/// The target dialects, in the order of their numbers in fuzzing inputs.
pub const WRITTEN: [&str; 5] = ["open-responses", "ag-ui", "anthropic", "chat-completions", "ui-message-stream"];

/// The parameters of a conversion.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// The source; `None` to detect it.
    pub from: Option<&'static str>,
    /// The target.
    pub to: &'static str,
    /// `true` if it is cancelled at the end.
    pub cancel: bool,
    /// The edition of the Open Responses events; `None` for the default one.
    pub edition: Option<Edition>,
    /// The limits of the input.
    pub limits: Limits,
}

impl Conversion {
    /// A conversion with default limits, in the default edition.
    pub fn new(from: Option<&'static str>, to: &'static str, cancel: bool) -> Self {
        Self { from, to, cancel, edition: None, limits: Limits::default() }
    }

    /// Converts, and returns the bytes, the code of the error that stopped it, and the report.
    fn run(self, bytes: &[u8], split: Split) -> (Vec<u8>, Option<deltafold::Code>, String) {
        let dialect = |name: &str| name.parse::<Dialect>().expect("a dialect");
        let options = r#"{"response_id":"resp_1","model":"m","now":7,"thread_id":"t","run_id":"r"}"#;
        let mut options = Value::parse(options, 8).expect("options are JSON");
        if let (Some(edition), Some(options)) = (self.edition, options.as_object_mut()) {
            options.push("edition", edition.name());
        }
        let options = ConverterOptions::from_value(&options).expect("valid options").limits(self.limits);
        let converter = Converter::with_options(self.from.map(dialect), dialect(self.to), options);
        let mut converter = converter.expect("every pair can be converted");
        let (mut fed, mut out) = (Ok(()), Vec::new());
        for chunk in split.chunks(bytes) {
            fed = fed.and_then(|()| converter.feed(chunk));
            converter.write_into(&mut out);
        }
        let ended = fed.and_then(|()| if self.cancel { converter.cancel() } else { converter.finish() });
        converter.write_into(&mut out);
        if let Err(error) = &ended {
            // Bytes alone cannot cause misuse, except a dialect that is not detected.
            assert!(error.class() != Class::Misuse || self.from.is_none(), "{error}");
        }
        (out, ended.err().map(|error| error.code()), converter.report().to_string())
    }
}

/// Converts whole and in the given splits, and compares bytes, error and report.
///
/// # Panics
///
/// If a split changes the result.
pub fn converts_alike(bytes: &[u8], conversion: Conversion, splits: &[Split], what: &str) {
    let whole = conversion.run(bytes, Split::Whole);
    for split in splits {
        let cut = conversion.run(bytes, *split);
        assert!(cut.1 == whole.1, "{what}, {conversion:?}, {split:?}: {:?} and {:?}", cut.1, whole.1);
        assert_eq!(cut.2, whole.2, "{what}, {conversion:?}, {split:?}");
        assert!(
            cut.0 == whole.0,
            "{what}, {conversion:?}, {split:?}: {}\nand {}",
            String::from_utf8_lossy(&cut.0),
            String::from_utf8_lossy(&whole.0)
        );
    }
}

/// Rules that a source can force a correct converter to break: arguments that are not JSON, several items truncated
/// at once, an end for lack of tokens after complete items.
pub const FORCED: [&str; 4] = ["ARG-03", "ARG-09", "ITEM-08", "INC-01"];

/// Converts to Open Responses: the output is a complete stream that breaks only rules that the source forced.
///
/// # Panics
///
/// If a rule is broken, or the stream has no end.
pub fn converts_to_a_valid_stream(bytes: &[u8], conversion: Conversion) {
    let (conversion, from) = (Conversion { to: "open-responses", ..conversion }, conversion.from);
    let (out, stopped, report) = conversion.run(bytes, Split::Whole);
    if stopped.is_some() {
        return;
    }
    // Text that the source retracted cannot be retracted here.
    let unreported = conversion.limits.findings < Limits::default().findings;
    let rewritten = report.contains("non_append_update") || (unreported && from == Some("thread-events"));
    let mut broken: Vec<String> = Vec::new();
    // A thread of several turns is several streams, each with its sentinel and each valid on its own.
    for stream in std::str::from_utf8(&out).expect("the output is UTF-8").split_inclusive("data: [DONE]\n\n") {
        let mut reader = Reader::builder().validate(Layers::ALL);
        if let Some(edition) = conversion.edition {
            reader = reader.edition(edition);
        }
        let mut reader = reader.build();
        reader.feed(stream.as_bytes()).expect("no limit is passed");
        reader.finish().unwrap();
        let errors = reader.findings().iter().filter(|finding| finding.severity == Severity::Error);
        broken.extend(errors.filter(|finding| !FORCED.contains(&finding.rule.id())).map(ToString::to_string));
    }
    assert!(broken.is_empty() || rewritten, "{from:?}: {broken:#?}\n{}", String::from_utf8_lossy(bytes));
    assert!(out.ends_with(b"data: [DONE]\n\n"), "{from:?}: {}", String::from_utf8_lossy(bytes));
}
