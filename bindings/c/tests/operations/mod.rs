//! Calls the C functions as a C program would, in an order that the input bytes select. Every function is in the table.
//!
//! A call uses a number, a handle that may be NULL, and a piece of the bytes. Every returned view is read completely, so
//! that Miri and AddressSanitizer detect dangling views. Shared by the tests of this crate and the fuzz target `c_abi`.

mod calls;

use std::ptr;

use deltafold_c::*;

pub(crate) use calls::CALLS;

/// The handles of the simulated program. They may be NULL: every function must return a status for that.
pub(crate) struct World<'a> {
    /// The unused input bytes.
    rest: &'a [u8],
    reader: *mut dfold_reader,
    writer: *mut dfold_writer,
    converter: *mut dfold_converter,
    partial: *mut dfold_partial,
    decoder: *mut dfold_sse,
    report: *mut dfold_report,
    text: *mut dfold_text,
    tools: *mut dfold_tool_loop,
    /// A saved state of a reader.
    saved: Vec<u8>,
    /// The sum of all bytes that were read through views, so that no read is optimized away.
    read: u64,
}

/// Calls functions until the bytes are used up, then frees all handles.
pub(crate) fn run(input: &[u8]) {
    let mut world = World::new(input);
    // Most inputs should use handles without having to create them first.
    calls::make(&mut world);
    while !world.rest.is_empty() {
        let choice = usize::from(world.byte());
        (CALLS[choice % CALLS.len()].1)(&mut world);
    }
    assert_ne!(world.read, u64::MAX, "the sum is in use");
}

impl<'a> World<'a> {
    /// A program without handles.
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self {
            rest,
            reader: ptr::null_mut(),
            writer: ptr::null_mut(),
            converter: ptr::null_mut(),
            partial: ptr::null_mut(),
            decoder: ptr::null_mut(),
            report: ptr::null_mut(),
            text: ptr::null_mut(),
            tools: ptr::null_mut(),
            saved: Vec::new(),
            read: 0,
        }
    }

    /// Takes a byte; 0 after the end.
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *byte
    }

    /// Takes a number: usually small, sometimes huge.
    fn number(&mut self) -> usize {
        match self.byte() {
            255 => usize::MAX,
            254 => 1 << 40 & usize::MAX,
            byte => usize::from(byte) % 8,
        }
    }

    /// Takes a piece of the input. The next byte is its length; 0 means up to the next zero byte.
    fn piece(&mut self) -> &'a [u8] {
        let length = match usize::from(self.byte()) {
            0 => self.rest.iter().position(|byte| *byte == 0).unwrap_or(self.rest.len()),
            length => length.min(self.rest.len()),
        };
        let (piece, rest) = self.rest.split_at(length);
        self.rest = rest;
        piece
    }

    /// Takes a piece as a view; half of the empty ones are NULL.
    fn view(&mut self) -> dfold_bytes {
        let piece = self.piece();
        let data = if piece.is_empty() && self.rest.len() % 2 == 0 { ptr::null() } else { piece.as_ptr() };
        dfold_bytes { data, len: piece.len() }
    }

    /// Takes one of the given words, or a piece.
    fn word(&mut self, words: &[&'static str]) -> dfold_bytes {
        match words.get(usize::from(self.byte()) % (words.len() + 1)) {
            Some(word) => dfold_bytes { data: word.as_ptr(), len: word.len() },
            None => self.view(),
        }
    }

    /// Reads every byte of a view and checks that it is UTF-8.
    fn see(&mut self, view: dfold_bytes) {
        assert!(!view.data.is_null(), "a view of the library is never NULL");
        // SAFETY: the library returned it, and no call on its handle has been made since.
        let bytes = unsafe { std::slice::from_raw_parts(view.data, view.len) };
        self.read = bytes.iter().fold(self.read, |sum, byte| sum.wrapping_add(u64::from(*byte)) & 0xFFFF_FFFF);
        assert!(std::str::from_utf8(bytes).is_ok(), "a view of the library is UTF-8");
    }

    /// Checks a status and returns `true` for DFOLD_OK. DFOLD_INTERNAL means that a panic was caught and fails the test.
    fn good(&mut self, status: dfold_status) -> bool {
        assert_ne!(status, dfold_status::DFOLD_INTERNAL, "a panic was caught");
        self.see(dfold_status_name(status as i32));
        status == dfold_status::DFOLD_OK
    }
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        // SAFETY: each handle is NULL or was created by the library, and is not used again.
        unsafe {
            dfold_reader_free(self.reader);
            dfold_writer_free(self.writer);
            dfold_converter_free(self.converter);
            dfold_partial_free(self.partial);
            dfold_sse_free(self.decoder);
            dfold_report_free(self.report);
            dfold_text_free(self.text);
            dfold_tool_loop_free(self.tools);
        }
    }
}
