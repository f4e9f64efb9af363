//! Shared by all tests: the vector loader, the ways to split a stream into chunks, canonical JSON, seeded randomness,
//! and slow reference decoders to compare with.
//!
//! ```
//! use deltafold_tests::{canonical, splits, vectors};
//!
//! for vector in vectors("sse/sse-cases.json") {
//!     let bytes = vector.input();
//!     for split in splits(&bytes) {
//!         let length: usize = split.chunks(&bytes).iter().map(|chunk| chunk.len()).sum();
//!         assert_eq!(length, bytes.len(), "{vector}, {split:?}");
//!     }
//! }
//! assert_eq!(canonical(&serde_json::json!({ "b": 1, "a": [null] })), r#"{"a":[null],"b":1}"#);
//! ```

pub mod adapter;
mod canonical;
pub mod comparer;
mod corpus;
pub mod intents;
mod json;
pub mod memory;
pub mod properties;
mod random;
pub mod reference_validator;
pub mod requests;
#[cfg(feature = "schemas")]
pub mod schema;
mod shared;
mod splits;
pub mod sse;
pub mod streams;
mod vector;
pub mod write;

pub use canonical::canonical;
pub use corpus::{recordings, Exceptions, Recording};
pub use json::{random_json, Ambiguity};
pub use random::Random;
pub use shared::shared;
pub use splits::{splits, Split};
pub use vector::{base64, naughty_strings, text, vector_folder, vectors, Vector};
