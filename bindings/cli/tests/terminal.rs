//! The program at a terminal, for real: a pseudo-terminal, with its window, its Ctrl-C and its hang-up.
#![cfg(unix)]

mod common;
#[path = "common/screen.rs"]
mod screen;

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use common::{deltafold, Folder};
use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::{tcgetattr, tcsetwinsize, Winsize};
use screen::Screen;

const TOUR: &str = "../../examples/streams/tour.sse";
/// How long anything may take before it counts as never.
const NEVER: Duration = Duration::from_secs(30);

/// A pseudo-terminal, and everything that was written to it.
struct Terminal {
    master: File,
    /// Kept open, so that the terminal outlives the program and its modes can be asked for.
    slave: File,
    written: Arc<(Mutex<Vec<u8>>, Condvar)>,
}

impl Terminal {
    fn new(columns: u16, rows: u16) -> Self {
        let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        rustix::pty::grantpt(&master).expect("it can be used");
        rustix::pty::unlockpt(&master).expect("it can be opened");
        let name = rustix::pty::ptsname(&master, Vec::new()).expect("it has a name");
        let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the other end");
        let (master, slave) = (File::from(master), File::from(slave));
        let written = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let (mut source, sink) = (master.try_clone().unwrap(), Arc::clone(&written));
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = source.read(&mut chunk) {
                sink.0.lock().unwrap().extend_from_slice(&chunk[..length]);
                sink.1.notify_all();
            }
        });
        let terminal = Self { master, slave, written };
        terminal.resize(columns, rows);
        terminal
    }

    fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.master, size).expect("a window has a size");
    }

    /// Starts a command with this terminal as its own, and a pipe as its input.
    fn start(&self, command: &mut Command) -> Child {
        command.env_remove("NO_COLOR").env_remove("COLUMNS").env_remove("LINES");
        self.spawn(command)
    }

    fn spawn(&self, command: &mut Command) -> Child {
        let end = || Stdio::from(self.slave.try_clone().unwrap());
        command.stdin(Stdio::piped()).stdout(end()).stderr(end());
        let slave = self.slave.try_clone().unwrap();
        // SAFETY: between fork and exec only two system calls are made, both of which may be made there; the descriptor is
        // open, since the closure owns it.
        unsafe {
            command.pre_exec(move || {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(&slave)?;
                Ok(())
            });
        }
        command.spawn().expect("it runs")
    }

    fn raw(&self) -> String {
        String::from_utf8_lossy(&self.written.0.lock().unwrap()).into_owned()
    }

    /// Waits until what was written satisfies somebody; ` poke` is done now and then meanwhile.
    fn wait_for(&self, what: &str, mut poke: impl FnMut(), seen: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + NEVER;
        let mut written = self.written.0.lock().unwrap();
        loop {
            let text = String::from_utf8_lossy(&written).into_owned();
            if seen(&text) {
                return text;
            }
            assert!(Instant::now() < deadline, "no {what} in: {text}");
            poke();
            written = self.written.1.wait_timeout(written, Duration::from_millis(50)).unwrap().0;
        }
    }
}

/// The tour in two halves; between them a message grows.
fn halves() -> (Vec<u8>, Vec<u8>) {
    let tour = std::fs::read(TOUR).unwrap();
    let at = tour.windows(14).position(|window| window == b" and closed to").expect("the tour says so");
    let at = at + tour[at..].windows(2).position(|window| window == b"\n\n").unwrap() + 2;
    (tour[..at].to_vec(), tour[at..].to_vec())
}

fn show(text: &str, columns: usize, height: usize) -> Screen {
    let mut screen = Screen::new(columns, height);
    screen.feed(text);
    screen
}

/// The plain transcript without its last lines, in letters: rows may be broken anywhere.
fn transcript() -> String {
    letters(&common::run(&["show", TOUR], b"").output)
}

