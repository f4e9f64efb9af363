//! Full validation compared with reading alone, and with a general JSON Schema validator on the same events.
//!
//! The JSON Schema contenders get every advantage: frames are split for them, and they check one payload at a time, without
//! framing, order, numbering or life cycles. One has the union of all events, as the contract publishes it; the other is given
//! the schema of each event.

use std::collections::BTreeMap;

use deltafold::validate::Layers;
use deltafold::{Edition, Kind, Profile, Reader, ReaderBuilder};
use deltafold_benches::shapes::Shape;
use deltafold_benches::{measure, mode, wanted, Chunking, Contender, Mode};
use deltafold_tests::schema::{load, name_in, rebuild, source, Treatment};
use serde_json::{json, Map, Value};

const EDITION: Edition = Edition::Split;

pub(crate) fn main() {
    let mode = mode();
    let (schemas, union) = schemas();
    for name in ["W1", "W2", "W3"] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        for chunking in [Chunking::Event, Chunking::Bytes(16 << 10)] {
            compare(&shape, chunking, &schemas, &union, mode);
        }
    }
}

type Schemas = BTreeMap<String, jsonschema::Validator>;

fn compare(shape: &Shape, chunking: Chunking, schemas: &Schemas, union: &jsonschema::Validator, mode: Mode) {
    let title = format!("validate {} {}", shape.name, chunking.name());
    if !wanted(&title) {
        return;
    }
    prove("the union", &shape.stream, |_| Some(union));
    prove("picked by hand", &shape.stream, |kind| schemas.get(kind));
    let chunks = chunking.chunks(&shape.stream);
    let contenders = vec![
        Contender::new("deltafold, all layers", || read(Reader::builder().validate(Layers::ALL), &chunks)),
        Contender::new("deltafold, reading", || read(Reader::builder(), &chunks)),
        Contender::new("split + serde_json + jsonschema, the union", || json_schema(&shape.stream, |_| Some(union))),
        Contender::new("split + serde_json + jsonschema, picked by hand", || {
            json_schema(&shape.stream, |kind| schemas.get(kind))
        }),
    ];
    let check = |name: &str, events: &usize| assert_eq!(*events, shape.expected.events, "{name}");
    println!("{}", measure(title, shape.expected.events, check, contenders, mode));
}

fn read(builder: ReaderBuilder, chunks: &[&[u8]]) -> usize {
    let profile = Profile::builtin("open-responses").expect("a built-in profile");
    let mut reader = builder.profile(profile).edition(EDITION).build();
    let mut events = 0;
    for chunk in chunks {
        reader.feed(chunk).expect("within the limits");
        while let Some(event) = reader.poll_event().expect("within the limits") {
            std::hint::black_box(event.delta());
            events += 1;
        }
    }
    std::hint::black_box(reader.all_findings().total());
    events
}

/// A compiled JSON Schema for each event of the edition, by its type, and one of their union.
fn schemas() -> (Schemas, jsonschema::Validator) {
    let facts = load();
    let source = source(&facts, EDITION);
    let compile = |schema: &Value| {
        jsonschema::options().should_validate_formats(false).build(schema).expect("a rebuilt schema compiles")
    };
    let (mut schemas, mut definitions, mut variants) = (Schemas::new(), Map::new(), Vec::new());
    for kind in Kind::ALL {
        let Some(name) = kind.schema().and_then(|schema| name_in(&facts, EDITION, schema)) else { continue };
        // Where the published schemas contradict themselves, any value is accepted.
        let mut schema = rebuild(name, source, &|_| Treatment::Any);
        schemas.insert(kind.name().to_owned(), compile(&schema));
        if let Some(Value::Object(more)) = schema.as_object_mut().and_then(|schema| schema.remove("$defs")) {
            definitions.extend(more);
        }
        variants.push(schema);
    }
    assert_eq!(variants.len(), 58, "every event of the edition has a schema");
    let union = json!({ "$defs": definitions, "oneOf": variants });
    (schemas, compile(&union))
}

/// Checks that a contender accepts every event of the shape.
fn prove<'a>(name: &str, stream: &[u8], pick: impl Fn(&str) -> Option<&'a jsonschema::Validator>) {
    let text = std::str::from_utf8(stream).expect("shapes are UTF-8");
    for line in text.lines().filter_map(|line| line.strip_prefix("data: {")) {
        let value: Value = serde_json::from_str(&format!("{{{line}")).expect("JSON");
        let kind = value["type"].as_str().expect("a type");
        let schema = pick(kind).unwrap_or_else(|| panic!("{name} has no schema of {kind}"));
        let errors: Vec<_> = schema.iter_errors(&value).map(|error| error.to_string()).take(3).collect();
        assert!(errors.is_empty(), "{name} refuses {kind}: {errors:?}");
    }
}

fn json_schema<'a>(stream: &[u8], pick: impl Fn(&str) -> Option<&'a jsonschema::Validator>) -> usize {
    let text = std::str::from_utf8(stream).expect("shapes are UTF-8");
    let mut events = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let schema = value["type"].as_str().and_then(&pick);
        std::hint::black_box(schema.is_some_and(|schema| schema.is_valid(&value)));
        events += 1;
    }
    events
}
