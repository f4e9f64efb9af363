//! The schema layer gives the verdicts of an independent JSON Schema validator, on JSON Schemas rebuilt from the facts.

use std::collections::BTreeSet;

use deltafold::contract::SchemaId;
use deltafold::validate::{validate_as, Extensions};
use deltafold::{Edition, Kind};
use deltafold_contract::Facts;
use deltafold_tests::schema::{full, load, minimal, mutations, name_in, rebuild, source, Treatment};
use jsonschema::Validator;
use serde_json::Value;

/// Places where the published schemas contradict themselves: `contradictions.json`.
fn contradictions() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/schema/contradictions.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn treatment(contradictions: &[Value], place: &str) -> Treatment {
    let listed = contradictions.iter().find(|line| line["places"].as_array().unwrap().iter().any(|p| p == place));
    match listed.map(|line| line["read_as"].as_str().unwrap()) {
        None => Treatment::Published,
        Some("any") => Treatment::Any,
        Some("named") => Treatment::Named,
        Some(other) => panic!("contradictions.json: unknown reading {other}"),
    }
}

fn compile(schema: &Value) -> Validator {
    // Formats are annotations, not checks, as in the published documents.
    jsonschema::options().should_validate_formats(false).build(schema).expect("a rebuilt schema compiles")
}

fn ours(json: &Value, schema: SchemaId, edition: Edition) -> bool {
    validate_as(&json.to_string(), schema, edition, Extensions::Refused).unwrap().is_empty()
}

/// Compares on the samples of a schema and all their mutations; returns the number of values.
fn compare(
    facts: &Facts,
    schema: SchemaId,
    edition: Edition,
    contradictions: &[Value],
    misses: &mut Vec<String>,
) -> usize {
    let name = name_in(facts, edition, schema.name()).expect("the edition has it");
    let source = source(facts, edition);
    let validator = compile(&rebuild(name, source, &|place| treatment(contradictions, place)));
    let mut samples = vec![minimal(name, source)];
    for pick in 0..16 {
        let sample = full(name, source, pick);
        if !samples.contains(&sample) {
            samples.push(sample);
        }
    }
    let mut count = 0;
    let mut tried = BTreeSet::new();
    for (at, sample) in samples.iter().enumerate() {
        if !validator.is_valid(sample) {
            misses.push(format!("{edition} {name}: the sample {at} is not valid: {sample}"));
        }
        // Samples differ in a few places only; the same change with the same surroundings is tried once.
        let mut changed = mutations(sample);
        changed.retain(|mutation| tried.insert((mutation.what.clone(), mutation.around.clone())));
        for (what, value) in changed.iter().map(|m| (m.what.as_str(), &m.value)).chain([("unchanged", sample)]) {
            count += 1;
            let expected = validator.is_valid(value);
            if ours(value, schema, edition) != expected {
                let verdict = if expected { "valid" } else { "invalid" };
                misses.push(format!("{edition} {name}: sample {at} {what}: JSON Schema says {verdict}"));
            }
        }
    }
    count
}

fn agrees(edition: Edition, least: usize) {
    let (facts, contradictions) = (load(), contradictions());
    let (mut misses, mut count) = (Vec::new(), 0);
    for schema in SchemaId::all().filter(|schema| schema.editions().contains(edition)) {
        count += compare(&facts, schema, edition, &contradictions, &mut misses);
    }
    for kind in Kind::ALL.iter().filter(|kind| kind.schema().is_none()) {
        if let Some(schema) = SchemaId::of_kind(*kind).filter(|schema| schema.editions().contains(edition)) {
            count += compare(&facts, schema, edition, &contradictions, &mut misses);
        }
    }
    println!("{edition}: {count} values compared");
    assert!(misses.is_empty(), "{} disagreements, the first: {:#?}", misses.len(), &misses[..misses.len().min(20)]);
    assert!(count > least, "only {count} values were compared");
}

#[test]
fn every_schema_of_2026_04_24_agrees_on_every_mutation() {
    agrees(Edition::V2026_04_24, 20_000);
}

#[test]
fn every_schema_of_2026_01_15_agrees_on_every_mutation() {
    agrees(Edition::V2026_01_15, 20_000);
}

#[test]
fn every_schema_of_the_split_edition_agrees_on_every_mutation() {
    agrees(Edition::Split, 60_000);
}

#[test]
fn every_schema_of_the_first_split_edition_agrees_on_every_mutation() {
    agrees(Edition::Split2026_01, 60_000);
}

#[test]
fn every_type_of_openai_agrees_on_every_mutation() {
    agrees(Edition::OpenAi, 20_000);
}

#[test]
fn every_listed_contradiction_exists() {
    let (facts, all) = (load(), contradictions());
    for place in all.iter().flat_map(|line| line["places"].as_array().unwrap()) {
        let place = place.as_str().unwrap();
        let mut others = all.clone();
        for line in &mut others {
            line["places"].as_array_mut().unwrap().retain(|other| other != place);
        }
        let (name, _) = place.split_once('.').expect("a place is Schema.field");
        let schema = SchemaId::from_name(name).unwrap_or_else(|| panic!("no schema {name}"));
        let mut misses = Vec::new();
        compare(&facts, schema, Edition::Split, &others, &mut misses);
        assert!(!misses.is_empty(), "{place} is listed, but the published schema agrees: remove the line");
    }
}
