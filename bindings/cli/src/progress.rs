//! [`Progress`]: how far the work has come, on stderr.
//!
//! On a terminal one line that is rewritten, from the first fifth of a second on; elsewhere plain lines, so rarely that a
//! short run has none. Results never mix with it: it is cleared before anything is printed.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::paint::printable;
use crate::Failure;

/// How often the line of a terminal is rewritten, and the first time.
const BEAT: Duration = Duration::from_millis(200);
/// How often a plain line comes.
const SLOW: Duration = Duration::from_secs(10);

/// Counts bytes and files, from any thread.
pub(crate) struct Progress<'a>(Mutex<State<'a>>);

struct State<'a> {
    errors: &'a mut (dyn Write + Send),
    how: How,
    files: usize,
    done: usize,
    bytes: u64,
    /// Of the one file that is read, where it is known.
    size: Option<u64>,
    started: Instant,
    next: Duration,
    shown: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Bar,
    Lines,
    EachFile,
    Never,
}

impl<'a> Progress<'a> {
    /// Reads `--progress`. `terminal` says whether `errors` is one.
    pub(crate) fn new(
        args: &Args,
        files: usize,
        errors: &'a mut (dyn Write + Send),
        terminal: bool,
    ) -> Result<Self, Failure> {
        let how = match args.choice("--progress", &["auto", "always", "never"])? {
            "never" => How::Never,
            _ if terminal => How::Bar,
            "always" => How::EachFile,
            _ => How::Lines,
        };
        let next = if how == How::Bar { BEAT } else { SLOW };
        let started = Instant::now();
        Ok(Self(Mutex::new(State { errors, how, files, done: 0, bytes: 0, size: None, started, next, shown: false })))
    }

    /// Says how long the only file is.
    pub(crate) fn size(&self, size: Option<u64>) {
        let mut state = self.lock();
        state.size = size.filter(|_| state.files == 1);
    }

    /// Counts bytes that were read.
    pub(crate) fn bytes(&self, count: usize) {
        let mut state = self.lock();
        state.bytes += count as u64;
        state.beat();
    }

    /// Counts a file that is done.
    pub(crate) fn file(&self, name: &str) {
        let mut state = self.lock();
        state.done += 1;
        if state.how == How::EachFile {
            let line = format!("deltafold: {}/{} {}, {}\n", state.done, state.files, printable(name), state.rate());
            state.write(&line);
        } else {
            state.beat();
        }
    }

    /// Takes the line away, before something else is printed.
    pub(crate) fn clear(&self) {
        let mut state = self.lock();
        if std::mem::take(&mut state.shown) {
            state.write("\r\x1b[K");
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_> {
    fn beat(&mut self) {
        let elapsed = self.started.elapsed();
        if self.how == How::Never || elapsed < self.next {
            return;
        }
        if self.how == How::Bar {
            self.next = elapsed + BEAT;
            self.shown = true;
            let line = format!("\r\x1b[K{}{}", self.bar(), self.rate());
            self.write(&line);
        } else {
            self.next = elapsed + SLOW;
            let files = if self.files > 1 { format!("{} of {} files, ", self.done, self.files) } else { String::new() };
            let line = format!("deltafold: {files}{}\n", self.rate());
            self.write(&line);
        }
    }

    fn bar(&self) -> String {
        const WIDTH: usize = 24;
        let (at, whole, words) = match self.size {
            Some(size) => {
                let percent = 100 * self.bytes.min(size) / size.max(1);
                (self.bytes.min(size), size, format!("{percent:>3} % "))
            }
            None if self.files > 1 => {
                (self.done as u64, self.files as u64, format!("{}/{} files ", self.done, self.files))
            }
            None => return String::new(),
        };
        let full = (WIDTH as u64 * at / whole.max(1)) as usize;
        format!("[{}{}] {words}", "#".repeat(full), ".".repeat(WIDTH - full))
    }

    fn rate(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        format!("{} read, {}/s", size(self.bytes), size((self.bytes as f64 / seconds) as u64))
    }

    /// If nobody can see it, nothing is lost.
    fn write(&mut self, text: &str) {
        let _ = self.errors.write_all(text.as_bytes());
        let _ = self.errors.flush();
    }
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_short() {
        let shown: Vec<String> = [0, 999, 1_000, 14_104, 1_500_000, 2_147_483_648].into_iter().map(size).collect();
        assert_eq!(shown, ["0 B", "999 B", "1.0 kB", "14.1 kB", "1.5 MB", "2.15 GB"]);
    }
}
