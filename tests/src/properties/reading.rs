//! Reading: no bytes break a reader, and no split or fast path changes the result.

use deltafold::__bindings::{options_with_tiers, recount_bytes, ParserTiers};
use deltafold::event::summary;
use deltafold::json::Value;
use deltafold::validate::Layers;
use deltafold::{Event, Finding, Limits, Overflow, Reader, ReaderOptions};
use std::hash::{DefaultHasher, Hash, Hasher};

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
    let mut seen = Vec::new();
    read_into(bytes, split, options, &mut |result| {
        seen.push(match result {
            ReadResult::Event(event) => summary(event).to_string(),
            ReadResult::Finding(finding) => finding.to_value().to_string(),
            ReadResult::Text(text) => text,
        });
    });
    seen
}

/// A digest of all results of a reading: equal if [`read`] returns the same lines. Costs a fraction of it, because the texts of events and
/// findings are not built.
fn digest(bytes: &[u8], split: Split, options: ReaderOptions) -> u64 {
    let mut hasher = DefaultHasher::new();
    read_into(bytes, split, options, &mut |result| match result {
        ReadResult::Event(event) => {
            let indexes =
                (event.index(), event.offset(), event.output_index(), event.content_index(), event.summary_index());
            (event.kind(), event.sequence_number(), event.item_id(), indexes).hash(&mut hasher);
            (event.wire_type(), event.delta(), event.done_text(), event.raw()).hash(&mut hasher);
        }
        ReadResult::Finding(finding) => {
            let location = finding.location;
            (finding.rule, finding.severity, location.event_index, location.sequence_number, location.offset)
                .hash(&mut hasher);
            (&finding.path, &finding.message, finding.repair.map(|repair| repair.name())).hash(&mut hasher);
        }
        ReadResult::Text(text) => text.hash(&mut hasher),
    });
    hasher.finish()
}

/// A result of a reading.
enum ReadResult<'a> {
    Event(&'a Event<'a>),
    Finding(&'a Finding),
    /// An error, the outcome or the response.
    Text(String),
}

/// Reads, and passes each result to `take`.
fn read_into(bytes: &[u8], split: Split, options: ReaderOptions, take: &mut dyn FnMut(ReadResult<'_>)) {
    let mut reader = Reader::with_options(options);
    let poll = |reader: &mut Reader, take: &mut dyn FnMut(ReadResult<'_>)| loop {
        match reader.poll_event() {
            Ok(Some(event)) => take(ReadResult::Event(&event)),
            Ok(None) => return true,
            Err(error) => {
                take(ReadResult::Text(format!("{} {}", error.code().name(), error.offset())));
                return false;
            }
        }
    };
    let mut reading = true;
    for chunk in split.chunks(bytes) {
        reading = reading && reader.feed(chunk).is_ok() && poll(&mut reader, take);
    }
    reader.end();
    if reading {
        poll(&mut reader, take);
    }
    take(ReadResult::Text(match reader.finish() {
        Ok(outcome) => outcome.to_value().to_string(),
        Err(error) => format!("{error:?}, {:?}", reader.outcome()),
    }));
    for finding in reader.findings() {
        take(ReadResult::Finding(finding));
    }
    take(ReadResult::Text(reader.response().to_json()));
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
                    let again = reader.poll_event().map(|_| ()).expect_err("later calls return the same error");
                    assert_eq!((error.code(), error.offset()), (again.code(), again.offset()));
                    stopped = true;
                }
            }
        }
        if stopped {
            break;
        }
    }
    assert_eq!(reader.held_bytes(), recount_bytes(&reader), "every byte that is held is counted once");
    let ended = reader.finish();
    let outcome = reader.outcome().cloned().expect("a finished reader has an outcome");
    match &ended {
        Ok(returned) => assert_eq!(*returned, outcome),
        Err(error) => assert!(error.offset() <= end, "{error:?} of {end}"),
    }
    assert!(!stopped || ended.is_err(), "finish returns the error that ended reading");
    let found = reader.findings().len();
    assert_eq!(
        reader.finish().map_err(|error| error.code()),
        ended.map_err(|error| error.code()),
        "a second finish returns the same"
    );
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

/// Reads whole and in the given splits, and compares all results. Returns the digest of the results.
///
/// # Panics
///
/// If a split changes a result.
pub fn no_split_matters(bytes: &[u8], options: &ReaderOptions, splits: &[Split], what: &str) -> u64 {
    let whole = digest(bytes, Split::Whole, options.clone());
    for split in splits {
        if digest(bytes, *split, options.clone()) != whole {
            let whole = read(bytes, Split::Whole, options.clone());
            same(&read(bytes, *split, options.clone()), &whole, &format!("{what}, {split:?}"));
            panic!("{what}, {split:?}: the digest differs and the texts do not");
        }
    }
    whole
}

/// Reads without the parser's fast paths, and compares all results with those of a reading with them, of which `whole` is the digest.
///
/// # Panics
///
/// If a fast path changes a result.
pub fn no_fast_path_matters(bytes: &[u8], options: &ReaderOptions, whole: u64, what: &str) {
    for flat_scanner in [true, false] {
        let tiers = ParserTiers { block_template: false, flat_scanner };
        let slow = options_with_tiers(options.clone(), tiers);
        if digest(bytes, Split::Whole, slow.clone()) != whole {
            let whole = read(bytes, Split::Whole, options.clone());
            same(&read(bytes, Split::Whole, slow), &whole, &format!("{what}, {tiers:?}"));
            panic!("{what}, {tiers:?}: the digest differs and the texts do not");
        }
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
