//! Options as a record. The core reads them from JSON, so the names of the options are defined once.

use std::collections::HashMap;

use deltafold::json::{Object, Value};
use deltafold::{Error, Limits};

/// Options of a reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, uniffi::Record)]
pub struct ReaderOptions {
    /// Fail at the first finding of severity error.
    #[uniffi(default = false)]
    pub strict: bool,
    /// Allow findings to quote short parts of the payload.
    #[uniffi(default = false)]
    pub quote: bool,
    /// Build the response from the events alone.
    #[uniffi(default = false)]
    pub ignore_terminal_snapshot: bool,
    /// Give items without an id one when the response has ended, derived from the response's id and their index.
    #[uniffi(default = false)]
    pub derive_item_ids: bool,
    /// The severity of each rule: the name of a profile, or a profile as JSON text that begins with `{`.
    #[uniffi(default = None)]
    pub profile: Option<String>,
    /// The edition to validate against.
    #[uniffi(default = None)]
    pub edition: Option<String>,
    /// Layers of validation: `framing`, `schema`, `stream`; null for all, an empty list for none.
    #[uniffi(default = None)]
    pub layers: Option<Vec<String>>,
    /// Which preview images are kept: `keep-last`, `keep` or `drop`.
    #[uniffi(default = None)]
    pub images: Option<String>,
    /// The stream is a replay that starts after this sequence number.
    #[uniffi(default = None)]
    pub starting_after: Option<i64>,
    /// Bounds on memory, nesting and counts, by name, such as `line_bytes`.
    #[uniffi(default = None)]
    pub limits: Option<HashMap<String, i64>>,
    /// JSON schemas of extension types as JSON text: `{"events": {type: schema}, "items": {type: schema}}`.
    #[uniffi(default = None)]
    pub schemas: Option<String>,
}

impl ReaderOptions {
    /// Converts the record to the options of the core.
    pub(crate) fn read(self) -> Result<deltafold::ReaderOptions, Error> {
        let depth = Limits::default().depth;
        let parse = |text: &String| Value::parse(text, depth).map_err(Error::from);
        let mut object = Object::new();
        object.push("strict", self.strict);
        object.push("quote", self.quote);
        object.push("ignore_terminal_snapshot", self.ignore_terminal_snapshot);
        object.push("derive_item_ids", self.derive_item_ids);
        let profile = self.profile.map(|profile| match profile.starts_with('{') {
            true => parse(&profile),
            false => Ok(Value::from(profile)),
        });
        object.push("profile", profile.transpose()?);
        object.push("edition", self.edition);
        let layers = self.layers.map(|names| match names.is_empty() {
            true => Value::from("none"),
            false => Value::Array(names.into_iter().map(Value::from).collect()),
        });
        object.push("layers", layers);
        object.push("images", self.images);
        object.push("starting_after", self.starting_after);
        let limits = self.limits.map(|limits| {
            let mut object = Object::new();
            limits.into_iter().for_each(|(name, bound)| object.push(name, bound));
            Value::Object(object)
        });
        object.push("limits", limits);
        object.push("schemas", self.schemas.as_ref().map(parse).transpose()?);
        deltafold::ReaderOptions::from_value(&Value::Object(object))
    }
}
