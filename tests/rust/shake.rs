//! Streams that nobody wrote: the vectors, shaken. Nothing panics, no cut changes an answer, what was read can be written.
//!
//! Every run takes the same seeds; `DELTAFOLD_SEEDS` multiplies their number. A seed that fails is repeated by its number.

use deltafold::adapter::Converter;
use deltafold::event::{summary, Levels, Origin, Parser};
use deltafold::json::{PartialJson, Value};
use deltafold::validate::{validate_event, validate_request, validate_response, Layers};
use deltafold::{Edition, Limits, Overflow, Reader, ReaderOptions};
use deltafold_tests::streams::{feed, stream_names, Feed};
use deltafold_tests::{random_json, vectors, Cutting, Odd, Random, Vector};
use serde_json::json;

fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("DELTAFOLD_SEEDS").ok().map_or(1, |times| times.parse().expect("a number"));
    0..count * times
}

/// Streams to start from: right ones, odd ones, and ones that are no Responses streams.
fn sources() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for name in stream_names() {
        let vector = Vector { file: "base".into(), name: name.clone(), value: json!({ "stream": name }) };
        if let Some(Feed::Bytes(bytes)) = feed(&vector) {
            all.push(bytes);
        }
    }
    for vector in vectors("accumulate/repairs.json").iter().chain(&vectors("accumulate/events.json")) {
        let events = vector.get("events").as_array().into_iter().flatten();
        all.push(events.map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes());
    }
    for vector in vectors("event") {
        all.push(format!("event: {}\ndata: {}\n\n", vector.name, vector.get("payload")).into_bytes());
    }
    all.retain(|stream| !stream.is_empty());
    all
}

/// What a careless or hostile sender puts where it does not belong.
const PIECES: &[&str] = &[
    "\r",
    "\n",
    "\n\n",
    "\r\n",
    "data: ",
    "data:",
    "event: ",
    "id: 1\n",
    "retry: 9\n",
    ": c\n",
    "[DONE]",
    "data: [DONE]\n\n",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1.5",
    "1e400",
    "4294967295",
    "18446744073709551616",
    "\u{feff}",
    "\u{2028}",
    "😀",
    "\0",
    "\"type\":\"response.completed\"",
    "\"output_index\":7",
    "\"content_index\":-1",
    "\"item_id\":null",
    "\"delta\":\"x\"",
    "\"sequence_number\":0",
    "\"response\":{}",
    "\"item\":null",
    "\"status\":\"incomplete\"",
    "acme:x",
];

/// Changes a stream in a few places.
fn shaken(sources: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let pick = |random: &mut Random| sources[random.below(sources.len())].clone();
    let mut bytes = pick(random);
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len().max(1));
        let length = random.below(40).min(bytes.len() - at.min(bytes.len()));
        match random.below(9) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 | 2 => drop(bytes.splice(at..at, random.pick(PIECES).bytes())),
            3 => drop(bytes.splice(at..at + length, random.pick(PIECES).bytes())),
            4 => drop(bytes.drain(at..at + length)),
            5 => {
                let again = bytes[at..at + length].to_vec();
                drop(bytes.splice(at..at, again));
            }
            6 => bytes.insert(at, random.below(256) as u8),
            7 => {
                let other = pick(random);
                let from = random.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                // A whole frame goes somewhere else.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut frames: Vec<&str> = text.split_inclusive("\n\n").collect();
                let frame = frames.remove(random.below(frames.len()));
                frames.insert(random.below(frames.len() + 1), frame);
                bytes = frames.concat().into_bytes();
            }
        }
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
    }
    bytes
}

fn options(random: &mut Random) -> ReaderOptions {
    let mut limits = Limits::default();
    if random.one_in(4) {
        limits = Limits {
            line_bytes: 200 + random.below(2_000),
            frame_bytes: 100 + random.below(2_000),
            items: 1 + random.below(3),
            parts: 1 + random.below(3),
            response_bytes: 500 + random.below(5_000),
            depth: 1 + random.below(12),
            findings: random.below(5),
            overflow: if random.one_in(2) { Overflow::Drop } else { Overflow::Error },
            ..limits
        };
    }
    let editions = Edition::ALL;
    ReaderOptions {
        limits,
        layers: if random.one_in(4) { Layers::NONE } else { Layers::ALL },
        strict: random.one_in(6),
        edition: Some(editions[random.below(editions.len())]),
        ..ReaderOptions::default()
    }
}

