//! The judge: every binding must answer every vector as the core does.
//!
//! ```text
//! bindings NAME=COMMAND…      such as python='python3 tests/runners/python/run.py'
//! ```
//!
//! `tests/runners/README.md` gives the protocol. What a binding may miss stands in `tests/deviations.json`; a line there
//! that no longer misses fails.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{channel, Sender};
use std::thread::JoinHandle;

use deltafold::sse::{FrameDecoder, Signal};
use deltafold_tests::{canonical, vectors, Cutting, Vector};
use serde_json::{json, Value};

fn main() -> ExitCode {
    let runners: Vec<(String, String)> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.split_once('=').map(|(name, command)| (name.to_owned(), command.to_owned())))
        .collect();
    if runners.is_empty() {
        eprintln!("usage: bindings NAME=COMMAND…");
        return ExitCode::from(2);
    }
    let cases = cases();
    let mut failed = false;
    for (name, command) in &runners {
        let wrong = judge(name, command, &cases);
        println!("{name}: {} vectors at {} cuts, {} wrong", cases.len(), CUTTINGS.len(), wrong);
        failed |= wrong > 0;
    }
    ExitCode::from(u8::from(failed))
}

/// Fewer than the core's own tests take: a binding adds no state that depends on the cut, it only carries chunks over.
const CUTTINGS: &[Cutting] = &[
    Cutting::Whole,
    Cutting::Bytes,
    Cutting::BytesAndEmpty,
    Cutting::Every(3),
    Cutting::Random(1),
    Cutting::Random(2),
];

/// A vector and what the core says to it, as canonical lines. The cut does not matter: the core's own tests prove it.
struct Case {
    vector: Vector,
    expected: Vec<String>,
}

fn cases() -> Vec<Case> {
    let has_input =
        |vector: &Vector| ["input", "input_b64", "bytes_b64"].iter().any(|name| !vector.get(name).is_null());
    vectors("sse").into_iter().filter(has_input).map(|vector| Case { expected: frames(&vector), vector }).collect()
}

/// What the runners are told to do with a vector, done with the core.
fn frames(vector: &Vector) -> Vec<String> {
    let mut decoder = FrameDecoder::new(&deltafold_tests::sse::limits_of(vector.get("options")));
    let bytes = vector.input();
    let mut lines = Vec::new();
    let mut at = 0;
    loop {
        match decoder.next(&bytes, &mut at) {
            Ok(Some(Signal::Frame(frame))) => lines.push(json!({
                "event": frame.event, "data": frame.data, "id": frame.id, "retry": frame.retry, "offset": frame.offset,
            })),
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                lines.push(json!({ "error": error.code().name(), "offset": error.offset() }));
                break;
            }
        }
    }
    lines.iter().map(canonical).collect()
}

/// Runs all cases through a runner and returns how many answers are wrong, stale deviations included.
fn judge(name: &str, command: &str, cases: &[Case]) -> usize {
    let mut runner = Runner::start(command);
    let mut deviations = Deviations::load(name);
    let mut wrong = 0;
    for case in cases {
        let bytes = case.vector.input();
        let mut differs = None;
        for cutting in CUTTINGS {
            let answer = runner.ask("sse", &cutting.chunks(&bytes));
            if answer != case.expected {
                differs = Some(format!("{cutting:?}\n  expected {:?}\n  answered {answer:?}", case.expected));
                break;
            }
        }
        let allowed = deviations.covers(&case.vector, differs.is_some());
        if let (Some(difference), false) = (differs, allowed) {
            println!("{name}: {}, {difference}", case.vector);
            wrong += 1;
        }
    }
    runner.stop();
    wrong + deviations.stale(name)
}

/// A running binding. Lines go out on a thread of their own, so that neither side waits for the other's full pipe.
struct Runner {
    child: Child,
    lines: Sender<String>,
    writer: JoinHandle<()>,
    answers: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Runner {
    fn start(command: &str) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        // Both were asked for above, so both are there.
        let mut stdin: ChildStdin = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped")).lines();
        let (lines, wanted) = channel::<String>();
        let writer = std::thread::spawn(move || {
            for text in wanted {
                // A runner that has gone away shows when its answer is missing.
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, writer, answers }
    }

    fn ask(&mut self, object: &str, chunks: &[&[u8]]) -> Vec<String> {
        let mut text = format!("{object}\n");
        for chunk in chunks {
            text.push_str("feed ");
            chunk.iter().for_each(|byte| text.push_str(&format!("{byte:02x}")));
            text.push('\n');
        }
        text.push_str("end\n");
        // A closed channel means that the writer found the runner gone; the answer below says so.
        let _ = self.lines.send(text);
        let mut answer = Vec::new();
        loop {
            let line = match self.answers.next() {
                Some(Ok(line)) => line,
                other => panic!("the runner ended in the middle of an answer: {other:?}"),
            };
            let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
            if value["end"] == true {
                return answer;
            }
            answer.push(canonical(&value));
        }
    }

    fn stop(self) {
        let Self { mut child, lines, writer, answers } = self;
        drop(lines);
        writer.join().expect("the writing thread never panics");
        let rest: Vec<_> = answers.collect();
        assert!(rest.is_empty(), "lines that nobody asked for: {rest:?}");
        let status = child.wait().expect("a child that was started");
        assert!(status.success(), "the runner ended with {status}");
    }
}

/// The part of `tests/deviations.json` for one runner: a case or a file, its reason, and whether it was needed.
struct Deviations(BTreeMap<String, bool>);

impl Deviations {
    fn load(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deviations.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let all: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines = all[name].as_object().cloned().unwrap_or_default();
        for (what, reason) in &lines {
            assert!(reason.as_str().is_some_and(|reason| !reason.is_empty()), "{what} has no reason");
        }
        Self(lines.into_iter().map(|(what, _)| (what, false)).collect())
    }

    fn covers(&mut self, vector: &Vector, differs: bool) -> bool {
        for what in [vector.to_string(), vector.file.clone()] {
            if let Some(used) = self.0.get_mut(&what) {
                *used |= differs;
                return true;
            }
        }
        false
    }

    fn stale(&self, name: &str) -> usize {
        let stale: Vec<_> = self.0.iter().filter(|(_, used)| !**used).map(|(what, _)| what).collect();
        for what in &stale {
            println!("{name}: a stale line in tests/deviations.json: {what}");
        }
        stale.len()
    }
}
