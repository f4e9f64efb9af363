//! The fields and statuses of the contract's tables, read from the fact files.

use std::path::Path;
use std::sync::OnceLock;

use deltafold::Edition;
use serde_json::Value;

/// The tables of one edition.
pub struct Table {
    edition: &'static str,
    openai: bool,
    response: &'static Value,
    items: &'static Value,
}

impl Table {
    /// Loads the tables.
    ///
    /// # Panics
    ///
    /// If the files are missing.
    pub fn of(edition: Edition) -> Self {
        let openai = edition == Edition::OpenAi;
        let edition = match edition {
            Edition::V2026_04_24 => "bundle-2026-04-24",
            Edition::V2026_01_15 => "bundle-2026-01-15",
            Edition::Split2026_01 => "split-2026-01",
            // OpenAI has no document of its own: the split edition is used.
            _ => "split-2026-07",
        };
        // Cached: a fuzzer needs a table a hundred times a second.
        static FILES: OnceLock<[Value; 2]> = OnceLock::new();
        let [response, items] = FILES.get_or_init(|| ["response.json", "items.json"].map(load));
        Self { edition, openai, response, items }
    }

    /// Returns the fields that a response lacks, or that are null and must not be.
    pub(super) fn missing_response_fields(&self, response: &Value) -> Vec<String> {
        let mut missing = Vec::new();
        for field in self.response["response_fields"].as_array().into_iter().flatten() {
            let here = |variant: &&Value| list(&variant["editions"]).any(|edition| edition == self.edition);
            let Some(variant) = field["variants"].as_array().into_iter().flatten().find(here) else { continue };
            let name = field["field"].as_str().unwrap_or_default();
            let value = response.get(name);
            let absent = value.is_none() && variant["required"] == true;
            if absent || (value.is_some_and(Value::is_null) && variant["nullable"] != true) {
                missing.push(name.to_owned());
            }
        }
        missing
    }

    /// Returns the fields that an item lacks, or that are null and must not be. For types outside the contract only these are known.
    pub(super) fn missing_item_fields(&self, item: &Value) -> Vec<String> {
        let facts = self.item(item);
        let required: Vec<&str> =
            facts.map_or_else(|| vec!["type", "id", "status"], |facts| list(&facts["required"]).collect());
        let nullable: Vec<&str> = facts.map_or_else(Vec::new, |facts| list(&facts["nullable"]).collect());
        let lacks = |field: &&&str| match item.get(**field) {
            None => true,
            Some(value) => value.is_null() && !nullable.contains(*field),
        };
        required.iter().filter(lacks).map(|field| (*field).to_owned()).collect()
    }

    /// Returns `true` if the edition has events of this name. OpenAI has none for a diff: it is part of the item.
    pub(super) fn streams(&self, family: &str) -> bool {
        !(self.openai && family == "response.apply_patch_call_operation_diff")
    }

    /// Returns `true` if the type belongs to the edition, or is an extension.
    pub(super) fn has_item(&self, item: &Value) -> bool {
        item["type"].as_str().is_some_and(|name| name.contains(':')) || self.item(item).is_some()
    }

    /// Returns `true` if an item of this type may have this status; if the contract lists none, the three common statuses apply.
    pub(super) fn has_status(&self, item: &Value, status: &str) -> bool {
        match self.item(item).map(|facts| &facts["status_values"]) {
            Some(Value::Array(words)) => words.iter().any(|word| word == status),
            _ => ["in_progress", "completed", "incomplete", "failed"].contains(&status),
        }
    }

    fn item(&self, item: &Value) -> Option<&Value> {
        let items = self.items["output_items"].as_array()?.iter();
        let mut same = items.filter(|facts| facts["type"] == item["type"]);
        same.find(|facts| list(&facts["editions"]).any(|edition| edition == self.edition))
    }
}

fn list(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn load(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/contract").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
