//! Checks of single JSON objects, and the documentation of rules.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use deltafold::json::Object;
use deltafold::validate::Rule;
use deltafold::{ItemStatus, Profile};
use wasm_bindgen::prelude::*;

use crate::error::rows;
use crate::reader::array;

/// Returns whether a name can be the type of an extension event or item.
#[wasm_bindgen]
pub fn is_valid_extension_type(name: &str) -> bool {
    deltafold::is_valid_extension_type(name)
}

/// Returns whether a status of an item is final, or with `success` whether the item is complete.
#[wasm_bindgen]
pub fn is_final_status(status: &str, success: bool) -> bool {
    let test = if success { ItemStatus::is_success } else { ItemStatus::is_terminal };
    ItemStatus::from_name(status).is_some_and(test)
}

/// Checks a JSON text as an object of this kind, and returns the findings as JSON text.
///
/// # Errors
/// Text that is not JSON, or an unknown kind.
#[wasm_bindgen]
pub fn validate_named(kind: &str, json: &str, options: &str) -> Result<String, JsValue> {
    rows(deltafold::__bindings::validate_named(kind, json, options)).map(|findings| array(&findings))
}

/// The documentation of a rule as JSON text; empty if the rule does not exist.
#[wasm_bindgen]
pub fn explain(rule: &str) -> String {
    let Some(rule) = Rule::from_id(rule) else { return String::new() };
    let words = rule.explain();
    let mut object = Object::new();
    object.push("rule", rule.id());
    object.push("level", rule.level().name());
    object.push("severity", rule.severity().name());
    object.push("layer", rule.layer().name());
    object.push("says", words.statement);
    object.push("why", words.reason);
    object.push("right", words.valid);
    object.push("wrong", words.invalid);
    object.push("unseen", words.unchecked);
    object.to_string()
}

/// The names of the built-in profiles.
#[wasm_bindgen]
pub fn profiles() -> Vec<String> {
    Profile::names().map(ToOwned::to_owned).collect()
}
