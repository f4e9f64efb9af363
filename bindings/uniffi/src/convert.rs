//! Conversion of a stream from one dialect to another.

use deltafold::adapter;
use deltafold::json::{Object, Value};

use crate::clock::CLOCK;
use crate::error::DeltafoldError;
use crate::int;
use crate::lock::Lock;

/// Converts one stream.
#[derive(Debug, uniffi::Object)]
pub struct Converter(Lock<adapter::Converter>);

/// A whole stream in another dialect.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Conversion {
    /// The stream.
    pub bytes: Vec<u8>,
    /// The report on data that was lost, repaired or assumed, as JSON text.
    pub report: String,
    /// Number of data losses.
    pub lost: i64,
}

fn options(to: String, from: Option<String>) -> String {
    let mut options = Object::new();
    options.push("to", to);
    options.push("from", from);
    Value::Object(options).to_string()
}

#[uniffi::export]
impl Converter {
    /// Creates a converter to the dialect `to`. The source dialect `from` is detected if it is not given.
    #[uniffi::constructor(default(from = None))]
    pub fn new(to: String, from: Option<String>) -> Result<Self, DeltafoldError> {
        Self::from_json(&options(to, from))
    }

    /// Creates a converter from options as JSON text: `to` (required), `from`, `options`, `framing`, `limits`.
    /// Without the option `now`, times are those of the clock.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        Ok(Self(Lock::new(adapter::Converter::from_json_with_clock(options, CLOCK)?)))
    }

    /// Feeds bytes of the source, split anywhere, and returns the bytes of the target that are ready.
    pub fn feed(&self, chunk: Vec<u8>) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|core| core.feed(&chunk).map(|()| core.take()))
    }

    /// Ends the input and returns the last bytes. Call it also if the source broke off: a stream without an end gets the terminal event
    /// of a failure with the code `stream_truncated`: `response.failed`, `RUN_ERROR`, `error`.
    pub fn finish(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|core| core.finish().map(|()| core.take()))
    }

    /// Cancels the response and returns the last bytes.
    pub fn cancel(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|core| core.cancel().map(|()| core.take()))
    }

    /// Returns the bytes that are ready, including those before an error.
    pub fn take(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.with(adapter::Converter::take)
    }

    /// The source dialect; null while it is unknown.
    pub fn source(&self) -> Result<Option<String>, DeltafoldError> {
        self.0.with(|core| core.source().map(|dialect| dialect.name().to_owned()))
    }

    /// The report on data that was lost, repaired or assumed, as JSON text.
    pub fn report(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.report().to_string())
    }

    /// Number of data losses.
    pub fn lost(&self) -> Result<i64, DeltafoldError> {
        self.0.with(|core| int(core.lost()))
    }

    /// Frees the contents of the object; every later call fails with `misuse.after_finish`.
    pub fn release(&self) {
        self.0.release();
    }
}

/// Converts a whole stream.
#[uniffi::export(default(from = None))]
pub fn convert(stream: Vec<u8>, to: String, from: Option<String>) -> Result<Conversion, DeltafoldError> {
    let mut core = adapter::Converter::from_json_with_clock(&options(to, from), CLOCK)?;
    core.feed(&stream)?;
    core.finish()?;
    Ok(Conversion { bytes: core.take(), report: core.report().to_string(), lost: int(core.lost()) })
}
