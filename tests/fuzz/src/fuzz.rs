//! libFuzzer with every target in one program; the environment variable `DELTAFOLD_FUZZ` names the one to run.
//!
//! With `DELTAFOLD_CORPUS` set to the words of a command of the module `corpus`, it does that and ends: code with counters cannot be
//! linked without libFuzzer, and building all of it once more without them would take as long again.

#![no_main]

use std::sync::OnceLock;

use deltafold_tests::properties::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<Target> = OnceLock::new();

fuzz_target!(
    init: {
        if let Ok(words) = std::env::var("DELTAFOLD_CORPUS") {
            deltafold_fuzz::corpus::run(&words.split(' ').collect::<Vec<_>>());
            std::process::exit(0);
        }
    },
    |input: &[u8]| {
        let target = TARGET.get_or_init(|| {
            let name = std::env::var("DELTAFOLD_FUZZ").unwrap_or_default();
            let known = deltafold_fuzz::names().collect::<Vec<_>>().join(" ");
            deltafold_fuzz::by_name(&name).unwrap_or_else(|| {
                eprintln!("DELTAFOLD_FUZZ must name a target, and is {name:?}: {known}");
                std::process::exit(2);
            })
        });
        target(input);
    }
);
