//! The contenders of the peer comparison, and ours.

use deltafold::validate::Layers;
use deltafold::{Edition, Profile, Reader};
use peers::{Contender, Deadline, Out};

fn main() {
    let ours = [
        Contender { name: "deltafold", run: |chunks, deadline| read(Reader::new(), chunks, deadline) },
        Contender { name: "deltafold-checking", run: |chunks, deadline| read(checking(), chunks, deadline) },
    ];
    let all: Vec<Contender> = ours.into_iter().chain(peers::peers::all()).collect();
    peers::drive(&all, &peers::options());
}

fn checking() -> Reader {
    let profile = Profile::builtin("open-responses").expect("a built-in profile");
    Reader::builder().validate(Layers::ALL).profile(profile).edition(Edition::Split).build()
}

/// Reads all events; the response has the text, and is dropped outside of the timing as the other contenders' is.
fn read(mut reader: Reader, chunks: &[&[u8]], deadline: &Deadline) -> Out {
    let mut out = Out::default();
    for chunk in chunks {
        if deadline.expired() {
            out.aborted = true;
            return out;
        }
        reader.feed(chunk).expect("within the limits");
        while let Some(event) = reader.poll_event().expect("within the limits") {
            out.n_events += 1;
            // The text is taken from the response at the end; the comparison wants it in the order of the first deltas.
            if !event.delta().is_empty() {
                let part = event.content_index().or(event.summary_index()).unwrap_or(0);
                out.push((event.output_index().unwrap_or(0) as u32, part as u32), "");
            }
        }
    }
    for (at, item) in (0..).zip(reader.response().items()) {
        let texts: Vec<&str> = match item.wire_type().unwrap_or_default() {
            "message" => item.parts().map(|part| part.text().unwrap_or_default()).collect(),
            "reasoning" => item.summary().map(|part| part.text().unwrap_or_default()).collect(),
            _ => vec![item.arguments().unwrap_or_default()],
        };
        for (part, text) in (0..).zip(texts).filter(|(_, text)| !text.is_empty()) {
            out.push((at, part), text);
        }
    }
    out.keep = Some(Box::new(reader));
    out
}
