//! [`DialectReader`]: bytes of a foreign stream → its messages → the dialect's decoder.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec::Vec;

use super::builder::ResponseBuilder;
use super::message_framer::{MessageFramer, SourceMessage};
use crate::adapter::{AdapterCode, AdapterFindings, Inbound, InboundEvent, Turns};
use crate::clock::Clock;
use crate::error::{Code, Error};
use crate::json::{Tape, ValueKind, ValueRef};

/// The decoder of one dialect: its messages, in order, and the meaning of the end of input.
pub(crate) trait DialectDecoder: Send {
    /// Takes one message, which is a JSON object. `name` is its SSE event name, if it has one.
    ///
    /// Not called after the response has ended.
    fn message(&mut self, name: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error>;

    /// Takes the sentinel `[DONE]`.
    fn done_sentinel(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let _ = builder;
        Ok(())
    }

    /// Takes the end of input. Not called after the response has ended.
    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error>;

    /// Writes the withheld data of open items, because the response is cancelled next.
    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let _ = builder;
        Ok(())
    }

    /// Returns whether a message after the end of a response starts another one.
    fn starts_response(&self, root: ValueRef<'_>) -> bool {
        let _ = root;
        false
    }

    /// Returns `true` if a message has no content after the end of the response, so that dropping it is not a loss.
    fn is_ignorable_after_end(&self, name: Option<&str>, root: ValueRef<'_>) -> bool {
        let _ = (name, root);
        false
    }
}

/// A dialect's decoder with its framing, builder and findings.
pub(crate) struct DialectReader {
    framer: MessageFramer,
    tape: Tape,
    depth: usize,
    messages: u64,
    // Called once per message through `dyn`: one compiled copy for all dialects is worth more than static calls.
    decoder: Box<dyn DialectDecoder>,
    builder: ResponseBuilder,
    /// For pending events: the number of events up to the end of a message, its position and its offset.
    positions: VecDeque<(u64, u64, u64)>,
    taken_events: u64,
    /// False if some events are left out: each is then at the position of the last message.
    keeps_positions: bool,
    finished: bool,
    fatal: Option<Error>,
}

impl DialectReader {
    pub(crate) fn new(decoder: Box<dyn DialectDecoder>, framer: MessageFramer, builder: ResponseBuilder) -> Self {
        let depth = builder.limits.depth;
        Self {
            framer,
            tape: Tape::default(),
            depth,
            messages: 0,
            decoder,
            builder,
            positions: VecDeque::new(),
            taken_events: 0,
            keeps_positions: true,
            finished: false,
            fatal: None,
        }
    }

    fn check(&self) -> Result<(), Error> {
        match &self.fatal {
            Some(stop) => Err(stop.clone()),
            None if self.finished => Err(Error::new(Code::AfterFinish, self.framer.offset(), "")),
            None => Ok(()),
        }
    }

    fn remember_error(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &result {
            self.fatal = Some(error.clone());
        }
        result
    }

    fn feed_inner(&mut self, chunk: &[u8]) -> Result<(), Error> {
        if !self.builder.options.enabled {
            if self.builder.findings.total() == 0 && !chunk.is_empty() {
                self.builder.report(AdapterCode::EventDropped, "enabled is off");
            }
            return Ok(());
        }
        let Self { framer, tape, depth, messages, decoder, builder, positions, .. } = self;
        let mut at = 0;
        while let Some(message) = framer.next(chunk, &mut at)? {
            let offset = message.offset;
            let result = take(&message, tape, *depth, messages, &mut **decoder, builder);
            record_position(builder, positions, messages.saturating_sub(1), offset);
            result?;
        }
        Ok(())
    }

    fn cancel_inner(&mut self) -> Result<(), Error> {
        let Self { builder, decoder, .. } = self;
        if !builder.options.enabled {
            return Ok(());
        }
        if !builder.is_ended() {
            decoder.flush_open_items(builder)?;
        }
        if builder.is_ended() {
            return Ok(());
        }
        builder.cancel()
    }

