//! Saved states: a restored reader continues, a damaged state is refused, and none does harm.

use deltafold::{Reader, ReaderOptions};

use super::reading::is_json;

/// Reads a stream, saves after so many of its bytes, restores and reads the rest. Returns the saved state.
///
/// # Panics
///
/// If the restored reader differs from the saved one, or from one that was never saved.
pub fn a_save_goes_on(bytes: &[u8], at: usize, what: &str) -> Vec<u8> {
    let (front, back) = bytes.split_at(at.min(bytes.len()));
    let mut reader = Reader::new();
    reader.feed(front).expect("no limit is passed");
    while reader.poll_event().expect("no limit is passed").is_some() {}
    let saved = reader.save();
    let mut restored = Reader::restore(&saved, ReaderOptions::default()).expect("it was saved just now");
    assert_eq!(restored.response().to_json(), reader.response().to_json(), "{what}");
    assert_eq!(restored.save(), saved, "{what}");
    restored.feed(back).expect("no limit is passed");
    restored.finish().unwrap();
    is_json(&restored.response().to_json(), &restored.response().to_value());
    if is_between_frames(front) && !back.starts_with("\u{feff}".as_bytes()) && goes_on(&mut reader, back) {
        let end = |reader: &mut Reader| {
            let outcome = reader.finish().unwrap().to_value();
            (
                outcome,
                reader.last_sequence_number(),
                reader.event_count(),
                reader.saw_done(),
                reader.response().to_json(),
            )
        };
        assert_eq!(end(&mut restored), end(&mut reader), "{what}");
    }
    saved
}

/// Returns `true` if a new connection could start after these bytes: a saved state contains whole frames only.
fn is_between_frames(bytes: &[u8]) -> bool {
    [&b"\n\n"[..], b"\r\r", b"\r\n\r\n"].iter().any(|end| bytes.ends_with(end))
}

/// Reads the rest without a save in between; returns `true` if the numbers only rise. A restored reader takes others for
/// repeated events.
fn goes_on(reader: &mut Reader, back: &[u8]) -> bool {
    let mut last = reader.last_sequence_number();
    reader.feed(back).expect("no limit is passed");
    reader.end();
    let mut rises = true;
    while let Some(event) = reader.poll_event().expect("no limit is passed") {
        rises &= event.sequence_number() > last;
        last = event.sequence_number();
    }
    rises
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