fn letters(text: &str) -> String {
    let letters: String = text.split_whitespace().collect();
    letters.split("outcome:").next().unwrap().to_owned()
}

#[test]
fn text_is_seen_while_it_grows_and_stays_when_it_is_done() {
    let terminal = Terminal::new(80, 24);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let mut input = child.stdin.take().unwrap();
    let (first, second) = halves();
    input.write_all(&first).unwrap();
    let text = terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
    let shown = show(&text, 80, 24).text();
    assert!(shown.contains("[1] message · in_progress"), "{shown}");
    let status = shown.lines().last().unwrap();
    assert!(status.starts_with("● in_progress · ") && status.contains(" events/s"), "{shown}");
    assert!(!shown.contains("function_call"), "{shown}");

    input.write_all(&second).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let text = terminal.wait_for("outcome", || (), |text| text.contains("events/s\x1b[0m\x1b[K\r\n\x1b[J"));
    let shown = show(&text, 80, 24);
    assert_eq!((shown.column(), shown.coloured, shown.wraps), (0, false, 0), "{}", shown.text());
    let shown = shown.text();
    assert!(!shown.contains('●'), "the status line is gone: {shown}");
    assert!(shown.contains("outcome: completed · 40 events, 14.1 kB in "), "{shown}");
    assert_eq!(letters(&shown), transcript());
}

