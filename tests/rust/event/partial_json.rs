//! Incomplete JSON: the vectors at every split, and properties of random documents.

use deltafold::json::{
    partial_json, ChangeKind, JsonError, JsonErrorKind, PartialJson, PartialOptions, Unfinished, Value, ValueKind,
};
use deltafold_tests::properties::{is_prefix, pieces, ChangeReplay};
use deltafold_tests::{random_json, shared, splits, vectors, Ambiguity, Random, Split, Vector};

const POLICIES: [Unfinished; 3] = [Unfinished::Include, Unfinished::Omit, Unfinished::Mark];

/// The visible state of a parser, as text.
#[derive(Debug, PartialEq)]
struct ParserState {
    value: Option<String>,
    unfinished: Option<(String, ValueKind)>,
    changes: Vec<String>,
    error: Option<JsonError>,
    complete: bool,
}

#[test]
fn every_vector_gives_its_values_step_by_step() {
    for vector in vectors("partial-json") {
        let mut partial = PartialJson::new(options(&vector));
        let mut error = None;
        for step in steps(&vector) {
            let result = partial.push(text(&step["piece"]));
            assert_eq!(result.err(), partial.error(), "{vector}");
            error = error.or(result.err());
            let value = partial.value().map(|value| value.to_string());
            assert_eq!(value.as_deref(), step["value"].as_str(), "{vector}: {step}");
            let unfinished = partial.unfinished().map(|(pointer, tag)| serde_json::json!([pointer, type_name(tag)]));
            assert_eq!(unfinished.unwrap_or_default(), step["unfinished"], "{vector}: {step}");
        }
        assert_eq!(error.map(|error| (kind_name(error.kind()), error.position())), fault(&vector, "error"), "{vector}");
        if !vector.get("changes").is_null() {
            assert_eq!(serde_json::Value::from(notes(&partial)), *vector.get("changes"), "{vector}");
        }
        let shown = partial.value().cloned();
        let end = partial.finish().err().map(|error| (kind_name(error.kind()), error.position()));
        assert_eq!(end, fault(&vector, "error").or(fault(&vector, "finish")), "{vector}");
        assert_eq!(partial.is_complete(), end.is_none(), "{vector}");
        assert!(end.is_none() || partial.value() == shown.as_ref(), "{vector}: the end changed the value");
    }
}

#[test]
fn every_vector_gives_the_same_values_at_any_split() {
    for vector in vectors("partial-json") {
        let document: String = steps(&vector).iter().map(|step| text(&step["piece"])).collect();
        let whole = see(&document, Split::Whole, options(&vector));
        for split in splits(document.as_bytes()) {
            assert_eq!(see(&document, split, options(&vector)), whole, "{vector}, {split:?}");
        }
        let once = partial_json(&document, options(&vector)).map(|value| value.to_string());
        assert_eq!(once, whole.value, "{vector}");
    }
}

