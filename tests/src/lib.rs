//! What every suite shares: the vector loader, the ways to cut a stream into chunks, canonical JSON, seeded randomness,
//! and slow reference decoders to compare with.
//!
//! ```
//! use deltafold_tests::{canonical, cuttings, vectors};
//!
//! for vector in vectors("sse/sse-cases.json") {
//!     let bytes = vector.input();
//!     for cutting in cuttings(&bytes) {
//!         let length: usize = cutting.chunks(&bytes).iter().map(|chunk| chunk.len()).sum();
//!         assert_eq!(length, bytes.len(), "{vector}, {cutting:?}");
//!     }
//! }
//! assert_eq!(canonical(&serde_json::json!({ "b": 1, "a": [null] })), r#"{"a":[null],"b":1}"#);
//! ```

pub mod adapter;
pub mod anything;
mod canonical;
mod corpus;
mod cutting;
pub mod intents;
mod json;
pub mod judge;
pub mod memory;
pub mod plain;
mod random;
pub mod requests;
#[cfg(feature = "schemas")]
pub mod schema;
mod shared;
pub mod sse;
pub mod streams;
mod vector;
pub mod write;

pub use canonical::canonical;
pub use corpus::{recordings, Exceptions, Recording};
pub use cutting::{cuttings, Cutting};
pub use json::{random_json, Odd};
pub use random::Random;
pub use shared::shared;
pub use vector::{base64, naughty_strings, text, vector_folder, vectors, Vector};