#[test]
fn time_goes_on_while_nothing_comes() {
    let terminal = Terminal::new(80, 24);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let input = child.stdin.take().unwrap();
    let text = terminal.wait_for("elapsed time", || (), |text| text.matches(" · 0 events, 0 B in ").count() >= 4);
    let seconds: Vec<f64> =
        text.split("0 B in ").skip(1).map(|rest| rest.split(' ').next().unwrap().parse().unwrap()).collect();
    assert!(seconds.is_sorted() && seconds.first() < seconds.last(), "{seconds:?}");
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_window_that_changes_its_size_keeps_the_picture_whole() {
    let terminal = Terminal::new(100, 30);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let mut input = child.stdin.take().unwrap();
    let (first, second) = halves();
    input.write_all(&first).unwrap();
    terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
    // The terminal is resized between two drawings, as they come; which one sees it first is the program's affair.
    for (columns, rows) in [(46_u16, 20_u16), (70, 30), (31, 30)] {
        terminal.resize(columns, rows);
        let drawn = terminal.raw().matches("● ").count();
        terminal.wait_for("a drawing at the new size", || (), |text| text.matches("● ").count() > drawn + 1);
    }
    input.write_all(&second).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let text = terminal.wait_for("outcome", || (), |text| text.ends_with("\x1b[J") && text.contains("usage: "));
    // Whatever the terminal does with old rows, what is drawn last is drawn for the last size.
    let mut screen = Screen::new(31, 30);
    let tail = text.rfind("\x1b[J\r").map_or(text.as_str(), |at| &text[at + 3..]);
    screen.feed(tail);
    assert_eq!(screen.wraps, 0, "{}", screen.text());
    assert!(screen.text().contains("outcome: completed"), "{}", screen.text());
}

#[test]
fn a_drawing_after_a_resize_begins_where_the_one_before_began() {
    // One drawing at 60 columns, the next at 35, on a terminal that breaks rows anew: nothing is left over, nothing lost.
    let terminal = Terminal::new(60, 40);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let mut input = child.stdin.take().unwrap();
    let (first, second) = halves();
    input.write_all(&first).unwrap();
    let text =
        terminal.wait_for("growing message", || (), |text| text.contains("closed to") && text.ends_with("\x1b[J"));
    // From here on every drawing is for the new size; those before it were for the old one.
    terminal.resize(35, 40);
    let from = terminal.wait_for(
        "a drawing at 35 columns",
        || (),
        |text| text.ends_with("\x1b[J") && text.rsplit("\x1b[J").nth(1).is_some_and(|drawing| at_most(drawing, 34)),
    );
    let drawings: Vec<&str> = from.split_inclusive("\x1b[J").collect();
    let narrow = drawings.iter().position(|drawing| drawing.contains("● ") && at_most(drawing, 34)).unwrap();
    let mut screen = Screen::new(60, 40);
    drawings[..narrow].iter().for_each(|drawing| screen.feed(drawing));
    screen.resize(35, 40);
    assert!(text.len() <= from.len());
    input.write_all(&second).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let whole = terminal.wait_for("outcome", || (), |text| text.ends_with("\x1b[J") && text.contains("usage: "));
    screen.feed(&whole[drawings[..narrow].concat().len()..]);
    assert_eq!(letters(&screen.text()), transcript(), "{}", screen.text());
    assert!(!screen.text().contains('●'), "{}", screen.text());
}

/// Says whether every row of a drawing fits.
fn at_most(drawing: &str, columns: usize) -> bool {
    show(drawing, 1_000, 1_000).text().lines().all(|line| line.chars().count() <= columns)
}

#[test]
fn a_narrow_terminal_never_has_to_break_a_row() {
    for columns in [8_u16, 20, 33] {
        let terminal = Terminal::new(columns, 12);
        let mut child = terminal.start(deltafold().args(["show", TOUR]));
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        let text = terminal.wait_for("outcome", || (), |text| text.contains("usage:") && text.ends_with("\x1b[J"));
        let shown = show(&text, columns.into(), 12);
        assert_eq!(shown.wraps, 0, "{}", shown.text());
        assert_eq!(letters(&shown.text()), transcript(), "{}", shown.text());
    }
}

#[test]
fn columns_tell_the_width_where_the_terminal_does_not() {
    let terminal = Terminal::new(0, 0);
    let mut command = deltafold();
    command.args(["show", TOUR]).env_remove("NO_COLOR").env("COLUMNS", "30").env("LINES", "50");
    let mut child = terminal.spawn(&mut command);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    let text = terminal.wait_for("outcome", || (), |text| text.contains("usage:") && text.ends_with("\x1b[J"));
    assert!(at_most(&text, 29), "{text}");
}

#[test]
fn colours_are_for_terminals_and_no_color_is_obeyed() {
    for (no_color, argument, coloured) in [
        (None, "auto", true),
        (Some("1"), "auto", false),
        (Some(""), "auto", true),
        (Some("1"), "always", true),
        (None, "never", false),
    ] {
        for arguments in [
            &["show", TOUR][..],
            &["check", "../../examples/streams/broken/no-done.sse"],
            &["show", "--timeline", TOUR],
            &["diff", TOUR, "../../examples/streams/broken/no-terminal.sse"],
        ] {
            let terminal = Terminal::new(80, 24);
            let mut command = deltafold();
            command.args(arguments).args(["--color", argument]).env_remove("NO_COLOR");
            if let Some(value) = no_color {
                command.env("NO_COLOR", value);
            }
            let mut child = terminal.spawn(&mut command);
            drop(child.stdin.take());
            child.wait().unwrap();
            // The last line of each has one of these.
            let ends = ["events/s", "notes", "response.completed", "differences"];
            let text = terminal.wait_for("the end", || (), |text| ends.iter().any(|end| text.contains(end)));
            let painted = text.split("\x1b[").skip(1).any(|rest| {
                rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';').starts_with('m')
            });
            assert_eq!(painted, coloured, "{arguments:?} NO_COLOR={no_color:?} --color {argument}: {text}");
        }
    }
}

