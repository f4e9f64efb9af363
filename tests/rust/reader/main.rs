//! The reader as a whole: recordings, the example stream, mutated vectors, and what Rust programs expect of its values.

mod interop;
mod mutated_vectors;
mod recordings;
mod rust_api;
mod tour;
