//! Generates a JSON value for a JSON schema: the arguments and the structured output of the scripted model.

use deltafold::json::{Object, Value};

/// Maximum nesting of an example, because a schema may refer to itself.
const DEPTH: usize = 8;

/// Generates a value that fits the schema, with words from the text if they fit.
pub(crate) fn example(schema: &Value, text: &str) -> Value {
    make(schema, schema, "", text, DEPTH)
}

fn make(schema: &Value, root: &Value, name: &str, text: &str, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    if let Some(target) = schema.str_at("$ref").and_then(|path| root.pointer(path.trim_start_matches('#'))) {
        return make(target, root, name, text, depth - 1);
    }
    if let Some(value) = schema.get("const").or(schema.get("default")) {
        return value.clone();
    }
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(<[Value]>::first) {
        return first.clone();
    }
    for union in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(union).and_then(Value::as_array).and_then(<[Value]>::first) {
            return make(first, root, name, text, depth - 1);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("null"),
        Some(Value::String(kind)) => kind,
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    };
    match kind {
        "object" => {
            let mut object = Object::new();
            for (key, property) in
                schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Object::iter)
            {
                object.push(key, make(property, root, key, text, depth - 1));
            }
            Value::Object(object)
        }
        "array" => {
            let one = schema.get("items").map(|items| make(items, root, name, text, depth - 1));
            Value::Array(one.into_iter().collect())
        }
        "integer" | "number" => Value::from(bounded(schema, first_number(text))),
        "boolean" => Value::Bool(true),
        "null" => Value::Null,
        _ => Value::from(word_for(name, text)),
    }
}

fn first_number(text: &str) -> i64 {
    let digits = |char: char| !char.is_ascii_digit();
    text.split(digits).find_map(|word| word.parse().ok()).unwrap_or(1)
}

fn bounded(schema: &Value, number: i64) -> i64 {
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    number.max(bound("minimum").unwrap_or(i64::MIN)).min(bound("maximum").unwrap_or(i64::MAX))
}

/// Returns the word after `in`, `for`, `of` or `to` for a place, a thing or a person; otherwise the last word.
fn word_for(name: &str, text: &str) -> String {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|char: char| !char.is_alphanumeric())).collect();
    let after = |cue: &str| words.windows(2).rev().find(|pair| pair[0].eq_ignore_ascii_case(cue)).map(|pair| pair[1]);
    let cues: &[&str] = match name {
        "location" | "city" | "place" => &["in", "for", "at"],
        _ => &["for", "of", "to", "in"],
    };
    let found = cues.iter().find_map(|cue| after(cue)).or(words.last().copied());
    found.filter(|word| !word.is_empty()).unwrap_or("example").to_owned()
}
