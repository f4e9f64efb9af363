//! A block that matches the template of an earlier one gives the same events as a block that is decoded line by line.
//!
//! The reader without templates decodes every line; the two readers must give identical results on
//! repetitive streams and on streams with one byte changed.

use deltafold::__bindings::{builder_with_tiers, ParserTiers};
use deltafold::validate::Layers;
use deltafold::Reader;
use deltafold_tests::Random;

const DELTA: &str = "response.output_text.delta";

/// All results of a stream: events, findings, the response, and how it ended.
fn seen(bytes: &[u8], template: bool, cut: impl Fn(usize) -> usize) -> Vec<String> {
    let tiers = ParserTiers { block_template: template, flat_scanner: true };
    let mut reader = builder_with_tiers(tiers).validate(Layers::ALL).build();
    let mut lines = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = (at + cut(at).max(1)).min(bytes.len());
        reader.feed(&bytes[at..end]).expect("within the limits");
        at = end;
        poll(&mut reader, &mut lines);
    }
    reader.end();
    poll(&mut reader, &mut lines);
    lines.push(format!("{:?}", reader.finish().unwrap()));
    lines.push(reader.response().to_json());
    lines.extend(reader.findings().iter().map(|finding| format!("{finding:?}")));
    lines.push(format!("{:?} {:?} {}", reader.last_event_id(), reader.retry(), reader.offset()));
    lines
}

fn poll(reader: &mut Reader, lines: &mut Vec<String>) {
    while let Some(event) = reader.poll_event().expect("within the limits") {
        lines.push(format!(
            "{:?} {} {:?} {} {} {:?} {:?} {:?} {:?} {:?} {}",
            event.kind(),
            event.wire_type(),
            event.frame_name(),
            event.index(),
            event.offset(),
            event.sequence_number(),
            (event.output_index(), event.content_index(), event.item_id()),
            event.delta(),
            event.delta_surrogates(),
            event.logprobs(),
            event.raw(),
        ));
    }
}

fn same(bytes: &[u8], random: &mut Random) {
    let wanted = seen(bytes, false, |_| usize::MAX);
    let stream = String::from_utf8_lossy(bytes);
    assert_eq!(wanted, seen(bytes, true, |_| usize::MAX), "whole: {stream:?}");
    let size = 1 + random.below(40);
    assert_eq!(wanted, seen(bytes, true, |_| size), "in chunks of {size}: {stream:?}");
}

