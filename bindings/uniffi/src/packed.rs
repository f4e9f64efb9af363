//! Events of a chunk packed into one buffer, for languages in which converting each field of each event is slow: Ruby.
//!
//! A packed list is a table of numbers and a text. `ruby/lib/deltafold/event.rb` reads both: an event there is a position in the
//! table, and a field is copied from the text when it is read. Layout, all numbers signed 64-bit little-endian:
//!
//! | part | content |
//! | --- | --- |
//! | 1 number | count of events |
//! | 20 numbers per event | in the order of [`Packed::push`]; -1 means an absent number |
//! | the rest | UTF-8 text |
//!
//! A text field is two numbers: its first byte in the text and its length in bytes, -1 if it is absent.
//!
//! Ruby feeds chunks through two C functions instead of UniFFI's, whose conversions cost more than reading an event does.

use std::ptr;

use crate::event::EventClass;
use crate::int;
use crate::lock::Lock;
use crate::reader::ReaderState;

/// The number of an absent value.
const ABSENT: i64 = -1;

/// Events packed one after another.
#[derive(Default)]
pub(crate) struct Packed {
    numbers: Vec<u8>,
    text: String,
    count: i64,
}

impl Packed {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The packed list as one buffer.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + self.numbers.len() + self.text.len());
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.numbers);
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    /// The same buffer after its own length, as a block that [`deltafold_ruby_free`] frees.
    fn into_block(self) -> *mut u8 {
        let length = 8 + self.numbers.len() + self.text.len();
        let mut block = Vec::with_capacity(size_of::<usize>() + length);
        block.extend_from_slice(&length.to_ne_bytes());
        block.extend_from_slice(&self.count.to_le_bytes());
        block.extend_from_slice(&self.numbers);
        block.extend_from_slice(self.text.as_bytes());
        Box::into_raw(block.into_boxed_slice()).cast()
    }

    fn number(&mut self, number: i64) {
        self.numbers.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds a text field. `raw` is the payload of the event, which is in the text from `start` on: a field that was borrowed from
    /// it is not copied.
    fn text(&mut self, text: Option<&str>, raw: &str, start: usize) {
        let Some(text) = text else {
            self.number(ABSENT);
            return self.number(ABSENT);
        };
        let within = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        if within <= raw.len() && text.len() <= raw.len() - within {
            self.number((start + within) as i64);
        } else {
            self.number(self.text.len() as i64);
            self.text.push_str(text);
        }
        self.number(text.len() as i64);
    }

    /// Adds an event.
    pub(crate) fn push(&mut self, event: &deltafold::Event<'_>) {
        let (kind, raw) = (event.kind(), event.raw());
        let class = EventClass::of(event);
        let start = self.text.len();
        self.text.push_str(raw);
        let optional = |number: Option<u64>| number.map_or(ABSENT, int);
        for number in [
            kind as i64,
            class.number(),
            int(event.index()),
            optional(event.sequence_number()),
            optional(event.output_index()),
            optional(event.content_index()),
            optional(event.summary_index()),
            int(event.offset()),
            start as i64,
            raw.len() as i64,
        ] {
            self.number(number);
        }
        // Ruby has the names of all kinds.
        let wire_type = event.wire_type();
        self.text(Some(wire_type).filter(|name| *name != kind.name()), raw, start);
        self.text(event.item_id(), raw, start);
        self.text(Some(event.delta()), raw, start);
        self.text(event.done_text(), raw, start);
        self.text(class.into_extra().as_deref(), raw, start);
        self.count += 1;
    }
}

/// `Reader.feed` for Ruby. Returns a block with the packed events: its length as a `usize`, then that many bytes. Returns null if the
/// chunk completes no event, and 1 if the call fails; `feed_packed` with the same chunk then returns the error.
///
/// # Safety
/// `reader` is the result of `Reader::packed_handle` of a live reader, and `chunk` points to `length` readable bytes.
#[no_mangle]
unsafe extern "C" fn deltafold_ruby_feed(reader: usize, chunk: *const u8, length: usize) -> *mut u8 {
    let failed = ptr::without_provenance_mut(1);
    let read = || {
        // SAFETY: the caller passes the handle of a live reader, which owns the lock.
        let reader = unsafe { &*ptr::with_exposed_provenance::<Lock<ReaderState>>(reader) };
        let chunk = match length {
            0 => &[][..],
            // SAFETY: the caller passes `length` readable bytes, which do not change during the call.
            _ => unsafe { std::slice::from_raw_parts(chunk, length) },
        };
        reader.attempt(|state| state.feed_packed(chunk))
    };
    // No panic may unwind into C. A panic leaves the lock usable; see `Lock::with`.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)) {
        Ok(Ok(packed)) if packed.is_empty() => ptr::null_mut(),
        Ok(Ok(packed)) => packed.into_block(),
        _ => failed,
    }
}

/// Frees a block of [`deltafold_ruby_feed`].
///
/// # Safety
/// `block` came from `deltafold_ruby_feed`, is neither null nor 1, and was not freed.
#[no_mangle]
unsafe extern "C" fn deltafold_ruby_free(block: *mut u8) {
    // SAFETY: the block begins with the length of the rest, and came from a boxed slice of that size.
    unsafe {
        let length = block.cast::<usize>().read_unaligned();
        drop(Box::from_raw(ptr::slice_from_raw_parts_mut(block, size_of::<usize>() + length)));
    }
}
