//! Reads a stream over two connections: the first breaks off, the second repeats part of it.

use deltafold::{Reader, ReaderOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: resume FILE")?;
    let stream = std::fs::read(path)?;
    let (first, rest) = stream.split_at(stream.len() / 2);

    let mut reader = Reader::new();
    reader.feed(first)?;
    while reader.poll_event()?.is_some() {}
    // Store this anywhere. A server that can resume is asked for the events after this number.
    let saved = reader.save();
    println!("saved {} bytes, up to number {:?}", saved.len(), reader.last_sequence_number());

    let mut reader = Reader::restore(&saved, ReaderOptions::default())?;
    // This server sends the whole stream again: repeated events are dropped, with one finding.
    for chunk in [first, rest] {
        reader.feed(chunk)?;
        while reader.poll_event()?.is_some() {}
    }
    println!("{}: {}", reader.finish()?.name(), reader.response().output_text());
    for finding in reader.findings() {
        println!("{finding}");
    }
    Ok(())
}
