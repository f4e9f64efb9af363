//! M28 to M35: the cost of input.

use deltafold::{Code, Limits, Outcome, Overflow, Reader, ReaderOptions};
use deltafold_tests::memory::{live, watch};

use super::{frame, NEXT};

fn with(limits: Limits) -> Reader {
    Reader::with_options(ReaderOptions::default().limits(limits))
}

/// Feeds and polls until an error.
fn drive<'a>(reader: &mut Reader, chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<u64, Code> {
    let mut events = 0;
    for chunk in chunks {
        reader.feed(chunk).map_err(|error| error.code())?;
        while reader.poll_event().map_err(|error| error.code())?.is_some() {
            events += 1;
        }
    }
    Ok(events)
}

#[test]
fn m28_endless_input_stops_at_its_limit_and_ignored_fields_are_not_stored() {
    let limit = 100_000;
    let filler = [b'x'; 999];
    for (start, again, stops) in [
        ("data: ", "", Some(Code::LineLimit)),
        ("", "\ndata: ", Some(Code::FrameLimit)),
        ("event: ", "", Some(Code::LineLimit)),
        (": ", "", None),
        ("unknown: ", "", None),
        ("", "", None),
    ] {
        let limits = Limits::default().line_bytes(limit).frame_bytes(limit);
        let mut result = Ok(0);
        let used = watch(|| {
            let mut reader = with(limits);
            result = drive(&mut reader, [start.as_bytes()]);
            for _ in 0..300 {
                result = result.and_then(|_| drive(&mut reader, [again.as_bytes(), &filler[..]]));
            }
        });
        assert_eq!(result.err(), stops, "{start}{again}");
        assert!(used.peak <= 2 * limit + (64 << 10), "{start}{again}: {used:?}");
    }
}

#[test]
fn m29_a_long_line_in_small_chunks_is_neither_copied_per_chunk_nor_scanned_again() {
    let cost = |length: usize, step: usize| {
        let line = format!("data: {{\"type\":\"acme:x\",\"sequence_number\":0,\"x\":\"{}\"}}\n\n", "y".repeat(length));
        let mut reader = Reader::new();
        let used = watch(|| assert_eq!(drive(&mut reader, line.as_bytes().chunks(step)), Ok(1)));
        used.total
    };
    // The default limit of a line is 64 MiB; `deltafold-hostile` in the benches feeds that many single bytes.
    for (length, step) in [(1 << 20, 1), ((32 << 20) - 100, 1 << 10)] {
        let (once, twice) = (cost(length, step), cost(2 * length, step));
        assert!(twice <= once * 22 / 10 + (64 << 10), "{length} in {step}: {once}, then {twice}");
        assert!(once <= 8 * length + (64 << 10), "{length} in {step}: {once}");
    }
}

#[test]
fn m30_very_many_data_lines_and_findings_stay_bounded() {
    let cost = |lines: usize| {
        let frame = format!("{}\n", "data: x\n".repeat(lines));
        let mut reader = Reader::new();
        let used = watch(|| assert_eq!(drive(&mut reader, [frame.as_bytes()]), Ok(1)));
        used.total
    };
    let (once, twice) = (cost(500_000), cost(1_000_000));
    assert!(twice <= once * 22 / 10 + (64 << 10), "{once}, then {twice}");

    let mut reader = Reader::new();
    let bad = frame("nonsense").repeat(1_000);
    for _ in 0..10 {
        drive(&mut reader, [bad.as_bytes()]).unwrap();
    }
    let held = live();
    for _ in 10..1_000 {
        drive(&mut reader, [bad.as_bytes()]).unwrap();
    }
    assert!(live() - held < 1 << 10, "findings beyond the limit are only counted: {} bytes more", live() - held);
    assert_eq!(reader.findings().len(), Limits::default().findings);
    assert!(reader.all_findings().total() >= 1_000_000);
}

