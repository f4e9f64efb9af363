//! A sample of the cases of `tests/invariants.sh`, which runs hundreds of thousands. Here, because the cases measure memory.

use deltafold_tests::properties::INVARIANTS;

/// Runs the first cases of a kind, or a multiple of them with `DELTAFOLD_SEEDS`. A panic is preceded by the seed.
fn sample(kind: &str, count: u64) {
    let times: u64 = std::env::var("DELTAFOLD_SEEDS").ok().map_or(1, |times| times.parse().expect("a number"));
    let (_, case, all) = INVARIANTS.iter().find(|(name, ..)| *name == kind).expect("a kind");
    assert!(*all >= 200_000);
    for seed in 0..count * times {
        if let Err(panic) = std::panic::catch_unwind(|| case(seed)) {
            eprintln!("repeat this case: bash tests/invariants.sh {kind} 1 {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn mutated_recordings_are_read_the_same_however_they_are_split_or_saved() {
    sample("recordings", 500);
}

#[test]
fn near_identical_blocks_are_read_the_same_however_they_are_split_or_saved() {
    sample("blocks", 300);
}

#[test]
fn writer_sessions_give_valid_streams() {
    sample("sessions", 150);
}

#[test]
fn conversions_of_changed_streams_are_valid_and_the_same_for_any_split() {
    sample("conversions", 500);
}
