//! The contract tables contain everything in the fact files, and the counts of the contract.

use std::collections::BTreeSet;
use std::path::Path;

use deltafold::contract::{FieldFact, SchemaId};
use deltafold::{Edition, Group, Kind};
use deltafold_contract::{facts, Facts};
use deltafold_tests::shared;
use serde_json::Value;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/contract")
}

fn load() -> Facts {
    Facts::load(&folder()).expect("the fact files are readable")
}

fn schema(name: &str) -> SchemaId {
    SchemaId::from_name(name).unwrap_or_else(|| panic!("no schema {name}"))
}

/// The editions of the tables and their ids in the facts.
const EDITIONS: [(Edition, &str); 4] = [
    (Edition::V2026_04_24, "bundle-2026-04-24"),
    (Edition::V2026_01_15, "bundle-2026-01-15"),
    (Edition::Split, "split-2026-07"),
    (Edition::Split2026_01, "split-2026-01"),
];

fn has(editions: &Value, id: &str) -> bool {
    editions.as_array().into_iter().flatten().any(|edition| edition == id)
}

#[test]
fn the_fact_files_equal_the_shared_contract() {
    let Some(path) = shared("the_fact_files_equal_the_shared_contract", "spec/contract.json") else { return };
    let contract = facts::read(&path).unwrap();
    assert!(
        facts::load_contract(&folder()).unwrap() == contract,
        "import the newer contract: see core/contract/README.md"
    );
}

#[test]
fn the_counts_match_the_contract() {
    let count = |edition| Kind::ALL.iter().filter(|kind| kind.editions().contains(edition)).count();
    assert_eq!(count(Edition::Split), 58);
    assert_eq!(count(Edition::V2026_04_24), 24);
    assert_eq!(SchemaId::all().count(), 417);
    for (edition, (input, output, tools, choices, request, response)) in [
        (Edition::Split, (25, 23, 16, 13, 29, 39)),
        (Edition::Split2026_01, (25, 23, 16, 13, 29, 39)),
        (Edition::V2026_04_24, (9, 5, 1, 1, 26, 31)),
        (Edition::V2026_01_15, (8, 4, 1, 1, 26, 31)),
    ] {
        assert_eq!(schema("ItemParam").variants(edition).len(), input, "{edition}");
        assert_eq!(schema("ItemField").variants(edition).len(), output, "{edition}");
        assert_eq!(schema("ResponsesToolParam").variants(edition).len(), tools, "{edition}");
        assert_eq!(schema("CreateResponseBody").fields(edition).len(), request, "{edition}");
        assert_eq!(schema("ResponseResource").fields(edition).len(), response, "{edition}");
        // In a bundle the specific choice is one object; in the split edition it is a union.
        let specific = schema("SpecificToolChoiceParam").variants(edition).len().max(1);
        assert_eq!(specific, choices, "{edition}");
    }
    assert_eq!(schema("Annotation").variants(Edition::Split).len(), 3);
    assert_eq!(schema("Annotation").variants(Edition::V2026_04_24).len(), 1);
}

#[test]
fn every_edition_has_the_schemas_that_the_contract_counts() {
    let facts = load();
    for (edition, id) in EDITIONS {
        let count = SchemaId::all().filter(|schema| schema.editions().contains(edition)).count();
        assert_eq!(facts.contract["counts"][id]["schemas"], count, "{id}");
    }
    assert_eq!(facts.contract["counts"]["total_distinct_schema_names"], SchemaId::all().count());
}

#[test]
fn no_schema_name_and_no_edition_of_it_is_missing() {
    let facts = load();
    for (name, variants) in facts.contract["schemas"].as_object().unwrap() {
        for (edition, id) in EDITIONS {
            let listed = variants.as_array().unwrap().iter().any(|variant| has(&variant["editions"], id));
            assert_eq!(schema(name).editions().contains(edition), listed, "{name} in {id}");
        }
    }
}

