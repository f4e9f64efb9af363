//! A pseudo-terminal that runs the program and stores its output.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::{tcsetwinsize, Winsize};

/// How long a test waits for output before it fails.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A pseudo-terminal, and everything that was written to it.
pub struct Terminal {
    pub master: File,
    /// Kept open, so that the terminal outlives the program and tests can read its modes.
    pub slave: File,
    written: Arc<(Mutex<Vec<u8>>, Condvar)>,
}

impl Terminal {
    pub fn new(columns: u16, rows: u16) -> Self {
        let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        rustix::pty::grantpt(&master).expect("it can be used");
        rustix::pty::unlockpt(&master).expect("it can be opened");
        let name = rustix::pty::ptsname(&master, Vec::new()).expect("it has a name");
        let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the slave side opens");
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

    pub fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.master, size).expect("a window has a size");
    }

    /// Starts a command with this terminal as its controlling terminal, and a pipe as its input.
    pub fn start(&self, command: &mut Command) -> Child {
        command.env_remove("NO_COLOR").env_remove("COLUMNS").env_remove("LINES");
        self.spawn(command)
    }

    pub fn spawn(&self, command: &mut Command) -> Child {
        let end = || Stdio::from(self.slave.try_clone().unwrap());
        command.stdin(Stdio::piped()).stdout(end()).stderr(end());
        if !command.get_envs().any(|(name, _)| name == "TERM") {
            command.env("TERM", "xterm-256color");
        }
        let slave = self.slave.try_clone().unwrap();
        // SAFETY: between fork and exec only system calls are made that may be made there; the descriptor is open, because the closure
        // owns it.
        unsafe {
            command.pre_exec(move || {
                // As in a new login: a shell that starts the tests in the background makes them ignore Ctrl-C, which the program inherits.
                for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(&slave)?;
                Ok(())
            });
        }
        command.spawn().expect("it runs")
    }

    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.written.0.lock().unwrap()).into_owned()
    }

    /// Waits until `seen` accepts the output, and calls `poke` regularly while waiting. `what` names the expected output in the failure.
    pub fn wait_for(&self, what: &str, mut poke: impl FnMut(), seen: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + TIMEOUT;
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

    /// Runs a command to its end, with NO_COLOR, and returns everything that it prints.
    pub fn run(&self, command: &mut Command, input: &[u8]) -> String {
        self.run_with_color(command.env("NO_COLOR", "1"), input)
    }

    /// Runs a command to its end, and returns everything that it prints.
    pub fn run_with_color(&self, command: &mut Command, input: &[u8]) -> String {
        let mut child = self.spawn(command);
        let mut pipe = child.stdin.take().expect("a pipe");
        std::thread::scope(|scope| {
            scope.spawn(move || drop(pipe.write_all(input)));
            child.wait().expect("it ends");
        });
        // Written after the end of the program, so everything before it is complete.
        (&self.slave).write_all(END.as_bytes()).expect("the terminal is open");
        let text = self.wait_for("the end", || (), |text| text.ends_with(END));
        text.strip_suffix(END).unwrap().replace("\r\n", "\n")
    }
}

/// Marks the end of a program's output.
const END: &str = "--end--";