#[test]
fn random_documents_have_the_same_value_in_other_parsers() {
    for seed in 0..300 {
        let document = random_json(&mut Random::new(seed), Ambiguity::No);
        let expected = Value::parse(&document, 128).unwrap();
        let serde: serde_json::Value = serde_json::from_str(&document).unwrap();
        for split in [Split::Whole, Split::Bytes, Split::Random(seed)] {
            let mut partial = PartialJson::default();
            push(&mut partial, &document, split).unwrap();
            partial.finish().unwrap();
            let value = partial.into_value().unwrap();
            assert_eq!(value.to_string(), expected.to_string(), "seed {seed}, {split:?}: {document}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&value.to_string()).unwrap(), serde, "seed {seed}");
        }
    }
}

#[test]
fn the_value_so_far_is_a_prefix_of_every_later_value() {
    for seed in 0..70 {
        let document = random_json(&mut Random::new(seed), Ambiguity::RepeatsAndHalves);
        let whole = Value::parse(&document, 128).unwrap();
        for policy in POLICIES {
            let mut partial = PartialJson::new(all(policy));
            let mut before = None;
            for char in document.chars() {
                partial.push(char.encode_utf8(&mut [0; 4])).unwrap();
                let now = partial.value().cloned();
                let leaf = partial.unfinished().map(|(pointer, _)| pointer);
                assert!(
                    is_prefix(now.as_ref(), Some(&whole), leaf.as_deref().filter(|_| policy == Unfinished::Mark)),
                    "seed {seed}, {policy:?}: {now:?} of {document}"
                );
                // Marks appear and disappear; everything else only grows.
                assert!(policy == Unfinished::Mark || is_prefix(before.as_ref(), now.as_ref(), None), "seed {seed}");
                before = now;
            }
            partial.finish().unwrap();
            assert_eq!(partial.value().map(|value| value.to_string()), Some(whole.to_string()), "seed {seed}");
        }
    }
}

#[test]
fn a_prefix_is_distinguished_from_other_texts() {
    let prefix = |short: &str, long: &str| {
        is_prefix(Value::parse(short, 9).ok().as_ref(), Value::parse(long, 9).ok().as_ref(), None)
    };
    for (short, long) in
        [("", "1"), ("1", "12"), ("\"a\"", "\"ab\""), ("[1,[]]", "[1,[2]]"), (r#"{"a":"x"}"#, r#"{"a":"xy","b":1}"#)]
    {
        assert!(prefix(short, long), "{short} {long}");
        assert!(!prefix(long, short), "{long} {short}");
    }
    for (short, long) in
        [("[1,2]", "[10,2]"), (r#"{"a":1}"#, r#"{"b":1}"#), ("true", "false"), ("[]", "{}"), ("null", "1")]
    {
        assert!(!prefix(short, long), "{short} {long}");
    }
}

#[test]
fn applying_the_changes_to_a_copy_gives_the_value() {
    for seed in 0..80 {
        let document = random_json(&mut Random::new(seed), Ambiguity::RepeatsAndHalves);
        for policy in POLICIES {
            for split in [Split::Whole, Split::Bytes, Split::Random(seed)] {
                let mut partial = PartialJson::new(all(policy));
                let mut copy = ChangeReplay::default();
                for piece in pieces(&document, split) {
                    partial.push(piece).unwrap();
                    copy.carry_out(&partial);
                    partial.clear_changes();
                    assert_eq!(partial.changes().count(), 0);
                    // The copy has an empty value where a mark is.
                    if policy != Unfinished::Mark {
                        let (value, copy) = (partial.value().map(Value::to_string), copy.value().map(Value::to_string));
                        assert_eq!(copy, value, "seed {seed}, {policy:?}, {split:?}: {document}");
                    }
                }
                partial.finish().unwrap();
                copy.carry_out(&partial);
                assert_eq!(copy.value().unwrap().to_string(), partial.into_value().unwrap().to_string(), "seed {seed}");
            }
        }
    }
}

#[test]
fn damaged_documents_get_the_verdict_of_the_complete_parser_at_any_split() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let document = random_json(&mut Random::new(seed), Ambiguity::RepeatsAndHalves);
        let mut chars: Vec<char> = document.chars().collect();
        let at = random.below(chars.len());
        match random.below(3) {
            0 => drop(chars.remove(at)),
            1 => chars
                .insert(at, random.pick(&["\"", "}", "]", ",", "0", "\\", "-", "\u{1}", "t"]).chars().next().unwrap()),
            _ => chars.truncate(at),
        }
        let document: String = chars.into_iter().collect();
        let verdict = Value::parse(&document, 128);
        for split in [Split::Whole, Split::Bytes, Split::Random(seed)] {
            let mut partial = PartialJson::default();
            let pushed = push(&mut partial, &document, split);
            let ended = partial.finish();
            assert_eq!(ended.is_ok(), verdict.is_ok(), "seed {seed}, {split:?}: {document}");
            assert!(pushed.is_ok() || pushed == ended, "an error is final");
            if let (Err(ours), Err(theirs)) = (ended, &verdict) {
                // If the text ends inside a literal or escape, only a parser of the whole text rejects it.
                if ours.kind() != JsonErrorKind::End && theirs.kind() != JsonErrorKind::End {
                    assert_eq!(ours, *theirs, "seed {seed}, {split:?}: {document}");
                }
            }
        }
    }
}

#[test]
fn an_error_stays_until_reset_and_a_reset_parser_is_like_a_new_one() {
    let mut partial = PartialJson::new(all(Unfinished::Include));
    let error = partial.push(r#"{"a":"b" "c"#).unwrap_err();
    assert_eq!((error.kind(), error.position(), partial.position()), (JsonErrorKind::Unexpected, 9, 9));
    assert_eq!(partial.push(r#","c":1}"#), Err(error));
    assert_eq!(partial.finish(), Err(error));
    assert_eq!(partial.value().unwrap().to_string(), r#"{"a":"b"}"#);
    for document in ["[\"\\ud83d", "{\"key", "[1.", "tru", "{\"a\":[{\"b\":\"c"] {
        let _ = partial.push(document);
        partial.reset();
        assert_eq!((partial.value(), partial.unfinished(), partial.error(), partial.position()), (None, None, None, 0));
        assert_eq!(partial.changes().count(), 0);
        partial.push(r#"{"k":"v"}"#).unwrap();
        assert!(partial.is_complete());
        assert_eq!(partial.value().unwrap().to_string(), r#"{"k":"v"}"#);
        assert_eq!(notes(&partial).len(), 5);
        partial.reset();
    }
}

#[test]
fn the_deepest_value_is_built_compared_and_dropped_on_a_small_stack() {
    let run = || {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let document = format!("{}1{}", open.repeat(128), close.repeat(128));
            let mut partial = PartialJson::new(all(Unfinished::Include));
            push(&mut partial, &document, Split::Bytes).unwrap();
            partial.finish().unwrap();
            let value = partial.into_value().unwrap();
            assert!(value == value.clone());
            let mut deeper = PartialJson::default();
            let error = push(&mut deeper, &open.repeat(100_000), Split::Every(7)).unwrap_err();
            assert_eq!((error.kind(), error.position()), (JsonErrorKind::Depth, 128 * open.len()));
            assert_eq!(deeper.unfinished().unwrap().0.matches('/').count(), 127);
        }
    };
    // Frames are about three times as large without optimisation.
    let stack = if cfg!(debug_assertions) { 256 } else { 64 } * 1024;
    std::thread::Builder::new().stack_size(stack).spawn(run).unwrap().join().unwrap();
}

#[test]
fn the_json_test_suite_gets_its_expected_verdicts_at_any_split() {
    let Some(folder) = shared("the_json_test_suite", "conformance/json-parsing") else { return };
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Bytes that are not UTF-8 never get this far: deltas are text.
        let Ok(document) = std::fs::read_to_string(&path) else { continue };
        if !name.ends_with(".json") {
            continue;
        }
        read += 1;
        let verdict = Value::parse(&document, 128).is_ok();
        for split in [Split::Whole, Split::Bytes, Split::Random(1)] {
            let mut partial = PartialJson::default();
            let _ = push(&mut partial, &document, split);
            let accepted = partial.finish().is_ok();
            assert_eq!(accepted, verdict, "{name}, {split:?}");
            assert!(!(accepted && name.starts_with("n_")) && (accepted || !name.starts_with("y_")), "{name}");
        }
    }
    assert!(read > 100, "only {read} files");
}

fn push(partial: &mut PartialJson, text: &str, split: Split) -> Result<(), JsonError> {
    pieces(text, split).into_iter().try_for_each(|piece| partial.push(piece))
}

fn see(text: &str, split: Split, options: PartialOptions) -> ParserState {
    let mut partial = PartialJson::new(options);
    let _ = push(&mut partial, text, split);
    ParserState {
        value: partial.value().map(Value::to_string),
        unfinished: partial.unfinished(),
        changes: partial.changes().map(|change| format!("{change:?}")).collect(),
        error: partial.error(),
        complete: partial.is_complete(),
    }
}

fn all(policy: Unfinished) -> PartialOptions {
    PartialOptions::default().strings(policy).numbers(policy).literals(policy).record_changes(true)
}

fn options(vector: &Vector) -> PartialOptions {
    let options = vector.get("options");
    let default = PartialOptions::default();
    let policy = |name: &str, default: Unfinished| match options[name].as_str() {
        None => default,
        Some("include") => Unfinished::Include,
        Some("omit") => Unfinished::Omit,
        Some("mark") => Unfinished::Mark,
        Some(other) => panic!("{vector}: no policy {other}"),
    };
    PartialOptions::default()
        .strings(policy("strings", default.strings))
        .numbers(policy("numbers", default.numbers))
        .literals(policy("literals", default.literals))
        .depth(options["depth"].as_u64().map_or(default.depth, |depth| depth as usize))
        .record_changes(true)
}

fn steps(vector: &Vector) -> &[serde_json::Value] {
    vector.get("steps").as_array().map_or_else(|| panic!("{vector}: no steps"), Vec::as_slice)
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn fault(vector: &Vector, name: &str) -> Option<(&'static str, usize)> {
    let fault = vector.get(name).as_object()?;
    let kinds = ["end", "unexpected", "escape", "control", "number", "depth", "trailing"];
    let kind = kinds.into_iter().find(|kind| fault["kind"] == *kind);
    Some((kind.unwrap_or_else(|| panic!("{vector}: unknown kind")), fault["at"].as_u64().unwrap() as usize))
}

fn notes(partial: &PartialJson) -> Vec<serde_json::Value> {
    let note = |change: deltafold::json::Change<'_>| match change.kind {
        ChangeKind::Started(tag) => serde_json::json!([change.pointer(), "started", type_name(tag)]),
        ChangeKind::Appended(text) => serde_json::json!([change.pointer(), "appended", text]),
        ChangeKind::Finished => serde_json::json!([change.pointer(), "finished"]),
    };
    partial.changes().map(note).collect()
}

fn type_name(tag: ValueKind) -> &'static str {
    match tag {
        ValueKind::True => "true",
        ValueKind::False => "false",
        other => other.name(),
    }
}

fn kind_name(kind: JsonErrorKind) -> &'static str {
    match kind {
        JsonErrorKind::End => "end",
        JsonErrorKind::Unexpected => "unexpected",
        JsonErrorKind::Escape => "escape",
        JsonErrorKind::Control => "control",
        JsonErrorKind::Number => "number",
        JsonErrorKind::Depth => "depth",
        JsonErrorKind::Trailing => "trailing",
        _ => "other",
    }
}
