//! The reader as a whole: recordings, the example stream, mutated vectors, and the expectations of Rust programs.

mod interop;
mod mutated_vectors;
mod recordings;
mod rust_api;
mod tour;
