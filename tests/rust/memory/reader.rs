//! Allocations of the reader: none for a delta once its buffers have grown, and for a long stream not much more than its
//! response.

use deltafold::event::{Origin, Parser};
use deltafold::validate::Layers;
use deltafold::{Edition, Profile, Reader};
use deltafold_tests::memory::{live, watch};

const DELTAS: usize = 6_000;

/// A growing string: the event that adds its item, and its delta with the given sequence number.
type Growing = (&'static str, &'static str, fn(usize) -> String);

const GROWING: [Growing; 3] = [
    ("text", r#"{"id":"i","type":"message","role":"assistant","status":"in_progress","content":[]}"#, |number| {
        format!(
            r#"{{"type":"response.output_text.delta","sequence_number":{number},"item_id":"i","output_index":0,"content_index":0,"delta":"{}","logprobs":[],"obfuscation":"{}"}}"#,
            ["tok ", "of", " words,", " é"][number % 4],
            &"0123456789abcdef"[number % 13..],
        )
    }),
    (
        "arguments",
        r#"{"id":"i","type":"function_call","status":"in_progress","call_id":"c","name":"f","arguments":""}"#,
        |number| {
            format!(
                r#"{{"type":"response.function_call_arguments.delta","sequence_number":{number},"item_id":"i","output_index":0,"delta":"{}"}}"#,
                ["{\\\"a\\\"", ":[1,", "\\\\n", "\\\"b c\\\"],"][number % 4],
            )
        },
    ),
    ("summary", r#"{"id":"i","type":"reasoning","summary":[]}"#, |number| {
        format!(
            r#"{{"type":"response.reasoning_summary_text.delta","sequence_number":{number},"item_id":"i","output_index":0,"summary_index":0,"delta":"{}"}}"#,
            ["so ", "it is", " that\\u00e9", " \\ud83d\\ude00"][number % 4],
        )
    }),
];

fn frames((_, item, delta): Growing) -> Vec<Vec<u8>> {
    let frame = |payload: &str| {
        let name = payload.split('"').nth(3).expect("the type is first");
        let mut bytes = Vec::new();
        deltafold::sse::encode(name, payload, &mut bytes).expect("a valid name");
        bytes
    };
    let added =
        format!(r#"{{"type":"response.output_item.added","sequence_number":0,"output_index":0,"item":{item}}}"#);
    std::iter::once(frame(&added)).chain((1..DELTAS).map(|number| frame(&delta(number)))).collect()
}

fn readers() -> [(&'static str, Reader); 2] {
    let profile = Profile::builtin("open-responses").expect("a built-in profile");
    let checking = Reader::builder().validate(Layers::ALL).profile(profile).edition(Edition::Split).build();
    [("reading", Reader::new()), ("checking", checking)]
}

/// A service holds as many readers open as it has clients, and most of them wait.
#[test]
fn a_new_reader_takes_at_most_4_kib() {
    let before = live();
    let reader = Box::new(Reader::new());
    let bytes = live() - before;
    assert!((1..=4096).contains(&bytes), "{bytes} bytes");
    drop(reader);
    assert_eq!(live(), before);
}

/// A program that keeps readers for their responses does not keep the chunks, which are longer.
#[test]
fn a_finished_reader_holds_its_response_and_at_most_16_kib() {
    let stream = frames(GROWING[0]).concat();
    let before = live();
    let mut reader = Box::new(Reader::new());
    reader.feed(&stream).expect("within the limits");
    poll(&mut reader);
    let reading = live() - before;
    reader.finish().expect("no error ends it");
    // The text of the response grew by doubling.
    let (finished, response) = (live() - before, 2 * reader.held_bytes() as isize);
    assert!(reading > stream.len() as isize, "{reading} bytes while reading");
    assert!(finished <= response + 16384, "{finished} bytes for a response of {response}");
}

fn poll(reader: &mut Reader) {
    while reader.poll_event().expect("within the limits").is_some() {}
}

#[test]
fn a_delta_allocates_nothing_once_the_buffers_have_grown() {
    for growing in GROWING {
        let frames = frames(growing);
        for (how, mut reader) in readers() {
            // One chunk per frame, as a network delivers them.
            let calls: Vec<usize> = frames
                .iter()
                .map(|frame| {
                    watch(|| {
                        reader.feed(frame).expect("within the limits");
                        poll(&mut reader);
                        std::hint::black_box(reader.response().output_text_len());
                    })
                    .calls
                })
                .collect();
            // Only the string itself still grows; it doubles, from 100 deltas on at most seven times.
            let grew: usize = calls[100..].iter().sum();
            assert!(grew <= 7, "{}, {how}: {grew} allocations after the hundredth delta", growing.0);
            let quiet = calls.iter().rev().take_while(|calls| **calls == 0).count();
            assert!(quiet > 1_000, "{}, {how}: only the last {quiet} deltas allocated nothing", growing.0);
        }
    }
}

#[test]
fn chunks_split_anywhere_allocate_nothing() {
    for growing in GROWING {
        let stream = frames(growing).concat();
        for size in [1, 7, 100, 16 << 10] {
            for (how, mut reader) in readers() {
                let (first, rest) = stream.split_at(stream.len() / 10);
                first.chunks(size).for_each(|chunk| {
                    reader.feed(chunk).expect("within the limits");
                    poll(&mut reader);
                });
                let used = watch(|| {
                    for chunk in rest.chunks(size) {
                        reader.feed(chunk).expect("within the limits");
                        poll(&mut reader);
                    }
                });
                // The string becomes ten times as long: it doubles at most four times.
                assert!(used.calls <= 4, "{}, {how}, chunks of {size}: {used:?}", growing.0);
            }
        }
    }
}

#[test]
fn the_buffers_of_one_event_are_reused_for_the_next() {
    let whole =
        r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"r","output":[],"a":[1,{"b":2}]}}"#;
    let delta =
        r#"{"type":"response.output_text.delta","sequence_number":1,"output_index":0,"delta":"a","x":{"y":[1]}}"#;
    for payload in [whole, delta] {
        let mut parser = Parser::new(128);
        let mut calls = Vec::new();
        for _ in 0..10 {
            let used = watch(|| {
                let event = parser.parse(payload, Origin::default());
                assert!(event.root().is_some_and(|root| root.get("type").is_some()));
            });
            calls.push(used.calls);
        }
        // The second and the third event use the template of the one before.
        assert_eq!(calls[4..], [0; 6], "{calls:?}: {payload}");
    }
}

