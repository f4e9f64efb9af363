//! The program on a pseudo-terminal: window size, Ctrl-C and hang-up.
#![cfg(unix)]

mod common;
#[path = "common/pty.rs"]
mod pty;
#[path = "common/screen.rs"]
mod screen;

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use common::{deltafold, Folder};
use pty::Terminal;
use rustix::termios::tcgetattr;
use screen::Screen;

const TOUR: &str = "../../examples/streams/tour.sse";
/// Returns the tour in two halves; the split is inside a message.
fn halves() -> (Vec<u8>, Vec<u8>) {
    let tour = std::fs::read(TOUR).unwrap();
    let at = tour.windows(14).position(|window| window == b" and closed to").expect("the tour contains this text");
    let at = at + tour[at..].windows(2).position(|window| window == b"\n\n").unwrap() + 2;
    (tour[..at].to_vec(), tour[at..].to_vec())
}

fn show(text: &str, columns: usize, height: usize) -> Screen {
    let mut screen = Screen::new(columns, height);
    screen.feed(text);
    screen
}

/// Returns the plain transcript without its last lines, letters only, because rows may wrap anywhere.
fn transcript() -> String {
    letters(&common::run(&["show", TOUR], b"").output)
}

fn letters(text: &str) -> String {
    let letters: String = text.split_whitespace().collect();
    letters.split("outcome:").next().unwrap().to_owned()
}

#[test]
fn growing_text_is_shown_and_finished_text_stays() {
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
    assert_eq!((shown.column(), shown.colored, shown.wraps), (0, false, 0), "{}", shown.text());
    let shown = shown.text();
    assert!(!shown.contains('●'), "the status line is gone: {shown}");
    assert!(shown.contains("outcome: completed · 40 events, 14.1 kB in "), "{shown}");
    assert_eq!(letters(&shown), transcript());
}

