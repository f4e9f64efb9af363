//! `deltafold replay`: sends a capture again, with a chosen rate and chunk size.

#[cfg(all(feature = "serve", not(target_family = "wasm")))]
pub(crate) mod serve;
mod split;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use clap::builder::TypedValueParser;
use clap::ValueHint;

use split::{ChunkSize, EventSplitter};

use crate::args::{any_of, positive};
use crate::input::{Input, Stdin};
use crate::output::Output;
use crate::{Failure, Io};

/// Send a capture again, with a chosen rate and chunk size
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Writes the bytes of the capture unchanged; only the time and the size of each write change. So a capture can \
                   replace a live stream in demos and tests.",
    after_help = "\
Exit codes:
  0  success
  1  reading failed
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold replay --rate 50 examples/streams/tour.sse | deltafold show
  deltafold replay --split random --seed 7 examples/streams/tour.sse | deltafold check"
)]
pub(crate) struct ReplayArgs {
    /// Captures to send; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    #[command(flatten)]
    pace: PaceArgs,
}

/// When a capture is sent, and in which chunks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct PaceArgs {
    /// Write N bytes at a time, or random chunks of 1 to 64 bytes (default: one event at a time)
    #[arg(
        long,
        value_name = "N|random",
        value_parser = any_of(|| vec!["random"]).try_map(|text| split(&text)),
        hide_possible_values = true
    )]
    split: Option<Split>,
    /// Number of events per second (default: as fast as they are read)
    #[arg(long, value_name = "EVENTS", value_parser = rate)]
    rate: Option<f64>,
    /// Seed of --split random; the same seed gives the same chunks
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seed: u64,
}

/// The value of `--split`.
#[derive(Clone, Copy, Debug)]
enum Split {
    Bytes(usize),
    Random,
}

fn split(text: &str) -> Result<Split, String> {
    if text == "random" {
        return Ok(Split::Random);
    }
    positive(text).map(Split::Bytes).map_err(|error| format!("{error}, or random"))
}

fn rate(text: &str) -> Result<f64, String> {
    match text.trim_end_matches("/s").parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("expected a number above 0".to_owned()),
    }
}

pub(crate) fn run(args: &ReplayArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let stdin = Stdin::new(&mut io.input);
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    let flush_each = args.pace.rate.is_some() || args.pace.split.is_some();
    for file in &args.files {
        let mut player = Player::new(Input::open(file, None, &stdin)?, args.pace);
        let started = Instant::now();
        while let Some(chunk) = player.next()? {
            if let Some(due) = chunk.due {
                std::thread::sleep(due.saturating_sub(started.elapsed()));
            }
            output.bytes(chunk.bytes)?;
            if flush_each {
                output.flush()?;
            }
        }
    }
    output.flush()?;
    Ok(0)
}

/// Reads a capture in the chunks in which it is sent.
pub(crate) struct Player<'a> {
    input: Input<'a>,
    events: EventSplitter,
    chunk_size: ChunkSize,
    rate: Option<f64>,
    /// How many events were started.
    count: u64,
    /// The event that is being sent, and how many of its bytes were returned.
    event: Vec<u8>,
    at: usize,
}

pub(crate) struct Chunk<'p> {
    pub(crate) bytes: &'p [u8],
    /// When to send the first chunk of an event, relative to the start; `None`: at once. An absolute time, so that delays of the
    /// writer do not add up.
    pub(crate) due: Option<Duration>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(input: Input<'a>, pace: PaceArgs) -> Self {
        let chunk_size = match pace.split {
            None => ChunkSize::Whole,
            Some(Split::Bytes(length)) => ChunkSize::Bytes(length),
            Some(Split::Random) => ChunkSize::Random(pace.seed),
        };
        Self {
            input,
            events: EventSplitter::default(),
            chunk_size,
            rate: pace.rate,
            count: 0,
            event: Vec::new(),
            at: 0,
        }
    }

    /// Returns the next chunk; `None` at the end of the capture.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk<'_>>, Failure> {
        let mut due = None;
        if self.at == self.event.len() {
            if !self.read_event()? {
                return Ok(None);
            }
            let seconds = self.rate.map(|rate| self.count as f64 / rate);
            due = seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
            self.count += 1;
        }
        let from = self.at;
        self.at += self.chunk_size.next(self.event.len() - from);
        Ok(self.event.get(from..self.at).map(|bytes| Chunk { bytes, due }))
    }

    /// Reads the next event; returns `false` at the end of the capture.
    fn read_event(&mut self) -> Result<bool, Failure> {
        self.event.clear();
        self.at = 0;
        loop {
            if let Some(event) = self.events.next() {
                self.event.extend_from_slice(event);
                return Ok(true);
            }
            match self.input.chunk()? {
                Some(chunk) => self.events.push(chunk),
                None => {
                    self.event.extend_from_slice(self.events.remainder());
                    return Ok(!self.event.is_empty());
                }
            }
        }
    }
}
