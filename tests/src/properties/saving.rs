//! Saved states: a restored reader continues, a damaged state is refused, and a forged one causes no panic and no invalid output.

use deltafold::event::summary;
use deltafold::json::Value;
use deltafold::{Reader, ReaderOptions};

use super::reading::{is_json, same};

/// Reads a stream, saves after `at` bytes, restores and reads the rest. Returns the saved state.
///
/// # Panics
///
/// If the restored reader differs from the saved one, or from one that was never saved, in anything that a caller can see.
pub fn a_restored_reader_continues(bytes: &[u8], at: usize, what: &str) -> Vec<u8> {
    let (front, back) = bytes.split_at(at.min(bytes.len()));
    let mut reader = Reader::new();
    reader.feed(front).expect("no limit is passed");
    while reader.poll_event().expect("no limit is passed").is_some() {}
    let saved = reader.save();
    let mut restored = Reader::restore(&saved, ReaderOptions::default()).expect("the state was saved above");
    assert_eq!(visible(&restored), visible(&reader), "{what}");
    assert_eq!(restored.save(), saved, "{what}");
    if reader.event_count() == 0 || !is_between_frames(front) || back.starts_with("\u{feff}".as_bytes()) {
        restored.feed(back).expect("no limit is passed");
        restored.finish().unwrap();
        is_json(&restored.response().to_json(), &restored.response().to_value());
        return saved;
    }
    let (before, total) = (reader.findings().len(), reader.all_findings().total());
    let (went_on, continues) = rest(&mut reader, back, before);
    let (mut again, _) = rest(&mut restored, back, 0);
    if continues {
        // A reader counts all findings and keeps a limited number. The restored one starts with an empty list and keeps more of the rest.
        if reader.all_findings().total() > reader.findings().len() as u64 {
            again.truncate(went_on.len());
        }
        same(&again, &went_on, what);
        assert_eq!(restored.all_findings().total(), reader.all_findings().total() - total, "{what}");
        assert_eq!(visible(&restored), visible(&reader), "{what}");
    }
    is_json(&restored.response().to_json(), &restored.response().to_value());
    saved
}

/// Everything that a caller can see between two events, except findings and offsets, which belong to one connection, and the count of
/// held bytes, which is computed from scratch.
fn visible(reader: &Reader) -> Vec<String> {
    let response = reader.response();
    let mut seen = vec![
        response.to_json(),
        format!("{:?} {:?}", reader.outcome().map(|outcome| outcome.to_value()), reader.usage()),
        format!("{:?} {} {}", reader.last_sequence_number(), reader.event_count(), reader.saw_done()),
        format!("{:?} {:?}", reader.last_event_id(), reader.retry()),
        format!("{:?}", reader.rate_limits()),
        format!("{} {}", response.len(), response.output_text()),
    ];
    for (at, item) in response.items().enumerate() {
        let parts: Vec<String> = item.parts().map(|part| part.to_value().to_string()).collect();
        let by_index = (0..8).filter(|index| response.position_of_index(*index) == Some(at)).collect::<Vec<u64>>();
        seen.push(format!(
            "{} {by_index:?} {:?} {:?} {:?} {:?} {:?} {parts:?}",
            item.is_done(),
            item.id(),
            item.text(),
            item.arguments(),
            item.partial_arguments().map(|value| value.to_string()),
            item.partial_images().collect::<Vec<_>>(),
        ));
    }
    seen
}

/// Reads the rest of a stream: its events and the findings from there on, both without offsets. Also returns whether its first sequence
/// number continues the numbers before: a restored reader drops repeated events and reports a gap.
fn rest(reader: &mut Reader, back: &[u8], known: usize) -> (Vec<String>, bool) {
    let last = reader.last_sequence_number();
    let (mut seen, mut first) = (Vec::new(), None);
    reader.feed(back).expect("no limit is passed");
    reader.end();
    while let Some(event) = reader.poll_event().expect("no limit is passed") {
        first = first.or(event.sequence_number());
        let Value::Object(mut event) = summary(&event) else { continue };
        event.remove("offset");
        seen.push(event.to_string());
    }
    seen.push(reader.finish().unwrap().to_value().to_string());
    for finding in reader.findings().iter().skip(known) {
        seen.push(format!(
            "{} {:?} {:?} {} {:?}",
            finding.rule.id(),
            finding.severity,
            finding.repair,
            finding.path,
            finding.location.event_index
        ));
    }
    (seen, last.is_none() || first.is_none() || first == last.and_then(|last| last.checked_add(1)))
}

/// Returns `true` if a new connection could start after these bytes: a saved state contains whole frames only.
fn is_between_frames(bytes: &[u8]) -> bool {
    [&b"\n\n"[..], b"\r\r", b"\r\n\r\n"].iter().any(|end| bytes.ends_with(end))
}

/// Changes one byte of a saved state.
///
/// # Panics
///
/// If it is restored nevertheless.
pub fn a_damaged_save_is_refused(mut saved: Vec<u8>, at: usize, change: u8, what: &str) {
    let at = at % saved.len();
    saved[at] = saved[at].wrapping_add(change.max(1));
    assert!(Reader::restore(&saved, ReaderOptions::default()).is_err(), "{what}");
}

/// Restores a forged state with a valid checksum: it is refused, or the reader is usable and continues.
///
/// # Panics
///
/// If the restored reader returns invalid JSON or cannot be saved again.
pub fn a_forged_save_is_harmless(state: &[u8], more: &[u8]) {
    let Ok(mut reader) = Reader::restore(&sign(state), ReaderOptions::default()) else { return };
    is_json(&reader.response().to_json(), &reader.response().to_value());
    let _ = reader.feed(more);
    while let Ok(Some(_)) = reader.poll_event() {}
    let saved = reader.save();
    let restored = Reader::restore(&saved, ReaderOptions::default()).expect("a save of a reader is one");
    assert_eq!(restored.save(), saved);
    reader.finish().unwrap();
    is_json(&reader.response().to_json(), &reader.response().to_value());
    let _ = (reader.response().output_text(), reader.outcome().map(|outcome| outcome.to_value()));
    for item in reader.response().items() {
        let _ = (item.arguments(), item.partial_arguments(), item.parts().count(), item.summary().count());
    }
}

/// Appends the checksum to the text of a saved state.
pub fn sign(state: &[u8]) -> Vec<u8> {
    let sum = state
        .iter()
        .fold(0xCBF2_9CE4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3));
    let mut signed = state.to_vec();
    signed.extend_from_slice(format!("\n{sum:016x}").as_bytes());
    signed
}
