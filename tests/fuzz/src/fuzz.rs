//! libFuzzer with every target in one program; the environment variable `DELTAFOLD_FUZZ` names the one to run.

#![no_main]

use std::sync::OnceLock;

use deltafold_tests::anything::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<Target> = OnceLock::new();

fuzz_target!(|input: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("DELTAFOLD_FUZZ").unwrap_or_default();
        let known = deltafold_fuzz::names().collect::<Vec<_>>().join(" ");
        deltafold_fuzz::by_name(&name).unwrap_or_else(|| {
            eprintln!("DELTAFOLD_FUZZ must name a target, and is {name:?}: {known}");
            std::process::exit(2);
        })
    });
    target(input);
});
