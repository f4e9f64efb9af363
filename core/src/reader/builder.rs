//! [`ReaderOptions`] and [`ReaderBuilder`].

use alloc::string::ToString;

use super::{validation, Reader};
use crate::accumulate::{AccumulateOptions, PreviewImages};
use crate::contract::Edition;
use crate::error::Error;
use crate::event::parse::ParserTiers;
use crate::json::Value;
use crate::limits::Limits;
use crate::options::{parse, setters, OptionReader};
use crate::profile::Profile;
use crate::validate::{ExtensionSchemas, Layers};

/// The options of a [`Reader`], as data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReaderOptions {
    /// Bounds on memory, depth and count.
    pub limits: Limits,
    /// End reading at the first finding that is an error.
    pub strict: bool,
    /// How the response is accumulated.
    pub accumulate: AccumulateOptions,
    /// Set by tests and benches only, through `__bindings`.
    pub(crate) parser_tiers: ParserTiers,
    /// The severities of rules.
    pub profile: Profile,
    /// The layers of validation; none by default: a reader then reports only the faults that it meets. Without the feature
    /// `validate` no layer is checked.
    pub layers: Layers,
    /// The edition to validate against; the default is that of the profile.
    pub edition: Option<Edition>,
    /// Lets findings quote short pieces of the payload. Payloads can contain secrets.
    pub quote: bool,
    /// The stream replays the events after this number; the validator then expects a start in the middle.
    pub starting_after: Option<u64>,
    /// The caller's schemas of extension types, for the schema layer.
    pub schemas: ExtensionSchemas,
}

impl Default for ReaderOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            strict: false,
            accumulate: AccumulateOptions::default(),
            parser_tiers: ParserTiers::default(),
            profile: Profile::default(),
            layers: Layers::NONE,
            edition: None,
            quote: false,
            starting_after: None,
            schemas: ExtensionSchemas::default(),
        }
    }
}

setters!(ReaderOptions {
    limits: Limits,
    strict: bool,
    accumulate: AccumulateOptions,
    profile: Profile,
    layers: Layers,
    edition: into Option<Edition>,
    quote: bool,
    starting_after: into Option<u64>,
    schemas: ExtensionSchemas,
});