#[test]
fn m31_every_limit_is_exact() {
    let line = frame(NEXT);
    let (data, whole) = (NEXT.len(), "data: ".len() + NEXT.len());
    let exact = |limits: Limits, bytes: &[u8]| drive(&mut with(limits), [bytes]);
    for (size, make, code) in [
        (whole, (|n| Limits::default().line_bytes(n)) as fn(usize) -> Limits, Code::LineLimit),
        (data, |n| Limits::default().frame_bytes(n), Code::FrameLimit),
        (line.len(), |n| Limits::default().buffered_bytes(n), Code::BufferLimit),
        (1, |n| Limits::default().items(n), Code::ItemLimit),
        (1, |n| Limits::default().parts(n), Code::PartLimit),
    ] {
        assert_eq!(exact(make(size), line.as_bytes()), Ok(1), "{code:?} at {size}");
        assert_eq!(exact(make(size + 1), line.as_bytes()), Ok(1), "{code:?} at {size} + 1");
        assert_eq!(exact(make(size - 1), line.as_bytes()), Err(code), "{code:?} at {size} - 1");
        assert_eq!(exact(make(0), line.as_bytes()), Err(code), "{code:?} at 0");
        assert_eq!(exact(make(usize::MAX), line.as_bytes()), Ok(1), "{code:?} at the largest");
    }
    // The size of a response is the accumulated size; its exact limit is found by trying.
    let edge = (0..4_096).find(|n| exact(Limits::default().response_bytes(*n), line.as_bytes()).is_ok());
    let edge = edge.unwrap();
    assert!(edge >= "next".len(), "{edge}");
    for n in 0..edge {
        assert_eq!(
            exact(Limits::default().response_bytes(n), line.as_bytes()),
            Err(Code::ResponseLimit),
            "{n} of {edge}"
        );
    }
    // An event past the depth limit is kept raw; a finding past the limit is only counted.
    for (depth, faults) in [(0, 1), (1, 0), (2, 0), (usize::MAX, 0)] {
        let mut reader = with(Limits::default().depth(depth));
        assert_eq!(drive(&mut reader, [line.as_bytes()]), Ok(1), "depth {depth}");
        assert_eq!(usize::from(reader.response().is_empty()), faults, "depth {depth}");
    }
    for findings in [0, 9, 10, 11, usize::MAX] {
        let mut reader = with(Limits::default().findings(findings));
        assert_eq!(drive(&mut reader, [frame("nonsense").repeat(10).as_bytes()]), Ok(10));
        assert_eq!((reader.findings().len(), reader.all_findings().total()), (findings.min(10), 10), "{findings}");
    }
    // Depth 0 lets no object through, and keeps the event; with a limit of 0 no finding is stored.
    let none = Limits::default().depth(0).findings(0);
    let mut reader = with(none);
    assert_eq!(drive(&mut reader, [line.as_bytes()]), Ok(1));
    assert!(reader.findings().is_empty() && reader.all_findings().total() > 0);
    let dropped = Limits::default().frame_bytes(data - 1).overflow(Overflow::Drop);
    assert_eq!(exact(dropped, (line.clone() + &line).as_bytes()), Ok(2), "dropped payloads are events still");
}

#[test]
fn m32_after_an_error_or_the_end_every_call_returns_the_same_and_reset_starts_again() {
    let tight = Limits::default().line_bytes(10);
    let mut reader = with(tight);
    assert!(reader.poll_event().unwrap().is_none(), "before any input");
    assert_eq!(drive(&mut reader, [frame(NEXT).as_bytes()]), Err(Code::LineLimit));
    for _ in 0..3 {
        assert_eq!(reader.feed(b"x").unwrap_err().code(), Code::LineLimit);
        assert_eq!(reader.feed_json("{}").unwrap_err().code(), Code::LineLimit);
        assert_eq!(reader.poll_event().map(drop).unwrap_err().code(), Code::LineLimit);
        assert_eq!(reader.finish().unwrap_err().code(), Code::LineLimit);
        assert!(matches!(reader.outcome(), Some(Outcome::Truncated { .. })));
    }
    reader.reset();
    // The offset of the end is where reading stopped, even if a larger chunk allowed lookahead.
    let ends = |step: usize| {
        let mut reader = with(Limits::default().line_bytes(NEXT.len() + 10));
        let stream = frame(NEXT) + &frame(&NEXT.replace("next", &"y".repeat(100)));
        assert_eq!(drive(&mut reader, stream.as_bytes().chunks(step)), Err(Code::LineLimit));
        assert_eq!(reader.finish().unwrap_err().code(), Code::LineLimit);
        reader.findings().iter().map(|finding| finding.location.offset).collect::<Vec<_>>()
    };
    assert_eq!(ends(1), ends(1 << 20));
    assert_eq!(drive(&mut reader, [&b": c\n\n"[..]]), Ok(0));
    let first = reader.finish().unwrap();
    assert_eq!((reader.finish().unwrap(), reader.findings().len()), (first, reader.findings().len()));
    assert_eq!(reader.feed(b"x").unwrap_err().code(), Code::AfterFinish);
    assert!(reader.poll_event().unwrap().is_none());

    let before = live();
    for _ in 0..100 {
        let mut reader = Reader::new();
        drive(&mut reader, [frame(NEXT).as_bytes()]).unwrap();
        reader.reset();
        drive(&mut reader, [frame(NEXT).as_bytes()]).unwrap();
        reader.finish().unwrap();
    }
    assert_eq!(live(), before, "all memory was freed");
}

