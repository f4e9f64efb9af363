//! The fuzz targets by name. Their code is in `deltafold_tests::properties`, except for the C functions, which are here.

pub mod corpus;
#[path = "../../../bindings/c/tests/operations/mod.rs"]
mod operations;
mod seeds;

use deltafold_tests::properties::{expand, target, Target, TARGETS};

/// The names of all targets.
pub fn names() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|(name, _)| *name).chain(["c_abi"])
}

/// What a target does with an input. `None` if there is no such target.
pub fn by_name(name: &str) -> Option<Target> {
    if name == "c_abi" {
        return Some(|input| operations::run(&expand(input)));
    }
    target(name)
}
