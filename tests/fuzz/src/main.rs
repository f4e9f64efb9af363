//! The corpus program without libFuzzer; see the module `corpus` of the library.

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    deltafold_fuzz::corpus::run(&given.iter().map(String::as_str).collect::<Vec<_>>());
}
