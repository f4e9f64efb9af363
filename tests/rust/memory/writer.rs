//! Allocations of the writer: none for a delta once its buffers have grown, and few while they grow.

use deltafold::write::{ItemHandle, Writer, WriterOptions};
use deltafold::{Edition, Error};
use deltafold_tests::memory::watch;

/// An intent that writes one delta.
type Delta = fn(&mut Writer, ItemHandle) -> Result<(), Error>;

/// Every growing string, with the delta that makes it grow.
fn growing() -> Vec<(&'static str, Writer, ItemHandle, Delta)> {
    let open = |word: &str| {
        let options = WriterOptions::new("resp_1", "m-1", 0);
        let mut writer = Writer::new(options.edition(Edition::Split));
        let item = writer.apply_json(word).unwrap().expect("an item");
        (writer, item)
    };
    let cases: [(&str, &str, Delta); 8] = [
        ("text", r#"{"do":"message"}"#, |writer, item| writer.text(item, "to\"ken ")),
        ("refusal", r#"{"do":"message"}"#, |writer, item| writer.refusal(item, "no ")),
        ("reasoning", r#"{"do":"reasoning"}"#, |writer, item| writer.reasoning_text(item, "hm ")),
        ("summary", r#"{"do":"reasoning"}"#, |writer, item| writer.reasoning_summary(item, "in short ")),
        ("arguments", r#"{"do":"function_call","name":"f"}"#, |writer, item| writer.arguments(item, "{\"a\"")),
        ("input", r#"{"do":"custom_tool_call","name":"f"}"#, |writer, item| writer.input(item, "select ")),
        ("code", r#"{"do":"code_interpreter_call","container_id":"c"}"#, |writer, item| writer.code(item, "x = 1\n")),
        ("diff", r#"{"do":"apply_patch_call","operation":{"type":"update_file","path":"a"}}"#, |writer, item| {
            writer.diff(item, "+line\n")
        }),
    ];
    cases
        .into_iter()
        .map(|(name, word, delta)| {
            let (writer, item) = open(word);
            (name, writer, item, delta)
        })
        .collect()
}

#[test]
fn a_delta_allocates_nothing_once_the_buffers_have_grown() {
    for (name, mut writer, item, delta) in growing() {
        let mut out = Vec::with_capacity(1 << 20);
        // A string that has just doubled has room for its own length again. The longest warm-up delta is the first.
        let mut calls = Vec::new();
        for _ in 0..4_000 {
            let used = watch(|| {
                delta(&mut writer, item).unwrap();
                writer.write_into(&mut out);
                out.clear();
            });
            calls.push(used.calls);
        }
        let last = calls.iter().rposition(|calls| *calls > 0).expect("the string grows at least once");
        let quiet = calls.len() - 1 - last;
        assert!(quiet > 500, "{name}: the last {quiet} deltas allocated nothing, of {}", calls.len());
        // Only the string of the response still grows; it doubles.
        let grew = calls[10..].iter().sum::<usize>();
        assert!(grew <= 13, "{name}: {grew} allocations after the tenth delta");
        assert!(calls.iter().all(|calls| *calls <= 16), "{name}: {:?}", calls.iter().max());
    }
}

#[test]
fn polling_events_allocates_nothing_either() {
    for (name, mut writer, item, delta) in growing() {
        for _ in 0..2_100 {
            delta(&mut writer, item).unwrap();
            while writer.poll_event().is_some() {}
        }
        let mut quiet = 0;
        for _ in 0..1_000 {
            let used = watch(|| {
                delta(&mut writer, item).unwrap();
                while writer.poll_event().is_some() {}
            });
            quiet += usize::from(used.calls == 0);
        }
        assert!(quiet >= 999, "{name}: {quiet} of 1000 deltas allocated nothing");
    }
}
