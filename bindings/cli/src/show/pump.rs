//! [`Pump`]: bytes as they arrive → a reader, with a beat in between.
//!
//! Reading blocks, so it has a thread of its own; whoever shows something is called after every chunk, and several times
//! a second while nothing comes, since elapsed time and the size of the window go on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use deltafold::{Event, Reader};

use super::failure;
use crate::input::Input;
use crate::intake::Intake;
use crate::Failure;

/// How long to wait for bytes before a beat without any.
const BEAT: Duration = Duration::from_millis(100);
/// How long a file that has ended is left alone before it is looked at again.
const PAUSE: Duration = Duration::from_millis(50);

/// An input on its way to a reader.
pub(super) struct Pump<'a> {
    pub(super) input: Input<'a>,
    pub(super) intake: Intake,
    /// The end of the input is not the end: it may grow.
    pub(super) follow: bool,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    More,
    Enough,
}

enum Arrived {
    Chunk(Vec<u8>),
    /// A file that is followed has no more for now.
    Pause,
    Broken(Failure),
}

impl Pump<'_> {
    /// Reads until the input ends or somebody has seen enough. `each` sees every event; `beat` is called after each
    /// chunk and while nothing comes, with the number of new bytes.
    pub(super) fn run(
        self,
        reader: &mut Reader,
        mut each: Option<&mut dyn FnMut(&Event<'_>) -> Seen>,
        mut beat: impl FnMut(&Reader, usize) -> Result<Seen, Failure>,
    ) -> Result<(), Failure> {
        let Self { input, mut intake, follow } = self;
        let name = input.name().to_owned();
        let enough = AtomicBool::new(false);
        let (send, chunks) = sync_channel(4);
        std::thread::scope(|scope| {
            scope.spawn(|| read(input, follow, &enough, send));
            let result = take(&chunks, &mut intake, reader, &mut each, &mut beat, &name, follow);
            enough.store(true, Ordering::Relaxed);
            // Closed before the scope waits for the thread, which may be waiting to send.
            drop(chunks);
            result
        })
    }
}

#[allow(clippy::type_complexity, reason = "the two callbacks are those of the public call")]
fn take(
    chunks: &Receiver<Arrived>,
    intake: &mut Intake,
    reader: &mut Reader,
    each: &mut Option<&mut dyn FnMut(&Event<'_>) -> Seen>,
    beat: &mut impl FnMut(&Reader, usize) -> Result<Seen, Failure>,
    name: &str,
    follow: bool,
) -> Result<(), Failure> {
    loop {
        let (mut open, mut bytes) = (true, 0);
        let fed = match chunks.recv_timeout(BEAT) {
            Ok(Arrived::Chunk(chunk)) => {
                bytes = chunk.len();
                intake.push(&chunk, reader)
            }
            Ok(Arrived::Broken(failure)) => return Err(failure),
            // A file that has ended after the response has ended will not grow.
            Ok(Arrived::Pause) if follow && reader.outcome().is_some() => {
                open = false;
                intake.end(reader)
            }
            Ok(Arrived::Pause) | Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                open = false;
                intake.end(reader)
            }
        };
        // What came before an error is good.
        while let Some(event) = reader.poll_event().map_err(|error| failure(name, &error))? {
            if each.as_mut().is_some_and(|each| each(&event) == Seen::Enough) {
                return Ok(());
            }
        }
        fed.map_err(|error| failure(name, &error))?;
        if beat(reader, bytes)? == Seen::Enough || !open {
            return Ok(());
        }
    }
}

fn read(mut input: Input<'_>, follow: bool, enough: &AtomicBool, send: SyncSender<Arrived>) {
    while !enough.load(Ordering::Relaxed) {
        let arrived = match input.chunk() {
            Ok(Some(chunk)) => Arrived::Chunk(chunk.to_vec()),
            Ok(None) if follow => {
                std::thread::sleep(PAUSE);
                Arrived::Pause
            }
            Ok(None) => return,
            Err(failure) => Arrived::Broken(failure),
        };
        let last = matches!(arrived, Arrived::Broken(_));
        if send.send(arrived).is_err() || last {
            return;
        }
    }
}
