//! Schemas of extension types give the verdicts of an independent validator, on random schemas and values.

use deltafold::validate::ExtensionSchemas;
use deltafold::Edition;
use deltafold_tests::Random;
use serde_json::{json, Map, Value};

const NAMES: &[&str] = &["a", "b", "ä/~", "type", ""];
const TEXTS: &[&str] = &["", "a", "ab", "äöü", "👩\u{200d}🚀", "acme:x"];
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "1.0",
    "10e-1",
    "-3",
    "2.5",
    "1e2",
    "100",
    "9007199254740993",
    "9007199254740992",
    "18446744073709551616",
    "1e400",
];

fn number(random: &mut Random) -> Value {
    serde_json::from_str(random.pick(NUMBERS)).unwrap()
}

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => json!(random.one_in(2)),
        2 | 3 => number(random),
        4 => json!(random.pick(TEXTS)),
        5 => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
        _ => object(random, depth).into(),
    }
}

fn object(random: &mut Random, depth: usize) -> Map<String, Value> {
    let depth = depth.saturating_sub(1);
    (0..random.below(4)).map(|_| ((*random.pick(NAMES)).to_owned(), value(random, depth))).collect()
}

fn types(random: &mut Random) -> Value {
    let all = ["null", "boolean", "object", "array", "number", "string", "integer"];
    match random.below(3) {
        0 => json!([random.pick(&all), "null"]).as_array().map(|list| dedup(list)).unwrap(),
        _ => json!(random.pick(&all)),
    }
}

/// The list without repetitions, which JSON Schema does not allow here.
fn dedup(list: &[Value]) -> Value {
    let mut once: Vec<Value> = Vec::new();
    for value in list {
        if !once.contains(value) {
            once.push(value.clone());
        }
    }
    once.into()
}

fn schema(random: &mut Random, depth: usize) -> Value {
    if random.one_in(12) {
        return json!(!random.one_in(3));
    }
    let mut schema = Map::new();
    for _ in 0..=random.below(4) {
        let inner = depth > 0;
        let (key, value) = match random.below(14) {
            0 | 1 => ("type", types(random)),
            2 => ("enum", dedup(&(0..=random.below(3)).map(|_| value(random, 2)).collect::<Vec<_>>())),
            3 => ("const", value(random, 2)),
            4 => ("minimum", number(random)),
            5 => ("maximum", number(random)),
            6 => ("minLength", json!(random.below(4))),
            7 => ("maxLength", json!(random.below(4))),
            8 => ("minItems", json!(random.below(3))),
            9 => ("maxItems", json!(random.below(3))),
            10 => ("required", dedup(&[json!(random.pick(NAMES)), json!(random.pick(NAMES))])),
            11 if inner => ("items", self::schema(random, depth - 1)),
            12 if inner => ("additionalProperties", self::schema(random, depth - 1)),
            _ if inner => {
                let members: Map<String, Value> = (0..random.below(3))
                    .map(|_| ((*random.pick(NAMES)).to_owned(), self::schema(random, depth - 1)))
                    .collect();
                ("properties", members.into())
            }
            _ => ("title", json!("t")),
        };
        schema.insert(key.into(), value);
    }
    schema.into()
}

#[test]
fn verdicts_agree_with_another_validator_on_random_schemas_and_values() {
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let schema = schema(&mut random, 3);
        let mut own = ExtensionSchemas::new();
        own.event("acme:x", &schema.to_string()).unwrap_or_else(|error| panic!("{schema}: {error}"));
        let theirs = jsonschema::draft202012::options().should_validate_formats(false).build(&schema).unwrap();
        for _ in 0..20 {
            let mut event = object(&mut random, 3);
            event.insert("type".into(), json!("acme:x"));
            event.insert("sequence_number".into(), json!(0));
            let event = Value::Object(event);
            let found = own.validate_event(&event.to_string(), Edition::default()).unwrap();
            assert_eq!(found.is_empty(), theirs.is_valid(&event), "{schema}\n{event}\n{found:#?}");
            // A pointer refers to the value, or to the object that lacks it.
            for finding in &found {
                let around = finding.path.rsplit_once('/').map_or("", |(around, _)| around);
                assert!(event.pointer(&finding.path).or(event.pointer(around)).is_some(), "{event}\n{finding:#?}");
            }
            *(if found.is_empty() { &mut right } else { &mut wrong }) += 1;
        }
    }
    assert!(right > 3_000 && wrong > 3_000, "{right} right, {wrong} wrong");
}

#[test]
fn a_schema_that_the_other_validator_refuses_is_refused_too() {
    let mut own = ExtensionSchemas::new();
    for schema in [
        json!({"type": "text"}),
        json!({"type": 1}),
        json!({"required": ["a", 1]}),
        json!({"minLength": -1}),
        json!({"minItems": 1.5}),
        json!({"maximum": "1"}),
        json!({"items": 1}),
        json!({"properties": {"a": []}}),
        json!({"additionalProperties": "no"}),
    ] {
        assert!(jsonschema::draft202012::meta::validate(&schema).is_err(), "{schema}");
        assert!(own.item("acme:x", &schema.to_string()).is_err(), "{schema}");
    }
}