#[test]
fn the_memory_of_one_huge_event_is_freed() {
    // A list of single values, which needs a node for each; and log probabilities, whose nodes are created only when they are read.
    let lists = [format!("[{}]", ["0"; 100_000].join(",")), format!("[[{}]]", ["[1]"; 100_000].join(","))];
    for (key, list) in [("x", &lists[0]), ("logprobs", &lists[1])] {
        let mut parser = Parser::new(128);
        let huge = format!(r#"{{"type":"response.in_progress","{key}":{list}}}"#);
        let before = live();
        let event = parser.parse(&huge, Origin::default());
        assert!(event.get(&format!("/{key}/0")).is_some());
        assert!(live() - before > 1 << 20, "{key}: the event was not held, so nothing can be freed");
        parser.parse(r#"{"type":"response.output_text.delta","output_index":0,"delta":"a"}"#, Origin::default());
        let after = live() - before;
        assert!(after < 1 << 19, "{key}: {after} bytes are held");
    }
}

/// The event that ends a text repeats all of it, so its length is known in advance.
#[test]
fn the_buffer_of_a_long_event_is_allocated_at_once() {
    const LENGTH: usize = 1_000_000;
    let delta = |text: &str| {
        format!(
            r#"{{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"{text}"}}"#
        )
    };
    let mut reader = Reader::new();
    for _ in 0..100 {
        reader.feed(format!("data: {}\n\n", delta(&"x".repeat(LENGTH / 100))).as_bytes()).expect("within the limits");
        poll(&mut reader);
    }
    let done = delta(&"x".repeat(LENGTH)).replace(".delta", ".done").replace("\"delta\"", "\"text\"");
    let block = format!("data: {done}\n\n");
    let (most, end) = block.as_bytes().split_at(block.len() - 2);
    let used = watch(|| {
        for chunk in most.chunks(1_000) {
            reader.feed(chunk).expect("within the limits");
            poll(&mut reader);
        }
    });
    // In addition there are the bytes that were buffered before its length was known.
    assert!(used.total < LENGTH + LENGTH / 2 && used.total > LENGTH, "{used:?}");
    reader.feed(end).expect("within the limits");
    poll(&mut reader);
    assert_eq!(reader.response().output_text_len(), LENGTH);
}
