//! `deltafold replay`: a capture once more, at a pace and in pieces of one's choice.

pub(crate) mod cut;
pub(crate) mod serve;

use std::time::{Duration, Instant};

use cut::{Cutter, Pieces};

use crate::args::Args;
use crate::input::{Input, Stdin};
use crate::output::Output;
use crate::table::{Command, Files, Opt, Words, PLAIN_EXITS};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "replay",
    summary: "send a capture again, at a pace and in pieces of your choice",
    usage: &["[FILE…|-] [options]"],
    about:
        "Writes the bytes of the capture as they are. Only when they are written and where they are cut changes, so it \
            stands in for a live stream in demos and tests.",
    options: &[SPLIT, RATE, SEED],
    files: Files::Any,
    exits: PLAIN_EXITS,
    examples: &[
        "deltafold replay --rate 50 examples/streams/tour.sse | deltafold show",
        "deltafold replay --split random --seed 7 examples/streams/tour.sse | deltafold check",
    ],
    run,
};

const SPLIT: Opt = Opt::with(
    "--split",
    "N|random",
    Words::List(&["1", "7", "64", "random"]),
    "write N bytes at a time, or pieces of random length from 1 to 64 bytes (default: an event at a time)",
);
const RATE: Opt =
    Opt::with("--rate", "E/s", Words::Free, "so many events a second (default: as fast as they are taken)");
const SEED: Opt = Opt::with("--seed", "N", Words::Free, "for --split random: another number, other pieces (default 1)");

/// How a capture is sent.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pieces: Pieces,
    rate: Option<f64>,
}

impl Pace {
    /// Reads `--split`, `--rate` and `--seed`.
    fn from_args(args: &Args) -> Result<Self, Failure> {
        let seed = args.number("--seed")?.unwrap_or(1) as u64;
        let pieces = match args.text("--split")? {
            None => Pieces::Whole,
            Some("random") => Pieces::Random(seed),
            Some(text) => match text.parse() {
                Ok(length) if length > 0 => Pieces::Of(length),
                _ => return Err(Failure::Usage(format!("--split is a whole number above 0 or random, found {text}"))),
            },
        };
        let rate = match args.text("--rate")? {
            None => None,
            Some(text) => match text.trim_end_matches("/s").parse::<f64>() {
                Ok(rate) if rate.is_finite() && rate > 0.0 => Some(rate),
                _ => {
                    return Err(Failure::Usage(format!("--rate is a number of events a second above 0, found {text}")))
                }
            },
        };
        Ok(Self { pieces, rate })
    }

    /// Sends an input to its end. `write` gets every piece and sends it on at once.
    pub(crate) fn send(
        self,
        input: &mut Input<'_>,
        mut write: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut cutter = Cutter::default();
        let mut clock = Clock { rate: self.rate, started: Instant::now(), sent: 0 };
        let mut pieces = self.pieces;
        while let Some(chunk) = input.chunk()? {
            cutter.push(chunk);
            while let Some(event) = cutter.next() {
                clock.wait();
                pieces.each(event, &mut write)?;
            }
        }
        let rest = cutter.rest();
        if !rest.is_empty() {
            clock.wait();
            pieces.each(rest, &mut write)?;
        }
        Ok(())
    }
}

/// Keeps the rate: the wait is to a point of time, so that slow writing does not add up.
struct Clock {
    rate: Option<f64>,
    started: Instant,
    sent: u64,
}

impl Clock {
    fn wait(&mut self) {
        if let Some(rate) = self.rate {
            let due = Duration::try_from_secs_f64(self.sent as f64 / rate).unwrap_or(Duration::MAX);
            std::thread::sleep(due.saturating_sub(self.started.elapsed()));
        }
        self.sent += 1;
    }
}

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let pace = Pace::from_args(args)?;
    let stdin = Stdin::new(&mut io.input);
    let mut output = Output::new(&mut io.output);
    // Without a wish there is nothing to wait for between events either.
    let eager = pace.rate.is_some() || pace.pieces != Pieces::Whole;
    for file in args.files() {
        let mut input = Input::open(file, None, &stdin)?;
        pace.send(&mut input, |piece| {
            output.bytes(piece)?;
            if eager {
                output.flush()?;
            }
            Ok(())
        })?;
    }
    output.flush()?;
    Ok(0)
}
