//! Saves a reader between two events, and restores it for a new connection.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Reader, ReaderOptions};
use crate::accumulate::Accumulator;
use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::sse::FrameDecoder;

/// The format's name and version. A save of another version is refused.
const FORMAT: &str = "deltafold-save-1";

/// The nesting of the saved text: a response inside a few levels of the format.
const ROOM: usize = 16;

impl Reader {
    /// The state after the last polled event, as bytes to store. It does not contain bytes that were fed and not polled, or a frame
    /// that is incomplete: a new connection starts at a frame. It does not contain findings either; store those that you need.
    pub fn save(&self) -> Vec<u8> {
        let mut state = Object::new();
        state.push("format", FORMAT);
        state.push("events", self.events);
        state.push("activity", self.activity);
        state.push("last_sequence_number", self.last_sequence_number);
        state.push("done", self.done_sentinel);
        state.push("last_event_id", self.decoder.last_event_id());
        state.push("retry", self.decoder.retry());
        // Severities of what follows depend on what was missed before. Few streams have either.
        if self.findings.is_softened() {
            state.push("softened", true);
        }
        if self.foreign.is_named() {
            state.push("named", true);
        }
        state.push("response", self.accumulator.save());
        let mut bytes = Value::Object(state).to_string().into_bytes();
        // A checksum detects a truncated or changed save before its parts are used.
        let sum = checksum(&bytes);
        bytes.extend_from_slice(alloc::format!("\n{sum:016x}").as_bytes());
        bytes
    }

    /// Restores a saved state. Feed it the bytes of the new connection: events that were read before are dropped
    /// with a finding, so the server may replay from any event up to the one after the last number.
    ///
    /// # Errors
    ///
    /// [`Code::DamagedSave`] if the bytes are not a save of this version.
    pub fn restore(saved: &[u8], options: ReaderOptions) -> Result<Self, Error> {
        let mut reader = Self::with_options(options);
        reader.take_up(saved).ok_or_else(|| Error::new(Code::DamagedSave, 0, ""))?;
        Ok(reader)
    }

    fn take_up(&mut self, saved: &[u8]) -> Option<()> {
        let (state, sum) = saved.split_at_checked(saved.len().checked_sub(17)?)?;
        // Compared as text: a sign or a capital letter is damage, too.
        if sum != alloc::format!("\n{:016x}", checksum(state)).as_bytes() {
            return None;
        }
        let depth = self.options.limits.depth.saturating_add(ROOM);
        let state = Value::parse(core::str::from_utf8(state).ok()?, depth).ok()?;
        if state.str_at("format")? != FORMAT {
            return None;
        }
        self.events = state.get("events")?.as_u64()?;
        self.activity = state.get("activity")?.as_u64()?;
        self.last_sequence_number = state.get("last_sequence_number")?.as_u64();
        self.resumed_after = self.last_sequence_number;
        // Items that were open are not saved for the validator: it checks the events from here on.
        if let Some(validator) = &mut self.validator {
            validator.join(self.last_sequence_number);
        }
        self.done_sentinel = state.get("done")?.as_bool()?;
        if state.get("softened").is_some() {
            self.findings.soften_repairs();
        }
        if state.get("named").is_some() {
            self.foreign.set_named();
        }
        let (id, retry) = (state.str_at("last_event_id")?, state.get("retry")?.as_u64());
        self.decoder = FrameDecoder::resume(&self.options.limits, id, retry);
        self.accumulator = Accumulator::restore(state.get("response")?, self.options.accumulate, self.options.limits)?;
        Some(())
    }
}

/// FNV-1a, 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}
