//! The comparer: every binding must give the same results as the core for every vector.
//!
//! A [`Session`] is the protocol of `tests/runners/README.md` over the core itself. The comparer sends each script of [`cases()`] to
//! it and to every runner, and compares the answers as canonical JSON.

mod cases;
mod deviations;
mod process;
mod session;

use serde_json::Value;

pub use cases::{cases, Case};
pub use deviations::Deviations;
use process::Process;
pub use session::{Session, WORDS};

use crate::canonical;

/// After this many wrong answers a runner is not run any more.
const MAX_WRONG: usize = 100;

/// The runner of a binding, and its results so far.
pub struct Runner {
    name: String,
    command: String,
    process: Option<Process>,
    deviations: Deviations,
    asked: usize,
    wrong: usize,
}

impl Runner {
    /// Creates a runner, which is started at the first request.
    pub fn new(name: &str, command: &str, deviations: Deviations) -> Self {
        let (name, command) = (name.to_owned(), command.to_owned());
        Self { name, command, process: None, deviations, asked: 0, wrong: 0 }
    }

    fn send(&mut self, script: &str) {
        self.asked += 1;
        self.process.get_or_insert_with(|| Process::start(&self.command)).send(script);
    }

    fn answer(&mut self) -> Result<Vec<String>, String> {
        let answer = self.process.as_mut().map_or_else(|| Err("not started".to_owned()), Process::answer);
        if answer.is_err() {
            // The next request gets a new process, so that one missing command does not hide the other results.
            self.process = None;
        }
        answer
    }

    fn supports(&self, word: &str) -> bool {
        !self.deviations.has_word(word) && self.wrong < MAX_WRONG
    }

    /// Ends the runner and returns the number of wrong answers; if all vectors were run, stale deviations count too.
    pub fn finish(mut self, all: bool) -> usize {
        if let Some(Err(error)) = self.process.take().map(Process::stop) {
            println!("{}: {error}", self.name);
            self.wrong += 1;
        }
        if self.wrong >= MAX_WRONG {
            println!("{}: stopped after too many wrong answers", self.name);
            return self.wrong;
        }
        for word in WORDS.into_iter().filter(|_| all) {
            if self.supports(word) {
                continue;
            }
            let mut probe = Process::start(&self.command);
            probe.send(&format!("{word}\nend\n"));
            self.deviations.note_word(word, probe.answer().is_err());
        }
        for stale in self.deviations.stale().into_iter().filter(|_| all) {
            println!("{}: an entry in tests/deviations.json is no longer needed: {stale}", self.name);
            self.wrong += 1;
        }
        println!("{}: {} scripts, {} wrong", self.name, self.asked, self.wrong);
        self.wrong
    }
}

/// Sends a case to every runner; wrong answers are printed and counted.
pub fn judge(case: &Case, runners: &mut [Runner]) {
    let mut differs: Vec<Option<String>> = runners.iter().map(|_| None).collect();
    for (way, script) in &case.ways() {
        let mut asked: Vec<(&mut Runner, &mut Option<String>)> = runners
            .iter_mut()
            .zip(&mut differs)
            .filter(|(runner, differs)| differs.is_none() && runner.supports(case.word))
            .collect();
        // All runners get the case before the first answer is read, so that they run in parallel.
        asked.iter_mut().for_each(|(runner, _)| runner.send(script));
        let expected = core(script);
        for (runner, differs) in asked {
            *differs = match runner.answer() {
                Ok(answer) => difference(&expected, &answer),
                Err(error) => Some(error),
            }
            .map(|difference| format!("{way}: {difference}"));
        }
    }
    for (runner, differs) in runners.iter_mut().zip(differs) {
        if !runner.supports(case.word) {
            continue;
        }
        let allowed = runner.deviations.covers(&case.vector, differs.is_some());
        if let (Some(difference), false) = (differs, allowed) {
            println!("{}: {}, {difference}", runner.name, case.vector);
            runner.wrong += 1;
        }
    }
}

/// Returns the answer of the core to a script.
fn core(script: &str) -> Vec<String> {
    let mut session = Session::default();
    let mut answer = Vec::new();
    for line in script.lines() {
        assert!(session.take(line, &mut answer), "the core does not know {line}");
    }
    // The last line ends the answer.
    answer.pop();
    answer
}

/// Converts an answer to canonical lines. Bytes of a stream are joined, because their split is not part of the answer.
fn compared(answer: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut bytes: Option<String> = None;
    for line in answer {
        // This parser refuses lone surrogates; such a line is compared unchanged.
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            lines.extend(bytes.take());
            lines.push(line.clone());
            continue;
        };
        match value.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("bytes")?.as_str()) {
            Some(more) => bytes.get_or_insert_with(String::new).push_str(more),
            None => {
                lines.extend(bytes.take());
                lines.push(canonical(&value));
            }
        }
    }
    lines.extend(bytes);
    lines
}

/// Returns the first line that differs.
fn difference(expected: &[String], answer: &[String]) -> Option<String> {
    // Most runners print the same text as the core, and then parsing is not needed.
    if expected == answer {
        return None;
    }
    let (expected, answer) = (compared(expected), compared(answer));
    let at = expected.iter().zip(&answer).take_while(|(expected, answer)| expected == answer).count();
    let line = |lines: &[String]| lines.get(at).map_or_else(|| "nothing more".to_owned(), Clone::clone);
    let message = || format!("line {at}\n  expected {}\n  found {}", line(&expected), line(&answer));
    (expected != answer).then(message)
}
