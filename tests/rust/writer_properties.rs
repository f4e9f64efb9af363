//! What holds for every sequence of intents: the stream is valid, folds to the writer's own response, and survives any
//! cut; a refused intent leaves no trace.

use deltafold::json::Value;
use deltafold::validate::{validate_event, Layers};
use deltafold::write::{Dialect, Writer, WriterOptions, INTENTS};
use deltafold::{AccumulateOptions, Accumulator, Edition, Findings, Limits, Reader};
use deltafold_tests::intents::{any_intent, LegalIntents, CORE, HOSTED};
use deltafold_tests::{plain, Cutting, Random};

/// So many seeds, or a multiple of them if `DELTAFOLD_SEEDS` says so.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("DELTAFOLD_SEEDS").ok().map_or(1, |times| times.parse().expect("a number"));
    0..count * times
}

fn writer(edition: Edition) -> Writer {
    Writer::new(WriterOptions { edition, ..WriterOptions::new("resp_p1", "m-1", 7) })
}

/// Item types that an edition has.
fn types(edition: Edition) -> Vec<&'static str> {
    match edition {
        Edition::V2026_01_15 => CORE.to_vec(),
        Edition::V2026_04_24 => [CORE, &["compaction"]].concat(),
        _ => [CORE, HOSTED].concat(),
    }
}