#[test]
fn elapsed_time_is_updated_while_no_bytes_arrive() {
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
fn a_resized_window_shows_a_complete_frame() {
    let terminal = Terminal::new(100, 30);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let mut input = child.stdin.take().unwrap();
    let (first, second) = halves();
    input.write_all(&first).unwrap();
    terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
    // The terminal is resized between two frames; which frame uses the new size first depends on timing.
    for (columns, rows) in [(46_u16, 20_u16), (70, 30), (31, 30)] {
        terminal.resize(columns, rows);
        let drawn = terminal.raw().matches("● ").count();
        terminal.wait_for("a drawing at the new size", || (), |text| text.matches("● ").count() > drawn + 1);
    }
    input.write_all(&second).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let text = terminal.wait_for("outcome", || (), |text| text.ends_with("\x1b[J") && text.contains("usage: "));
    // However the terminal rewraps old rows, the last frame is drawn for the last size.
    let mut screen = Screen::new(31, 30);
    let tail = text.rfind("\x1b[J\r").map_or(text.as_str(), |at| &text[at + 3..]);
    screen.feed(tail);
    assert_eq!(screen.wraps, 0, "{}", screen.text());
    assert!(screen.text().contains("outcome: completed"), "{}", screen.text());
}

#[test]
fn a_frame_after_a_resize_begins_where_the_one_before_began() {
    // One frame at 60 columns, the next at 35, on a terminal that rewraps rows: no row is left over or lost.
    let terminal = Terminal::new(60, 40);
    let mut child = terminal.start(deltafold().args(["show", "-"]));
    let mut input = child.stdin.take().unwrap();
    let (first, second) = halves();
    input.write_all(&first).unwrap();
    let text =
        terminal.wait_for("growing message", || (), |text| text.contains("closed to") && text.ends_with("\x1b[J"));
    // From here on every frame is for the new size; earlier ones were for the old size.
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

/// True if every row of a frame fits.
fn at_most(drawing: &str, columns: usize) -> bool {
    show(drawing, 1_000, 1_000).text().lines().all(|line| line.chars().count() <= columns)
}

#[test]
fn a_narrow_terminal_never_wraps_a_row() {
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
fn the_variable_columns_gives_the_width_if_the_terminal_does_not() {
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
fn color_is_used_on_terminals_unless_no_color_is_set() {
    for (no_color, argument, colored) in [
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
            // The last line of each command has one of these.
            let ends = ["events/s", "notes", "response.completed", "differences"];
            let text = terminal.wait_for("the end", || (), |text| ends.iter().any(|end| text.contains(end)));
            let styled = text.split("\x1b[").skip(1).any(|rest| {
                rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';').starts_with('m')
            });
            assert_eq!(styled, colored, "{arguments:?} NO_COLOR={no_color:?} --color {argument}: {text}");
        }
    }
}

#[test]
fn a_dumb_terminal_gets_no_escape_sequences() {
    for arguments in
        [&["show", TOUR][..], &["check", "../../examples/streams/broken/no-done.sse"], &["check", "--help"], &["chek"]]
    {
        let terminal = Terminal::new(80, 24);
        let text = terminal.run_with_color(deltafold().args(arguments).env_remove("NO_COLOR").env("TERM", "dumb"), b"");
        assert!(!text.contains('\x1b') && text.len() > 50, "{arguments:?}: {text:?}");
    }
}

#[test]
fn ctrl_c_leaves_the_terminal_unchanged() {
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
        // With --follow, stdin is not read.
        let _ = input.write_all(&first);
        terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
        (&terminal.master).write_all(b"\x03").unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(2), "{arguments:?}");
        let text = terminal.wait_for("echo", || (), |text| text.contains("^C"));
        assert_eq!(format!("{:?}", tcgetattr(&terminal.slave).unwrap()), before, "{arguments:?}");
        // No alternate screen, no hidden cursor, no private mode; the color is reset at the end.
        assert!(!text.contains("\x1b[?"), "{text}");
        let shown = show(&text.replace("^C", ""), 80, 24);
        assert!(!shown.colored, "{text}");
        assert_eq!(shown.column(), 0, "{}", shown.text());
    }
}

const TOUR_COPY: &str = "growing";

#[test]
fn a_growing_file_is_followed_until_its_response_ends() {
    let folder = Folder::new("follow");
    let (first, second) = halves();
    let path = folder.file("growing.sse", &first);
    let terminal = Terminal::new(80, 24);
    let mut child = terminal.start(deltafold().args(["show", "--follow"]).arg(&path));
    terminal.wait_for("growing message", || (), |text| text.contains("closed to"));
    assert!(child.try_wait().unwrap().is_none(), "the program waits for more");
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&second).unwrap();
    assert!(child.wait().unwrap().success());
    terminal.wait_for("outcome", || (), |text| text.contains("usage: "));
}

#[test]
fn a_closed_terminal_ends_the_command() {
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
fn a_closed_pipe_ends_every_command_without_a_message() {
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
fn progress_is_shown_on_a_terminal_and_removed_before_the_results() {
    for command in ["check", "fold"] {
        let terminal = Terminal::new(80, 24);
        let mut child = terminal.start(deltafold().args([command, "-"]));
        let mut input = child.stdin.take().unwrap();
        input.write_all(b": a comment\n\n").unwrap();
        // Comments keep the stream open until the bar is drawn.
        terminal.wait_for(
            "progress",
            || input.write_all(&b": more\n".repeat(1_000)).unwrap(),
            |text| text.contains(" read, "),
        );
        input.write_all(&std::fs::read(TOUR).unwrap()).unwrap();
        drop(input);
        child.wait().unwrap();
        let end = if command == "check" { "40 events" } else { "\"output\":" };
        let text = terminal.wait_for("the results", || (), |text| text.contains(end));
        let shown = show(&text, 20_000, 24).text();
        assert!(!shown.contains(" read, "), "{shown}");
    }
}
