//! A reader with a lock, as the bindings for languages with threads use it, and readers that move between threads. Run by
//! Miri and by ThreadSanitizer, which report races that a plain run shows only as an occasionally lost event.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;

use deltafold::adapter::Converter;
use deltafold::json::PartialJson;
use deltafold::{Reader, Writer, WriterOptions};

/// Miri is a thousand times slower.
const FRAMES: u64 = if cfg!(miri) { 4 } else { 400 };
const THREADS: u64 = if cfg!(miri) { 3 } else { 8 };

fn frame(text: &str) -> String {
    format!("data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"{text}\"}}\n\n")
}

#[test]
fn many_threads_on_one_locked_reader_lose_no_event() {
    let (reader, turns) = (Arc::new(Mutex::new(Reader::new())), Arc::new(AtomicU64::new(0)));
    let threads = (0..THREADS).map(|_| {
        let (reader, turns) = (Arc::clone(&reader), Arc::clone(&turns));
        thread::spawn(move || {
            let mut seen = 0;
            for _ in 0..FRAMES {
                // First without waiting, then waiting: the Python binding does this to release the interpreter lock in between.
                let mut reader = match reader.try_lock() {
                    Ok(reader) => reader,
                    Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                    Err(TryLockError::WouldBlock) => reader.lock().unwrap_or_else(PoisonError::into_inner),
                };
                reader.feed(frame("x").as_bytes()).unwrap();
                while let Some(event) = reader.poll_event().unwrap() {
                    assert_eq!(event.delta(), "x");
                    seen += 1;
                }
                turns.fetch_add(1, Ordering::Relaxed);
            }
            seen
        })
    });
    // Collected first, so that all run at the same time.
    let threads: Vec<_> = threads.collect();
    let seen: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    let reader = reader.lock().unwrap();
    assert_eq!((seen, reader.event_count(), turns.load(Ordering::Relaxed)), (THREADS * FRAMES, seen, seen));
    assert_eq!(reader.response().output_text().len() as u64, seen);
}

#[test]
fn a_reader_can_be_read_by_several_threads_while_none_changes_it() {
    let mut reader = Reader::new();
    reader.feed(frame("shared").as_bytes()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let reader = Mutex::new(reader);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| assert_eq!(reader.lock().unwrap().response().output_text(), "shared"));
        }
    });
}

#[test]
fn everything_with_a_state_moves_between_threads() {
    let mut reader = Reader::new();
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m", 7));
    let mut converter = Converter::from_json(r#"{"from":"open-responses","to":"chat-completions"}"#).unwrap();
    let mut growing = PartialJson::default();
    writer.apply_json(r#"{"do":"message"}"#).unwrap();
    for round in 0..3 {
        (reader, writer, converter, growing) = thread::spawn(move || {
            writer.apply_json(r#"{"do":"text","item":0,"text":"y"}"#).unwrap();
            let bytes = writer.take();
            reader.feed(&bytes).unwrap();
            while reader.poll_event().unwrap().is_some() {}
            converter.feed(&bytes).unwrap();
            growing.push(["[1", ",2", "]"][round]).unwrap();
            (reader, writer, converter, growing)
        })
        .join()
        .unwrap();
    }
    assert_eq!((reader.response().output_text().as_ref(), growing.is_complete()), ("yyy", true));
    assert!(String::from_utf8(converter.take()).unwrap().contains("\"y\""));
}
