//! What judges the stream inside a reader: the validator. The twin file is for builds without it.

use super::ReaderOptions;
use crate::error::Error;
use crate::json::Value;
use crate::validate::{ExtensionSchemas, Layers, ValidateOptions};

pub(super) use crate::validate::Validator as Judge;

/// The judge that the options ask for.
pub(super) fn of(options: &ReaderOptions) -> Option<Judge> {
    (options.layers != Layers::NONE).then(|| {
        Judge::new(ValidateOptions {
            edition: options.edition.unwrap_or(options.profile.edition()),
            layers: options.layers,
            limits: options.limits,
            quote: options.quote,
            starting_after: options.starting_after,
            schemas: options.schemas.clone(),
        })
    })
}

pub(super) fn layers(value: Option<&Value>) -> Result<Layers, Error> {
    value.map_or(Ok(Layers::NONE), Layers::from_value)
}

pub(super) fn schemas(value: Option<&Value>) -> Result<ExtensionSchemas, Error> {
    value.map_or(Ok(ExtensionSchemas::default()), ExtensionSchemas::from_value)
}
