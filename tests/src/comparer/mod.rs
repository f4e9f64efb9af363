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

/// After so many wrong answers a runner is not asked any more: nobody reads further.
const ENOUGH: usize = 100;

/// A binding's runner, and what it was asked so far.
pub struct Runner {
    name: String,
    command: String,
    process: Option<Process>,
    deviations: Deviations,
    asked: usize,
    wrong: usize,
}

impl Runner {
    /// A runner that is started when it is first asked.
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
            // The next question gets a new process, so that one word that is missing does not hide the rest.
            self.process = None;
        }
        answer
    }

    fn speaks(&self, word: &str) -> bool {
        !self.deviations.has_word(word) && self.wrong < ENOUGH
    }

    /// Ends the runner and says how many answers were wrong; if all vectors were asked, stale deviations included.
    pub fn finish(mut self, all: bool) -> usize {
        if let Some(Err(error)) = self.process.take().map(Process::stop) {
            println!("{}: {error}", self.name);
            self.wrong += 1;
        }
        if self.wrong >= ENOUGH {
            println!("{}: wrong so often that it was asked no more", self.name);
            return self.wrong;
        }
        for word in WORDS.into_iter().filter(|_| all) {
            if self.speaks(word) {
                continue;
            }
            let mut probe = Process::start(&self.command);
            probe.send(&format!("{word}\nend\n"));
            self.deviations.note_word(word, probe.answer().is_err());
        }
        for stale in self.deviations.stale().into_iter().filter(|_| all) {
            println!("{}: a stale line in tests/deviations.json: {stale}", self.name);
            self.wrong += 1;
        }
        println!("{}: {} scripts, {} wrong", self.name, self.asked, self.wrong);
        self.wrong
    }
}

/// Asks every runner about a case; what is wrong is printed and counted.
pub fn judge(case: &Case, runners: &mut [Runner]) {
    let mut differs: Vec<Option<String>> = runners.iter().map(|_| None).collect();
    for (way, script) in &case.ways() {
        let mut asked: Vec<(&mut Runner, &mut Option<String>)> = runners
            .iter_mut()
            .zip(&mut differs)
            .filter(|(runner, differs)| differs.is_none() && runner.speaks(case.word))
            .collect();
        // All are asked before the first answers, so that they work at the same time.
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
        if !runner.speaks(case.word) {
            continue;
        }
        let allowed = runner.deviations.covers(&case.vector, differs.is_some());
        if let (Some(difference), false) = (differs, allowed) {
            println!("{}: {}, {difference}", runner.name, case.vector);
            runner.wrong += 1;
        }
    }
}

/// What the core says to a script.
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

/// An answer as canonical lines. Bytes of a stream are joined: where they are cut is not part of the answer.
fn compared(answer: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut bytes: Option<String> = None;
    for line in answer {
        // Half of a surrogate pair is JSON that this parser does not hold; such a line is compared as it is.
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

/// The first line that differs.
fn difference(expected: &[String], answer: &[String]) -> Option<String> {
    // Most runners print as the core does, and then there is nothing to parse.
    if expected == answer {
        return None;
    }
    let (expected, answer) = (compared(expected), compared(answer));
    let at = expected.iter().zip(&answer).take_while(|(expected, answer)| expected == answer).count();
    let line = |lines: &[String]| lines.get(at).map_or_else(|| "nothing more".to_owned(), Clone::clone);
    let told = || format!("line {at}\n  expected {}\n  answered {}", line(&expected), line(&answer));
    (expected != answer).then(told)
}
