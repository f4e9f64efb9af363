//! The SSE layer with the written cases: the standard, UTF-8, and our own rules.

use deltafold::sse::decode_text;
use deltafold::Limits;
use deltafold_tests::sse::{decode, decode_simply, limits_of};
use deltafold_tests::{canonical, splits, vectors, Vector};
use serde_json::{json, Value};

#[test]
fn every_standard_case_gives_its_events_at_every_split() {
    for vector in vectors("sse/sse-cases.json") {
        let bytes = vector.input();
        let mut cut_here = vec![];
        for splits in vector.get("splits").as_array().into_iter().flatten() {
            let mut rest = &bytes[..];
            let mut chunks = Vec::new();
            let mut taken = 0;
            for at in splits.as_array().into_iter().flatten().filter_map(Value::as_u64) {
                let (chunk, after) = rest.split_at(at as usize - taken);
                chunks.push(chunk);
                (rest, taken) = (after, at as usize);
            }
            chunks.push(rest);
            cut_here.push(chunks);
        }
        let expected = expected(&vector);
        let mut last = Vec::new();
        for (name, chunks) in splits(&bytes)
            .into_iter()
            .map(|split| (format!("{split:?}"), split.chunks(&bytes)))
            .chain(cut_here.into_iter().map(|chunks| ("as the case says".to_owned(), chunks)))
        {
            let signals = decode(chunks, &Limits::default());
            // Most splits give the same result as the previous one, offsets included; converting it costs more than comparing.
            if signals != last {
                assert_eq!(in_standard_words(&signals, &vector), expected, "{vector}, {name}");
                assert!(last.is_empty(), "{vector}, {name}: other signals than before");
                last = signals;
            }
        }
    }
}

#[test]
fn the_reference_decoder_gives_the_standard_events() {
    for vector in vectors("sse/sse-cases.json") {
        let signals = in_standard_words(&decode_simply(&vector.input(), &Limits::default()), &vector);
        assert_eq!(signals, expected(&vector), "{vector}");
    }
}

#[test]
fn every_utf8_case_decodes_to_its_text() {
    for vector in vectors("sse/utf8-cases.json") {
        let bytes = vector.input();
        let mut scratch = "left over".to_owned();
        let (text, bad) = decode_text(&bytes, &mut scratch);
        assert_eq!(text, vector.get("decoded"), "{vector}");
        assert_eq!(bad.is_none(), vector.get("valid") == true, "{vector}");
    }
}

#[test]
fn every_utf8_case_decodes_the_same_as_data_event_name_id_and_comment_at_every_split() {
    for vector in vectors("sse/utf8-cases.json") {
        let bytes = vector.input();
        let text = vector.get("decoded").as_str().unwrap_or_default();
        // A line end or NUL inside would have a meaning in an event stream.
        if bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
            continue;
        }
        let stream =
            [b"event: ", &bytes[..], b"\nid: ", &bytes, b"\n: ", &bytes, b"\ndata: ", &bytes, b"\n\n"].concat();
        let first_bad = std::str::from_utf8(&bytes).err().map(|error| 7 + error.valid_up_to());
        for split in splits(&stream) {
            let signals = decode(split.chunks(&stream), &Limits::default());
            assert_eq!(signals[0]["text"], format!(" {text}"), "{vector}, {split:?}");
            for member in ["event", "id", "data"] {
                assert_eq!(signals[1][member], text, "{vector}, {member}, {split:?}");
            }
            assert_eq!(signals[1].get("invalid_utf8"), first_bad.map(Value::from).as_ref(), "{vector}, {split:?}");
        }
    }
}

#[test]
fn every_rule_vector_gives_its_signals_at_every_split() {
    let mut rules = std::collections::BTreeSet::new();
    for vector in vectors("sse").into_iter().filter(|vector| !vector.file.ends_with("-cases.json")) {
        rules.extend(vector.get("rule").as_str().map(str::to_owned));
        let limits = limits_of(vector.get("options"));
        let expected = canonical(vector.get("signals"));
        let bytes = vector.input();
        assert_eq!(canonical(&decode_simply(&bytes, &limits).into()), expected, "{vector}, the slow decoder");
        for split in splits(&bytes) {
            let signals = canonical(&decode(split.chunks(&bytes), &limits).into());
            assert_eq!(signals, expected, "{vector}, {split:?}");
        }
    }
    let all: Vec<String> = (1..=11).map(|number| format!("SSE-{number:02}")).collect();
    assert!(all.iter().all(|rule| rules.contains(rule)), "a rule without a vector: {rules:?}");
}

fn expected(vector: &Vector) -> String {
    canonical(&json!({
        "expect": vector.get("expect"), "final": vector.get("final"), "comments": vector.get("comments"),
    }))
}

/// The signals in the form of the standard cases.
fn in_standard_words(signals: &[Value], vector: &Vector) -> String {
    let open = vector.get("implementation_defined").as_array().is_some_and(|names| names.contains(&"retry".into()));
    let retry = |signal: &Value| if open { Value::Null } else { signal["retry"].clone() };
    let (mut events, mut comments, mut end) = (Vec::new(), Vec::new(), Value::Null);
    for signal in signals {
        match signal["signal"].as_str() {
            Some("frame") => {
                let event = if signal["event"] == "" { json!("message") } else { signal["event"].clone() };
                events.push(
                    json!({ "event": event, "data": signal["data"], "id": signal["id"], "retry": retry(signal) }),
                );
            }
            Some("comment") => comments.push(signal["text"].clone()),
            Some("end") => end = json!({ "last_event_id": signal["id"], "retry": retry(signal) }),
            Some("error") => panic!("{vector}: {signal}"),
            _ => {}
        }
    }
    canonical(&json!({ "expect": events, "final": end, "comments": comments }))
}
