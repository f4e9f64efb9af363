//! [`Compiler`]: compiles the schemas of all editions into nodes; equal nodes are shared.
//!
//! A schema of Open Responses is a row with a column per edition. A reference names the row, so one description serves
//! all editions that describe the schema with the same words. The last column has OpenAI's types, in the row of their
//! counterpart; a type without counterpart is inlined where it is used.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::facts::Facts;
use crate::node::{Field, Limits, Pool, Shape, NONE, PATTERNS};
use crate::source::{has, Source, COLUMNS};
use crate::union;

/// A schema name and its node in each edition.
#[derive(Debug)]
pub struct Row {
    /// The name of the schema; starts with `openai:` for a type without counterpart.
    pub name: String,
    /// The node for each of [`COLUMNS`], then for OpenAI.
    pub nodes: [u16; COLUMNS.len() + 1],
}

/// The complete input of the tables.
#[derive(Default)]
pub struct Compiler {
    /// The nodes of all schemas.
    pub pool: Pool,
    /// The schemas: those of Open Responses by name, then those that only OpenAI has.
    pub rows: Vec<Row>,
    numbers: HashMap<String, u16>,
    /// OpenAI types that have a row.
    counterparts: BTreeMap<String, u16>,
    /// OpenAI types by name: their node, or a mark that they are being compiled.
    inlined: HashMap<String, Option<u16>>,
}

impl Compiler {
    /// Compiles every schema of every edition.
    pub fn run(facts: &Facts) -> Result<Self, String> {
        let mut this = Self::default();
        let schemas = facts.contract["schemas"].as_object().ok_or("no schemas")?;
        let mut names: Vec<&String> = schemas.keys().collect();
        names.sort();
        for name in names {
            this.row(name);
        }
        for (name, variants) in schemas {
            this.schema(facts, name, variants).map_err(|error| format!("{name}: {error}"))?;
        }
        this.openai(facts)?;
        Ok(this)
    }