/// Everything that can be seen of a reading, but for the activity, which counts what is fed behind an error too.
fn read(bytes: &[u8], cutting: Cutting, options: ReaderOptions) -> Vec<String> {
    let mut reader = Reader::with_options(options);
    let mut seen = Vec::new();
    let poll = |reader: &mut Reader, seen: &mut Vec<String>| loop {
        match reader.poll_event() {
            Ok(Some(event)) => seen.push(summary(&event).to_string()),
            Ok(None) => return true,
            Err(error) => {
                seen.push(format!("{} {}", error.code().name(), error.offset()));
                return false;
            }
        }
    };
    let mut goes_on = true;
    for chunk in cutting.chunks(bytes) {
        goes_on = goes_on && reader.feed(chunk).is_ok() && poll(&mut reader, &mut seen);
    }
    reader.end();
    if goes_on {
        poll(&mut reader, &mut seen);
    }
    seen.push(reader.finish().to_value().to_string());
    seen.extend(reader.findings().iter().map(|finding| finding.to_value().to_string()));
    seen.push(reader.response().to_json());
    seen
}

/// Compares two readings, and shows the first line that differs.
fn same(found: &[String], expected: &[String], how: &str) {
    let at = found.iter().zip(expected).take_while(|(found, expected)| found == expected).count();
    assert_eq!(found.get(at), expected.get(at), "{how}: line {at} of {}", expected.len());
}

#[test]
fn no_cut_and_no_level_of_the_parser_changes_what_is_read() {
    let sources = sources();
    for seed in seeds(400) {
        let mut random = Random::new(seed);
        let bytes = shaken(&sources, &mut random);
        let options = options(&mut random);
        let whole = read(&bytes, Cutting::Whole, options.clone());
        for cutting in [Cutting::Bytes, Cutting::Random(seed)] {
            same(&read(&bytes, cutting, options.clone()), &whole, &format!("seed {seed}, {cutting:?}"));
        }
        for levels in [Levels { template: false, flat: true }, Levels { template: false, flat: false }] {
            let options = ReaderOptions { levels, ..options.clone() };
            same(&read(&bytes, Cutting::Whole, options), &whole, &format!("seed {seed}, {levels:?}"));
        }
    }
}

#[test]
fn a_response_that_was_read_is_json_and_a_save_goes_on_with_it() {
    let sources = sources();
    for seed in seeds(300) {
        let mut random = Random::new(seed);
        let bytes = shaken(&sources, &mut random);
        let mut reader = Reader::new();
        let (front, back) = bytes.split_at(random.below(bytes.len()));
        reader.feed(front).unwrap();
        while reader.poll_event().unwrap().is_some() {}
        let saved = reader.save();
        let mut restored = Reader::restore(&saved, ReaderOptions::default()).unwrap();
        assert_eq!(restored.response().to_json(), reader.response().to_json(), "seed {seed}");
        assert_eq!(restored.save(), saved, "seed {seed}");
        restored.feed(back).unwrap();
        restored.finish();
        let json = restored.response().to_json();
        let value = Value::parse(&json, 256).unwrap_or_else(|error| panic!("seed {seed}: {error}: {json}"));
        assert_eq!(value, restored.response().to_value(), "seed {seed}");
        // A damaged save is refused, and whatever it says nothing breaks.
        let mut damaged = saved;
        let at = random.below(damaged.len());
        damaged[at] = damaged[at].wrapping_add(1 + random.below(255) as u8);
        assert!(Reader::restore(&damaged, ReaderOptions::default()).is_err(), "seed {seed}");
    }
}

