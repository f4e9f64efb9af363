//! [`Progress`]: shows on stderr how much of the input was read.
//!
//! On a terminal a bar, shown after a fifth of a second. Elsewhere lines, at an interval that is longer than a short run.

#[cfg_attr(any(not(feature = "progress-bar"), target_family = "wasm"), path = "no_bar.rs")]
mod bar;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bar::Bar;

use crate::args::When;
use crate::escape::escape_line;

/// The delay before the bar is drawn.
const BAR_DELAY: Duration = Duration::from_millis(200);
/// The interval between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Counts bytes and files, from any thread.
pub(crate) struct Progress<'a> {
    bar: Bar,
    counts: Mutex<Counts<'a>>,
}

struct Counts<'a> {
    errors: &'a mut (dyn Write + Send),
    mode: Mode,
    files: usize,
    done: usize,
    bytes: u64,
    started: Instant,
    /// When the bar is drawn first, or the next line is printed.
    next: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Bar,
    Lines,
    LinePerFile,
    Never,
}

impl<'a> Progress<'a> {
    /// The bar is drawn on stderr of this process if `terminal` is true; lines are written to `errors`.
    pub(crate) fn new(when: When, files: usize, errors: &'a mut (dyn Write + Send), terminal: bool) -> Self {
        let mode = match when {
            When::Never => Mode::Never,
            _ if terminal => Mode::Bar,
            When::Always => Mode::LinePerFile,
            When::Auto => Mode::Lines,
        };
        let next = if mode == Mode::Bar { BAR_DELAY } else { LINE_INTERVAL };
        let counts = Counts { errors, mode, files, done: 0, bytes: 0, started: Instant::now(), next };
        Self { bar: Bar::new(files), counts: Mutex::new(counts) }
    }

    /// Sets the size of the only file, where it is known.
    pub(crate) fn size(&self, size: Option<u64>) {
        if let (Some(size), 1) = (size, self.lock().files) {
            self.bar.set_size(size);
        }
    }

    /// Counts bytes that were read.
    pub(crate) fn bytes(&self, count: usize) {
        let mut counts = self.lock();
        counts.bytes += count as u64;
        self.update(&mut counts);
    }

    /// Counts a file that is done.
    pub(crate) fn file(&self, name: &str) {
        let mut counts = self.lock();
        counts.done += 1;
        if counts.mode == Mode::LinePerFile {
            let line = format!("{}/{} {}, {}", counts.done, counts.files, escape_line(name), counts.rate());
            counts.print(&line);
        } else {
            self.update(&mut counts);
        }
    }

    /// Hides the bar while `print` writes something else.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish();
    }

    fn update(&self, counts: &mut Counts<'_>) {
        let elapsed = counts.started.elapsed();
        if counts.mode == Mode::Never || elapsed < counts.next {
            return;
        }
        if counts.mode == Mode::Bar {
            self.bar.draw(if counts.files > 1 { counts.done as u64 } else { counts.bytes }, counts.rate());
        } else {
            counts.next = elapsed + LINE_INTERVAL;
            let files =
                if counts.files > 1 { format!("{} of {} files, ", counts.done, counts.files) } else { String::new() };
            let line = format!("{files}{}", counts.rate());
            counts.print(&line);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts<'a>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts<'_> {
    fn rate(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        format!("{} read, {}/s", size(self.bytes), size((self.bytes as f64 / seconds) as u64))
    }

    /// Without stderr, progress is not shown.
    fn print(&mut self, line: &str) {
        let _ = self.errors.write_all(format!("deltafold: {line}\n").as_bytes());
        let _ = self.errors.flush();
    }
}

/// A number of bytes with a unit, such as `1.5 MB`.
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
    fn sizes_have_a_unit_and_at_most_two_decimals() {
        let shown: Vec<String> = [0, 999, 1_000, 14_104, 1_500_000, 2_147_483_648].into_iter().map(size).collect();
        assert_eq!(shown, ["0 B", "999 B", "1.0 kB", "14.1 kB", "1.5 MB", "2.15 GB"]);
    }
}