#[test]
fn every_field_is_required_and_nullable_as_in_the_facts() {
    let facts = load();
    let mut compared = 0;
    for (name, variants) in facts.contract["schemas"].as_object().unwrap() {
        for (variant, (edition, id)) in variants.as_array().unwrap().iter().flat_map(|v| EDITIONS.map(|e| (v, e))) {
            if !has(&variant["editions"], id) || variant["kind"] != "object" {
                continue;
            }
            let found = schema(name).fields(edition);
            let fields = variant["fields"].as_object().unwrap();
            assert_eq!(found.len(), fields.len(), "{name} in {id}");
            for FieldFact { name: field, required, nullable, forbidden, .. } in found {
                let fact = &fields[field];
                let takes_null = fact["nullable"] == true || fact["type"] == "any" || fact["type"] == "null";
                assert_eq!(fact["required"] == true, required, "{name}.{field} in {id}");
                assert_eq!(takes_null, nullable, "{name}.{field} in {id}");
                assert_eq!(fact["forbidden"] == true, forbidden, "{name}.{field} in {id}");
                compared += 1;
            }
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn no_variant_of_an_item_tool_choice_or_annotation_is_missing() {
    let facts = load();
    let lists = [
        ("ItemParam", &facts.contract["input_items"]),
        ("ItemField", &facts.contract["output_items"]),
        ("Annotation", &facts.contract["annotations"]),
        ("ResponsesToolParam", &facts.contract["tools"]["request"]),
        ("Tool", &facts.contract["tools"]["response"]),
        ("SpecificToolChoiceParam", &facts.contract["tool_choices"]["request_specific"]),
    ];
    for (union, list) in lists {
        for (edition, id) in EDITIONS {
            let listed = list.as_array().unwrap().iter().filter(|entry| has(&entry["editions"], id));
            let expected: BTreeSet<&str> = listed.map(|entry| entry["type"].as_str().unwrap()).collect();
            let variants = schema(union).variants(edition);
            if variants.is_empty() {
                continue; // an alias of one object
            }
            let found: BTreeSet<&str> = variants.iter().map(|variant| variant[0].1).collect();
            assert_eq!(found, expected, "{union} in {id}");
        }
    }
}

#[test]
fn every_event_has_the_name_group_schema_and_editions_of_the_facts() {
    let facts = load();
    for event in facts.list("streaming_events") {
        let wire = event["type"].as_str().unwrap();
        let kind = Kind::from_wire(wire);
        assert_eq!(kind.name(), wire);
        assert_eq!(kind.group().name(), event["group"].as_str().unwrap(), "{wire}");
        assert_eq!(kind.schema(), event["schema"].as_str(), "{wire}");
        for (edition, id) in EDITIONS {
            assert_eq!(kind.editions().contains(edition), has(&event["editions"], id), "{wire} in {id}");
        }
    }
    let known = Kind::ALL.iter().filter(|kind| kind.is_known()).count();
    // One more than the contract lists: rate limits, sent only by a real server.
    assert_eq!(known, facts.list("streaming_events").len() + 1);
}

#[test]
fn all_openai_only_and_websocket_events_exist() {
    let facts = load();
    let names = |key: &str| {
        let list = facts.contract["openai"][key].as_array().unwrap();
        list.iter().map(|name| name.as_str().unwrap()).collect::<BTreeSet<_>>()
    };
    let only_openai = Kind::ALL.iter().filter(|kind| kind.is_known() && kind.schema().is_none());
    let outside = |kind: &&&Kind| matches!(kind.group(), Group::Transport | Group::WebsocketControl);
    let (control, events): (Vec<&Kind>, Vec<&Kind>) = only_openai.partition(|kind| outside(&kind));
    let events: BTreeSet<&str> = events.iter().map(|kind| kind.name()).collect();
    assert_eq!(events, names("not_in_open_responses"));
    assert_eq!(events.len(), 9);
    let control: BTreeSet<&str> =
        control.iter().filter(|kind| kind.group() == Group::WebsocketControl).map(|kind| kind.name()).collect();
    assert_eq!(control, &names("websocket_event_types") | &names("beta_websocket_event_types"));
    let missing = Kind::ALL.iter().filter(|kind| kind.schema().is_some() && !kind.editions().contains(Edition::OpenAi));
    let missing: BTreeSet<&str> = missing.map(|kind| kind.name()).collect();
    assert_eq!(missing, &names("open_responses_not_in_openai") | &names("images_event_types"));
}

#[test]
fn every_observed_name_is_read_as_a_known_kind_or_an_extension() {
    let facts = load();
    for event in facts.list("observed_nonstandard_events") {
        let wire = event["type"].as_str().unwrap();
        let kind = Kind::from_wire(wire);
        assert_eq!(kind == Kind::Extension, wire.contains(':'), "{wire}");
        assert_ne!(kind, Kind::Unknown, "{wire}");
    }
    assert_eq!(facts.aliases.as_array().unwrap().len(), Kind::ALIASES.len());
    for (wire, kind) in Kind::ALIASES {
        assert_eq!(Kind::from_wire(wire), *kind);
        assert!(kind.is_known());
    }
}

#[test]
fn every_enum_of_the_facts_accepts_its_values_and_nothing_else() {
    use deltafold::validate::{validate_as, Extensions};
    let facts = load();
    for (name, variants) in facts.contract["enums"].as_object().unwrap() {
        // An enum without a schema is in a field; the comparison with JSON Schema covers those.
        let Some(schema) = SchemaId::from_name(name) else { continue };
        for (variant, (edition, id)) in variants.as_array().unwrap().iter().flat_map(|v| EDITIONS.map(|e| (v, e))) {
            if !has(&variant["editions"], id) {
                continue;
            }
            for value in variant["values"].as_array().unwrap() {
                let findings = validate_as(&value.to_string(), schema, edition, Extensions::Refused).unwrap();
                assert!(findings.is_empty(), "{name}: {value} in {id}: {findings:?}");
            }
            let closed = facts.contract["schemas"][name][0]["kind"] == "enum";
            let findings = validate_as("\"no such value\"", schema, edition, Extensions::Refused).unwrap();
            assert_eq!(!findings.is_empty(), closed, "{name} in {id}");
        }
    }
}
