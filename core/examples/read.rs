//! Prints the text and the tool calls of a stream.

use deltafold::{Kind, Reader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: read FILE")?;
    let stream = std::fs::read(path)?;

    let mut reader = Reader::new();
    for chunk in stream.chunks(100) {
        // A socket splits a stream anywhere; this loop does the same.
        reader.feed(chunk)?;
        print_text(&mut reader)?;
    }
    // The last event may lack the blank line that ends it; `end` completes it.
    reader.end();
    print_text(&mut reader)?;
    let outcome = reader.finish()?;

    println!();
    for call in reader.response().items().filter_map(|item| item.as_function_call()) {
        println!("{} {}", call.name().unwrap_or("?"), call.arguments().unwrap_or_default());
    }
    println!("{} after {} events, {} findings", outcome.name(), reader.event_count(), reader.findings().len());
    Ok(())
}

fn print_text(reader: &mut Reader) -> Result<(), deltafold::Error> {
    while let Some(event) = reader.poll_event()? {
        if event.kind() == Kind::OutputTextDelta {
            print!("{}", event.delta());
        }
    }
    Ok(())
}
