//! The `deltafold` command.

fn main() {}
