//! The second validator: every stream of a write vector follows the rules, and each rule can be broken.

use deltafold::{Edition, Writer, WriterOptions};
use deltafold_tests::reference_validator::{check, check_bytes};
use deltafold_tests::write::{expected_events, intents};
use deltafold_tests::{vectors, Vector};
use serde_json::{json, Value};

fn edition(vector: &Vector) -> Edition {
    vector.get("options")["edition"].as_str().map_or_else(Edition::default, |name| name.parse().unwrap())
}

#[test]
fn the_expected_stream_of_every_write_vector_follows_the_rules() {
    let mut wrong = Vec::new();
    for vector in vectors("write") {
        let events = expected_events(&vector);
        let broken = check(&events, edition(&vector), !events.is_empty());
        wrong.extend(broken.iter().map(|broken| format!("{vector}: {broken}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_bytes_of_every_write_vector_are_a_frame_for_each_event_and_the_sentinel() {
    for vector in vectors("write") {
        let mut writer = Writer::new(WriterOptions::from_json(&vector.get("options").to_string()).unwrap());
        for case in intents(&vector) {
            let _ = writer.apply_json(&case.intent.to_string());
        }
        let (bytes, events) = (writer.take(), expected_events(&vector));
        let broken = check_bytes(&bytes, &events, !events.is_empty());
        assert!(broken.is_empty(), "{vector}: {broken:#?}");
    }
}

/// One change of a valid stream.
enum Edit {
    Set(usize, &'static str, Value),
    Unset(usize, &'static str, &'static str),
    Remove(usize),
    /// The event at the second place again, at the first.
    Repeat(usize, usize),
    Swap(usize, usize),
    Cut(usize),
}

fn edited(case: &Vector, edit: &Edit) -> Vec<Value> {
    let mut events = expected_events(case);
    match edit {
        Edit::Set(at, pointer, value) => match events[*at].pointer_mut(pointer) {
            Some(place) => *place = value.clone(),
            None => panic!("{case}: nothing at {at} {pointer}"),
        },
        Edit::Unset(at, pointer, key) => {
            let object = events[*at].pointer_mut(pointer).and_then(Value::as_object_mut);
            object.and_then(|object| object.shift_remove(*key)).unwrap_or_else(|| panic!("{case}: no {key} at {at}"));
        }
        Edit::Remove(at) => drop(events.remove(*at)),
        Edit::Repeat(at, from) => events.insert(*at, events[*from].clone()),
        Edit::Swap(one, other) => events.swap(*one, *other),
        Edit::Cut(at) => events.truncate(*at),
    }
    if !matches!(edit, Edit::Set(_, "/sequence_number", _)) {
        for (number, event) in events.iter_mut().enumerate() {
            event["sequence_number"] = json!(number);
        }
    }
    events
}

#[test]
fn every_broken_rule_is_found() {
    use Edit::{Cut, Remove, Repeat, Set, Swap, Unset};
    const TEXT: &str = "text opens its part and every done event repeats it";
    const CALL: &str = "arguments grow and are repeated with the item";
    const CUT: &str = "an incomplete response closes its last item as incomplete";
    const FAILED: &str = "a failure leaves open items unchanged";
    const CITED: &str = "an annotation is written before its text is done";
    const SUMMARY: &str = "a summary has its own parts";
    const SHELL: &str = "a shell call streams its commands without item ids";
    const PATCH: &str = "a patch streams its diff";
    const CALLS: &str = "of several open calls the complete ones end completed and the truncated ones incomplete";
    const LOGS: &str = "log probabilities are written with the next delta";
    const USAGE: &str = "a queued response waits, then starts";
    let (all, mut unseen) = (vectors("write"), Vec::new());
    for (case, edit, rule) in [
        (TEXT, Set(4, "/sequence_number", json!(7)), "SEQ-02"),
        (TEXT, Set(4, "/sequence_number", json!(3)), "SEQ-02"),
        (TEXT, Remove(0), "LIFE-02"),
        (TEXT, Repeat(1, 0), "LIFE-02"),
        (TEXT, Remove(1), "LIFE-03"),
        (TEXT, Repeat(5, 1), "LIFE-03"),
        (TEXT, Cut(9), "LIFE-06"),
        (TEXT, Repeat(10, 9), "LIFE-07"),
        (TEXT, Swap(8, 9), "LIFE-07"),
        (TEXT, Set(1, "/response/status", json!("queued")), "LIFE-05"),
        (TEXT, Unset(9, "/response", "truncation"), "LIFE-04"),
        (TEXT, Set(0, "/response/temperature", json!(null)), "LIFE-04"),
        (TEXT, Set(9, "/response/id", json!("resp_2")), "LIFE-08"),
        (TEXT, Set(9, "/response/output", json!([])), "LIFE-09"),
        (TEXT, Set(9, "/response/output/0/content/0/text", json!("HELLO")), "LIFE-09"),
        (TEXT, Set(9, "/response/completed_at", json!(null)), "LIFE-10"),
        (TEXT, Set(1, "/response/usage", json!({})), "LIFE-10"),
        (TEXT, Set(2, "/output_index", json!(1)), "ITEM-10"),
        (TEXT, Set(2, "/item/id", json!("")), "ITEM-02"),
        (TEXT, Set(2, "/item/role", json!("")), "ITEM-04"),
        (TEXT, Unset(2, "/item", "content"), "ITEM-04"),
        (TEXT, Set(2, "/item/status", json!("completed")), "ITEM-05"),
        (TEXT, Set(2, "/item/type", json!("acme")), "ITEM-18"),
        (TEXT, Remove(2), "ITEM-03"),
        (TEXT, Remove(3), "PART-02"),
        (TEXT, Set(3, "/content_index", json!(1)), "PART-08"),
        (TEXT, Set(3, "/part/text", json!("x")), "PART-09"),
        (TEXT, Set(3, "/part/type", json!("input_text")), "PART-12"),
        (TEXT, Repeat(4, 3), "PART-05"),
        (TEXT, Set(4, "/delta", json!("")), "I6"),
        (TEXT, Set(4, "/item_id", json!("msg_x")), "ITEM-11"),
        (TEXT, Set(4, "/type", json!("response.refusal.delta")), "PART-02"),
        (TEXT, Unset(4, "", "logprobs"), "TEXT-03"),
        (TEXT, Remove(5), "TEXT-01"),
        (TEXT, Set(6, "/text", json!("Hell")), "TEXT-01"),
        (TEXT, Remove(6), "PART-04"),
        (TEXT, Repeat(7, 6), "PART-11"),
        (TEXT, Swap(5, 6), "PART-11"),
        (TEXT, Set(7, "/part/text", json!("Hell")), "PART-10"),
        (TEXT, Remove(7), "PART-05"),
        (TEXT, Swap(7, 8), "PART-05"),
        (TEXT, Remove(8), "ITEM-06"),
        (TEXT, Set(8, "/item/status", json!("in_progress")), "ITEM-06"),
        (TEXT, Set(8, "/item/content", json!([])), "PART-10"),
        (TEXT, Set(8, "/item/id", json!("msg_x")), "ITEM-12"),
        (TEXT, Set(8, "/item/role", json!(null)), "ITEM-01"),
        (TEXT, Repeat(9, 4), "ITEM-07"),
        (TEXT, Set(8, "/item/status", json!("incomplete")), "ITEM-09"),
        (CALL, Set(5, "/arguments", json!("{}")), "TEXT-01"),
        (CALL, Remove(5), "ARG-01"),
        (CALL, Set(6, "/item/arguments", json!("{}")), "ARG-02"),
        (CALL, Set(6, "/item/arguments", json!("{")), "ARG-03"),
        (CALL, Set(2, "/item/arguments", json!("{")), "ITEM-04"),
        (CALL, Set(3, "/type", json!("response.mcp_call_arguments.delta")), "PART-07"),
        (CUT, Set(8, "/response/incomplete_details/reason", json!("")), "INC-02"),
        (CUT, Set(7, "/item/status", json!("completed")), "INC-01"),
        (CUT, Set(8, "/response/incomplete_details", json!(null)), "LIFE-10"),
        (FAILED, Remove(5), "ERR-06"),
        (FAILED, Repeat(6, 4), "ERR-06"),
        (FAILED, Set(6, "/response/error/code", json!(null)), "ERR-07"),
        (FAILED, Unset(5, "/error", "param"), "ERR-04"),
        (FAILED, Set(6, "/response/output/0/status", json!("incomplete")), "LIFE-09"),
        (CITED, Set(6, "/annotation_index", json!(2)), "ANN-02"),
        (CITED, Set(5, "/annotation/end_index", json!(6)), "ANN-05"),
        (CITED, Swap(5, 8), "ANN-01"),
        (SUMMARY, Set(7, "/summary_index", json!(0)), "PART-08"),
        (SUMMARY, Remove(6), "PART-05"),
        (SUMMARY, Set(11, "/item/summary/1/text", json!("")), "PART-10"),
        (
            SUMMARY,
            Set(
                11,
                "/item",
                json!({"type": "reasoning", "id": "rs_v1_0", "status": "completed", "summary": [], "content": null}),
            ),
            "RSN-02",
        ),
        (SHELL, Set(7, "/command_index", json!(0)), "ARG-07"),
        (SHELL, Set(6, "/command", json!("ls")), "ARG-02"),
        (SHELL, Set(10, "/item/action/commands", json!(["ls -l"])), "ARG-02"),
        (PATCH, Set(7, "/item/output", json!(null)), "ITEM-07"),
        (CALLS, Set(9, "/item/status", json!("incomplete")), "LIFE-09"),
        (CALLS, Set(13, "/item/status", json!("completed")), "ITEM-08"),
        (LOGS, Set(6, "/logprobs", json!([])), "TEXT-05"),
        (USAGE, Set(3, "/response/usage/total_tokens", json!(4)), "OBJ-07"),
        (USAGE, Set(3, "/response/usage/input_tokens_details/cached_tokens", json!(4)), "OBJ-06"),
        (USAGE, Remove(1), "LIFE-05"),
    ] {
        let case = all.iter().find(|vector| vector.name == case).unwrap_or_else(|| panic!("no vector {case}"));
        let broken = check(&edited(case, &edit), edition(case), true);
        if !broken.iter().any(|broken| broken.starts_with(&format!("{rule}: "))) {
            unseen.push(format!("{case}: not {rule} but {broken:#?}"));
        }
    }
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}

#[test]
fn bytes_that_are_not_frames_are_found() {
    let events = [json!({"type": "a:b", "sequence_number": 0})];
    let right = "event: a:b\ndata: {\"type\":\"a:b\",\"sequence_number\":0}\n\ndata: [DONE]\n\n";
    assert!(check_bytes(right.as_bytes(), &events, true).is_empty());
    for (from, to, rule) in [
        ("data: [DONE]\n\n", "", "SSE-02"),
        ("[DONE]\n\n", "[DONE]\n\ndata: [DONE]\n\n", "SSE-04"),
        ("event: a:b\n", "", "SSE-04"),
        ("a:b\n", "a:c\n", "SSE-04"),
        (":0}", ":1}", "SSE-04"),
        ("{", "{\ndata: ", "SSE-04"),
        ("[DONE]\n\n", "[DONE]\n", "SSE-10"),
        ("event", "event: a:b\ndata: {}\n\nevent", "SSE-03"),
    ] {
        let broken = check_bytes(right.replacen(from, to, 1).as_bytes(), &events, true);
        assert!(broken.iter().any(|broken| broken.starts_with(rule)), "{from:?} → {to:?}: {broken:?}");
    }
}
