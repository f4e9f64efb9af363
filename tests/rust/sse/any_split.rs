//! The SSE layer on random streams: any split gives the same signals, and they equal those of the reference decoder.

use deltafold::{Limits, Overflow};
use deltafold_tests::sse::{decode, decode_simply};
use deltafold_tests::{splits, Random};

#[test]
fn any_split_of_a_random_stream_of_tokens_gives_the_signals_of_the_reference_decoder() {
    for seed in 0..100 {
        let stream = token_soup(&mut Random::new(seed));
        agree(&stream, &Limits::default(), seed);
    }
}

#[test]
fn any_split_of_random_bytes_gives_the_signals_of_the_reference_decoder() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let length = random.below(120);
        let mut bytes = random.bytes(length);
        // Line ends are rare among random bytes.
        for byte in &mut bytes {
            if random.one_in(6) {
                *byte = *random.pick(&[&b'\n', &b'\r', &b':', &b' ']);
            }
        }
        agree(&bytes, &Limits::default(), seed);
    }
}

#[test]
fn any_split_of_a_random_stream_under_random_limits_gives_the_signals_of_the_reference_decoder() {
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let stream = token_soup(&mut random);
        let limits = Limits::default()
            .line_bytes(random.below(24))
            .frame_bytes(random.below(24))
            .overflow(if random.one_in(3) { Overflow::Error } else { Overflow::Drop });
        agree(&stream, &limits, seed);
    }
}

#[test]
fn any_split_of_a_stream_of_ordinary_events_gives_the_signals_of_the_reference_decoder() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let end = random.pick(&["\n", "\r\n", "\r"]);
        let mut stream = String::new();
        for number in 0..random.below(8) {
            let text: String =
                (0..random.below(30)).map(|_| random.pick(&["a", "é", "\u{2028}", "😀", "\\n", "{"])).collect();
            let kind = random.pick(&["response.output_text.delta", "response.output_text.done", "x:y"]);
            stream +=
                &format!("event: {kind}{end}data: {{\"sequence_number\":{number},\"delta\":\"{text}\"}}{end}{end}");
        }
        agree(stream.as_bytes(), &Limits::default(), seed);
    }
}

fn agree(bytes: &[u8], limits: &Limits, seed: u64) {
    let expected = decode_simply(bytes, limits);
    for split in splits(bytes) {
        let signals = decode(split.chunks(bytes), limits);
        assert!(
            signals == expected,
            "seed {seed}, {split:?}, {limits:?}, input {:?}\nslow {expected:#?}\nreal {signals:#?}",
            String::from_utf8_lossy(bytes)
        );
    }
}

/// Tokens with a meaning in an event stream, in any order: most of the result is valid, some of it not.
fn token_soup(random: &mut Random) -> Vec<u8> {
    const TOKENS: &[&[u8]] = &[
        b"data",
        b"data:",
        b"data: ",
        b"data:  ",
        b"event: ",
        b"event:",
        b"id: ",
        b"id:",
        b"id",
        b"retry: ",
        b"retry:",
        b":",
        b": note",
        b"unknown: x",
        b"Data: ",
        b"data :",
        b"eventx: ",
        b"dat",
        b"even",
        b"a",
        b"b c",
        b"12",
        b"0",
        b"99999999999999999999999",
        b" ",
        b"\0",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
        b"\xC3\xA9",
        b"\xC3",
        b"\xE2\x82",
        b"\xF0\x9F\x98\x80",
        b"\xF0\x9F",
        b"\xFF",
        b"\xE2\x80\xA8",
        b"{\"a\":1}",
        b"[DONE]",
    ];
    const ENDS: &[&[u8]] = &[b"\n", b"\n", b"\n\n", b"\n\n", b"\r\n", b"\r\n\r\n", b"\r", b"\r\r", b"\n\r"];
    let mut out = Vec::new();
    if random.one_in(4) {
        out.extend_from_slice(random.pick(&[&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF", b"\xEF\xBB\xBF\xEF\xBB\xBF"]));
    }
    for _ in 0..random.below(24) {
        // Half of the lines are valid, so that blocks with several fields occur.
        if random.one_in(2) {
            out.extend_from_slice(random.pick(&[&b"data: "[..], b"data: ", b"data:", b"event: ", b"id: ", b"retry: "]));
        }
        for _ in 0..random.below(4) {
            out.extend_from_slice(random.pick(TOKENS));
        }
        out.extend_from_slice(random.pick(ENDS));
    }
    if random.one_in(2) {
        out.extend_from_slice(random.pick(TOKENS));
    }
    out
}