#[test]
fn m33_allocations_are_proportional_to_the_input() {
    // The core aborts like every Rust program when the system has no memory left; its requests never exceed its input.
    for length in [1 << 10, 1 << 16, 1 << 20] {
        let payload = format!(r#"{{"type":"acme:x","sequence_number":0,"x":"{}"}}"#, "y".repeat(length));
        let used = watch(|| assert_eq!(drive(&mut Reader::new(), [frame(&payload).as_bytes()]), Ok(1)));
        assert!(used.peak <= 4 * length + (64 << 10), "{length}: {used:?}");
    }
}

#[test]
fn m34_a_reader_that_is_reused_many_times_uses_constant_memory() {
    let stream: String = (0..50)
        .map(|number| frame(&NEXT.replace("\"sequence_number\":0", &format!("\"sequence_number\":{number}"))))
        .collect();
    let mut reader = Reader::new();
    let round = |reader: &mut Reader| {
        assert_eq!(drive(reader, [stream.as_bytes()]), Ok(50));
        reader.finish().unwrap();
        reader.reset();
    };
    (0..10).for_each(|_| round(&mut reader));
    let before = live();
    (0..1_000).for_each(|_| round(&mut reader));
    assert!((live() - before).abs() < 64 << 10, "{} bytes more after 50,000 events", live() - before);
}

#[test]
fn m35_a_terminal_event_that_repeats_everything_is_counted_once() {
    // A kilobyte was streamed, and the snapshot has 50 MB.
    let text = "y".repeat(50_000_000);
    let item = format!(
        r#"{{"type":"message","id":"m","status":"completed","role":"assistant","content":[{{"type":"output_text","text":"{text}","annotations":[]}}]}}"#
    );
    let done = format!(r#"{{"type":"response.output_item.done","sequence_number":1,"output_index":0,"item":{item}}}"#);
    let end = format!(
        r#"{{"type":"response.completed","sequence_number":2,"response":{{"id":"r","object":"response","status":"completed","output":[{item}]}}}}"#
    );
    for stream in [frame(NEXT) + &frame(&end), frame(&done) + &frame(&end)] {
        let limits = Limits::default().response_bytes(text.len() + text.len() / 2);
        let mut reader = with(limits);
        let used = watch(|| assert_eq!(drive(&mut reader, stream.as_bytes().chunks(16 << 10)), Ok(2)));
        assert_eq!(reader.response().output_text_len(), text.len());
        assert!(used.peak <= 3 * stream.len(), "{} bytes in, {used:?}", stream.len());
    }
}

#[test]
fn m28_every_limit_bounds_an_attack() {
    // Each limit alone is small, and the stream never stops approaching it.
    let delta = |at: usize, item: usize, part: usize, text: &str| {
        frame(&format!(
            r#"{{"type":"response.output_text.delta","sequence_number":{at},"item_id":"m{item}","output_index":{item},"content_index":{part},"delta":"{text}"}}"#
        ))
    };
    let long = "x".repeat(1_000);
    type HostileInput<'a> = (&'a str, Limits, &'a dyn Fn(usize) -> String, Option<Code>, usize);
    let attacks: [HostileInput<'_>; 8] = [
        (
            "line_bytes",
            Limits::default().line_bytes(100_000),
            &|_| format!("data{}: ", ":x".repeat(500)),
            Some(Code::LineLimit),
            100_000,
        ),
        (
            "frame_bytes",
            Limits::default().frame_bytes(100_000),
            &|_| format!("data: {long}\n"),
            Some(Code::FrameLimit),
            100_000,
        ),
        (
            "buffered_bytes",
            Limits::default().buffered_bytes(100_000),
            &|at| delta(at, 0, 0, &"y".repeat(120_000)),
            Some(Code::BufferLimit),
            100_000,
        ),
        (
            "depth",
            Limits::default().depth(16),
            &|_| frame(&format!(r#"{{"type":"acme:x","x":{}1{}}}"#, "[".repeat(5_000), "]".repeat(5_000))),
            None,
            100_000,
        ),
        ("items", Limits::default().items(50), &|at| delta(at, at, 0, "y"), Some(Code::ItemLimit), 50 * 4_096),
        ("parts", Limits::default().parts(50), &|at| delta(at, 0, at, "y"), Some(Code::PartLimit), 50 * 2_048),
        (
            "response_bytes",
            Limits::default().response_bytes(100_000),
            &|at| delta(at, 0, 0, &long),
            Some(Code::ResponseLimit),
            100_000,
        ),
        ("findings", Limits::default().findings(10), &|_| frame("nonsense"), None, 10 * 1_024),
    ];
    for (name, limits, chunk, stops, bound) in attacks {
        let chunks: Vec<String> = (0..1_000).map(chunk).collect();
        let mut result = Ok(0);
        let used = watch(|| result = drive(&mut with(limits), chunks.iter().map(String::as_bytes)));
        assert_eq!(result.err(), stops, "{name}");
        assert!(used.peak <= 2 * bound + (64 << 10), "{name}: {used:?}");
    }
}
