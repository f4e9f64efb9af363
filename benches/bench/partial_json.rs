//! Partial JSON: arguments that arrive in deltas of about four characters; the value is read after each delta.
//!
//! The peer is jiter's partial mode, which has no state: it parses the whole text so far again after each delta.

use deltafold::json::{PartialJson, PartialOptions};
use deltafold_benches::shapes::{arguments, hash, Random};
use deltafold_benches::{measure, mode, Contender, Mode};
use jiter::{JsonValue, PartialMode};

/// The result of every contender: the text of the final value, and how often there was a value.
type ContenderResult = (u64, usize);

pub(crate) fn main() {
    let mode = mode();
    let sizes = if mode == Mode::Full { [50_000, 100_000, 200_000] } else { [500, 1_000, 2_000] };
    for (name, make) in [("one long string", long_string as fn(usize) -> String), ("many members", many_members)] {
        for size in sizes {
            against_jiter(name, &make(size), mode);
        }
    }
    for (name, make) in [("one long string", long_string as fn(usize) -> String), ("many members", many_members)] {
        growth(name, make, if mode == Mode::Full { 200_000 } else { 2_000 }, mode);
    }
}

fn against_jiter(name: &str, text: &str, mode: Mode) {
    let deltas = deltas(text);
    // The text is compact and has no repeated keys, so writing its value gives the same text.
    let expected = (hash(text.bytes()), deltas.len());
    let table = measure(
        format!("partial {name}, {} bytes", text.len()),
        deltas.len(),
        |name, seen: &ContenderResult| assert_eq!(*seen, expected, "{name}"),
        vec![
            Contender::new("deltafold", || ours(&deltas, false)),
            Contender::new("deltafold, recorded changes read", || ours(&deltas, true)),
            Contender::new("jiter partial, parsed per delta", || jiter(&deltas)),
        ],
        mode,
    );
    println!("{table}");
}

/// A number of deltas once, twice and four times, in turn: the time per delta must stay constant.
fn growth(name: &str, make: fn(usize) -> String, deltas: usize, mode: Mode) {
    let texts = [deltas / 4, deltas / 2, deltas].map(|count| make(count * 4));
    let runs = texts.each_ref().map(|text| self::deltas(text));
    let contenders = runs.iter().map(|pieces| {
        Contender::new(format!("{} deltas", pieces.len()), || ours(pieces, false)).with_units(pieces.len())
    });
    let expected: Vec<ContenderResult> =
        texts.iter().zip(&runs).map(|(text, run)| (hash(text.bytes()), run.len())).collect();
    let check = |name: &str, seen: &ContenderResult| assert!(expected.contains(seen), "{name} has another final value");
    println!("{}", measure(format!("growth {name}"), deltas, check, contenders.collect(), mode));
}

fn long_string(length: usize) -> String {
    let mut random = Random::new(21);
    let mut content = String::new();
    while content.len() < length {
        content += &random.token();
    }
    serde_json::json!({ "path": "src/main.rs", "mode": 420, "content": content }).to_string()
}

fn many_members(length: usize) -> String {
    arguments(&mut Random::new(22), length)
}

/// Splits ASCII text into pieces of three to five characters.
fn deltas(text: &str) -> Vec<&str> {
    let mut random = Random::new(23);
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(random.between(3, 5).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn ours(deltas: &[&str], record_changes: bool) -> ContenderResult {
    let mut partial = PartialJson::new(PartialOptions::default().record_changes(record_changes));
    let mut looks = 0;
    for delta in deltas {
        partial.push(delta).expect("JSON");
        looks += usize::from(partial.value().is_some_and(|value| value.as_object().is_some()));
        std::hint::black_box(partial.changes().count());
        partial.clear_changes();
    }
    assert!(partial.is_complete());
    (hash(partial.value().expect("a value").to_string().bytes()), looks)
}

fn jiter(deltas: &[&str]) -> ContenderResult {
    let mut text = Vec::new();
    let mut looks = 0;
    let mut last = JsonValue::Null;
    for delta in deltas {
        text.extend_from_slice(delta.as_bytes());
        let value = JsonValue::parse_with_config(&text, false, PartialMode::TrailingStrings).expect("JSON");
        looks += usize::from(matches!(value, JsonValue::Object(_)));
        // Only the last value is kept; a user interface would compare each with the previous one.
        last = if text.ends_with(b"}") { value.into_static() } else { JsonValue::Null };
    }
    (hash(to_serde(&last).to_string().bytes()), looks)
}

fn to_serde(value: &JsonValue<'_>) -> serde_json::Value {
    match value {
        JsonValue::Null => serde_json::Value::Null,
        JsonValue::Bool(value) => (*value).into(),
        JsonValue::Int(value) => (*value).into(),
        JsonValue::Float(value) => (*value).into(),
        JsonValue::Str(text) => text.as_ref().into(),
        JsonValue::Array(items) => items.iter().map(to_serde).collect(),
        JsonValue::Object(members) => members.iter().map(|(key, value)| (key.to_string(), to_serde(value))).collect(),
    }
}
