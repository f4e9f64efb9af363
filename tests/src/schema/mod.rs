//! The contract without the tables: JSON Schemas, valid samples and mutations, all generated from the fact files.
//!
//! The tables of the core come from the same facts through other code; a difference is an error in one of
//! them, or a place where the published schemas contradict themselves.

mod mutate;
mod rebuild;
mod sample;

use std::path::Path;

use deltafold::Edition;
use deltafold_contract::compile::is_whole;
use deltafold_contract::source::Source;
use deltafold_contract::Facts;
use serde_json::Value;

pub use mutate::{mutations, Mutation};
pub use rebuild::{rebuild, Treatment};
pub use sample::{full, minimal};

/// Reads the fact files.
///
/// # Panics
///
/// If they cannot be read.
pub fn load() -> Facts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/contract");
    Facts::load(&folder).expect("the fact files are readable")
}

/// The facts of one edition.
pub fn source(facts: &Facts, edition: Edition) -> Source<'_> {
    match edition {
        Edition::V2026_04_24 => Source::OpenResponses(facts, "bundle-2026-04-24"),
        Edition::V2026_01_15 => Source::OpenResponses(facts, "bundle-2026-01-15"),
        Edition::Split => Source::OpenResponses(facts, "split-2026-07"),
        Edition::Split2026_01 => Source::OpenResponses(facts, "split-2026-01"),
        _ => Source::OpenAi(facts),
    }
}

/// Returns the name under which an edition describes a schema: OpenAI has types of its own.
pub fn name_in<'a>(facts: &'a Facts, edition: Edition, schema: &'a str) -> Option<&'a str> {
    if edition != Edition::OpenAi {
        return Some(schema);
    }
    if let Some(name) = schema.strip_prefix("openai:") {
        return Some(name);
    }
    let event = facts.list("streaming_events").iter().find(|event| event["schema"] == schema);
    facts.counterparts[schema].as_str().or_else(|| event.and_then(|event| event["openai"]["type"].as_str()))
}

/// The description of a field, as the tables read it.
fn field(name: &str, field: &Value, source: Source<'_>) -> Value {
    let mut field = field.clone();
    if source.is_openai() && field["type"] == "number" && is_whole(name) {
        field["type"] = "integer".into();
    }
    field
}

/// Returns the type of a described value.
fn kind(value: &Value) -> &str {
    value["type"].as_str().or(value["kind"].as_str()).unwrap_or_default()
}
