//! A running runner.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{channel, Sender};
use std::thread::JoinHandle;

/// The process of a runner. A separate thread writes lines, so that neither side blocks on a full pipe.
pub(super) struct Process {
    child: Child,
    lines: Sender<String>,
    writer: JoinHandle<()>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Process {
    pub(super) fn start(command: &str) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        // Both are set, because both were requested above.
        let mut stdin: ChildStdin = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped")).lines();
        let (lines, wanted) = channel::<String>();
        let writer = std::thread::spawn(move || {
            for text in wanted {
                // If the runner has ended, its answer will be missing.
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, writer, answers }
    }

    /// Sends a script; [`answer`](Self::answer) returns the answer.
    pub(super) fn send(&self, script: &str) {
        // A closed channel means that the runner has ended; reading the answer reports it.
        let _ = self.lines.send(script.to_owned());
    }

    /// Returns the lines up to `{"end":true}`; an error if the runner ended before.
    pub(super) fn answer(&mut self) -> Result<Vec<String>, String> {
        let mut answer = Vec::new();
        loop {
            match self.answers.next() {
                Some(Ok(line)) if is_end(&line) => return Ok(answer),
                Some(Ok(line)) => answer.push(line),
                Some(Err(error)) => return Err(format!("cannot be read: {error}")),
                None => return Err(format!("ended with {:?} after {answer:?}", self.child.wait())),
            }
        }
    }

    /// Ends the input, and returns an error if the runner does not end properly.
    pub(super) fn stop(self) -> Result<(), String> {
        let Self { mut child, lines, writer, answers } = self;
        drop(lines);
        writer.join().expect("the writing thread never panics");
        let rest: Vec<_> = answers.collect();
        let status = child.wait().map_err(|error| error.to_string())?;
        if rest.is_empty() && status.success() {
            return Ok(());
        }
        Err(format!("ended with {status} and unexpected lines: {rest:?}"))
    }
}

fn is_end(line: &str) -> bool {
    line.starts_with('{') && line.len() < 40 && {
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        value["end"] == true
    }
}
