//! Prints every rule that a stream breaks.

use deltafold::validate::Layers;
use deltafold::{Profile, Reader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: check FILE")?;
    let profile = Profile::builtin("open-responses")?;
    let mut reader = Reader::builder().profile(profile).validate(Layers::ALL).build();
    for chunk in std::fs::read(path)?.chunks(100) {
        reader.feed(chunk)?;
        while reader.poll_event()?.is_some() {}
    }
    let outcome = reader.finish()?;

    for finding in reader.findings() {
        println!("{finding}");
    }
    println!("{}, {} findings", outcome.name(), reader.all_findings().total());
    Ok(())
}
