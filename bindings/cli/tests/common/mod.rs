//! Runs the program, for all test programs.
#![allow(dead_code, unreachable_pub, reason = "each suite is its own program and uses what it needs")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the program as a command, not started yet.
pub fn deltafold() -> Command {
    Command::new(env!("CARGO_BIN_EXE_deltafold"))
}

/// The result of a run.
pub struct Done {
    pub code: i32,
    pub output: String,
    pub errors: String,
}

/// Runs the program with these arguments and this standard input to its end.
pub fn run(arguments: &[&str], input: &[u8]) -> Done {
    run_command(deltafold().args(arguments), input)
}

/// Runs a prepared command with this standard input to its end.
pub fn run_command(command: &mut Command, input: &[u8]) -> Done {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut pipe = child.stdin.take().expect("a pipe was asked for");
    let done = std::thread::scope(|scope| {
        // Output is read while input is written, otherwise both would block. The program may end before it has read all input.
        scope.spawn(move || drop(pipe.write_all(input)));
        child.wait_with_output().expect("the program ends")
    });
    Done {
        code: done.status.code().unwrap_or(-1),
        output: String::from_utf8(done.stdout).expect("output is UTF-8"),
        errors: String::from_utf8(done.stderr).expect("messages are UTF-8"),
    }
}

/// Returns the commands that the first help page lists, without `help` itself.
pub fn commands(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// A folder for one test, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: impl AsRef<Path>, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
