//! Values and views of the core's own JSON: their names, accessors and equality.

use deltafold::json::{PartialJson, PartialOptions};
use deltafold::json::{Tape, Value, ValueKind};

fn value(text: &str) -> Value {
    let mut tape = Tape::default();
    tape.parse(text, 16).unwrap_or_else(|error| panic!("{text}: {error}"));
    tape.root(text).to_value()
}

#[test]
fn value_kinds_and_errors_have_names() {
    let names = [
        ValueKind::Null,
        ValueKind::True,
        ValueKind::False,
        ValueKind::Number,
        ValueKind::String,
        ValueKind::Array,
        ValueKind::Object,
    ]
    .map(ValueKind::exact_name);
    assert_eq!(names, ["null", "true", "false", "number", "string", "array", "object"]);
    for (text, words) in [
        ("[", "the text ends inside a value at position 1"),
        ("[1", "the text ends inside a value at position 2"),
        ("{\"a\"", "the text ends inside a value at position 4"),
        ("[x]", "an unexpected character at position 1"),
        ("\"\\q\"", "an unknown escape at position 1"),
        ("\"\u{1}\"", "a control character inside a string at position 1"),
        ("01", "a malformed number at position 0"),
        ("1 2", "more text after the value at position 2"),
        ("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "nested deeper than the limit at position 16"),
    ] {
        assert_eq!(Tape::default().parse(text, 16).unwrap_err().to_string(), words);
    }
}

#[test]
fn a_view_returns_its_value_only_as_its_own_type() {
    let text = r#"{"a":true,"b":false,"c":1.5,"d":"x","e":null,"f/~":[1],"f~":2}"#;
    let mut tape = Tape::default();
    tape.parse(text, 16).unwrap();
    let root = tape.root(text);
    let at = |key: &str| root.get(key).unwrap();
    assert_eq!(["a", "b", "c", "e"].map(|key| at(key).as_bool()), [Some(true), Some(false), None, None]);
    assert_eq!(at("c").as_number().map(|number| number.as_f64()), Some(Some(1.5)));
    assert!(["a", "d", "e"].iter().all(|key| at(key).as_number().is_none()));
    assert_eq!(root.pointer("/f~1~0/0").and_then(|one| one.as_u64()), Some(1));
    assert_eq!(root.pointer("/f~0").and_then(|two| two.as_u64()), Some(2));
    assert_eq!(value(text).pointer("/f~1~0/0").and_then(Value::as_u64), Some(1));
    assert_eq!(value(text).pointer("/f~0").and_then(Value::as_u64), Some(2));
    assert!(root.pointer("/f~").is_none_or(|two| two.as_u64() == Some(2)));
    assert!(!format!("{root:?}").is_empty());
    assert_eq!(["a", "b", "c", "e"].map(|key| at(key).raw()), ["true", "false", "1.5", "null"]);
}

#[test]
fn integers_are_read_in_any_notation() {
    for (text, expected) in [
        ("1e3", Some(1000)),
        ("-1e3", Some(-1000)),
        ("-12.50e1", Some(-125)),
        ("1.0", Some(1)),
        ("-0.0", Some(0)),
        ("1e18", Some(1_000_000_000_000_000_000)),
        ("-1e18", Some(-1_000_000_000_000_000_000)),
        ("1e19", None),
        ("1e400", None),
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("-9223372036854775808.0", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1.5", None),
        ("15e-1", None),
        ("150e-1", Some(15)),
    ] {
        assert_eq!(value(text).as_i64(), expected, "{text}");
        let mut tape = Tape::default();
        tape.parse(text, 16).unwrap();
        assert_eq!(tape.root(text).as_i64(), expected, "{text}");
    }
}

#[test]
fn objects_are_equal_in_any_order() {
    let texts = [
        r#"{}"#,
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"b":1}"#,
        r#"{"a":1,"b":2}"#,
        r#"{"a":2,"b":1}"#,
        r#"{"a":1,"b":2,"c":null}"#,
        r#"{"a":1,"c":2}"#,
    ];
    for (at, one) in texts.iter().enumerate() {
        for (other_at, other) in texts.iter().enumerate() {
            assert_eq!(value(one) == value(other), at == other_at, "{one} {other}");
        }
    }
    assert_eq!(value(r#"{"a":1,"b":2}"#), value(r#"{"b":2,"a":1}"#));
    // Of a repeated key the last value counts.
    assert_eq!(value(r#"{"a":7,"a":1}"#), value(r#"{"a":1}"#));
    let Value::Object(object) = value(r#"{"a":1,"b":2}"#) else { panic!("no object") };
    assert_eq!((&object).into_iter().map(|(key, _)| key).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn comparing_nested_objects_in_another_order_takes_linear_time() {
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(100), close.repeat(100));
    let (one, other) = (nested(r#"{"a":0,"b":"#, "}"), nested(r#"{"b":"#, r#","a":0}"#));
    assert!(Value::parse(&one, 128).unwrap() == Value::parse(&other, 128).unwrap());
}

#[test]
fn a_string_with_escapes_is_compared_by_its_text() {
    let is = |literal: &str, text: &str| {
        let json = format!("\"{literal}\"");
        let mut tape = Tape::default();
        tape.parse(&json, 16).unwrap();
        tape.root(&json).is_str(text)
    };
    for (literal, text) in [
        (r"\ud83d\ude00", "\u{1F600}"),
        (r"a\ud83d\ude00b", "a\u{1F600}b"),
        (r"\ud83dx", "\u{FFFD}x"),
        (r"\ud83d\n", "\u{FFFD}\n"),
        (r"\ud83d\u0041", "\u{FFFD}A"),
        (r"\u0041\u0042", "AB"),
        (r"\u0041\ude00", "A\u{FFFD}"),
        (r"\ude00\ud83d", "\u{FFFD}\u{FFFD}"),
        (r"\ud83d\ud83d\ude00", "\u{FFFD}\u{1F600}"),
        (r"\ud83dxude00", "\u{FFFD}xude00"),
        (r"\ud83d\ndc00", "\u{FFFD}\ndc00"),
    ] {
        assert!(is(literal, text), "{literal}");
        assert_eq!(value(&format!("\"{literal}\"")).as_str(), Some(text), "{literal}");
        assert!(!is(literal, &format!("{text}x")) && !is(&format!("{literal}x"), text), "{literal}");
    }
}

#[test]
fn changes_of_incomplete_json_have_pointer_and_content() {
    let mut partial = PartialJson::new(PartialOptions::default().record_changes(true));
    partial.push(r#"{"a":["x"#).unwrap();
    partial.push(r#"y","z"#).unwrap();
    let result: Vec<String> = partial.changes().map(|change| change.to_value().to_string()).collect();
    let expected = [
        r#"["","started","object"]"#,
        r#"["/a","started","array"]"#,
        r#"["/a/0","started","string"]"#,
        r#"["/a/0","appended","xy"]"#,
        r#"["/a/0","finished"]"#,
        r#"["/a/1","started","string"]"#,
        r#"["/a/1","appended","z"]"#,
    ];
    assert_eq!(result, expected);
    assert!(partial.changes().all(|change| format!("{change:?}").contains("/a") || change.pointer().is_empty()));
    assert!(partial.changes().all(|change| !format!("{change:?}").is_empty()));
}

/// A saved state has values of the maximum depth a few levels down; no setting exceeds that.
#[test]
fn no_depth_limit_exceeds_the_maximum_and_the_levels_of_a_saved_state() {
    let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
    let most = deltafold::json::MAX_DEPTH + 32;
    assert!(Tape::default().parse(&nested(most), usize::MAX).is_ok());
    assert!(Tape::default().parse(&nested(most + 1), usize::MAX).is_err());
}

#[test]
fn a_value_converts_from_its_source_types() {
    use deltafold::json::{Object, Value};
    assert_eq!(Value::from(1.5).to_string(), "1.5");
    let object: Object = [("a".to_owned(), Value::from(1.5)), ("b".to_owned(), Value::Null)].into_iter().collect();
    assert_eq!(object.to_string(), r#"{"a":1.5,"b":null}"#);
    let event = deltafold::OwnedEvent::parse(r#"{"type":"x:y","a":"b","c":[1,{"b":2}]}"#);
    let view = event.as_event();
    assert_eq!(Value::from(view.get("/c").unwrap()).to_string(), r#"[1,{"b":2}]"#);
    // A value is not a key, even if it is the same text.
    assert!(view.member("b").is_none() && view.member("x:y").is_none());
    assert_eq!(view.member("c").unwrap().raw(), r#"[1,{"b":2}]"#);
}
