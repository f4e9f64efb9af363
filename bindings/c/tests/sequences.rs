//! Calls every function in random, seeded order: no call panics, and every view is readable. Miri runs these tests too.

mod operations;

use operations::{run, World, CALLS};

/// Random bytes from a seed (SplitMix64); half of them are chosen so that calls succeed more often.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    let frame =
        b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\"}\n\n";
    let feed =
        CALLS.iter().position(|(name, _)| *name == "dfold_reader_feed").expect("the function is in the table") as u8;
    let poll =
        CALLS.iter().position(|(name, _)| *name == "dfold_reader_poll").expect("the function is in the table") as u8;
    let mut bytes = Vec::new();
    while bytes.len() < length {
        match next() % 4 {
            0 => bytes.extend([&[feed, frame.len() as u8][..], frame, &[poll]].concat()),
            1 => bytes.extend([next() as u8 % CALLS.len() as u8, 0, 0]),
            _ => bytes.push(next() as u8 % CALLS.len() as u8),
        }
    }
    bytes
}

#[test]
fn every_function_of_the_header_is_in_the_table() {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/deltafold.h");
    let header = std::fs::read_to_string(header).expect("the header can be read");
    for line in header.lines().filter(|line| line.contains(" dfold_") || line.contains("*dfold_")) {
        let Some(name) = line.split('(').next().and_then(|head| head.split([' ', '*']).next_back()) else { continue };
        if line.contains('(') && !line.starts_with([' ', '#', '/']) && name.starts_with("dfold_") {
            assert!(CALLS.iter().any(|(known, _)| *known == name), "{name} is not in the table");
        }
    }
    assert!(CALLS.len() > 90, "{} functions", CALLS.len());
}

#[test]
fn every_function_survives_null_handles() {
    // No handle was created, so every handle is NULL.
    for (name, call) in CALLS {
        println!("{name}");
        call(&mut World::new(&[]));
    }
}

#[test]
fn any_order_of_calls_is_sound() {
    let seeds = std::env::var("DELTAFOLD_SEEDS").ok().map_or(1, |times| times.parse().expect("a number"));
    // Miri is about a thousand times slower.
    let count = if cfg!(miri) { 4 } else { 400 };
    for seed in 0..count * seeds {
        run(&bytes(seed, 600));
    }
}
