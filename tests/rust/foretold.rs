//! What repeats itself is foretold: the short roads of the parser are taken wherever they can be.
//!
//! All roads read the same, which `blocks.rs` proves; so nothing but a measurement would show that one is never taken. An event
//! says which road it came by: whether it was foretold by an earlier block, whether it goes on where the one before it ended,
//! and whether it is like an earlier one at all.

use deltafold::Reader;

const TEXT: &str = "response.output_text.delta";

/// How an event was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Road {
    /// In full.
    Long,
    /// By comparing it with an earlier one of its kind.
    Repeats,
    /// By what was foretold for its item.
    Foretold,
    /// By what was foretold for the item of the event before it.
    GoesOn,
}

use Road::{Foretold, GoesOn, Long, Repeats};

fn road_of(event: &deltafold::Event<'_>) -> Road {
    match (event.repeats(), event.foretold().is_some(), event.goes_on()) {
        (true, true, true) => GoesOn,
        (true, true, false) => Foretold,
        (true, false, false) => Repeats,
        (false, false, false) => Long,
        other => panic!("what goes on is foretold, and what is foretold repeats: {other:?}"),
    }
}

/// The road of each event, the blocks fed at once or one by one.
fn roads(blocks: &[String]) -> Vec<Road> {
    let mut at_once = Reader::new();
    at_once.feed(blocks.concat().as_bytes()).unwrap();
    let mut roads = Vec::new();
    while let Some(event) = at_once.poll_event().unwrap() {
        roads.push(road_of(&event));
    }
    let mut one_by_one = Reader::new();
    for (block, road) in blocks.iter().zip(&roads) {
        one_by_one.feed(block.as_bytes()).unwrap();
        assert_eq!(road_of(&one_by_one.poll_event().unwrap().unwrap()), *road, "{block}");
    }
    assert_eq!(roads.len(), blocks.len());
    roads
}

fn block(kind: &str, number: u64, item: usize, delta: &str) -> String {
    format!(
        "event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":{number},\"item_id\":\"item_{item:04}\",\
         \"output_index\":{item},\"content_index\":0,\"delta\":\"{delta}\",\"obfuscation\":\"abc\"}}\n\n"
    )
}

fn numbered(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|number| block(TEXT, number, 0, "a")).collect()
}

#[test]
fn a_part_that_grows_is_foretold_from_its_third_event_on() {
    let roads = roads(&numbered(0..1200));
    assert_eq!(roads[..3], [Long, Repeats, Foretold]);
    assert!(roads[3..].iter().all(|road| *road == GoesOn), "{roads:?}");
}

#[test]
fn numbers_that_jump_are_foretold_as_well() {
    for numbers in [
        &[7, 7, 7, 7, 7][..],
        &[1, 3, 5, 7, 9, 11, 13, 99, 101, 103],
        &[500, 499, 1, 0, 10, 9, 1000, 12_345_678, 5],
        &[99_999_990, 99_999_991, 99_999_998, 99_999_999, 10_000_000],
    ] {
        let roads = roads(&numbered(numbers.iter().copied()));
        assert!(roads[2] == Foretold && roads[3..].iter().all(|road| *road == GoesOn), "{numbers:?}: {roads:?}");
    }
}

#[test]
fn any_text_may_stand_in_a_gap() {
    let texts =
        ["", "a", "\\n", "\\\"", "é", "漢字", "\\u00e9", "\\ud83d", "seventeen letters", "0123456\\\\", "😀\\t"];
    let long = ["x".repeat(300), "\\\"".repeat(40), "é".repeat(90), "\\u00e9".repeat(30)];
    let texts: Vec<&str> = texts.into_iter().chain(long.iter().map(String::as_str)).collect();
    let mut blocks = numbered(0..4);
    for (number, text) in (4..).zip(&texts) {
        blocks.push(block(TEXT, number, 0, text));
    }
    // In the padding, too.
    for (number, text) in (4 + texts.len() as u64..).zip(&texts) {
        blocks.push(block(TEXT, number, 0, "a").replace("\"abc\"", &format!("\"{text}\"")));
    }
    let roads = roads(&blocks);
    assert!(roads[3..].iter().all(|road| *road == GoesOn), "{roads:?}");
}