/// Checks everything that must hold of a stream that a writer has written, ended or not.
fn check_stream(writer: &Writer, bytes: &[u8], edition: Edition, seed: u64) {
    // The types of OpenAI's SDKs demand fields that OpenAI leaves out, so there the full surface judges.
    let (judge, layers) = match edition {
        Edition::OpenAi => (Edition::Split, Layers::FRAMING | Layers::STREAM),
        _ => (edition, Layers::ALL),
    };
    let mut events: Vec<String> = Vec::new();
    for cutting in [Cutting::Whole, Cutting::Random(seed)] {
        let mut reader = Reader::builder().validate(layers).edition(edition).build();
        let mut read = Vec::new();
        for chunk in cutting.chunks(bytes) {
            reader.feed(chunk).unwrap();
            while let Some(event) = reader.poll_event().unwrap() {
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
            assert!(reader.poll_event().unwrap().is_none());
            reader.finish();
            assert_eq!(reader.response().to_value(), writer.response());
        }
        assert!(reader.findings().is_empty(), "{:#?}\n{}", reader.findings(), events.join("\n"));
    }
    assert_eq!(events.len() as u64, writer.sequence_number());
    for event in &events {
        let found = validate_event(event, judge).unwrap();
        assert!(found.is_empty(), "{event}\n{found:#?}");
    }
    check_fold(writer, &events);
    // A second opinion that shares no code with what was just asked.
    let events: Vec<_> = events.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    let broken =
        [plain::check(&events, edition, writer.is_ended()), plain::check_bytes(bytes, &events, writer.is_ended())];
    assert!(broken.concat().is_empty(), "seed {seed}: {:#?}\n{}", broken.concat(), serde_json::Value::from(events));
}

/// Snapshot = fold: the events before the terminal one add up to its `output`, open items included.
fn check_fold(writer: &Writer, events: &[String]) {
    let mut reader = Reader::new();
    let mut accumulator = Accumulator::new(AccumulateOptions::default(), Limits::default());
    let mut findings = Findings::default();
    for event in events {
        reader.feed_json(event).unwrap();
        let event = reader.poll_event().unwrap().unwrap();
        if !event.kind().is_terminal() {
            accumulator.apply(&event, &mut findings).unwrap();
        }
    }
    if !events.is_empty() {
        let folded = accumulator.response().to_value();
        assert_eq!(folded.get("output"), writer.response().get("output"));
    }
}

#[test]
fn legal_intents_are_accepted_and_make_a_valid_stream() {
    for edition in [Edition::V2026_04_24, Edition::V2026_01_15, Edition::Split, Edition::Split2026_01] {
        for seed in seeds(60) {
            let mut writer = writer(edition);
            let mut told = Vec::new();
            for intent in LegalIntents::new(seed, 4 + seed as usize % 60, &types(edition)) {
                told.push(intent.to_string());
                let done = writer.apply_json(&intent.to_string());
                assert!(done.is_ok(), "edition {edition}, seed {seed}: {done:?}\n{}", told.join("\n"));
            }
            assert!(writer.is_ended());
            let bytes = writer.take();
            check_stream(&writer, &bytes, edition, seed);
        }
    }
}

#[test]
fn legal_intents_are_accepted_in_the_openai_dialect() {
    for seed in seeds(60) {
        let options = WriterOptions::new("resp_p1", "m-1", 7);
        let mut writer = Writer::new(WriterOptions { edition: Edition::OpenAi, dialect: Dialect::OpenAi, ..options });
        for intent in LegalIntents::new(seed, 40, &types(Edition::OpenAi)) {
            writer.apply_json(&intent.to_string()).unwrap();
        }
        let bytes = writer.take();
        check_stream(&writer, &bytes, Edition::OpenAi, seed);
    }
}

#[test]
fn any_intents_leave_a_valid_stream_and_refused_ones_no_trace() {
    let words: Vec<&str> = INTENTS.iter().map(|(word, _)| *word).chain(["", "nonsense", "a:b:c"]).collect();
    let (mut accepted, mut refused) = (0, 0);
    for edition in [Edition::V2026_04_24, Edition::Split] {
        let types = [CORE, HOSTED].concat();
        for seed in seeds(120) {
            let mut random = Random::new(seed);
            let (mut writer, mut bytes) = (writer(edition), Vec::new());
            let mut legal = LegalIntents::new(seed, 30, &self::types(edition));
            for _ in 0..60 {
                let intent = match random.one_in(2) {
                    true => any_intent(&mut random, &words, &types),
                    // Legal for a stream without the intents between, so not always legal here.
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
                        assert_eq!(error.class(), deltafold::Class::Misuse, "{intent}: {error}");
                        let after = (writer.response_json(), writer.sequence_number());
                        assert_eq!(before, after, "{intent} was refused but left something");
                        assert!(writer.is_drained(), "{intent} was refused but wrote something");
                    }
                }
            }
            check_stream(&writer, &bytes, edition, seed);
        }
    }
    assert!(accepted > 2_000 && refused > 2_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn polling_taking_and_appending_give_the_same_stream_however_they_mix() {
    for seed in seeds(25) {
        let mut random = Random::new(seed);
        let (mut whole, mut parts) = (writer(Edition::Split), writer(Edition::Split));
        let (mut bytes, mut polled) = (Vec::new(), Vec::new());
        for intent in LegalIntents::new(seed, 40, &types(Edition::Split)) {
            whole.apply_json(&intent.to_string()).unwrap();
            parts.apply_json(&intent.to_string()).unwrap();
            match random.below(3) {
                0 => bytes.extend(parts.take()),
                1 => parts.write_into(&mut bytes),
                _ => {}
            }
        }
        parts.write_into(&mut bytes);
        assert!(parts.is_drained());
        assert_eq!(bytes, whole.clone().take(), "seed {seed}");

        let mut pollings = writer(Edition::Split);
        for intent in LegalIntents::new(seed, 40, &types(Edition::Split)) {
            pollings.apply_json(&intent.to_string()).unwrap();
            for _ in 0..random.below(4) {
                polled.extend(pollings.poll_event().map(str::to_owned));
            }
        }
        while let Some(event) = pollings.poll_event() {
            polled.push(event.to_owned());
        }
        let mut expected = Vec::new();
        while let Some(event) = whole.poll_event() {
            expected.push(event.to_owned());
        }
        assert_eq!(polled, expected, "seed {seed}");
        assert!(expected.iter().all(|event| Value::parse(event, 64).is_ok()));
    }
}
