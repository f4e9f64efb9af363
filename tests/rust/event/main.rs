//! Events and JSON: payloads, fast paths of the parser, JSON values, incomplete JSON.

mod block_templates;
mod fast_paths;
mod json_values;
mod partial_json;
mod payloads;
