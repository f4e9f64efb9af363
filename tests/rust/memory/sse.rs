//! Allocations of the SSE layer: none for ordinary frames, a bounded amount for hostile ones, and never a copy per chunk.

use deltafold::sse::{FrameDecoder, Signal};
use deltafold::{Code, Limits, Overflow};
use deltafold_tests::memory::{live, watch};

#[test]
fn ordinary_frames_allocate_nothing_after_the_first() {
    let mut stream = Vec::new();
    for number in 0..100 {
        let data = format!("{{\"sequence_number\":{number},\"delta\":\"tok\"}}");
        deltafold::sse::encode("response.output_text.delta", &data, &mut stream).expect("a valid name");
    }
    for chunk in [stream.len(), 16 << 10, 64, 7, 1] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        assert_eq!(feed(&mut decoder, stream.chunks(chunk)), Ok(100));
        let used = watch(|| assert_eq!(feed(&mut decoder, stream.chunks(chunk)), Ok(100)));
        assert_eq!(used.total, 0, "in chunks of {chunk}");
    }
}

#[test]
fn endless_comments_keepalives_and_blank_lines_use_constant_memory() {
    for idle in [&b": keepalive\n\n"[..], b"\n", b"\r\n", b":\r", b"event: ping\n\n", b"retry: 1\n\n", b"x: y\n"] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let round = idle.repeat(1_000);
        assert_eq!(feed(&mut decoder, round.chunks(5)), Ok(0));
        let used = watch(|| {
            for _ in 0..100 {
                assert_eq!(feed(&mut decoder, round.chunks(5)), Ok(0));
            }
        });
        assert_eq!(used.total, 0, "{idle:?}");
        assert_eq!(decoder.buffered_len(), 0, "{idle:?}");
    }
}

#[test]
fn endless_fields_stop_at_the_limit_or_are_not_stored() {
    // Just past a power of two, where a buffer that only doubles would take twice the limit.
    let limit = (1 << 20) + 1_000;
    let limits = Limits::default().line_bytes(limit).frame_bytes(limit);
    let filler = [b'x'; 1_000];
    for (start, again, stops) in [
        ("data: ", "", Some(Code::LineLimit)),
        ("", "\ndata: ", Some(Code::FrameLimit)),
        ("event: ", "", Some(Code::LineLimit)),
        ("id: ", "", Some(Code::LineLimit)),
        (":", "", None),
        ("", "", None),
        ("unknown: ", "", None),
        ("", "\nevent: ", None),
        ("", "\n: ", None),
    ] {
        for overflow in [Overflow::Error, Overflow::Drop] {
            let mut decoder = FrameDecoder::new(&limits.overflow(overflow));
            let mut outcome = Ok(0);
            let used = watch(|| {
                outcome = feed(&mut decoder, [start.as_bytes()]);
                for _ in 0..1_200 {
                    outcome = outcome.and_then(|_| feed(&mut decoder, [again.as_bytes(), &filler]));
                }
            });
            let stops = stops.filter(|_| overflow == Overflow::Error);
            assert_eq!(outcome.err(), stops, "{start}{again}, {overflow:?}");
            assert!(used.peak <= 2 * limit + (64 << 10), "{start}{again}, {overflow:?}: {used:?}");
        }
    }
}

#[test]
fn a_long_line_in_small_chunks_is_copied_once_and_its_buffer_doubles() {
    for (length, chunk) in [(1 << 20, 1), (16 << 20, 1 << 10)] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let drip = vec![b'x'; chunk];
        let used = watch(|| {
            feed(&mut decoder, [&b"data: "[..]]).expect("within limits");
            for _ in 0..length / chunk {
                feed(&mut decoder, [&drip[..]]).expect("within limits");
            }
            assert_eq!(feed(&mut decoder, [&b"\n\n"[..]]), Ok(1));
        });
        // Doubling sizes add up to less than twice the last one, which is less than twice the needed size.
        assert!(used.total <= 4 * length + 1_024, "{length} in chunks of {chunk}: {used:?}");
        assert!(used.calls <= 32, "{length} in chunks of {chunk}: {used:?}");
    }
}

