//! Writing: accepted intents make a valid stream, and refused intents change nothing.

use deltafold::__bindings::INTENTS;
use deltafold::validate::{validate_event, Layers};
use deltafold::write::{Writer, WriterOptions};
use deltafold::{AccumulateOptions, Accumulator, Class, Edition, Findings, Limits, Reader};

use crate::intents::{any_intent, LegalIntents, CORE, HOSTED};
use crate::{reference_validator, Random, Split};

/// Item types that an edition has.
pub fn item_types(edition: Edition) -> Vec<&'static str> {
    match edition {
        Edition::V2026_01_15 => CORE.to_vec(),
        Edition::V2026_04_24 => [CORE, &["compaction"]].concat(),
        _ => [CORE, HOSTED].concat(),
    }
}

/// Applies intents to a writer, half of them without regard to the state, and checks the output. Returns how many
/// were accepted and refused.
///
/// # Panics
///
/// If the stream is invalid, or a refused intent changed something.
pub fn any_intents_leave_a_valid_stream(edition: Edition, random: Random, most: usize) -> (usize, usize) {
    let words: Vec<&str> = INTENTS.iter().map(|(word, _)| *word).chain(["", "nonsense", "a:b:c"]).collect();
    let types = [CORE, HOSTED].concat();
    let mut writer = Writer::new(WriterOptions::new("resp_p1", "m-1", 7).edition(edition));
    let (mut bytes, mut accepted, mut refused) = (Vec::new(), 0, 0);
    let mut legal = LegalIntents::from_random(random, most / 2, &item_types(edition));
    for _ in 0..most {
        let intent = match legal.random().one_in(2) {
            true => any_intent(legal.random(), &words, &types),
            // Valid for a stream without the intents in between, so not always valid here.
            false => match legal.next() {
                Some(intent) => intent,
                None => break,
            },
        };
        let before = (writer.response_json(), writer.sequence_number());
        match writer.apply_json(&intent.to_string()) {
            Ok(_) => {
                accepted += 1;
                writer.write_into(&mut bytes);
            }
            Err(error) => {
                refused += 1;
                assert_eq!(error.class(), Class::Misuse, "{intent}: {error}");
                let after = (writer.response_json(), writer.sequence_number());
                assert_eq!(before, after, "{intent} was refused but changed the state");
                assert!(writer.is_drained(), "{intent} was refused but wrote output");
            }
        }
    }
    let seed = legal.random().bits();
    check_stream(&writer, &bytes, edition, seed);
    (accepted, refused)
}

/// Checks all properties of a stream that a writer has written, ended or not.
///
/// # Panics
///
/// If a property does not hold.
pub fn check_stream(writer: &Writer, bytes: &[u8], edition: Edition, seed: u64) {
    // The types of OpenAI's SDKs require fields that OpenAI leaves out, so the split edition is used there.
    let (judge, layers) = match edition {
        Edition::OpenAi => (Edition::Split, Layers::FRAMING | Layers::STREAM),
        _ => (edition, Layers::ALL),
    };
    let mut events: Vec<String> = Vec::new();
    for split in [Split::Whole, Split::Random(seed)] {
        let mut reader = Reader::builder().validate(layers).edition(edition).build();
        let mut read = Vec::new();
        for chunk in split.chunks(bytes) {
            reader.feed(chunk).expect("no limit is passed");
            while let Some(event) = reader.poll_event().expect("no limit is passed") {
                assert_eq!(event.frame_name(), Some(event.wire_type()));
                read.push(event.raw().to_owned());
            }
        }
        if events.is_empty() {
            events = read;
        } else {
            assert_eq!(read, events);
        }
        if writer.is_ended() {
            reader.end();
            assert!(reader.poll_event().expect("no limit is passed").is_none());
            reader.finish().unwrap();
            assert_eq!(reader.response().to_value(), writer.response());
        }
        assert!(reader.findings().is_empty(), "{:#?}\n{}", reader.findings(), events.join("\n"));
    }
    assert_eq!(events.len() as u64, writer.sequence_number());
    for event in &events {
        let found = validate_event(event, judge).expect("an event is JSON");
        assert!(found.is_empty(), "{event}\n{found:#?}");
    }
    check_fold(writer, &events);
    // A second validator that shares no code with the one above.
    let events: Vec<_> = events.iter().map(|event| serde_json::from_str(event).expect("an event is JSON")).collect();
    let broken = [
        reference_validator::check(&events, edition, writer.is_ended()),
        reference_validator::check_bytes(bytes, &events, writer.is_ended()),
    ];
    assert!(broken.concat().is_empty(), "seed {seed}: {:#?}\n{}", broken.concat(), serde_json::Value::from(events));
}

/// Checks that the snapshot equals the fold: the events before the terminal one give its `output`, open items included.
fn check_fold(writer: &Writer, events: &[String]) {
    let mut reader = Reader::new();
    let mut accumulator = Accumulator::new(AccumulateOptions::default(), Limits::default());
    let mut findings = Findings::default();
    for event in events {
        reader.feed_json(event).expect("no limit is passed");
        let event = reader.poll_event().expect("no limit is passed").expect("one event for each message");
        if !event.kind().is_terminal() {
            accumulator.apply(&event, &mut findings).expect("no limit is passed");
        }
    }
    if !events.is_empty() {
        let folded = accumulator.response().to_value();
        assert_eq!(folded.get("output"), writer.response().get("output"));
    }
}