    fn finish_inner(&mut self) -> Result<(), Error> {
        let Self { framer, tape, depth, messages, decoder, builder, positions, .. } = self;
        if let Some(message) = framer.finish()? {
            let offset = message.offset;
            // A truncated message counts only if it is complete JSON.
            if message.data.trim() == "[DONE]" || tape.parse(message.data, *depth).is_ok() {
                take(&message, tape, *depth, messages, &mut **decoder, builder)?;
            }
            record_position(builder, positions, messages.saturating_sub(1), offset);
        }
        if builder.is_ended() || !builder.options.enabled {
            return Ok(());
        }
        builder.findings.set_event(*messages, framer.offset());
        let result = decoder.end_of_input(builder);
        record_position(builder, positions, *messages, framer.offset());
        result
    }
}

/// Stores which message caused the events that were written since the last call.
fn record_position(builder: &ResponseBuilder, positions: &mut VecDeque<(u64, u64, u64)>, index: u64, offset: u64) {
    let events = builder.event_count();
    if positions.back().is_none_or(|(known, ..)| *known < events) {
        positions.push_back((events, index, offset));
    }
}

fn take(
    message: &SourceMessage<'_>,
    tape: &mut Tape,
    depth: usize,
    messages: &mut u64,
    decoder: &mut dyn DialectDecoder,
    builder: &mut ResponseBuilder,
) -> Result<(), Error> {
    if message.data.trim() == "[DONE]" {
        return if builder.is_ended() { Ok(()) } else { decoder.done_sentinel(builder) };
    }
    builder.findings.set_event(*messages, message.offset);
    *messages += 1;
    if let Some(why) = message.dropped {
        builder.report(AdapterCode::EventDropped, why);
        return Ok(());
    }
    if let Err(error) = tape.parse(message.data, depth) {
        builder.findings.report(AdapterCode::EventDropped, || format!("expected JSON, found {error}"));
        return Ok(());
    }
    let root = tape.root(message.data);
    if root.kind() != ValueKind::Object {
        builder
            .findings
            .report(AdapterCode::EventDropped, || format!("expected an object, found {}", root.kind().name()));
        return Ok(());
    }
    if builder.is_ended() && builder.options.turns == Turns::All && decoder.starts_response(root) {
        builder.restart();
    }
    if !builder.is_ended() {
        return decoder.message(message.name, root, builder);
    }
    if !decoder.is_ignorable_after_end(message.name, root) {
        builder
            .report(AdapterCode::EventAfterTerminal, if decoder.starts_response(root) { "another turn" } else { "" });
    }
    Ok(())
}

impl Inbound for DialectReader {
    fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.check()?;
        let result = self.feed_inner(chunk);
        self.remember_error(result)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.check()?;
        self.finished = true;
        let result = self.finish_inner();
        self.remember_error(result)
    }

    fn set_clock(&mut self, clock: Clock) {
        self.builder.clock = Some(clock);
    }

    fn cancel(&mut self) -> Result<(), Error> {
        self.check()?;
        let result = self.cancel_inner();
        self.remember_error(result)
    }

    fn keep_snapshots_only(&mut self) {
        self.keeps_positions = false;
        self.builder.keep_snapshots_only();
    }

    fn write_into(&mut self, out: &mut Vec<u8>) {
        self.builder.write_into(out);
        self.taken_events = self.builder.event_count();
        self.positions.clear();
    }

    fn poll_event(&mut self) -> Option<InboundEvent<'_>> {
        let Self { builder, positions, taken_events, messages, framer, keeps_positions, .. } = self;
        let emits_all = builder.options.emit_events && *keeps_positions;
        let last = builder.event_count();
        let json = builder.poll_event()?;
        if !emits_all {
            *taken_events = last.saturating_sub(1);
        }
        while positions.front().is_some_and(|(events, ..)| events <= taken_events) {
            positions.pop_front();
        }
        *taken_events += 1;
        // Only a cancellation writes events without a message.
        let (_, source_index, source_offset) =
            positions.front().copied().unwrap_or_else(|| (0, *messages, framer.offset()));
        Some(InboundEvent { json, source_index, source_offset })
    }

    fn findings(&self) -> &AdapterFindings {
        &self.builder.findings
    }
}
