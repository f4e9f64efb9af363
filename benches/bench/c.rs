//! The C functions compared with the Rust reader on the same work: one chunk per event in, every event read, the text out. The
//! Rust program reads every field of the C struct, because the C functions always fill the whole struct.
//!
//! The functions are called through opaque pointers, as a C program calls them. `benches/c` has that program, for counting
//! instructions.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use deltafold_benches::contenders::reader_members;
use deltafold_benches::shapes::{Folded, Shape};
use deltafold_benches::{measure, mode, wanted, Chunking, Contender};
use deltafold_c::*;

pub(crate) fn main() {
    let mode = mode();
    for name in ["W1", "W2", "W3"] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        let title = format!("C {name} event");
        if !wanted(&title) {
            continue;
        }
        let chunks = Chunking::Event.chunks(&shape.stream);
        let contenders = vec![
            Contender::new("Rust reader", || reader_members(&chunks)),
            Contender::new("C functions", || c(&chunks)),
        ];
        let check = |name: &str, folded: &Folded| assert_eq!(folded.result(), shape.expected, "{name}");
        println!("{}", measure(title, shape.expected.events, check, contenders, mode));
    }
}

type Feed = unsafe extern "C" fn(*mut dfold_reader, *const u8, usize) -> dfold_status;
type Poll = unsafe extern "C" fn(*mut dfold_reader, *mut dfold_event) -> dfold_status;
type PartOf = unsafe extern "C" fn(*mut dfold_reader, usize, usize, *mut dfold_part) -> dfold_status;

fn c(chunks: &[&[u8]]) -> Folded {
    const OK: dfold_status = dfold_status::DFOLD_OK;
    let (feed, poll) = (black_box(dfold_reader_feed as Feed), black_box(dfold_reader_poll as Poll));
    let mut folded = Folded::default();
    let mut reader = null_mut();
    let mut event = MaybeUninit::<dfold_event>::uninit();
    // SAFETY: the reader is created and freed here and used by this thread only; every pointer points to a local or to a chunk, and
    // an output is read only after DFOLD_OK.
    unsafe {
        assert_eq!(dfold_reader_new(null(), &mut reader), OK);
        for chunk in chunks {
            assert_eq!(feed(reader, chunk.as_ptr(), chunk.len()), OK);
            while poll(reader, event.as_mut_ptr()) == OK {
                let event = black_box(event.assume_init_ref());
                folded.event();
                if event.kind == dfold_kind::DFOLD_KIND_COMPLETED {
                    folded.completed(text(event.raw));
                }
            }
        }
        let mut item = MaybeUninit::<dfold_item>::uninit();
        let mut at = 0;
        while dfold_reader_item(reader, at, item.as_mut_ptr()) == OK {
            let item: dfold_item = item.assume_init();
            match text(item.r#type) {
                "message" => parts(&mut folded, reader, at, dfold_reader_part),
                "reasoning" => parts(&mut folded, reader, at, dfold_reader_summary_part),
                _ => folded.delta(at as u64, 0, text(item.arguments)),
            }
            at += 1;
        }
        dfold_reader_free(reader);
    }
    folded
}

/// # Safety
/// The reader is alive and used by this thread only.
unsafe fn parts(folded: &mut Folded, reader: *mut dfold_reader, item: usize, get: PartOf) {
    let mut part = MaybeUninit::<dfold_part>::uninit();
    // SAFETY: the caller guarantees it; the part is read only if there is one.
    let mut next = |at: usize| unsafe {
        (get(reader, item, at, part.as_mut_ptr()) == dfold_status::DFOLD_OK).then(|| part.assume_init())
    };
    let mut at = 0;
    while let Some(part) = next(at) {
        // SAFETY: the view comes from the call above.
        folded.delta(item as u64, at as u64, unsafe { text(part.text) });
        at += 1;
    }
}

/// # Safety
/// The view is still valid; a reader returns UTF-8.
unsafe fn text<'a>(view: dfold_bytes) -> &'a str {
    // SAFETY: the caller guarantees the first, the library the second.
    unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(view.data, view.len)) }
}
