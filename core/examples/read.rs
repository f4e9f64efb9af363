//! Prints the text and the tool calls of a stream.

use deltafold::{Kind, Reader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: read FILE")?;
    let stream = std::fs::read(path)?;

    let mut reader = Reader::new();
    for chunk in stream.chunks(100) {
        // A socket cuts anywhere; so does this.
        reader.feed(chunk)?;
        while let Some(event) = reader.poll_event()? {
            if event.kind() == Kind::OutputTextDelta {
                print!("{}", event.delta());
            }
        }
    }
    let outcome = reader.finish();

    println!();
    for item in reader.response().items().filter(|item| item.kind() == "function_call") {
        println!("{} {}", item.name(), item.arguments());
    }
    println!("{} after {} events, {} findings", outcome.name(), reader.event_count(), reader.findings().len());
    Ok(())
}
