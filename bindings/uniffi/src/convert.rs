//! Conversion between dialects: bytes in, bytes out.

use deltafold::adapter;
use deltafold::json::{Object, Value};

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
    /// What was lost, repaired or assumed, as JSON text.
    pub report: String,
    /// How many losses there were.
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
    /// Makes a converter to a dialect, from the one named or the one that the stream starts like.
    #[uniffi::constructor(default(from = None))]
    pub fn new(to: String, from: Option<String>) -> Result<Self, DeltafoldError> {
        Self::from_json(&options(to, from))
    }

    /// Makes a converter from options as JSON text: `to`, and if needed `from`, `options`, `framing`, `limits`.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        Ok(Self(Lock::new(adapter::Converter::from_json(options)?)))
    }

    /// Takes bytes of the source, cut anywhere, and returns those of the target that are ready.
    pub fn feed(&self, chunk: Vec<u8>) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|core| core.feed(&chunk).map(|()| core.take()))
    }

    /// Says that the input has ended and returns the last bytes.
    pub fn finish(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|core| core.finish().map(|()| core.take()))
    }

    /// Ends the response from outside and returns the last bytes.
    pub fn cancel(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|core| core.cancel().map(|()| core.take()))
    }

    /// Takes the bytes that are ready, also those from before an error.
    pub fn take(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.with(adapter::Converter::take)
    }

    /// The dialect that is read; null while it is not known.
    pub fn from_dialect(&self) -> Result<Option<String>, DeltafoldError> {
        self.0.with(|core| core.from().map(|dialect| dialect.name().to_owned()))
    }

    /// What was lost, repaired or assumed, as JSON text.
    pub fn report(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.report().to_string())
    }

    /// How many losses there were.
    pub fn lost(&self) -> Result<i64, DeltafoldError> {
        self.0.with(|core| int(core.lost()))
    }

    /// Lets go of everything; every later call is refused.
    pub fn release(&self) {
        self.0.release();
    }
}

/// Converts a whole stream.
#[uniffi::export(default(from = None))]
pub fn convert(stream: Vec<u8>, to: String, from: Option<String>) -> Result<Conversion, DeltafoldError> {
    let mut core = adapter::Converter::from_json(&options(to, from))?;
    core.feed(&stream)?;
    core.finish()?;
    Ok(Conversion { bytes: core.take(), report: core.report().to_string(), lost: int(core.lost()) })
}
