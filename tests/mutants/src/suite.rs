//! The tests: what each costs and which mutants it reaches.

use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A test that passes without a mutant.
pub struct Test {
    pub program: PathBuf,
    pub folder: PathBuf,
    /// The suite and the test, as people name it.
    pub name: String,
    /// The test, as its program names it.
    pub filter: String,
    pub seconds: f64,
    pub reaches: BTreeSet<u32>,
}

/// How a test with a mutant ended.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Passed,
    Failed,
    TimedOut,
}

/// Memory that a program may reserve, in KiB: some mutants only stop asking for more when they get no more.
const MEMORY: u64 = 8 << 20;

/// Builds the tests of the core and asks each once. What was measured is kept in `out`, and holds as long as the programs stay.
pub fn tests(tree: &Path, out: &Path, suites: &[String]) -> Vec<Test> {
    let programs = programs(tree, suites);
    // The tests run in other folders.
    let out = &out.canonicalize().expect("the folder for results");
    let kept = out.join("tests.json");
    let known: Value =
        fs::read_to_string(&kept).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let stamp = |program: &Path| format!("{:?}", fs::metadata(program).and_then(|data| data.modified()).ok());
    let stamps: Value =
        programs.iter().map(|(program, _, _)| (program.display().to_string(), stamp(program))).collect();
    let mut tests = Vec::new();
    for (program, folder, suite) in &programs {
        let path = program.display().to_string();
        if known["stamps"][&path] == stamps[&path] {
            let of = known["tests"].as_array().into_iter().flatten().filter(|test| test["program"] == path.as_str());
            tests.extend(of.map(from_json));
            continue;
        }
        let listed = Command::new(program)
            .args(["--list", "--format", "terse"])
            .current_dir(folder)
            .output()
            .expect("the tests can be listed");
        let before = tests.len();
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            let Some(filter) = line.strip_suffix(": test") else { continue };
            let name = format!("{suite} {filter}");
            match measure(program, folder, filter, out) {
                Some((seconds, reaches)) => tests.push(Test {
                    program: program.clone(),
                    folder: folder.clone(),
                    name,
                    filter: filter.to_owned(),
                    seconds,
                    reaches,
                }),
                None => println!("left out, it fails without a mutant: {name}"),
            }
        }
        let seconds: f64 = tests[before..].iter().map(|test: &Test| test.seconds).sum();
        println!("{suite}: {} tests, {seconds:.2} s", tests.len() - before);
    }
    assert!(
        tests.iter().any(|test| !test.reaches.is_empty()),
        "no test reaches a mutant: the switches are not in the programs"
    );
    let all: Vec<Value> = tests.iter().map(to_json).collect();
    fs::write(&kept, json!({ "stamps": stamps, "tests": all }).to_string()).expect("the tests can be written");
    tests
}

impl Test {
    /// Runs with a mutant on.
    pub fn ask(&self, id: u32) -> End {
        let limit = (self.seconds * 5.0).ceil() as u64 + 1;
        end(self, limit, id)
    }
}

/// The test programs of the core: program, folder and suite. All of them, or those within the core and some suites.
fn programs(tree: &Path, suites: &[String]) -> Vec<(PathBuf, PathBuf, String)> {
    let mut cargo = Command::new("cargo");
    cargo.args([
        "test",
        "--locked",
        "--no-run",
        "--message-format=json",
        "-p",
        "deltafold",
        "-p",
        "deltafold-tests",
        "--lib",
    ]);
    if suites.is_empty() {
        cargo.arg("--tests");
    }
    cargo.args(suites.iter().flat_map(|suite| ["--test", suite]));
    cargo.current_dir(tree).stderr(Stdio::inherit());
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "the tests do not build");
    let mut programs = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let (Some(program), true) = (value["executable"].as_str(), value["profile"]["test"] == true) else { continue };
        let folder = Path::new(value["manifest_path"].as_str().unwrap_or_default()).parent().unwrap_or(tree);
        programs.push((
            PathBuf::from(program),
            folder.to_owned(),
            value["target"]["name"].as_str().unwrap_or_default().to_owned(),
        ));
    }
    programs.sort();
    programs
}

/// What a test costs and reaches, unless it fails.
fn measure(program: &Path, folder: &Path, filter: &str, out: &Path) -> Option<(f64, BTreeSet<u32>)> {
    let file = out.join("reached");
    let _ = fs::remove_file(&file);
    let mut command = command("\"$0\" \"$@\" >&2 && times", program, folder, filter, 600);
    command.env("DELTAFOLD_MUTANT", "reached").env("DELTAFOLD_REACHED", &file);
    let output = command.stdout(Stdio::piped()).output().expect("a test runs");
    let reaches = fs::read_to_string(&file).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect();
    output.status.success().then(|| (children(&String::from_utf8_lossy(&output.stdout)), reaches))
}

/// The time on the processor that `times` tells of the programs a shell has run: its second line, `0m0.120s 0m0.010s`.
fn children(text: &str) -> f64 {
    let seconds = |word: &str| -> Option<f64> {
        let (minutes, rest) = word.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + rest.parse::<f64>().ok()?)
    };
    text.lines().nth(1).into_iter().flat_map(str::split_whitespace).filter_map(seconds).sum()
}

fn command(script: &str, program: &Path, folder: &Path, filter: &str, seconds: u64) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -c 0; ulimit -t {seconds}; ulimit -v {MEMORY}; {script}")]);
    command.arg(program).args(["--exact", filter, "--test-threads=1", "--quiet"]).current_dir(folder);
    command.env("CARGO_MANIFEST_DIR", folder).env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a test with a mutant on, for so many seconds on the processor.
fn end(test: &Test, seconds: u64, id: u32) -> End {
    let mut command = command("exec \"$0\" \"$@\"", &test.program, &test.folder, &test.filter, seconds);
    command.env("DELTAFOLD_MUTANT", id.to_string());
    let mut child = command.spawn().expect("a test runs");
    let (started, mut pause) = (Instant::now(), Duration::from_micros(300));
    loop {
        if let Some(status) = child.try_wait().expect("a test ends") {
            return match (status.success(), status.signal()) {
                (true, _) => End::Passed,
                // Out of time: SIGXCPU, or SIGKILL a second later.
                (_, Some(24 | 9)) => End::TimedOut,
                _ => End::Failed,
            };
        }
        // The limit above is of time on the processor; this is for those that only wait.
        if started.elapsed().as_secs() > 30 * seconds + 120 {
            child.kill().and_then(|()| child.wait()).expect("a test can be ended");
            return End::TimedOut;
        }
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(20));
    }
}

fn to_json(test: &Test) -> Value {
    json!({ "program": test.program, "folder": test.folder, "name": test.name, "filter": test.filter, "seconds": test.seconds, "reaches": test.reaches })
}

fn from_json(value: &Value) -> Test {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let reaches =
        value["reaches"].as_array().into_iter().flatten().filter_map(|id| Some(id.as_u64()? as u32)).collect();
    Test {
        program: text("program").into(),
        folder: text("folder").into(),
        name: text("name"),
        filter: text("filter"),
        seconds: value["seconds"].as_f64().unwrap_or_default(),
        reaches,
    }
}
