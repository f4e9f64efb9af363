//! Reading: no bytes break a reader, and no split or fast path changes the result.

use deltafold::event::{summary, Levels};
use deltafold::json::Value;
use deltafold::validate::Layers;
use deltafold::{Limits, Overflow, Reader, ReaderOptions};

use crate::{Random, Split};

/// Limits that small streams exceed.
pub fn small_limits(random: &mut Random) -> Limits {
    Limits::default()
        .line_bytes(200 + random.below(2_000))
        .frame_bytes(100 + random.below(2_000))
        .items(1 + random.below(3))
        .parts(1 + random.below(3))
        .response_bytes(1_000 + random.below(12_000))
        .depth(1 + random.below(12))
        .findings(random.below(5))
        .overflow(if random.one_in(2) { Overflow::Drop } else { Overflow::Error })
}

/// All results of a reading, except the activity, which also counts bytes that are fed after an error.
pub fn read(bytes: &[u8], split: Split, options: ReaderOptions) -> Vec<String> {
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
    for chunk in split.chunks(bytes) {
        goes_on = goes_on && reader.feed(chunk).is_ok() && poll(&mut reader, &mut seen);
    }
    reader.end();
    if goes_on {
        poll(&mut reader, &mut seen);
    }
    seen.push(match reader.finish() {
        Ok(outcome) => outcome.to_value().to_string(),
        Err(error) => format!("{error:?}, {:?}", reader.outcome()),
    });
    seen.extend(reader.findings().iter().map(|finding| finding.to_value().to_string()));
    seen.push(reader.response().to_json());
    seen
}

/// Reads, and checks the properties of one reading: offsets only grow, findings are inside the stream, the
/// response is JSON, and repeated calls give the same results.
///
/// # Panics
///
/// If one of them does not hold.
pub fn reads_soundly(bytes: &[u8], split: Split, options: ReaderOptions) {
    let kept = options.limits.findings;
    let end = bytes.len() as u64;
    let mut reader = Reader::with_options(options);
    let (mut offset, mut count) = (0, 0);
    let mut stopped = false;
    for chunk in split.chunks(bytes).into_iter().map(Some).chain([None]) {
        match chunk {
            Some(chunk) => stopped = reader.feed(chunk).is_err(),
            None => reader.end(),
        }
        while !stopped {
            match reader.poll_event() {
                Ok(Some(event)) => {
                    assert!((offset..=end).contains(&event.offset()), "{} after {offset} of {end}", event.offset());
                    assert_eq!(event.index(), count);
                    assert!(event.fault().is_some() || event.root().is_some(), "{}", event.raw());
                    is_raw_at(event.raw(), event.offset(), bytes);
                    (offset, count) = (event.offset(), count + 1);
                }
                Ok(None) => break,
                Err(error) => {
                    assert!(error.offset() <= end, "{error:?} of {end}");
                    let again = reader.poll_event().map(|_| ()).expect_err("an error stays");
                    assert_eq!((error.code(), error.offset()), (again.code(), again.offset()));
                    stopped = true;
                }
            }
        }
        if stopped {
            break;
        }
    }
    assert_eq!(reader.held_bytes(), reader.recount_bytes(), "every byte that is held is counted once");
    let ended = reader.finish();
    let outcome = reader.outcome().cloned().expect("a finished reader has an outcome");
    match &ended {
        Ok(returned) => assert_eq!(*returned, outcome),
        Err(error) => assert!(error.offset() <= end, "{error:?} of {end}"),
    }
    assert!(!stopped || ended.is_err(), "finish returns the error that ended reading");
    let found = reader.findings().len();
    assert_eq!(reader.finish().map_err(|error| error.code()), ended.map_err(|error| error.code()), "the end stays");
    assert_eq!(reader.findings().len(), found, "finishing again finds nothing new");
    assert!(found <= kept, "{found} findings are kept");
    assert!(reader.all_findings().total() >= found as u64);
    for finding in reader.findings() {
        assert!(finding.location.offset <= end, "{finding:?} of {end}");
    }
    is_json(&reader.response().to_json(), &reader.response().to_value());
}

