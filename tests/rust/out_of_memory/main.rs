//! M33 of `docs/robustness.md`: an allocator that refuses every large block, as a machine without free memory does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use deltafold::sse::FrameDecoder;
use deltafold::{Class, Limits, Reader};

/// The system's allocator, which refuses blocks above a size on some threads.
struct Refusing;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn refused(size: usize) -> bool {
    LARGEST.try_with(|largest| size > largest.get()).unwrap_or(false)
}

// SAFETY: every call is passed on to the system's allocator, or returns the null pointer, which means no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller fulfills the contract of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the pointer came from `System` with this layout, and the caller fulfills the rest of the contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static REFUSING: Refusing = Refusing;

/// Calls a function while blocks above a size are refused.
fn with_at_most<R>(largest: usize, work: impl FnOnce() -> R) -> R {
    LARGEST.set(largest);
    let done = work();
    LARGEST.set(usize::MAX);
    done
}

const NEXT: &str = r#"{"type":"response.output_text.delta","sequence_number":0,"item_id":"m","output_index":0,"content_index":0,"delta":"next"}"#;

#[test]
fn m33_no_memory_for_input_is_an_error_and_the_reader_stays_usable() {
    let long = format!("data: {{\"type\":\"acme:x\",\"x\":\"{}\"}}\n\n", "y".repeat(4 << 20));
    // At every size that a growing buffer reaches: the chunk itself, the line in small chunks, the frame of many lines, a message.
    for largest in [16 << 10, 100_000, 1 << 20, 3 << 20] {
        type Attempt<'a> = (&'a str, &'a dyn Fn(&mut Reader) -> Result<(), deltafold::Error>);
        let fed = |reader: &mut Reader, bytes: &[u8], step: usize| {
            for chunk in bytes.chunks(step) {
                reader.feed(chunk)?;
                while reader.poll_event()?.is_some() {}
            }
            Ok(())
        };
        let lines = format!("{}\n", format!("data: {}\n", "z".repeat(1_000)).repeat(4_000));
        let message = format!("{{\"type\":\"acme:x\",\"x\":\"{}\"}}", "y".repeat(4 << 20));
        let attempts: [Attempt<'_>; 4] = [
            ("one chunk", &|reader| fed(reader, long.as_bytes(), usize::MAX)),
            ("one line", &|reader| fed(reader, long.as_bytes(), 1_000)),
            ("many lines", &|reader| fed(reader, lines.as_bytes(), 1_000)),
            ("one message", &|reader| reader.feed_json(&message)),
        ];
        for (name, attempt) in attempts {
            let mut reader = Reader::new();
            reader.feed_json(NEXT).unwrap();
            while reader.poll_event().unwrap().is_some() {}
            let error = with_at_most(largest, || attempt(&mut reader)).map(drop).unwrap_err();
            assert_eq!(error.class(), Class::Limit, "{name}, {largest}: {error}");
            // Earlier events are still there, the error is returned again, and a reset makes the reader usable.
            assert_eq!(reader.response().output_text(), "next", "{name}, {largest}");
            assert_eq!(reader.feed(b"x").unwrap_err(), error, "{name}, {largest}");
            reader.reset();
            assert!(attempt(&mut reader).is_ok(), "{name}, {largest}");
        }
    }
}

#[test]
fn m33_the_decoder_alone_also_reports_the_error_and_its_offset() {
    let drip = vec![b'x'; 1_000];
    for start in ["data: ", "event: ", "id: "] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let before = format!("retry: 5\n{start}");
        let mut taken = 0;
        let error = with_at_most(100_000, || {
            decoder.next(before.as_bytes(), &mut 0)?;
            (0..1_000).try_for_each(|_| decoder.next(&drip, &mut 0).map(|_| taken += drip.len()))
        });
        let error = error.unwrap_err();
        // The first byte that could not be stored.
        assert_eq!((error.class(), error.offset()), (Class::Limit, (before.len() + taken) as u64), "{start}");
        assert!(taken > 0 && taken < 100_000, "{start}: {taken}");
    }
}
