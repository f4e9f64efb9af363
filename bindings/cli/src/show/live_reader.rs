//! [`LiveReader`]: reads an input on its own thread and feeds a [`Reader`], with regular calls in between.
//!
//! Reading blocks, so it has a thread. The caller's `tick` runs after every chunk, and several times per second while no bytes
//! arrive, because the elapsed time and the size of the window change.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use deltafold::{Event, Reader};

use super::failure;
use crate::dialect_input::DialectInput;
use crate::input::Input;
use crate::Failure;

/// How long to wait for bytes before a tick without any.
const TICK: Duration = Duration::from_millis(100);
/// How long to wait at the end of a file before it is read again.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(50);

/// An input, and how it is read.
pub(super) struct LiveReader<'a> {
    pub(super) input: Input<'a>,
    pub(super) source: DialectInput,
    /// Wait for more at the end of the input, until the response ends.
    pub(super) follow: bool,
}

/// What the reading thread sends.
enum Message {
    Chunk(Vec<u8>),
    /// A file that is followed has no more bytes for now.
    EndOfFile,
    Failed(Failure),
}

impl LiveReader<'_> {
    /// Reads until the input ends or a callback returns `Break`. `on_event` sees every event; `tick` runs after each chunk and
    /// while no bytes arrive, with the number of new bytes. Returns a message about data that was not read.
    pub(super) fn run(
        self,
        reader: &mut Reader,
        mut on_event: impl FnMut(&Event<'_>) -> ControlFlow<()>,
        mut tick: impl FnMut(&Reader, usize) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Option<&'static str>, Failure> {
        let Self { input, mut source, follow } = self;
        let name = input.name().to_owned();
        let stop = AtomicBool::new(false);
        let (sender, messages) = sync_channel(4);
        std::thread::scope(|scope| {
            scope.spawn(|| read(input, follow, &stop, sender));
            let result = receive(&messages, &mut source, reader, &mut on_event, &mut tick, &name, follow);
            stop.store(true, Ordering::Relaxed);
            // The thread may block in `send`; without a receiver it returns, and the scope can end.
            drop(messages);
            result
        })?;
        Ok(source.unread(reader))
    }
}

fn receive(
    messages: &Receiver<Message>,
    source: &mut DialectInput,
    reader: &mut Reader,
    on_event: &mut impl FnMut(&Event<'_>) -> ControlFlow<()>,
    tick: &mut impl FnMut(&Reader, usize) -> Result<ControlFlow<()>, Failure>,
    name: &str,
    follow: bool,
) -> Result<(), Failure> {
    loop {
        let (mut open, mut bytes) = (true, 0);
        let fed = match messages.recv_timeout(TICK) {
            Ok(Message::Chunk(chunk)) => {
                bytes = chunk.len();
                source.push(&chunk, reader)
            }
            Ok(Message::Failed(failure)) => return Err(failure),
            // After the response has ended, the file is not expected to grow.
            Ok(Message::EndOfFile) if follow && reader.outcome().is_some() => {
                open = false;
                source.end(reader)
            }
            Ok(Message::EndOfFile) | Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                open = false;
                source.end(reader)
            }
        };
        // The events before an error are valid.
        while let Some(event) = reader.poll_event().map_err(|error| failure(name, &error))? {
            if on_event(&event).is_break() {
                return Ok(());
            }
        }
        fed.map_err(|error| failure(name, &error))?;
        if tick(reader, bytes)?.is_break() || !open {
            return Ok(());
        }
    }
}

fn read(mut input: Input<'_>, follow: bool, stop: &AtomicBool, sender: SyncSender<Message>) {
    while !stop.load(Ordering::Relaxed) {
        let message = match input.chunk() {
            Ok(Some(chunk)) => Message::Chunk(chunk.to_vec()),
            Ok(None) if follow => {
                std::thread::sleep(FOLLOW_INTERVAL);
                Message::EndOfFile
            }
            Ok(None) => return,
            Err(failure) => Message::Failed(failure),
        };
        let last = matches!(message, Message::Failed(_));
        if sender.send(message).is_err() || last {
            return;
        }
    }
}
