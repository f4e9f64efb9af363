//! The scanners against simple definitions.

use super::*;

/// Bytes at the limits of plain text.
const BYTES: [u8; 13] = [0, 0x1F, 0x20, b'!', b'"', b'#', b'[', b'\\', b']', b'a', 0x7F, 0x80, 0xFF];

fn is_plain(byte: &u8) -> bool {
    (0x20..0x80).contains(byte) && !matches!(byte, b'"' | b'\\')
}

/// Eight bytes, different each time.
fn words() -> impl Iterator<Item = [u8; 8]> {
    let mut state = 1u64;
    let words = (0..if cfg!(miri) { 50 } else { 60_000 }).map(move |_| {
        [(); 8].map(|()| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Mostly plain bytes, so that the search reaches the last byte.
            match (state >> 33) as usize % 64 {
                at if at < BYTES.len() => BYTES[at],
                _ => b'a',
            }
        })
    });
    // One byte of each kind at each position, among plain bytes.
    let single = (0..8).flat_map(|at| {
        (0..=u8::MAX).map(move |byte| {
            let mut word = [b']'; 8];
            word[at] = byte;
            word
        })
    });
    single.step_by(if cfg!(miri) { 61 } else { 1 }).chain(words)
}

#[test]
fn the_lowest_mark_of_a_word_is_exact() {
    for word in words() {
        let mark = |marks: u64| (marks.trailing_zeros() / 8) as usize;
        let number = u64::from_le_bytes(word);
        let wanted = word.iter().position(|byte| !is_plain(byte)).unwrap_or(8);
        assert_eq!(mark(non_plain_bytes(number)), wanted, "{word:x?}");
        let wanted = word.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')).unwrap_or(8);
        assert_eq!(mark(string_special_bytes(number)), wanted, "{word:x?}");
    }
}

#[test]
fn plain_text_ends_at_its_first_special_byte_from_any_start() {
    for word in words().step_by(7) {
        for before in [0, 1, 5, 8, 13] {
            let mut bytes = [b'a'; 24];
            bytes[before..before + 8].copy_from_slice(&word);
            for length in [15, 16, 17, 24] {
                let bytes = &bytes[..length];
                for at in 0..=length {
                    let found = bytes[at..].iter().position(|byte| !is_plain(byte)).map(|found| at + found);
                    // Fewer than sixteen bytes are not searched.
                    assert_eq!(plain_end(bytes, at), found.filter(|_| length >= 16), "{bytes:x?} from {at}");
                }
            }
        }
    }
}

#[test]
fn the_last_bytes_of_a_text_are_scanned_like_the_others() {
    for length in 16..40 {
        let mut bytes = [b'a'; 40];
        for at in 0..length {
            assert_eq!(plain_end(&bytes[..length], at), None, "{length} from {at}");
        }
        bytes[length - 1] = b'"';
        for at in 0..length {
            assert_eq!(plain_end(&bytes[..length], at), Some(length - 1), "{length} from {at}");
            let mut out = String::new();
            let found = decode_short_string(&bytes[..length], at, &mut out);
            let short = length - 1 - at;
            // Longer strings use the general decoder.
            assert_eq!(found, (short <= 24).then_some((length - 1, short)), "{length} from {at}");
            if found.is_some() {
                assert_eq!(&out.as_bytes()[..short], &bytes[at..length - 1], "{length} from {at}");
            }
        }
    }
}

#[test]
fn every_scanner_finds_the_same_string_end() {
    let quoted = |bytes: &[u8]| [bytes, b"\",\"more\":\"xyz\""].concat();
    for word in words().step_by(3) {
        for bytes in [quoted(&word), quoted(&[b"ab", &word[..]].concat()), quoted(&[&word[..], b"0123456789"].concat())]
        {
            let slow = string(&bytes, 0).ok().filter(|(end, _)| core::str::from_utf8(&bytes[..*end]).is_ok());
            let fast = unchecked_string(&bytes, 0).map(|seen| (seen.end, seen.escaped));
            assert_eq!(fast, slow, "{bytes:x?}");
            let mut out = String::from("before");
            let Some((end, length)) = decode_short_string(&bytes, 0, &mut out) else {
                assert!(slow.is_none_or(|(end, escaped)| escaped || !bytes[..end].is_ascii()), "{bytes:x?}");
                continue;
            };
            let text = core::str::from_utf8(&bytes[..end]).expect("it is ASCII");
            let mut decoded = String::new();
            crate::json::decode_into(text, &mut decoded);
            assert_eq!((Some(end), out.get(..length)), (slow.map(|(end, _)| end), Some(&*decoded)), "{bytes:x?}");
        }
    }
}

/// RFC 8259, section 7.
#[test]
fn every_decoder_decodes_escapes_as_the_standard_defines() {
    let known = [
        (b'"', b'"'),
        (b'\\', b'\\'),
        (b'/', b'/'),
        (b'b', 0x08),
        (b'f', 0x0C),
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
    ];
    for byte in 0..0x80u8 {
        let meant = known.iter().find(|(escape, _)| *escape == byte).map(|(_, meant)| *meant);
        let text = [b"ab\\", &[byte][..], b"c\",12345678"].concat();
        let found = string(&text, 0).ok();
        assert_eq!(found, meant.map(|_| (5, true)), "{byte:x}");
        let mut out = String::new();
        let short = decode_short_string(&text, 0, &mut out).map(|(end, length)| (end, &out.as_bytes()[..length]));
        assert_eq!(
            short,
            meant.map(|meant| (5, [b'a', b'b', meant, b'c'])).as_ref().map(|(end, text)| (*end, &text[..]))
        );
        if let Some(meant) = meant {
            let mut decoded = String::new();
            crate::json::decode_into(core::str::from_utf8(&text[..5]).expect("it is ASCII"), &mut decoded);
            assert_eq!(decoded.as_bytes(), [b'a', b'b', meant, b'c']);
        }
    }
}

