//! Reads the facts of the contract and generates Rust tables from them. `main.rs` is the command; the tests
//! compare the tables with the facts.

pub mod compile;
pub mod coverage;
pub mod facts;
pub mod import;
pub mod items;
pub mod kinds;
pub mod node;
pub mod pydantic;
pub mod python;
pub mod request;
pub mod source;
pub mod tables;
pub mod typescript;
mod union;

pub use compile::Compiler;
pub use facts::Facts;
