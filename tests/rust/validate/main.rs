//! The validator and the schemas: vectors, recordings, an independent validator to compare with, the rules page.

mod contract;
mod extension_schemas;
mod recordings;
mod rules_page;
mod schema_agreement;
mod schema_recordings;
mod schema_vectors;
mod standalone;
mod vectors;
