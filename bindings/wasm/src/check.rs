//! Checking one JSON object, and the rules in words.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use deltafold::json::Object;
use deltafold::validate::{self, Rule};
use deltafold::Profile;
use wasm_bindgen::prelude::*;

use crate::error::rows;
use crate::reader::array;

/// Checks a JSON text as what `what` says, and returns the findings as JSON text.
///
/// # Errors
/// Text that is not JSON, or a name that is not known.
#[wasm_bindgen]
pub fn validate_named(what: &str, json: &str, options: &str) -> Result<String, JsValue> {
    rows(validate::validate_named(what, json, options)).map(|findings| array(&findings))
}

/// A rule in words as JSON text; empty if there is no such rule.
#[wasm_bindgen]
pub fn explain(rule: &str) -> String {
    let Some(rule) = Rule::from_id(rule) else { return String::new() };
    let words = rule.explain();
    let mut object = Object::new();
    object.push("rule", rule.id());
    object.push("level", rule.level().word());
    object.push("severity", rule.severity().name());
    object.push("layer", rule.layer().name());
    object.push("says", words.says);
    object.push("why", words.why);
    object.push("right", words.right);
    object.push("wrong", words.wrong);
    object.push("unseen", words.unseen);
    object.to_string()
}

/// The names of the built-in profiles.
#[wasm_bindgen]
pub fn profiles() -> Vec<String> {
    Profile::names().map(ToOwned::to_owned).collect()
}