#[test]
fn only_a_list_of_digits_and_commas_passes() {
    for (text, end) in [
        ("[0]", Some(3)),
        ("[10,0,7] ", Some(8)),
        ("[104,105],[1]", Some(9)),
        ("[]", None),
        ("[01]", None),
        ("[1,]", None),
        ("[,1]", None),
        ("[1, 2]", None),
        ("[1.5]", None),
        ("[-1]", None),
        ("[1}", None),
        ("[1", None),
        ("[1,", None),
    ] {
        assert_eq!(integers(text.as_bytes(), 0), end, "{text}");
    }
}

#[test]
fn brackets_close_their_own_kind_and_words_are_whole() {
    let end = |text: &str| skip(text.as_bytes(), 0, 8, &mut Vec::new());
    for text in ["[\"a\"}", "[{}}", "{\"a\":1]", "{\"a\":[true}}", "[1}", "[tru]", "[nul", "[falsy]"] {
        assert!(end(text).is_err(), "{text}");
    }
    for text in ["[\"a\"]", "[{}]", "{\"a\":1}", "{\"a\":[true,false,null]}", "[1]"] {
        assert_eq!(end(text), Ok(text.len()), "{text}");
    }
    assert_eq!(end("[").unwrap_err().kind(), JsonErrorKind::End);
    assert_eq!(end("[x").unwrap_err().kind(), JsonErrorKind::Unexpected);
}

#[test]
fn only_nonempty_lists_of_log_probabilities_are_deferred() {
    let deferred = |text: &str| {
        let mut nodes = Nodes::default();
        value::<true>(text.as_bytes(), 0, 8, &mut nodes, &mut Vec::new()).expect("it is JSON");
        nodes.list.iter().any(|node| node.tag == ValueKind::Array && node.escaped)
    };
    for text in [r#"{"logprobs":[1]}"#, r#"{"a":1,"logprobs": [ {"a":[]}]}"#] {
        assert!(deferred(text), "{text}");
    }
    for text in [r#"{"logprobs":[]}"#, r#"{"logprobs": [ ]}"#, r#"{"logprobs":{"a":1}}"#, r#"{"other":[1]}"#] {
        assert!(!deferred(text), "{text}");
    }
}

/// Pieces of string literals and their meaning; `None` for text that is not allowed in a string.
const PIECES: [(&str, Option<&str>); 14] = [
    ("\\\"", Some("\"")),
    ("\\\\", Some("\\")),
    ("\\n", Some("\n")),
    ("\\/", Some("/")),
    ("a", Some("a")),
    ("bc", Some("bc")),
    ("{\\\"", Some("{\"")),
    ("plain text, some", Some("plain text, some")),
    (
        "more than is looked at in three goes, so that it is sought",
        Some("more than is looked at in three goes, so that it is sought"),
    ),
    ("\\u0041", Some("A")),
    ("é", Some("é")),
    ("\u{7f}", Some("\u{7f}")),
    ("\u{1}", None),
    ("\\x", None),
];

#[test]
fn escapes_in_any_number_and_order_are_skipped_and_decoded() {
    let mut state = 7u64;
    let mut below = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % count
    };
    for _ in 0..if cfg!(miri) { 40 } else { 40_000 } {
        // Mostly pieces that the fast decoder accepts.
        let kinds = [4, 7, 9, 12, 14][below(5)];
        let (mut literal, mut meant, mut bad) = (String::new(), String::new(), None);
        for _ in 0..below(24) {
            let (written, means) = PIECES[below(kinds)];
            bad = bad.or(means.is_none().then_some(literal.len()));
            literal.push_str(written);
            meant.push_str(means.unwrap_or_default());
        }
        let text = alloc::format!("{literal}\"{}", &"}\n\n and more text that comes after it"[..below(33)]);
        let bytes = text.as_bytes();
        let mut out = String::from("before");
        let short = decode_short_string(bytes, 0, &mut out);
        if let Some(at) = bad {
            assert_eq!(string(bytes, 0).map_err(|error| error.position()), Err(at), "{text}");
            assert_eq!((unchecked_string(bytes, 0), short), (None, None), "{text}");
            continue;
        }
        let escaped = literal.contains('\\');
        assert_eq!(string(bytes, 0), Ok((literal.len(), escaped)), "{text}");
        if let Some((end, length)) = short {
            assert_eq!((end, out.get(..length)), (literal.len(), Some(&*meant)), "{text}");
        }
        let (mut decoded, before) = (String::from("é"), below(40));
        decoded.reserve(before);
        crate::json::decode_into(&literal, &mut decoded);
        assert_eq!(decoded.strip_prefix('é'), Some(&*meant), "{text}");
        assert!(crate::json::text::literal_eq(&literal, &meant), "{text}");
    }
}

#[test]
fn short_strings_with_escapes_take_the_fast_path() {
    for (literal, meant) in
        [("\\\"", "\""), ("a\\nb\\nc\\nd\\n", "a\nb\nc\nd\n"), ("\\\\\\\\\\\\\\\\\\\\\\\\\\\\", "\\\\\\\\\\\\\\")]
    {
        let bytes = [literal.as_bytes(), b"\",\"obfuscation\":\"abc\"}\n\n"].concat();
        let mut out = String::new();
        assert_eq!(decode_short_string(&bytes, 0, &mut out), Some((literal.len(), meant.len())));
        assert_eq!(out.get(..meant.len()), Some(meant));
    }
}