/// A payload of 64 KiB or more is long. One that follows another long one gets its buffer at once, and a little more.
#[test]
fn a_long_payload_gets_a_buffer_of_the_size_of_the_previous_one() {
    const LONG: usize = 64 << 10;
    const HUGE: usize = 3_000_000;
    let mut decoder = FrameDecoder::new(&Limits::default());
    let text = vec![b'x'; 2 * HUGE];
    let mut read = |length: usize, chunk: usize| {
        let used = watch(|| {
            let drips = text[..length].chunks(chunk);
            assert_eq!(feed(&mut decoder, [&b"data: "[..]].into_iter().chain(drips).chain([&b"\n\n"[..]])), Ok(1));
        });
        (used.calls, used.total)
    };
    // A buffer that doubles from 256 bytes.
    let doubling = |length: usize| {
        let most = length.next_power_of_two();
        ((most / 256).ilog2() as usize + 1, 2 * most - 256)
    };
    assert_eq!(read(HUGE, 200), doubling(HUGE), "nothing is known");
    // It keeps the previous size and a sixteenth more.
    assert_eq!(read(HUGE, 200), (1, HUGE + HUGE / 16), "the rest is given back");
    assert_eq!(read(HUGE + HUGE / 20, 200), (0, 0));
    assert_eq!(read(HUGE, 200), (0, 0));
    // An unused buffer is freed. Short payloads get exact buffers after that and do not change the estimate.
    for _ in 0..15 {
        assert_eq!(read(300, 7), (0, 0));
    }
    assert_eq!(read(300, 7), (2, 256 + 512));
    assert_eq!(read(LONG, LONG), (1, LONG));
    // Up to 64 KiB without an estimate, then the previous size and a sixteenth more.
    assert_eq!(read(HUGE, 200), (1, HUGE + HUGE / 16));
    // A payload longer than its estimate doubles the buffer.
    assert_eq!(read(2 * HUGE, 200), (1, 2 * (HUGE + HUGE / 16)));
    // A long payload that is much shorter than the previous one lowers the estimate for the next.
    assert_eq!(read(2 * LONG, 200), (0, 0));
    assert_eq!(read(2 * LONG, 200), (1, 2 * LONG + LONG / 8));
}

#[test]
fn very_many_data_lines_are_joined_in_one_buffer() {
    let lines = b"data: x\n".repeat(1_000);
    let mut decoder = FrameDecoder::new(&Limits::default());
    let used = watch(|| {
        for _ in 0..1_000 {
            feed(&mut decoder, lines.chunks(777)).expect("within limits");
        }
        assert_eq!(feed(&mut decoder, [&b"\n"[..]]), Ok(1));
    });
    assert!(used.total <= 4 * 2_000_000 + 1_024, "{used:?}");
}

#[test]
fn the_memory_of_one_huge_frame_is_freed() {
    let mut decoder = FrameDecoder::new(&Limits::default());
    let before = live();
    for _ in 0..2 {
        feed(&mut decoder, [&b"data: "[..], &vec![b'x'; 8 << 20], b"\n\n"]).expect("within limits");
        for _ in 0..15 {
            feed(&mut decoder, [&b"data: 1\n\n"[..]]).expect("within limits");
            let kept = live();
            assert!(kept >= before + (8 << 20), "{before} bytes before, {kept} where another may follow");
        }
        feed(&mut decoder, [&b"data: 1\n\n"[..]]).expect("within limits");
        let after = live();
        assert!(after <= before + (2 << 20), "{before} bytes before, {after} after");
    }
}

#[test]
fn a_buffer_of_a_mebibyte_is_kept_and_a_larger_one_is_freed() {
    let drip = |decoder: &mut FrameDecoder, before: &[u8], length: usize, after: &[u8]| {
        let text = vec![b'x'; length];
        feed(decoder, [before].into_iter().chain(text.chunks(200)).chain([after])).expect("within limits");
    };
    // Payloads, ids and comments; buffers double, so these need exactly a mebibyte, or two.
    for (before, after) in [(&b"data: "[..], &b"\n\n"[..]), (b"id: ", b"\n\n"), (b": ", b"\n\n")] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        drip(&mut decoder, before, 1_000_000, after);
        let again = watch(|| drip(&mut decoder, before, 1_000_000, after));
        // The text itself is one allocation, and an id is copied where it is stored.
        let most = if before == b"id: " { 3 } else { 1 };
        assert!(again.calls <= most, "{:?}: {again:?}", String::from_utf8_lossy(before));
    }
    for before in [&b"data: "[..], b"id\0: ", b"id: \0"] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let held = live();
        drip(&mut decoder, before, 1_200_000, b"\n\n");
        for _ in 0..16 {
            feed(&mut decoder, [&b": hi\n\n"[..]]).expect("within limits");
        }
        let left = live() - held;
        assert!(left < 1 << 20, "{:?}: {left} bytes are held", String::from_utf8_lossy(before));
    }
}

fn feed<'c>(decoder: &mut FrameDecoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> Result<usize, Code> {
    let mut frames = 0;
    for chunk in chunks {
        let mut at = 0;
        while let Some(signal) = decoder.next(chunk, &mut at).map_err(|error| error.code())? {
            frames += usize::from(matches!(signal, Signal::Frame(_)));
        }
    }
    Ok(frames)
}