    /// The row of a schema name, if there is one.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    fn row(&mut self, name: &str) -> u16 {
        let next = self.rows.len() as u16;
        let number = *self.numbers.entry(name.into()).or_insert(next);
        if number == next {
            self.rows.push(Row { name: name.into(), nodes: [NONE; COLUMNS.len() + 1] });
        }
        number
    }

    fn schema(&mut self, facts: &Facts, name: &str, variants: &Value) -> Result<(), String> {
        let row = usize::from(self.row(name));
        for variant in variants.as_array().into_iter().flatten() {
            if has(&variant["editions"], "typespec") != has(&variant["editions"], "bundle-2026-04-24") {
                return Err("typespec and bundle-2026-04-24 differ; the tables have one column for both".into());
            }
            for (column, edition) in COLUMNS.iter().enumerate() {
                if has(&variant["editions"], edition) {
                    self.rows[row].nodes[column] = self.node(variant, Source::OpenResponses(facts, edition))?;
                }
            }
        }
        Ok(())
    }

    /// Compiles the column of OpenAI: counterparts first, because other types may refer to them.
    fn openai(&mut self, facts: &Facts) -> Result<(), String> {
        let source = Source::OpenAi(facts);
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (schema, name) in facts.counterparts.as_object().into_iter().flatten() {
            pairs.push((schema.clone(), name.as_str().unwrap_or_default().into()));
        }
        for event in facts.list("streaming_events") {
            if let Some(name) = event["openai"]["type"].as_str() {
                let schema = event["schema"].as_str().map_or(format!("openai:{name}"), String::from);
                pairs.push((schema, name.into()));
            }
        }
        for (schema, name) in &pairs {
            if self.find(schema).is_none() && !schema.starts_with("openai:") {
                return Err(format!("openai/counterparts.json: no schema {schema}"));
            }
            let row = self.row(schema);
            let (full, _) = source.find(name)?;
            self.counterparts.insert(full, row);
        }
        for (schema, name) in &pairs {
            let row = usize::from(self.row(schema));
            let (_, value) = source.find(name)?;
            self.rows[row].nodes[COLUMNS.len()] =
                self.node(&value, source).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Returns the node for a value's description.
    pub fn node(&mut self, value: &Value, source: Source<'_>) -> Result<u16, String> {
        let nullable = value["nullable"] == true;
        if let Some(name) = value["ref"].as_str() {
            return self.reference(name, nullable, source);
        }
        let kind = value["kind"].as_str().unwrap_or_default();
        let kind = value["type"].as_str().unwrap_or(kind);
        if let Some(values) = strings(value) {
            return Ok(self.pool.add(Shape::Enum(values), nullable));
        }
        let shape = match kind {
            "any" => Shape::Any,
            "null" => Shape::Null,
            "boolean" => Shape::Bool,
            "integer" => Shape::Int(limits(value, "minimum", "maximum")?),
            "number" => Shape::Num(limits(value, "minimum", "maximum")?),
            "string" => Shape::Str(limits(value, "minLength", "maxLength")?),
            "array" => Shape::Array(self.node(&value["items"], source)?, limits(value, "minItems", "maxItems")?),
            "map" => Shape::Map(self.node(&value["values"], source)?, limits(value, "", "maxProperties")?),
            "object" if value.get("open_values").is_some() => {
                if value["fields"].as_object().is_some_and(|fields| !fields.is_empty()) {
                    return Err("a map with declared fields is not supported".into());
                }
                Shape::Map(self.node(&value["open_values"], source)?, limits(value, "", "maxProperties")?)
            }
            "object" => Shape::Object(self.fields(value, source)?),
            "union" => return union::compile(self, value, source),
            "intersection" => return self.intersection(value, source),
            other => return Err(format!("unknown type {other}")),
        };
        Ok(self.pool.add(shape, nullable))
    }

    fn reference(&mut self, name: &str, nullable: bool, source: Source<'_>) -> Result<u16, String> {
        if !source.is_openai() {
            let row = self.find(name).ok_or(format!("no schema {name}"))?;
            return Ok(self.pool.add(Shape::Ref(row), nullable));
        }
        let (full, value) = source.find(name)?;
        if let Some(row) = self.counterparts.get(&full) {
            let nullable = nullable || value["nullable"] == true;
            return Ok(self.pool.add(Shape::Ref(*row), nullable));
        }
        let node = match self.inlined.get(&full) {
            Some(Some(node)) => *node,
            // A recursive type gets a row.
            Some(None) => {
                let row = self.row(&format!("openai:{full}"));
                return Ok(self.pool.add(Shape::Ref(row), nullable));
            }
            None => {
                self.inlined.insert(full.clone(), None);
                let node = self.node(&value, source).map_err(|error| format!("{full}: {error}"))?;
                self.inlined.insert(full.clone(), Some(node));
                if let Some(row) = self.find(&format!("openai:{full}")) {
                    self.rows[usize::from(row)].nodes[COLUMNS.len()] = node;
                }
                node
            }
        };
        Ok(if nullable { self.pool.nullable(node) } else { node })
    }

    fn fields(&mut self, value: &Value, source: Source<'_>) -> Result<Vec<Field>, String> {
        let mut fields = Vec::new();
        for (name, field) in value["fields"].as_object().into_iter().flatten() {
            let mut field = field.clone();
            // TypeScript has only one number type; indexes and counts are integers anyway.
            if source.is_openai() && field["type"] == "number" && is_whole(name) {
                field["type"] = "integer".into();
            }
            fields.push(Field {
                name: name.clone(),
                node: self.node(&field, source).map_err(|error| format!("{name}: {error}"))?,
                required: field["required"] == true,
                forbidden: field["forbidden"] == true,
            });
        }
        fields.sort_by_key(|field| !field.required);
        if fields.len() > 64 {
            return Err("more than 64 fields do not fit the validator's mask".into());
        }
        Ok(fields)
    }

    fn intersection(&mut self, value: &Value, source: Source<'_>) -> Result<u16, String> {
        let parts = value["parts"].as_array().ok_or("intersection without parts")?;
        match parts.as_slice() {
            // TypeScript's notation for "any string, with these known values".
            [text, empty] if text["type"] == "string" && empty["fields"].as_object().is_some_and(|f| f.is_empty()) => {
                self.node(text, source)
            }
            [first, second] => {
                let (first, second) = (self.node(first, source)?, self.node(second, source)?);
                Ok(self.pool.add(Shape::AllOf(first, second), false))
            }
            _ => Err("an intersection of other than two is not supported".into()),
        }
    }
}

/// Fields that are integers on the wire although the SDK types declare a number.
pub fn is_whole(name: &str) -> bool {
    name == "sequence_number" || name.ends_with("_index")
}

/// The strings of a const or enum.
pub fn strings(value: &Value) -> Option<Vec<String>> {
    let one = value.get("const").map(|value| vec![value.clone()]);
    let values = one.or_else(|| value["enum"].as_array().cloned())?;
    values.iter().map(|value| value.as_str().map(String::from)).collect()
}

fn limits(value: &Value, min: &str, max: &str) -> Result<Limits, String> {
    let bound = |key: &str| match value.get(key) {
        None => Ok(None),
        Some(bound) => {
            let bound = bound.as_u64().and_then(|bound| u32::try_from(bound).ok());
            bound.map(Some).ok_or(format!("{key} does not fit the tables"))
        }
    };
    let pattern = match value["pattern"].as_str() {
        None => 0,
        Some(pattern) => {
            let at = PATTERNS.iter().position(|known| *known == pattern);
            at.ok_or(format!("the validator does not know the pattern {pattern}"))? as u16 + 1
        }
    };
    let known = ["binary"];
    if value["format"].as_str().is_some_and(|format| !known.contains(&format)) {
        return Err(format!("the validator does not know the format {}", value["format"]));
    }
    Ok(Limits { min: bound(min)?, max: bound(max)?, pattern })
}