#[test]
fn members_may_stand_in_any_order_and_some_may_be_missing() {
    let data = |rest: String| format!("data: {{\"type\":\"{TEXT}\"{rest}}}\n\n");
    let orders: [&dyn Fn(u64) -> String; 6] = [
        &|n| data(format!(",\"item_id\":\"m\",\"output_index\":0,\"delta\":\"a\",\"sequence_number\":{n}")),
        &|n| data(format!(",\"sequence_number\":{n},\"delta\":\"a\",\"item_id\":\"a longer id\",\"output_index\":0")),
        &|_| data(",\"item_id\":\"item\",\"delta\":\"a\"".to_owned()),
        &|n| data(format!(",\"item_id\":\"item\",\"delta\":\"a\",\"sequence_number\":{n},\"obfuscation\":\"b\"")),
        &|n| data(format!(",\"obfuscation\":\"b\",\"sequence_number\":{n},\"delta\":\"a\",\"item_id\":\"item\"")),
        &|n| data(format!(",\"sequence_number\":{n},\"item_id\":\"m\",\"logprobs\":[],\"x\":{{}},\"delta\":\"a\"")),
    ];
    for (at, order) in orders.into_iter().enumerate() {
        let roads = roads(&(95..125).map(order).collect::<Vec<_>>());
        assert_eq!(roads[..3], [Long, Repeats, Foretold], "order {at}");
        assert!(roads[3..].iter().all(|road| *road == GoesOn), "order {at}: {roads:?}");
    }
}

#[test]
fn as_many_items_as_usual_grow_at_a_time() {
    for items in [2, 3, 10, 24] {
        for first in [0u64, 95, 990] {
            let number = |at: usize| first + at as u64;
            let turns: Vec<_> = (0..5 * items).map(|at| block(TEXT, number(at), at % items, "a")).collect();
            let seen = roads(&turns);
            assert!(seen[..items + 1].iter().all(|road| *road <= Repeats), "{items}: {seen:?}");
            assert!(seen[items + 1..].iter().all(|road| *road == Foretold), "{items}: {seen:?}");
            // In runs, and those in another order than they came first.
            let run = |at: usize| (at / 4 * 7) % items;
            let runs: Vec<_> = (0..60 * items).map(|at| block(TEXT, number(at), run(at), "a")).collect();
            let seen = roads(&runs);
            for (at, road) in seen.iter().enumerate().skip(16 * items) {
                let wanted = if run(at) == run(at - 1) { GoesOn } else { Foretold };
                assert_eq!(*road, wanted, "{items} at {at}");
            }
        }
    }
}

#[test]
fn kinds_that_take_turns_repeat() {
    let kinds =
        [TEXT, "response.refusal.delta", "response.reasoning_text.delta", "response.function_call_arguments.delta"];
    let blocks: Vec<_> = (0..80).map(|at| block(kinds[at % 4], at as u64, at % 4, "a")).collect();
    let seen = roads(&blocks);
    assert!(seen[..4].iter().all(|road| *road == Long), "{seen:?}");
    assert!(seen[4..].iter().all(|road| *road >= Repeats), "{seen:?}");
}

#[test]
fn another_head_is_learned_at_once() {
    let unnamed = |number: u64| block(TEXT, number, 0, "a").split_once('\n').unwrap().1.to_owned();
    let close = |number: u64| unnamed(number).replacen("data: ", "data:", 1);
    let mut blocks = numbered(0..10);
    blocks.extend((10..20).map(unnamed));
    blocks.extend((20..30).map(close));
    blocks.extend(numbered(30..40));
    let seen = roads(&blocks);
    for (at, road) in seen.iter().enumerate() {
        let wanted = match at % 10 {
            0 if at == 0 => Long,
            0 | 1 => Repeats,
            2 => Foretold,
            _ => GoesOn,
        };
        assert_eq!(*road, wanted, "{at}: {seen:?}");
    }
}

#[test]
fn what_stands_between_does_not_end_what_was_foretold() {
    let other = "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"response\":{}}\n\n".to_owned();
    let comment = block(TEXT, 7, 0, "a").replacen("event", ": hi\nevent", 1);
    for between in [other, comment] {
        let mut blocks = numbered(0..6);
        blocks.push(between);
        blocks.extend(numbered(6..9));
        let seen = roads(&blocks);
        assert!(seen[7] == Foretold && seen[8] == GoesOn && seen[9] == GoesOn, "{seen:?}");
    }
}

#[test]
fn messages_without_frames_repeat() {
    let mut reader = Reader::new();
    for number in 0..40 {
        let item = if number < 20 { 0 } else { number as usize % 3 };
        let block = block(TEXT, number, item, "a");
        let payload = block.split_once("data: ").unwrap().1.trim_end();
        reader.feed_json(payload).unwrap();
        let road = road_of(&reader.poll_event().unwrap().unwrap());
        assert_eq!(road, if number == 0 { Long } else { Repeats }, "{number}");
    }
}