/// Checks that the payload of an event is the text at its offset, unless it was joined from several lines or repaired.
fn is_raw_at(raw: &str, offset: u64, bytes: &[u8]) {
    if raw.contains(['\n', char::REPLACEMENT_CHARACTER]) {
        return;
    }
    let found = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)?.get(..raw.len()));
    assert_eq!(found.map(String::from_utf8_lossy).as_deref(), Some(raw), "the payload at {offset}");
}

/// Checks that a text is JSON with this value.
pub(super) fn is_json(json: &str, value: &Value) {
    match Value::parse(json, 1_000) {
        Ok(read) => assert!(read == *value, "{json} is not {value}"),
        Err(error) => panic!("{error}: {json}"),
    }
}

/// Compares two readings, and shows the first line that differs.
pub(super) fn same(found: &[String], expected: &[String], how: &str) {
    let at = found.iter().zip(expected).take_while(|(found, expected)| found == expected).count();
    assert_eq!(found.get(at), expected.get(at), "{how}: line {at} of {}", expected.len());
}

/// Reads whole and in the given splits, and compares all results. Returns the reading.
///
/// # Panics
///
/// If a split changes a result.
pub fn no_split_matters(bytes: &[u8], options: &ReaderOptions, splits: &[Split], what: &str) -> Vec<String> {
    let whole = read(bytes, Split::Whole, options.clone());
    for split in splits {
        same(&read(bytes, *split, options.clone()), &whole, &format!("{what}, {split:?}"));
    }
    whole
}

/// Reads without the parser's fast paths, and compares all results with a reading that had them.
///
/// # Panics
///
/// If a fast path changes a result.
pub fn no_level_matters(bytes: &[u8], options: &ReaderOptions, whole: &[String], what: &str) {
    for levels in [Levels { template: false, flat: true }, Levels { template: false, flat: false }] {
        let options = options.clone().levels(levels);
        same(&read(bytes, Split::Whole, options), whole, &format!("{what}, {levels:?}"));
    }
}

/// Checks that a strict reader returns the events of a tolerant one up to the error that stops it.
///
/// # Panics
///
/// If it returns others.
pub fn strict_reads_a_prefix(bytes: &[u8], options: &ReaderOptions) {
    let events = |strict: bool| {
        let mut reader = Reader::with_options(options.clone().strict(strict));
        let mut seen = Vec::new();
        let mut stopped = reader.feed(bytes).is_err();
        reader.end();
        while !stopped {
            match reader.poll_event() {
                Ok(Some(event)) => seen.push(summary(&event).to_string()),
                Ok(None) => break,
                Err(_) => stopped = true,
            }
        }
        (seen, stopped)
    };
    let ((strict, stopped), (tolerant, _)) = (events(true), events(false));
    assert!(tolerant.starts_with(&strict), "{strict:#?} and {tolerant:#?}");
    assert!(stopped || strict.len() == tolerant.len(), "a strict reader that is not stopped returns all events");
}

/// Checks that validation changes neither events nor outcome, and that a disabled layer finds nothing.
///
/// # Panics
///
/// If a layer changes a result.
pub fn layers_change_no_event(bytes: &[u8], options: &ReaderOptions) {
    let read = |layers: Layers| {
        let mut reader = Reader::with_options(options.clone().layers(layers));
        let _ = reader.feed(bytes);
        let outcome = reader.finish().unwrap().to_value().to_string();
        (outcome, reader.event_count(), reader.response().to_json(), reader.all_findings().total())
    };
    let all = read(Layers::ALL);
    for layers in [Layers::NONE, Layers::FRAMING, Layers::SCHEMA, Layers::STREAM] {
        let some = read(layers);
        assert_eq!((&some.0, some.1, &some.2), (&all.0, all.1, &all.2), "{layers:?}");
        assert!(layers != Layers::NONE || some.3 <= all.3, "{} findings without validation, {} with", some.3, all.3);
    }
}