impl ReaderOptions {
    /// Reads options from JSON text, the form that every binding takes.
    ///
    /// | name | value |
    /// | --- | --- |
    /// | `strict`, `quote`, `ignore_terminal_snapshot`, `derive_item_ids` | `true` or `false` |
    /// | `profile` | a name, or an object as for [`Profile::from_json`] |
    /// | `edition` | a name |
    /// | `layers` | `"all"`, `"none"`, or a list of `"framing"`, `"schema"`, `"stream"` |
    /// | `images` | `"keep-last"`, `"keep"` or `"drop"` |
    /// | `starting_after` | a sequence number |
    /// | `limits` | an object as for [`Limits::from_json`] |
    /// | `schemas` | an object as for [`ExtensionSchemas::from_json`] |
    ///
    /// An absent option or `null` has its default; an empty text sets none.
    ///
    /// ```
    /// use deltafold::{validate::Layers, ReaderOptions};
    /// let options = ReaderOptions::from_json(r#"{"strict":true,"profile":"openai","layers":["stream"]}"#)?;
    /// assert_eq!((options.strict, options.profile.name(), options.layers), (true, "openai", Layers::STREAM));
    /// assert!(ReaderOptions::from_json(r#"{"strickt":true}"#).is_err());
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`](crate::Code::NotJson) for text that is not JSON,
    /// [`Code::UnknownName`](crate::Code::UnknownName) for an option, profile or edition that does not exist,
    /// [`Code::BadArgument`](crate::Code::BadArgument) for a value of the wrong type.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// Reads options from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// As for [`from_json`](Self::from_json).
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(value)?;
        reader.check_names(&[
            "strict",
            "quote",
            "ignore_terminal_snapshot",
            #[cfg(feature = "validate")]
            "derive_item_ids",
            "profile",
            "edition",
            "layers",
            "images",
            "starting_after",
            "limits",
            "schemas",
        ])?;
        Ok(Self {
            strict: reader.flag("strict")?.unwrap_or(false),
            quote: reader.flag("quote")?.unwrap_or(false),
            accumulate: AccumulateOptions {
                ignore_terminal_snapshot: reader.flag("ignore_terminal_snapshot")?.unwrap_or(false),
                #[cfg(feature = "validate")]
                derive_item_ids: reader.flag("derive_item_ids")?.unwrap_or(false),
                #[cfg(not(feature = "validate"))]
                derive_item_ids: false,
                images: PreviewImages::ALL[reader.choice("images", PreviewImages::NAMES)?],
            },
            profile: match reader.value("profile") {
                None => Profile::default(),
                Some(Value::String(name)) => Profile::builtin(name)?,
                Some(object) => Profile::from_json(&object.to_string())?,
            },
            edition: reader.text("edition")?.map(str::parse).transpose()?,
            layers: validation::layers(reader.value("layers"))?,
            starting_after: reader.count("starting_after")?,
            limits: reader.value("limits").map_or(Ok(Limits::default()), Limits::from_value)?,
            schemas: validation::schemas(reader.value("schemas"))?,
            parser_tiers: ParserTiers::default(),
        })
    }
}

/// Builds a [`Reader`] step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReaderBuilder {
    options: ReaderOptions,
}

impl ReaderBuilder {
    /// Ends reading at the first finding that is an error.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.options.strict = true;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Builds the response from the events alone; the terminal snapshot only determines how it ended.
    #[must_use]
    pub fn ignore_terminal_snapshot(mut self) -> Self {
        self.options.accumulate.ignore_terminal_snapshot = true;
        self
    }

    /// Gives items without an id one when the response has ended, derived from the response's id and their index; see
    /// [`AccumulateOptions::derive_item_ids`].
    #[must_use]
    pub fn derive_item_ids(mut self) -> Self {
        self.options.accumulate.derive_item_ids = true;
        self
    }

    /// Sets what happens to preview images.
    #[must_use]
    pub fn images(mut self, images: PreviewImages) -> Self {
        self.options.accumulate.images = images;
        self
    }

    /// Sets how the response is accumulated.
    #[must_use]
    pub fn accumulate(mut self, options: AccumulateOptions) -> Self {
        self.options.accumulate = options;
        self
    }

    pub(crate) fn parser_tiers(mut self, tiers: ParserTiers) -> Self {
        self.options.parser_tiers = tiers;
        self
    }

    /// Sets the severity of each rule, and the edition to validate against.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.options.profile = profile;
        self
    }

    /// Validates the stream in these layers.
    ///
    /// ```
    /// use deltafold::{validate::Layers, Profile, Reader};
    /// let mut reader =
    ///     Reader::builder().profile(Profile::builtin("open-responses")?).validate(Layers::ALL).build();
    /// reader.feed(b"data: {\"type\":\"response.in_progress\"}\n\n")?;
    /// reader.finish()?;
    /// assert!(reader.findings().iter().any(|finding| finding.rule.id() == "SSE-04"));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    #[must_use]
    pub fn validate(mut self, layers: Layers) -> Self {
        self.options.layers = layers;
        self
    }

    /// Sets the edition to validate against, instead of that of the profile.
    #[must_use]
    pub fn edition(mut self, edition: Edition) -> Self {
        self.options.edition = Some(edition);
        self
    }

    /// Checks extension events and items by the caller's schemas, in the schema layer.
    #[must_use]
    pub fn schemas(mut self, schemas: ExtensionSchemas) -> Self {
        self.options.schemas = schemas;
        self
    }

    /// Lets findings quote short pieces of the payload. Payloads can contain secrets.
    #[must_use]
    pub fn quote(mut self, allowed: bool) -> Self {
        self.options.quote = allowed;
        self
    }

    /// Sets the number that the stream is replayed after (`starting_after` of the request).
    #[must_use]
    pub fn starting_after(mut self, number: u64) -> Self {
        self.options.starting_after = Some(number);
        self
    }

    /// Makes the reader.
    pub fn build(self) -> Reader {
        Reader::with_options(self.options)
    }
}
