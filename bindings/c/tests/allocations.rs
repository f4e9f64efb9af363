//! Feeding, polling and reading a delta through the C functions allocates nothing after warm-up.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use deltafold_c::*;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is forwarded to the system allocator; the counter is a thread-local outside its memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The counter of an exiting thread is gone; only the main test thread is measured.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const OK: dfold_status = dfold_status::DFOLD_OK;

/// One chunk per event, as a network delivers them.
fn chunks() -> Vec<String> {
    let head = [
        r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}"#.to_owned(),
        r#"{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","status":"in_progress","content":[]}}"#.to_owned(),
        r#"{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}"#.to_owned(),
    ];
    let deltas = (3..4003).map(|number| {
        let text = if number % 7 == 0 { "\\u00e9\\n" } else { "word " };
        format!(
            r#"{{"type":"response.output_text.delta","sequence_number":{number},"item_id":"msg_1","output_index":0,"content_index":0,"delta":"{text}"}}"#
        )
    });
    let frame = |json: String| {
        let kind = json.split('"').nth(3).unwrap_or_default();
        format!("event: {kind}\ndata: {json}\n\n")
    };
    head.into_iter().chain(deltas).map(frame).collect()
}

#[test]
fn a_delta_allocates_only_when_the_text_buffer_doubles() {
    let chunks = chunks();
    let mut reader = std::ptr::null_mut();
    // SAFETY: the handle is created here, used by this thread only and freed once; every pointer points to a local.
    unsafe {
        assert_eq!(dfold_reader_new(std::ptr::null(), &mut reader), OK);
        let mut event = std::mem::MaybeUninit::uninit();
        let mut deltas = 0;
        let mut bytes = 0;
        let mut run = |chunks: &[String]| {
            for chunk in chunks {
                assert_eq!(dfold_reader_feed(reader, chunk.as_ptr(), chunk.len()), OK);
                while dfold_reader_poll(reader, event.as_mut_ptr()) == OK {
                    let event: dfold_event = event.assume_init();
                    deltas += u64::from(event.kind == dfold_kind::DFOLD_KIND_OUTPUT_TEXT_DELTA);
                    bytes += event.delta.len;
                }
            }
        };
        run(&chunks[..2003]);
        let before = COUNT.get();
        run(&chunks[2003..]);
        let after = COUNT.get();
        assert_eq!((deltas, bytes), (4000, 4000 / 7 * 3 + (4000 - 4000 / 7) * 5));
        // The text grows from about 9 kB to 19 kB: only its buffer may grow, at most twice.
        assert!(after - before <= 2, "{} allocations for 2,000 deltas", after - before);
        dfold_reader_free(reader);
    }
}
