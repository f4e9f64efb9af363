//! Reads the facts of the contract and makes Rust tables of them. The command in `main.rs` is its user; the tests
//! compare the tables with the facts.

pub mod compile;
pub mod coverage;
pub mod facts;
pub mod import;
pub mod items;
pub mod kinds;
pub mod node;
pub mod python;
pub mod request;
pub mod source;
pub mod tables;
pub mod typescript;
mod union;

pub use compile::Compiler;
pub use facts::Facts;
