//! Checks the arguments of a function call against the schema of its tool.

use alloc::string::{String, ToString};

use crate::json::{Tape, Value, ValueKind};
use crate::limits::Limits;

/// Checks the arguments of a call by the `parameters` of a function tool.
///
/// They must be a JSON object. With the feature `tool-schemas` they must also follow the schema. A tool without `parameters` takes
/// any object. The message names the fault and its position, without payload text.
///
/// # Errors
///
/// The message.
pub fn check_arguments(tool: &Value, arguments: &str) -> Result<(), String> {
    let mut tape = Tape::default();
    if tape.parse(arguments, Limits::default().depth).is_err() {
        return Err("expected JSON, found text that does not parse".to_string());
    }
    if tape.root(arguments).kind() != ValueKind::Object {
        return Err("expected an object, found another value".to_string());
    }
    match tool.get("parameters").filter(|schema| !schema.is_null()) {
        Some(schema) => by_schema(schema, arguments),
        None => Ok(()),
    }
}

#[cfg(not(feature = "tool-schemas"))]
fn by_schema(_schema: &Value, _arguments: &str) -> Result<(), String> {
    Ok(())
}

#[cfg(feature = "tool-schemas")]
fn by_schema(schema: &Value, arguments: &str) -> Result<(), String> {
    use alloc::format;

    // Both texts are JSON: this crate wrote one, and the other was parsed above.
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string());
    let schema = read(&schema.to_string())?;
    // References resolve inside the schema only: the dependency is built without a way to fetch documents.
    let validator = jsonschema::options()
        .should_validate_formats(false)
        .build(&schema)
        .map_err(|error| format!("the tool's schema cannot be used: {}", error.masked()))?;
    let arguments = read(arguments)?;
    validator.validate(&arguments).map_err(|error| {
        let path = error.instance_path().to_string();
        let place = if path.is_empty() { "the arguments" } else { path.as_str() };
        format!("{place}: {}", error.masked())
    })
}
