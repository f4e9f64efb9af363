//! Block templates are used wherever they apply.
//!
//! All tiers give the same results, which `block_templates.rs` tests; so only a measurement shows whether a tier is used. An event
//! records whether its block matched a template, and whether the same template matched the previous event.

use deltafold::__bindings::{builder_with_tiers, ParserTiers};
use deltafold::Reader;

const TEXT: &str = "response.output_text.delta";

/// How an event was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// By the flat scanner or the tape.
    Scanned,
    /// By a block template.
    Matched,
    /// By the template that matched the previous event.
    Continued,
}

use Tier::{Continued, Matched, Scanned};

fn tier_of(event: &deltafold::Event<'_>) -> Tier {
    match (
        deltafold::__bindings::has_same_shape(event),
        deltafold::__bindings::template_match(event).is_some(),
        deltafold::__bindings::continues_previous(event),
    ) {
        (true, true, true) => Continued,
        (true, true, false) => Matched,
        (false, false, false) => Scanned,
        other => panic!("an event that continues the previous one matches a template: {other:?}"),
    }
}

/// Returns the tier of each event, with the blocks fed at once or one by one.
fn tiers(blocks: &[String]) -> Vec<Tier> {
    let mut at_once = Reader::new();
    at_once.feed(blocks.concat().as_bytes()).unwrap();
    let mut tiers = Vec::new();
    while let Some(event) = at_once.poll_event().unwrap() {
        tiers.push(tier_of(&event));
    }
    let mut one_by_one = Reader::new();
    for (block, tier) in blocks.iter().zip(&tiers) {
        one_by_one.feed(block.as_bytes()).unwrap();
        assert_eq!(tier_of(&one_by_one.poll_event().unwrap().unwrap()), *tier, "{block}");
    }
    assert_eq!(tiers.len(), blocks.len());
    tiers
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
fn a_growing_part_is_predicted_from_its_third_event_on() {
    let tiers = tiers(&numbered(0..1200));
    assert_eq!(tiers[..3], [Scanned, Scanned, Matched]);
    assert!(tiers[3..].iter().all(|tier| *tier == Continued), "{tiers:?}");
}

#[test]
fn numbers_that_jump_are_predicted_as_well() {
    for numbers in [
        &[7, 7, 7, 7, 7][..],
        &[1, 3, 5, 7, 9, 11, 13, 99, 101, 103],
        &[500, 499, 1, 0, 10, 9, 1000, 12_345_678, 5],
        &[99_999_990, 99_999_991, 99_999_998, 99_999_999, 10_000_000],
    ] {
        let tiers = tiers(&numbered(numbers.iter().copied()));
        assert!(tiers[2] == Matched && tiers[3..].iter().all(|tier| *tier == Continued), "{numbers:?}: {tiers:?}");
    }
}

#[test]
fn any_text_may_be_in_a_gap() {
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
    let tiers = tiers(&blocks);
    assert!(tiers[3..].iter().all(|tier| *tier == Continued), "{tiers:?}");
}

#[test]
fn members_may_have_any_order_and_some_may_be_missing() {
    let data = |rest: String| format!("data: {{\"type\":\"{TEXT}\"{rest}}}\n\n");
    // `N`, `D` and `P` are replaced by number, delta and padding.
    for order in [
        r#","item_id":"m","output_index":0,"delta":"D","sequence_number":N"#,
        r#","sequence_number":N,"delta":"D","item_id":"a longer id","output_index":0"#,
        r#","item_id":"item","delta":"D""#,
        r#","item_id":"item","delta":"D","sequence_number":N,"obfuscation":"P""#,
        r#","item_id":"item","delta":"D","obfuscation":"P","x":1.5,"sequence_number":N"#,
        r#","obfuscation":"P","sequence_number":N,"delta":"D","item_id":"item""#,
        r#","sequence_number":N,"item_id":"m","logprobs":[],"x":{},"delta":"D""#,
        r#","sequence_number":N,"item_id":null,"x":null,"y":true,"z":false,"delta":"D""#,
    ] {
        let texts =
            |number: u64| [("N", number.to_string()), ("D", "d".repeat(number as usize % 7)), ("P", "ab".to_owned())];
        let block = |number: u64| {
            data(texts(number).iter().fold(order.to_owned(), |text, (name, value)| text.replace(name, value)))
        };
        let tiers = tiers(&(95..125).map(block).collect::<Vec<_>>());
        assert_eq!(tiers[..3], [Scanned, Scanned, Matched], "{order}");
        assert!(tiers[3..].iter().all(|tier| *tier == Continued), "{order}: {tiers:?}");
        // The gaps are these three, in this order.
        let mut reader = Reader::new();
        for number in 95..125 {
            reader.feed(block(number).as_bytes()).unwrap();
            let event = reader.poll_event().unwrap().unwrap();
            let Some(matched) = deltafold::__bindings::template_match(&event) else { continue };
            let gaps: Vec<&str> =
                matched.gaps().map(|(start, end)| &event.raw()[start as usize..end as usize]).collect();
            let mut wanted: Vec<_> =
                texts(number).into_iter().filter_map(|(name, text)| Some((order.find(name)?, text))).collect();
            wanted.sort();
            assert_eq!(gaps, wanted.into_iter().map(|(_, text)| text).collect::<Vec<_>>(), "{order}");
        }
    }
}

#[test]
fn long_and_irregular_blocks_match_no_template() {
    let padded = |length: usize| {
        move |number: u64| {
            block(TEXT, number, 0, "a").replacen("\"delta\"", &format!("\"x\":\"{}\",\"delta\"", "x".repeat(length)), 1)
        }
    };
    let many = |number: u64| {
        block(TEXT, number, 0, "a").replacen("\"delta\"", "\"obfuscation\":\"x\",\"obfuscation\":\"x\",\"delta\"", 1)
    };
    let listed = |number: u64| block(TEXT, number, 0, "a").replacen("\"delta\"", "\"logprobs\":[1],\"delta\"", 1);
    assert!(tiers(&(0..9).map(padded(700)).collect::<Vec<_>>())[3..].iter().all(|tier| *tier == Continued));
    let long = (0..9).map(padded(1_000)).collect::<Vec<_>>();
    for blocks in [long, (0..9).map(listed).collect(), (0..9).map(many).collect()] {
        assert!(tiers(&blocks).iter().all(|tier| *tier == Scanned), "{}", blocks[0]);
    }
}

#[test]
fn no_template_is_used_when_the_fast_path_is_off() {
    for flat in [false, true] {
        let mut reader = builder_with_tiers(ParserTiers { block_template: false, flat_scanner: flat }).build();
        reader.feed(numbered(0..9).concat().as_bytes()).unwrap();
        for _ in 0..9 {
            assert_eq!(tier_of(&reader.poll_event().unwrap().unwrap()), Scanned);
        }
    }
}

#[test]
fn the_usual_number_of_items_in_parallel_is_predicted() {
    for items in [2, 3, 10, 24] {
        for first in [0u64, 95, 990] {
            let number = |at: usize| first + at as u64;
            let turns: Vec<_> = (0..5 * items).map(|at| block(TEXT, number(at), at % items, "a")).collect();
            let seen = tiers(&turns);
            assert!(seen[..items + 1].iter().all(|tier| *tier == Scanned), "{items}: {seen:?}");
            assert!(seen[items + 1..].iter().all(|tier| *tier == Matched), "{items}: {seen:?}");
            // In runs, and the runs in another order than at first.
            let run = |at: usize| (at / 4 * 7) % items;
            let runs: Vec<_> = (0..60 * items).map(|at| block(TEXT, number(at), run(at), "a")).collect();
            let seen = tiers(&runs);
            for (at, tier) in seen.iter().enumerate().skip(16 * items) {
                let wanted = if run(at) == run(at - 1) { Continued } else { Matched };
                assert_eq!(*tier, wanted, "{items} at {at}");
            }
        }
    }
}

#[test]
fn interleaved_kinds_match_their_templates() {
    let kinds =
        [TEXT, "response.refusal.delta", "response.reasoning_text.delta", "response.function_call_arguments.delta"];
    let blocks: Vec<_> = (0..80).map(|at| block(kinds[at % 4], at as u64, at % 4, "a")).collect();
    let seen = tiers(&blocks);
    assert!(seen[..5].iter().all(|tier| *tier == Scanned), "{seen:?}");
    assert!(seen[5..].iter().all(|tier| *tier == Matched), "{seen:?}");
}

#[test]
fn a_changed_head_is_learned_immediately() {
    let unnamed = |number: u64| block(TEXT, number, 0, "a").split_once('\n').unwrap().1.to_owned();
    let close = |number: u64| unnamed(number).replacen("data: ", "data:", 1);
    let mut blocks = numbered(0..10);
    blocks.extend((10..20).map(unnamed));
    blocks.extend((20..30).map(close));
    blocks.extend(numbered(30..40));
    let seen = tiers(&blocks);
    for (at, tier) in seen.iter().enumerate() {
        let wanted = match at {
            0 | 1 | 10 | 20 | 30 => Scanned,
            2 | 11 | 21 | 31 => Matched,
            _ => Continued,
        };
        assert_eq!(*tier, wanted, "{at}: {seen:?}");
    }
}

#[test]
fn blocks_in_between_do_not_end_a_prediction() {
    let other = "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"response\":{}}\n\n".to_owned();
    let comment = block(TEXT, 7, 0, "a").replacen("event", ": hi\nevent", 1);
    for between in [other, comment] {
        let mut blocks = numbered(0..6);
        blocks.push(between);
        blocks.extend(numbered(6..9));
        let seen = tiers(&blocks);
        assert!(seen[7] == Matched && seen[8] == Continued && seen[9] == Continued, "{seen:?}");
    }
}