#[test]
fn ctrl_c_leaves_the_terminal_as_it_was() {
    for arguments in [&["show", "-"][..], &["show", "--follow", TOUR_COPY], &["show", "--timeline", "-"]] {
        let folder = Folder::new("ctrl-c");
        let (first, _) = halves();
        let growing = folder.file("growing.sse", &first);
        let terminal = Terminal::new(80, 24);
        let before = format!("{:?}", tcgetattr(&terminal.slave).unwrap());
        let arguments: Vec<&str> =
            arguments.iter().map(|word| if *word == TOUR_COPY { growing.to_str().unwrap() } else { word }).collect();
        let mut child = terminal.start(deltafold().args(&arguments));
        let mut input = child.stdin.take().unwrap();
        // With --follow nothing reads it.
        let _ = input.write_all(&first);
        terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
        (&terminal.master).write_all(b"\x03").unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(2), "{arguments:?}");
        let text = terminal.wait_for("echo", || (), |text| text.contains("^C"));
        assert_eq!(format!("{:?}", tcgetattr(&terminal.slave).unwrap()), before, "{arguments:?}");
        // No other screen, no hidden cursor, nothing private at all; and the colour is off at the end.
        assert!(!text.contains("\x1b[?"), "{text}");
        let shown = show(&text.replace("^C", ""), 80, 24);
        assert!(!shown.coloured, "{text}");
        assert_eq!(shown.column(), 0, "{}", shown.text());
    }
}

const TOUR_COPY: &str = "growing";

#[test]
fn a_file_that_grows_is_followed_to_the_end_of_its_response() {
    let folder = Folder::new("follow");
    let (first, second) = halves();
    let path = folder.file("growing.sse", &first);
    let terminal = Terminal::new(80, 24);
    let mut child = terminal.start(deltafold().args(["show", "--follow"]).arg(&path));
    terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
    assert!(child.try_wait().unwrap().is_none(), "it waits for more");
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&second).unwrap();
    assert!(child.wait().unwrap().success());
    terminal.wait_for("outcome", || (), |text| text.contains("usage: "));
}

#[test]
fn a_terminal_that_goes_away_ends_it() {
    let terminal = Terminal::new(80, 24);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let mut input = child.stdin.take().unwrap();
    input.write_all(&halves().0).unwrap();
    terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
    rustix::process::kill_process_group(rustix::process::Pid::from_child(&child), rustix::process::Signal::HUP)
        .unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(1));
}

#[test]
fn a_reader_that_goes_away_ends_every_command_quietly() {
    let tour = std::fs::read(TOUR).unwrap();
    let folder = Folder::new("pipes");
    let path = folder.file("long.sse", &tour.repeat(200));
    for arguments in [
        &["show"][..],
        &["show", "--timeline"],
        &["events"],
        &["frames"],
        &["replay"],
        &["fold"],
        &["check", "--progress", "always"],
        &["convert", "--to", "open-responses"],
    ] {
        let mut child = deltafold()
            .args(arguments)
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{arguments:?}: {errors}");
        let errors: Vec<&str> = errors.lines().filter(|line| !line.contains(" read, ")).collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:?}");
    }
}

#[test]
fn progress_is_seen_on_a_terminal_and_gone_before_the_results() {
    for command in ["check", "fold"] {
        let terminal = Terminal::new(80, 24);
        let mut child = terminal.start(deltafold().args([command, "-"]));
        let mut input = child.stdin.take().unwrap();
        input.write_all(b": a comment\n\n").unwrap();
        // Comments keep the stream alive for as long as the bar lets us wait.
        let text = terminal.wait_for(
            "progress",
            || input.write_all(&b": more\n".repeat(1_000)).unwrap(),
            |text| text.contains(" read, "),
        );
        assert!(text.starts_with("\r\x1b[K"), "{text:?}");
        input.write_all(&std::fs::read(TOUR).unwrap()).unwrap();
        drop(input);
        child.wait().unwrap();
        let end = if command == "check" { "40 events" } else { "\"output\":" };
        let text = terminal.wait_for("the results", || (), |text| text.contains(end));
        let shown = show(&text, 20_000, 24).text();
        assert!(!shown.contains(" read, "), "{shown}");
    }
}