/// A delta's payload, in the orders and spacings of known servers.
fn payload(order: usize, number: u64, index: u64, delta: &str) -> String {
    match order {
        0 => format!(
            r#"{{"type":"{DELTA}","sequence_number":{number},"item_id":"m{index}","output_index":{index},"content_index":0,"delta":"{delta}","logprobs":[],"obfuscation":"a{number}"}}"#
        ),
        1 => format!(
            r#"{{"content_index": 0, "delta": "{delta}", "item_id": "m{index}", "logprobs": [{{"token": "{delta}"}}], "output_index": {index}, "sequence_number": {number}, "type": "{DELTA}"}}"#
        ),
        _ => format!(r#"{{"type":"{DELTA}","delta":"{delta}","output_index":{index},"é":"ü"}}"#),
    }
}

fn stream(order: usize, head: &str, numbers: &[u64], indexes: &[u64], deltas: &[&str]) -> String {
    numbers
        .iter()
        .enumerate()
        .map(|(at, number)| {
            let index = indexes[at % indexes.len()];
            format!("{head}{}\n\n", payload(order, *number, index, deltas[at % deltas.len()]))
        })
        .collect()
}

const HEADS: [&str; 6] = [
    "event: response.output_text.delta\ndata: ",
    "data: ",
    "data:",
    "event:response.output_text.delta\ndata: ",
    ": hi\nevent: response.output_text.delta\ndata: ",
    "id: 7\nevent: response.output_text.delta\ndata: ",
];

const DELTAS: [&str; 7] = ["Hi", "", "é", "\\n", "\\ud83d", "\\ude00", "a longer text than one word"];

#[test]
fn repetitive_streams_are_read_as_if_line_by_line() {
    let mut random = Random::new(7);
    for order in 0..3 {
        for head in HEADS {
            for numbers in [&[7, 8, 9, 10, 11, 12][..], &[3, 3, 3, 3], &[1, 3, 5, 7, 9, 11], &[98, 99, 100, 101, 102]] {
                for indexes in [&[0][..], &[0, 1], &[0, 0, 0, 1, 1]] {
                    same(stream(order, head, numbers, indexes, &DELTAS).as_bytes(), &mut random);
                    same(stream(order, head, numbers, indexes, &["x"]).as_bytes(), &mut random);
                }
            }
        }
    }
}

#[test]
fn one_changed_byte_is_read_as_if_line_by_line() {
    let mut random = Random::new(11);
    for (order, head) in [(0, HEADS[0]), (1, HEADS[0]), (2, HEADS[1])] {
        let base = stream(order, head, &[4, 5, 6, 7], &[0], &["ab", "cd"]);
        let last = base.trim_end().rfind("\n\n").map_or(0, |at| at + 2);
        for at in last..base.len() {
            for byte in [b'\n', b'\r', b'"', b'\\', b'0', b':', b'}', b' ', b'x', 0xC3, 0x80, 0] {
                let mut bytes = base.clone().into_bytes();
                bytes[at] = byte;
                same(&bytes, &mut random);
                bytes.extend_from_slice(base.as_bytes());
                same(&bytes, &mut random);
            }
            let mut shorter = base.clone().into_bytes();
            shorter.remove(at);
            shorter.extend_from_slice(base.as_bytes());
            same(&shorter, &mut random);
        }
    }
}

#[test]
fn interleaved_kinds_are_routed_to_their_own_parts() {
    let mut random = Random::new(13);
    let delta = |kind: &str, number: usize, item: &str, index: usize| {
        format!(
            "event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":{number},\"item_id\":\"{item}\",\"output_index\":{index},\"content_index\":0,\"delta\":\"{item}{number} \"}}\n\n"
        )
    };
    let mut bytes = String::new();
    let mut number = 0;
    for turn in 0..40 {
        for _ in 0..1 + random.below(4) {
            bytes += &match turn % 3 {
                0 => delta(DELTA, number, "msg", 0),
                1 => delta("response.reasoning_text.delta", number, "rs", 1),
                _ => delta("response.function_call_arguments.delta", number, "fc", 2),
            };
            number += 1;
        }
    }
    same(bytes.as_bytes(), &mut random);
}

#[test]
fn interleaved_calls_are_routed_to_their_own_items() {
    let mut random = Random::new(19);
    const KIND: &str = "response.function_call_arguments.delta";
    const PIECES: [&str; 9] = [
        "{\\\"a",
        "\\\"",
        ":[1,",
        "\\\\n\\/\\b\\f\\n\\r\\t",
        "é\\\"ü",
        "\\u00e9\\\"",
        "a text that is longer than the short ones, \\\"with escapes\\\" in it",
        "\\q",
        "sixteen bytes ok",
    ];
    for (items, first) in [(3, 7u64), (20, 95), (40, 990), (2, 99_999_990), (2, 999_999_999_999_999_990)] {
        for order in 0..2 {
            let mut bytes = String::new();
            for number in (first..).take(160) {
                let index = if random.below(4) == 0 { random.below(items) } else { number as usize / 5 % items };
                let id = ["", "call_", "a longer id than eight bytes "][index % 3];
                let delta = PIECES[random.below(PIECES.len())];
                bytes += &match order {
                    0 => format!("event: {KIND}\ndata: {{\"type\":\"{KIND}\",\"sequence_number\":{number},\"item_id\":\"{id}{index}\",\"output_index\":{index},\"delta\":\"{delta}\",\"obfuscation\":\"{}\"}}\n\n", &"0123456789abcdefg"[index % 17..]),
                    _ => format!("data: {{\"delta\":\"{delta}\",\"item_id\":\"{id}{index}\",\"obfuscation\":\"\\n{number}\",\"output_index\":{index},\"sequence_number\":{number},\"type\":\"{KIND}\"}}\n\n"),
                };
            }
            same(bytes.as_bytes(), &mut random);
        }
    }
}

#[test]
fn data_of_several_lines_never_matches_a_template_of_one() {
    let mut random = Random::new(17);
    let pretty = |number: u64| {
        format!("event: {DELTA}\ndata: {{\"type\":\"{DELTA}\",\ndata: \"sequence_number\":{number},\ndata: \"output_index\":0,\"delta\":\"x\",\"logprobs\":[\ndata: {{\"a\":1}}]}}\n\n")
    };
    let flat = |number: u64| {
        format!("event: {DELTA}\ndata: {{\"type\":\"{DELTA}\",\"sequence_number\":{number},\"output_index\":0,\"delta\":\"x\",\"logprobs\":[{{\"a\":1}}]}}\n\n")
    };
    let torn = |number: u64| {
        format!("event: {DELTA}\ndata: {{\"type\":\"{DELTA}\",\n\"sequence_number\":{number},\"output_index\":0,\"delta\":\"x\",\"logprobs\":[\n{{\"a\":1}}]}}\n\n")
    };
    let all =
        [pretty(1), pretty(2), flat(3), flat(4), torn(5), flat(5), torn(6), pretty(6), flat(7), pretty(8), torn(9)];
    same(all.concat().as_bytes(), &mut random);
}

/// A template of payloads over several lines does not apply to the lines of a block.
#[test]
fn a_payload_over_several_lines_predicts_no_block() {
    let mut random = Random::new(23);
    let head = format!("event: {DELTA}\ndata: ");
    let pretty = |number: u64, line: &str| {
        format!("{head}{{\"type\":\"{DELTA}\",{line}\"sequence_number\":{number},\"item_id\":\"m\",\"output_index\":0,\"delta\":\"x\"}}\n\n")
    };
    let joined = |number: u64| pretty(number, "\ndata: ");
    let torn = |number: u64| pretty(number, "\n");
    // No template is learned from it, but its head equals that of the next ones.
    let odd = |number: u64| pretty(number, &format!("\"sequence_number\":{number},"));
    let all = [joined(1), odd(2), joined(3), torn(4), joined(4), joined(5), torn(6), torn(6), joined(7)];
    same(all.concat().as_bytes(), &mut random);
}

/// The decoded text of one event is not used for another event with the same payload.
#[test]
fn the_same_payload_may_repeat_after_another() {
    let mut random = Random::new(41);
    const OTHER: &str = "response.refusal.delta";
    let payload = |kind: &str, delta: &str| {
        format!("event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":7,\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"{delta}\"}}\n\n")
    };
    for before in ["", ": hi\n", "id: 3\n"] {
        let bytes: String = [
            (DELTA, "a\\nb"),
            (OTHER, "\\tzzzz"),
            (DELTA, "a\\nb"),
            (OTHER, "\\tzzzz"),
            (DELTA, "a\\nb"),
            (DELTA, "a\\nb"),
        ]
        .iter()
        .map(|(kind, delta)| before.to_owned() + &payload(kind, delta))
        .collect();
        same(bytes.as_bytes(), &mut random);
    }
}

#[test]
fn a_payload_without_a_head_matches_no_template() {
    let mut random = Random::new(29);
    // Each has a comment before it, so no head is learned.
    let commented = stream(0, ": hi\ndata: ", &[4, 5, 6, 7], &[0], &["ab"]);
    let naked = stream(0, "", &[8, 9], &[0], &["ab"]);
    same([&*commented, &naked, &commented, &naked].concat().as_bytes(), &mut random);
}

/// SSE removes one space after the colon. A second one belongs to the payload of its own block only.
#[test]
fn spaces_after_the_colon_belong_to_the_payload_of_their_own_block() {
    let mut random = Random::new(43);
    let heads = ["data:", "data: ", "data:  ", "data:   ", "data:\t"];
    let blocks: Vec<Vec<String>> = heads
        .iter()
        .map(|head| (1..20).map(|number| format!("{head}{}\n\n", payload(0, number, 0, "ab"))).collect())
        .collect();
    for first in 0..heads.len() {
        for second in 0..heads.len() {
            let pick = |at: usize| &blocks[if at < 4 { first } else { second }][at];
            same((0..8).map(pick).cloned().collect::<String>().as_bytes(), &mut random);
        }
    }
    // No template is learned from a payload with a repeated member, but its head was kept for the next block.
    let unlearned = |head: &str, number: u64| {
        format!("{head}{}\n\n", payload(0, number, 0, "ab").replacen("\"delta\"", "\"item_id\":\"z\",\"delta\"", 1))
    };
    for _ in 0..400 {
        let mixed: String = (0..8)
            .map(|at| match random.below(heads.len()) {
                head if random.below(3) == 0 => unlearned(heads[head], at as u64 + 1),
                head => blocks[head][at].clone(),
            })
            .collect();
        same(mixed.as_bytes(), &mut random);
    }
}

#[test]
fn a_list_in_a_block_contains_no_line_end_and_no_invalid_byte() {
    let mut random = Random::new(31);
    let block = |number: u64, inner: &[u8]| {
        let start = format!("event: {DELTA}\ndata: {{\"type\":\"{DELTA}\",\"sequence_number\":{number},\"output_index\":0,\"delta\":\"x\",\"logprobs\":[");
        [start.as_bytes(), inner, b"]}\n\n"].concat()
    };
    let good = |number: u64| block(number, b"{\"a\":\"b\"}");
    for inner in [&b"\n{}"[..], b"{}\r", b"\r\n1", b"\"\xFF\"", b"{\"\xC3\":1}", b"\n\"\x80\"", b"1\n\n2"] {
        let bytes = [good(1), good(2), good(3), block(4, inner), good(5), block(6, inner), good(7)].concat();
        same(&bytes, &mut random);
    }
}

#[test]
fn irregular_deltas_read_the_same_the_second_time() {
    let mut random = Random::new(37);
    for rest in [
        r#""item_id":"a","item_id":"b""#,
        r#""item_id":5"#,
        r#""item_id":5,"item_id":"b""#,
        r#""item_id":"a","output_index":"0""#,
        r#""text":"some more","item_id":"a""#,
        r#""item_id":"a","delta":"first""#,
        r#""item_id":"\u0061""#,
    ] {
        let block = |number: u64| {
            format!("event: {DELTA}\ndata: {{\"type\":\"{DELTA}\",\"sequence_number\":{number},{rest},\"output_index\":0,\"content_index\":0,\"delta\":\"x\"}}\n\n")
        };
        same((7..14).map(block).collect::<String>().as_bytes(), &mut random);
    }
    const SHELL: &str = "response.shell_call_output_content.delta";
    let shell = |number: u64, delta: &str| {
        format!("event: {SHELL}\ndata: {{\"type\":\"{SHELL}\",\"sequence_number\":{number},\"item_id\":\"s\",\"output_index\":0,\"command_index\":0,\"delta\":{delta}}}\n\n")
    };
    let good = r#"{"stdout":"a"}"#;
    let deltas = [good, good, good, r#"{"stdout":5}"#, good, "7", good, "\"text\"", good];
    let bytes: String = (1..).zip(deltas).map(|(number, delta)| shell(number, delta)).collect();
    same(bytes.as_bytes(), &mut random);
}

#[test]
fn payloads_that_match_the_same_template_are_equal_outside_their_gaps() {
    let mut texts = std::collections::HashMap::new();
    let mut matched = 0;
    let mut reader = Reader::new();
    for order in [0, 2, 0, 1, 0] {
        let numbers: Vec<u64> = (8..120).collect();
        for indexes in [&[0][..], &[0, 1], &[0, 0, 0, 1, 1]] {
            reader.feed(stream(order, HEADS[0], &numbers, indexes, &DELTAS).as_bytes()).expect("within the limits");
            while let Some(event) = reader.poll_event().expect("within the limits") {
                let Some(known) = deltafold::__bindings::template_match(&event) else { continue };
                matched += 1;
                let (mut text, mut from) = (Vec::new(), 0);
                for (start, end) in known.gaps() {
                    text.push(event.raw()[from..start as usize].to_owned());
                    from = end as usize;
                }
                text.push(event.raw()[from..].to_owned());
                assert_eq!(&text, texts.entry(known.template).or_insert_with(|| text.clone()));
            }
        }
    }
    assert!(matched > 500 && texts.len() > 4, "{matched} by {}", texts.len());
}

/// Data before a block, in a separate chunk, makes it a different block: it must not match the prediction.
#[test]
fn a_block_with_earlier_bytes_does_not_match_the_prediction() {
    for (order, head) in [(0, HEADS[0]), (0, HEADS[1]), (2, HEADS[1])] {
        let base = stream(order, head, &[4, 5, 6, 7], &[0], &["ab", "cd"]);
        let next = stream(order, head, &[8, 9], &[0], &["ab", "cd"]);
        let begun = [
            ": c",
            ": c\n",
            "id: 9\n",
            "data: 1\n",
            "data: ",
            "event: z\n",
            "retry: 3\n",
            "x",
            "x\r",
            "\r",
            "\n",
            "\u{FEFF}",
        ];
        // A block that is too long to wait for is read as it arrives.
        let long = format!(": {}\n", "c".repeat(70_000));
        let long = ["", "id: 9\n", "data: 1\n", "event: z\n"].map(|line| format!("{line}{long}"));
        for begun in begun.into_iter().chain(long.iter().map(String::as_str)) {
            let bytes = [&*base, begun, &*next].concat();
            let cuts = [base.len(), base.len() + begun.len()];
            let cut = |at: usize| cuts.iter().find(|cut| **cut > at).map_or(bytes.len(), |cut| cut - at);
            let wanted = seen(bytes.as_bytes(), false, |_| usize::MAX);
            assert_eq!(wanted, seen(bytes.as_bytes(), true, cut), "{begun:?}: {bytes:?}");
        }
    }
}

#[test]
fn every_tier_of_the_parser_has_the_same_limit_of_depth() {
    for depth in 1..6 {
        for nested in 0..8 {
            let list = ["[".repeat(nested), "1".to_owned(), "]".repeat(nested)].concat();
            let event = format!(r#"data: {{"type":"{DELTA}","delta":"x","other":{list}}}"#) + "\n\n";
            let kinds = [(false, false), (false, true), (true, true)].map(|(template, flat)| {
                let limits = deltafold::Limits::default().depth(depth);
                let mut reader = builder_with_tiers(ParserTiers { block_template: template, flat_scanner: flat })
                    .limits(limits)
                    .build();
                reader.feed(event.repeat(3).as_bytes()).unwrap();
                let mut faults = Vec::new();
                while let Some(event) = reader.poll_event().unwrap() {
                    faults.push(event.fault().is_some());
                }
                faults
            });
            // The object around the list counts, too.
            assert_eq!(kinds, [(); 3].map(|()| vec![nested + 1 > depth; 3]), "{nested} of {depth}");
        }
    }
}

/// A cached item does not change its depth in a terminal event.
#[test]
fn a_repeated_item_obeys_the_depth_limit() {
    for depth in 2..12 {
        for nested in 0..8 {
            let list = ["[".repeat(nested), "]".repeat(nested)].concat();
            let item =
                format!(r#"{{"type":"message","id":"m","content":[],"x":{}}}"#, if nested == 0 { "1" } else { &list });
            let stream = format!(
                "data: {{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{item}}}\n\ndata: {{\"type\":\"response.completed\",\"response\":{{\"id\":\"r\",\"output\":[{item}]}}}}\n\n"
            );
            let faults = [false, true].map(|template| {
                let limits = deltafold::Limits::default().depth(depth);
                let mut reader = builder_with_tiers(ParserTiers { block_template: template, flat_scanner: true })
                    .limits(limits)
                    .build();
                reader.feed(stream.as_bytes()).unwrap();
                let mut faults = Vec::new();
                while let Some(event) = reader.poll_event().unwrap() {
                    faults.push(event.fault().is_some());
                }
                faults
            });
            // The event and the item; the event, the response, its list and the item.
            let inner = nested.max(1);
            assert_eq!(faults, [(); 2].map(|()| vec![2 + inner > depth, 4 + inner > depth]), "{nested} of {depth}");
        }
    }
}

/// The parser compares the response of a snapshot with that of the event before it; the results are those of reading each in full.
#[test]
fn a_repeated_response_is_read_as_if_it_were_new() {
    let mut random = Random::new(47);
    let item = r#"{"type":"message","id":"m0","status":"in_progress","role":"assistant","content":[]}"#;
    let responses = [
        r#"{"id":"r","object":"response","status":"in_progress","output":[],"tools":[{"a":"\u00e9"}]}"#.to_owned(),
        r#"{"id":"r","object":"response","status":"queued","output":[]}"#.to_owned(),
        format!(r#"{{"id":"r","object":"response","status":"in_progress","output":[{item}]}}"#),
        r#"{"id":"other","object":"response"}"#.to_owned(),
        r#"{"id":null,"object":"response","output":[]}"#.to_owned(),
        r#"{"id":"\ud83d","object":"response","status":"in_progress","output":[]}"#.to_owned(),
        r#"{"output":[],"output":[{"type":"message"}]}"#.to_owned(),
        "{}".to_owned(),
        "[1]".to_owned(),
        "12".to_owned(),
        "null".to_owned(),
        "\"r\"".to_owned(),
    ];
    let kinds = ["created", "queued", "in_progress", "completed"];
    for round in 0..600 {
        let mut bytes = String::new();
        for number in 0..1 + random.below(8) {
            let (first, second) = (random.below(responses.len()), random.below(responses.len()));
            // Mostly the same response and the right name.
            let response = &responses[if random.below(3) > 0 { round % responses.len() } else { first }];
            let most = if random.below(4) == 0 { 4 } else { 3 };
            // An event that is no snapshot, under the name of one.
            let kind = if random.below(8) == 0 { "dream" } else { kinds[random.below(most)] };
            let name = if kind == "dream" || random.below(5) == 0 { kinds[random.below(4)] } else { kind };
            let rest = match random.below(9) {
                0 => format!(r#","response":{}"#, responses[second]),
                1 => r#","x":[1,{}]"#.to_owned(),
                2 => "3".to_owned(),
                3 => r#","sequence_number":"x""#.to_owned(),
                4 => r#","respons\u0065":{}"#.to_owned(),
                _ => String::new(),
            };
            let space = if random.below(4) == 0 { " " } else { "" };
            bytes += &format!(
                "event: response.{name}\ndata: {{\"type\":\"response.{kind}\",\"sequence_number\":{number},\"response\":{space}{response}{space}{rest}}}\n\n"
            );
            if random.below(4) == 0 {
                bytes += &format!("data: {}\n\n", payload(random.below(3), number as u64, 0, "ab"));
            }
        }
        same(bytes.as_bytes(), &mut random);
    }
}
