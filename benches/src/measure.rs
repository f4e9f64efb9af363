//! The harness: contenders in turn, round by round; medians and ratios.
//!
//! Measures CPU time of the thread: on a busy machine long runs are interrupted more often than short ones, which would look like
//! growth in wall time.

use std::fmt;
use std::hint::black_box;

use cpu_time::ThreadTime;

/// The amount of work in a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Small shapes, one round: proves that every contender gives the expected result.
    Quick,
    /// Full shapes, enough rounds for a median.
    Full,
}

/// Full under `cargo bench` and without `--quick`, quick elsewhere, so that the benches also run as tests.
pub fn mode() -> Mode {
    let given = |flag: &str| std::env::args().any(|argument| argument == flag);
    if given("--bench") && !given("--quick") {
        Mode::Full
    } else {
        Mode::Quick
    }
}

/// Returns `true` if the command line selects a table: words that are not flags or numbers select tables by the start of their titles;
/// without such words, every table is selected.
///
/// ```text
/// cargo bench -p deltafold-benches --bench read -- 'read W1 event'
/// ```
pub fn wanted(title: &str) -> bool {
    let plain = |word: &String| !word.starts_with('-') && word.parse::<f64>().is_err();
    let mut words = std::env::args().skip(1).filter(plain).peekable();
    words.peek().is_none() || words.any(|word| title.starts_with(&word))
}

/// How long a table may take: the number after `--seconds` on the command line, or eight.
fn seconds() -> f64 {
    let mut words = std::env::args().skip_while(|word| word != "--seconds");
    words.nth(1).and_then(|number| number.parse().ok()).unwrap_or(8.0)
}

/// One way to do the work, with a name.
pub struct Contender<'a, T> {
    name: String,
    units: Option<usize>,
    run: Box<dyn FnMut() -> T + 'a>,
}

impl<'a, T> Contender<'a, T> {
    /// Names a way to do the work. Its result is checked first, and dropped outside the timing.
    pub fn new(name: impl Into<String>, run: impl FnMut() -> T + 'a) -> Self {
        Self { name: name.into(), units: None, run: Box::new(run) }
    }

    /// Sets the number of units of its work, if that differs between contenders.
    #[must_use]
    pub fn with_units(mut self, units: usize) -> Self {
        self.units = Some(units);
        self
    }
}

/// The measurement of one contender.
#[derive(Clone, Debug)]
pub struct Row {
    /// The contender.
    pub name: String,
    /// Median of the rounds, in seconds per unit of work.
    pub median: f64,
}

/// The measurements of one table.
#[derive(Clone, Debug)]
pub struct Table {
    title: String,
    units: usize,
    rounds: usize,
    rows: Vec<Row>,
}

/// Checks the result of every contender, then times them in turn. The first row is what the ratios refer to.
///
/// `check` receives the name and the result of each, and panics if the result is wrong; it is not timed.
pub fn measure<T>(
    title: impl Into<String>,
    units: usize,
    check: impl Fn(&str, &T),
    mut contenders: Vec<Contender<'_, T>>,
    mode: Mode,
) -> Table {
    let mut estimate = 0.0;
    for contender in &mut contenders {
        let start = ThreadTime::now();
        let result = (contender.run)();
        estimate += start.elapsed().as_secs_f64();
        check(&contender.name, &result);
    }
    let rounds = match mode {
        Mode::Quick => 1,
        // An odd number of rounds, so that the median is a round.
        Mode::Full => ((seconds() / estimate.max(1e-9)) as usize).clamp(3, 301) | 1,
    };
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..rounds {
        // Each round starts with another contender, so that none always follows the same one.
        for turn in 0..contenders.len() {
            let at = (turn + round) % contenders.len();
            let start = ThreadTime::now();
            let result = black_box((contenders[at].run)());
            times[at].push(start.elapsed().as_secs_f64());
            drop(result);
        }
    }
    let rows = contenders.iter().zip(&mut times).map(|(contender, times)| {
        times.sort_by(f64::total_cmp);
        let units = contender.units.unwrap_or(units);
        Row { name: contender.name.clone(), median: times[times.len() / 2] / units as f64 }
    });
    Table { title: title.into(), units, rounds, rows: rows.collect() }
}

impl Table {
    /// The measurements, in the order of the contenders.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The time per unit ÷ that of the first contender.
    pub fn ratio(&self, name: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.name == name)?;
        Some(row.median / self.rows.first()?.median)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({} units, {} rounds)", self.title, self.units, self.rounds)?;
        for row in &self.rows {
            let each = row.median * 1e9;
            let ratio = self.ratio(&row.name).unwrap_or_default();
            writeln!(f, "  {:<34} {each:>12.1} ns/unit {ratio:>9.2}x", row.name)?;
        }
        Ok(())
    }
}