#[test]
fn an_event_that_was_read_is_written_and_read_again_as_itself() {
    let sources = sources();
    for seed in seeds(400) {
        let bytes = shaken(&sources, &mut Random::new(seed));
        for line in String::from_utf8_lossy(&bytes).lines().filter_map(|line| line.strip_prefix("data: ")) {
            let (mut first, mut second) = (Parser::new(64), Parser::new(64));
            let event = first.parse(line, Origin::default());
            let mut written = String::new();
            deltafold::event::write(&event, &mut written);
            assert_eq!(written, line, "seed {seed}");
            if event.fault().is_none() {
                let again = event.to_value().to_string();
                let read = second.parse(&again, Origin::default());
                assert_eq!(
                    (read.kind(), read.sequence_number(), read.delta()),
                    (event.kind(), event.sequence_number(), event.delta()),
                    "seed {seed}"
                );
                assert_eq!(read.to_value(), event.to_value(), "seed {seed}: {line}");
            }
            // Whole texts are judged without a stream, too: any verdict will do, a panic will not.
            for edition in Edition::ALL {
                let _ =
                    (validate_event(line, edition), validate_response(line, edition), validate_request(line, edition));
            }
        }
    }
}

#[test]
fn growing_json_gives_the_verdict_of_the_whole_parser_and_of_another_one() {
    for seed in seeds(800) {
        let mut random = Random::new(seed);
        let mut text = random_json(&mut random, Odd::No).into_bytes();
        for _ in 0..random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.splice(at..at, random.pick(PIECES).bytes())),
                1 => drop(text.remove(at)),
                _ => text.truncate(at.max(1)),
            }
            if text.is_empty() {
                text.push(b' ');
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let whole = Value::parse(&text, 128);
        let mut growing = PartialJson::default();
        let mut pushed = Ok(());
        let mut rest = text.as_str();
        while !rest.is_empty() && pushed.is_ok() {
            let at = (1 + random.below(9)..)
                .find(|at| *at >= rest.len() || rest.is_char_boundary(*at))
                .unwrap_or(rest.len());
            let (piece, behind) = rest.split_at(at.min(rest.len()));
            pushed = growing.push(piece);
            rest = behind;
        }
        let ended = pushed.and_then(|()| growing.finish());
        assert_eq!(ended.is_ok(), whole.is_ok(), "seed {seed}: {text}");
        if let Ok(whole) = &whole {
            assert_eq!(growing.value(), Some(whole), "seed {seed}: {text}");
        }
        // The other parser refuses lone halves of pairs, which are text here, and holds no deeper nesting.
        if !text.contains("\\u") {
            let other = serde_json::from_str::<serde_json::Value>(&text);
            assert_eq!(other.is_ok(), whole.is_ok(), "seed {seed}: {text}");
        }
    }
}

#[test]
fn any_bytes_convert_the_same_at_any_cut() {
    let sources = sources();
    let dialects = [
        "open-responses",
        "anthropic",
        "chat-completions",
        "gemini",
        "blocks",
        "thread-events",
        "ollama",
        "mistral",
        "cohere",
        "bedrock",
    ];
    let targets = ["open-responses", "ag-ui", "anthropic", "chat-completions", "ui-message-stream"];
    for seed in seeds(300) {
        let mut random = Random::new(seed);
        let bytes = shaken(&sources, &mut random);
        let options = json!({
            "from": random.pick(&dialects), "to": random.pick(&targets),
            "options": { "response_id": "resp_1", "now": 7, "thread_id": "t", "run_id": "r" },
        });
        let convert = |cutting: Cutting| {
            let mut converter = Converter::from_json(&options.to_string()).unwrap();
            let mut fed = Ok(());
            let mut out = Vec::new();
            for chunk in cutting.chunks(&bytes) {
                fed = fed.and_then(|()| converter.feed(chunk));
                converter.write_into(&mut out);
            }
            fed = fed.and_then(|()| converter.finish());
            converter.write_into(&mut out);
            (out, fed.map_err(|error| error.code()), converter.report().to_string())
        };
        let whole = convert(Cutting::Whole);
        assert!(convert(Cutting::Bytes) == whole, "seed {seed}: {options}");
        assert!(convert(Cutting::Random(seed)) == whole, "seed {seed}: {options}");
    }
}
