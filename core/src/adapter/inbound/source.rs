//! [`Source`]: bytes of a foreign stream → its messages → the dialect's decoder.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::framer::{Framer, Message};
use super::hub::Hub;
use crate::adapter::{AdapterCode, AdapterFindings, Inbound};
use crate::error::{Code, Error};
use crate::json::{Tag, Tape, View};

/// What one dialect knows: its messages, in order, and what the end of input means.
pub(crate) trait Decode: Send {
    /// Takes one message, which is a JSON object. `name` is its SSE event name, where it has one.
    ///
    /// Not called after the response has ended.
    fn message(&mut self, name: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error>;

    /// Takes the sentinel `[DONE]`.
    fn sentinel(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let _ = hub;
        Ok(())
    }

    /// Takes the end of input. Not called after the response has ended.
    fn end(&mut self, hub: &mut Hub) -> Result<(), Error>;

    /// Writes what the decoder holds back of open items, because the response is cancelled next.
    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let _ = hub;
        Ok(())
    }

    /// Says whether a message means nothing after the response has ended, so that it is no loss.
    fn is_idle(&self, name: Option<&str>, root: View<'_>) -> bool {
        let _ = (name, root);
        false
    }
}

/// A dialect's decoder with everything around it.
pub(crate) struct Source {
    framer: Framer,
    tape: Tape,
    depth: usize,
    messages: u64,
    // Called once per message: one way for all dialects is worth more than a call that is known.
    decoder: Box<dyn Decode>,
    hub: Hub,
    finished: bool,
    stop: Option<Error>,
}

impl Source {
    pub(crate) fn new(decoder: Box<dyn Decode>, framer: Framer, hub: Hub) -> Self {
        let depth = hub.limits.depth;
        Self { framer, tape: Tape::default(), depth, messages: 0, decoder, hub, finished: false, stop: None }
    }

    fn check(&self) -> Result<(), Error> {
        match &self.stop {
            Some(stop) => Err(stop.clone()),
            None if self.finished => Err(Error::new(Code::AfterFinish, self.framer.offset(), "")),
            None => Ok(()),
        }
    }

    fn keep(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &result {
            self.stop = Some(error.clone());
        }
        result
    }

    fn feed_inner(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let Self { framer, tape, depth, messages, decoder, hub, .. } = self;
        let mut at = 0;
        while let Some(message) = framer.next(chunk, &mut at)? {
            take(&message, tape, *depth, messages, &mut **decoder, hub)?;
        }
        Ok(())
    }

    fn finish_inner(&mut self) -> Result<(), Error> {
        let Self { framer, tape, depth, messages, decoder, hub, .. } = self;
        if let Some(message) = framer.finish()? {
            // A cut message is not a broken one: it counts only if it is whole.
            if message.data.trim() == "[DONE]" || tape.parse(message.data, *depth).is_ok() {
                take(&message, tape, *depth, messages, &mut **decoder, hub)?;
            }
        }
        if hub.is_over() {
            return Ok(());
        }
        hub.findings.at(*messages, framer.offset());
        decoder.end(hub)
    }
}

fn take(
    message: &Message<'_>,
    tape: &mut Tape,
    depth: usize,
    messages: &mut u64,
    decoder: &mut dyn Decode,
    hub: &mut Hub,
) -> Result<(), Error> {
    if message.data.trim() == "[DONE]" {
        return if hub.is_over() { Ok(()) } else { decoder.sentinel(hub) };
    }
    hub.findings.at(*messages, message.offset);
    *messages += 1;
    if let Some(why) = message.dropped {
        hub.report(AdapterCode::EventDropped, why);
        return Ok(());
    }
    if let Err(error) = tape.parse(message.data, depth) {
        hub.findings.report(AdapterCode::EventDropped, || format!("expected JSON, found {error}"));
        return Ok(());
    }
    let root = tape.root(message.data);
    if root.tag() != Tag::Object {
        hub.findings.report(AdapterCode::EventDropped, || format!("expected an object, found {}", root.tag().name()));
        return Ok(());
    }
    if !hub.is_over() {
        return decoder.message(message.name, root, hub);
    }
    if !decoder.is_idle(message.name, root) {
        hub.findings.report(AdapterCode::EventAfterTerminal, Default::default);
    }
    Ok(())
}

impl Inbound for Source {
    fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.check()?;
        let result = self.feed_inner(chunk);
        self.keep(result)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.check()?;
        self.finished = true;
        let result = self.finish_inner();
        self.keep(result)
    }

    fn cancel(&mut self) -> Result<(), Error> {
        self.check()?;
        let Self { hub, decoder, .. } = self;
        let result = if hub.is_over() { Ok(()) } else { decoder.release(hub).and_then(|()| hub.cancel()) };
        self.keep(result)
    }

    fn write_into(&mut self, out: &mut Vec<u8>) {
        self.hub.write_into(out);
    }

    fn findings(&self) -> &AdapterFindings {
        &self.hub.findings
    }
}
