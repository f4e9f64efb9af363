//! Prints the text of a stream in any known dialect, and the losses of reading it as Open Responses.

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value;
use deltafold::{Kind, Reader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: adapt FILE")?;
    let stream = std::fs::read(path)?;

    // The core has no clock: the caller provides the time, and an id for dialects that have none on the wire.
    let options = Value::parse(r#"{"now":1767225600,"response_id":"resp_example"}"#, 8)?;
    let mut converter = Converter::new(None, Dialect::OpenResponses, &options)?;
    let mut reader = Reader::new();
    for chunk in stream.chunks(100) {
        converter.feed(chunk)?;
        reader.feed(&converter.take())?;
        while let Some(event) = reader.poll_event()? {
            if event.kind() == Kind::OutputTextDelta {
                print!("{}", event.delta());
            }
        }
    }
    converter.finish()?;
    reader.feed(&converter.take())?;
    let outcome = reader.finish()?;

    println!();
    for finding in converter.findings() {
        println!("{finding}");
    }
    println!("{} as {}", converter.source().map_or("nothing", Dialect::name), outcome.name());
    Ok(())
}
