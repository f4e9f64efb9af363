//! Digests are equal exactly for equal texts and values.

use super::*;
use crate::json::{decode_into, Tape};
use alloc::string::String;

#[test]
fn a_digest_does_not_depend_on_the_split_into_deltas() {
    let text = "The quick brown fox jumps over the lazy dog, twice: 0123456789";
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let mut running = DigestBuilder::default();
            for piece in [&text[..first], &text[first..second], &text[second..]] {
                running.push(piece);
            }
            assert_eq!(running.digest(), Digest::of(text));
        }
    }
}

#[test]
fn texts_that_differ_in_one_byte_or_in_trailing_zeros_have_other_digests() {
    for length in 0..40 {
        let text: String = core::iter::repeat_n('\0', length).collect();
        assert_ne!(Digest::of(&text), Digest::of(&(text.clone() + "\0")));
        for at in 0..length {
            let mut other = text.clone();
            other.replace_range(at..=at, "x");
            assert_ne!(Digest::of(&text), Digest::of(&other));
        }
    }
}

#[test]
fn surrogates_join_across_deltas_and_lone_ones_are_replaced() {
    let push = |running: &mut DigestBuilder, literal: &str| {
        let mut text = String::new();
        let halves = decode_into(literal, &mut text);
        running.push_delta(text.as_bytes(), halves);
    };
    let of = |literals: &[&str]| {
        let mut running = DigestBuilder::default();
        literals.iter().for_each(|literal| push(&mut running, literal));
        running.digest()
    };
    assert_eq!(of(&["a\\ud83d", "\\ude00b"]), Digest::of("a\u{1F600}b"));
    assert_eq!(of(&["\\ud83d", "", "\\ude00"]), Digest::of("\u{1F600}"));
    assert_eq!(of(&["\\ud83d", "x"]), Digest::of("\u{FFFD}x"));
    assert_eq!(of(&["\\ud83d"]), Digest::of("\u{FFFD}"));
    assert_eq!(of(&["\\ud83d", "\\ud83d", "\\ude00"]), Digest::of("\u{FFFD}\u{1F600}"));
}

#[test]
fn values_are_equal_by_meaning() {
    let digest = |text: &str| {
        let mut tape = Tape::default();
        tape.parse(text, 16).unwrap();
        Digest::of_value(tape.root(text))
    };
    assert_eq!(digest(r#"{"a":1,"b":[1,2]}"#), digest(r#" { "b" : [1.0, 2], "a": 1 } "#));
    assert_eq!(digest(r#""A\n""#), digest(r#""\u0041\u000a""#));
    assert_eq!(digest("[-0, 120, -1.5]"), digest("[0.0, 1.2e2, -15e-1]"));
    // The digest of a deferred list does not depend on spacing and order.
    let list =
        r#"[{"token":"a\n","logprob":-0.25,"bytes":[97,10],"top_logprobs":[]},{"token":"b","logprob":0,"x":{}}]"#;
    let other =
        "[ {\"top_logprobs\" : [ ] , \"bytes\": [97 , 10],\n\"logprob\":-2.5e-1, \"token\":\"\\u0061\\u000a\" } ,
        {\"x\":{ },\"token\":\"b\",\"logprob\": 0.0} ]";
    let deferred = |list: &str| {
        let text = alloc::format!(r#"{{"logprobs": {list} ,"y":[true,false,null]}}"#);
        let mut tape = Tape::default();
        tape.parse(&text, 16).unwrap();
        let view = tape.root(&text).get("logprobs").unwrap();
        assert!(view.is_deferred());
        Digest::of_value(view)
    };
    assert_eq!(digest(list), digest(other));
    assert_eq!((deferred(list), deferred(other)), (digest(list), digest(list)));
    for (from, to) in
        [("97", "98"), ("-0.25", "0.25"), ("[]", "[1]"), ("{}", "[]"), ("\"b\"", "\"c\""), ("\"x\"", "\"z\"")]
    {
        assert_eq!(deferred(&list.replace(from, to)), digest(&list.replace(from, to)));
        assert_ne!(deferred(&list.replace(from, to)), deferred(list), "{to}");
    }
    assert_ne!(digest("9007199254740993"), digest("9007199254740992"));
    for other in [r#"{"a":1,"b":[2,1]}"#, r#"{"a":2,"b":[1,2]}"#, r#"{"a":1}"#, r#"{"a":"1","b":[1,2]}"#] {
        assert_ne!(digest(r#"{"a":1,"b":[1,2]}"#), digest(other));
    }
}

/// The digest of a list, asserted to be equal for the parsed and the deferred form.
fn both(list: &str) -> Digest {
    let mut tape = Tape::default();
    tape.parse(list, 16).unwrap();
    let plain = Digest::of_value(tape.root(list));
    let text = alloc::format!(r#"{{"logprobs":{list}}}"#);
    tape.parse(&text, 16).unwrap();
    let view = tape.root(&text).get("logprobs").unwrap();
    assert!(view.is_deferred());
    assert_eq!(Digest::of_value(view), plain, "{list}");
    plain
}

#[test]
fn different_values_have_different_digests_deferred_or_not() {
    let values = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "10",
        "-10",
        "1.5",
        "-1.5",
        "9007199254740993",
        "-9007199254740993",
        r#""""#,
        r#""a""#,
        r#""1""#,
        r#""true""#,
        "[]",
        "[1]",
        "[-1]",
        "[[]]",
        "[null]",
        "[true]",
        "[false]",
        "[true,1]",
        "{}",
        r#"{"a":1}"#,
        r#"{"a":-1}"#,
        r#"{"a":null}"#,
        r#"{"b":1}"#,
        r#"{"bytes":[1]}"#,
        r#"{"bytes":[1,2]}"#,
        r#"{"bytes":[12]}"#,
        r#"{"bytes":[-1]}"#,
        r#"{"bytes":["1"]}"#,
        r#"{"bytes":null}"#,
    ];
    for (at, one) in values.iter().enumerate() {
        let digest = both(&alloc::format!("[{one},0]"));
        // The next element is read from the right position.
        assert_ne!(digest, both(&alloc::format!("[{one},1]")), "{one}");
        for other in &values[..at] {
            assert_ne!(digest, both(&alloc::format!("[{other},0]")), "{one} {other}");
        }
    }
    let same = [
        ("-1", "-1.0"),
        ("-10", "-1e1"),
        ("0", "-0.0"),
        ("-0", "0"),
        ("1", "1.0"),
        (r#"{"bytes":[97]}"#, r#"{"bytes":[ 97 ]}"#),
        (r#"{"bytes":[9,7]}"#, r#"{ "bytes" : [9 , 7] }"#),
    ];
    for (one, other) in same {
        assert_eq!(both(&alloc::format!("[{one}]")), both(&alloc::format!("[{other}]")), "{one} {other}");
    }
}
