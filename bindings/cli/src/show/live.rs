//! The live view: finished items scroll into history, items in progress are redrawn below them, with a status line.
//!
//! Each frame is one write. It begins where the last frame began, and ends at the start of a line in the default color. So the
//! program can be interrupted at any moment: there is no terminal mode to restore.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use deltafold::Reader;

use super::live_reader::LiveReader;
use super::{failure, render, PrintedItems};
use crate::color::{Color, DIM, PENDING};
use crate::output;
use crate::progress::size;
use crate::styled_line::StyledLine;
use crate::Failure;

/// The minimum time between frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(50);

/// Shows the stream until it ends.
pub(super) fn run(
    live: LiveReader<'_>,
    mut reader: Reader,
    color: Color,
    window: fn() -> Option<(u16, u16)>,
    output: &mut (dyn Write + Send),
    name: &str,
) -> Result<Option<&'static str>, Failure> {
    let mut view = View {
        output,
        color,
        window,
        frame: Vec::new(),
        printed: PrintedItems::default(),
        bytes: 0,
        started: Instant::now(),
        drawn: None,
    };
    let read = live.run(
        &mut reader,
        |_| ControlFlow::Continue(()),
        |reader, bytes| {
            view.bytes += bytes as u64;
            if view.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME_INTERVAL) {
                view.draw(reader, name)?;
            }
            Ok(ControlFlow::Continue(()))
        },
    );
    if matches!(read, Err(Failure::Closed)) {
        return Err(Failure::Closed);
    }
    let finished = reader.finish();
    view.draw_last(&reader)?;
    let unread = read?;
    finished.map(|_| unread).map_err(|error| failure(name, &error))
}

struct View<'a> {
    output: &'a mut (dyn Write + Send),
    color: Color,
    window: fn() -> Option<(u16, u16)>,
    /// The widths of the rows of the last frame, which the next one replaces.
    frame: Vec<usize>,
    printed: PrintedItems,
    bytes: u64,
    started: Instant,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
}

impl View<'_> {
    fn draw(&mut self, reader: &Reader, name: &str) -> Result<(), Failure> {
        self.drawn = Some(Instant::now());
        let (columns, height) = self.window();
        let finished = self.printed.new_lines(reader);
        let mut in_progress = Vec::new();
        let response = reader.response();
        for (at, item) in response.items().enumerate().skip(self.printed.items) {
            in_progress.push(StyledLine::default());
            in_progress.extend(render::item(at, &item, Some(columns * height)));
        }
        in_progress.push(StyledLine::default());
        let mut rows: Vec<_> = in_progress.iter().flat_map(|line| line.wrap(columns, self.color)).collect();
        // Two lines are for the status line and the cursor.
        let room = height.saturating_sub(2).max(1);
        if rows.len() > room {
            rows.drain(..rows.len() - room);
        }
        rows.extend(self.status(reader, name).wrap(columns, self.color).into_iter().take(1));
        self.write(&finished, rows, columns)
    }

    /// Prints the rest of the response and the footer.
    fn draw_last(&mut self, reader: &Reader) -> Result<(), Failure> {
        let (columns, _) = self.window();
        let mut lines = self.printed.remaining_lines(reader);
        lines.extend(render::footer(reader, reader.outcome(), &format!(", {}", self.pace(reader))));
        self.write(&lines, Vec::new(), columns)
    }

    /// Replaces the last frame by final lines and the rows of the next frame.
    fn write(&mut self, lines: &[StyledLine], rows: Vec<(String, usize)>, columns: usize) -> Result<(), Failure> {
        // If the window is narrower now, the terminal has wrapped the rows of the last frame.
        let up: usize = self.frame.iter().map(|width| width.div_ceil(columns + 1).max(1)).sum();
        let mut text = String::from("\r");
        if up > 0 {
            text.push_str(&format!("\x1b[{up}A"));
        }
        let lines = lines.iter().flat_map(|line| line.wrap(columns, self.color));
        self.frame = rows.iter().map(|(_, width)| *width).collect();
        for (row, _) in lines.chain(rows) {
            text.push_str(&row);
            // Clears the rest of a longer row of the last frame.
            text.push_str("\x1b[K\n");
        }
        text.push_str("\x1b[J");
        let written = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
        written.map_err(|error| match error.raw_os_error() {
            // EIO: the terminal was closed.
            Some(5) => Failure::Closed,
            _ => output::failure(&error),
        })
    }

    fn status(&self, reader: &Reader, name: &str) -> StyledLine {
        let status = reader.response().status_name().unwrap_or_default();
        let (word, style) = match status {
            "" => ("waiting", PENDING),
            status => (status, render::status_style(status)),
        };
        let mut line = StyledLine::new(style, format!("● {word}"))
            .with(DIM, format!(" · {} events, {}", reader.event_count(), self.pace(reader)));
        if let Some(usage) = reader.response().usage_value().and_then(|usage| usage.get("total_tokens")) {
            line = line.with(DIM, format!(" · {usage} tokens"));
        }
        match reader.all_findings().total() {
            0 => {}
            1 => line = line.with(PENDING, " · 1 finding"),
            count => line = line.with(PENDING, format!(" · {count} findings")),
        }
        line.with(DIM, format!(" · {name}"))
    }

    /// Bytes, time and rate.
    fn pace(&self, reader: &Reader) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = reader.event_count() as f64 / seconds.max(0.001);
        format!("{} in {seconds:.1} s, {rate:.0} events/s", size(self.bytes))
    }

    /// Usable columns, and rows. The last column is not used, because terminals wrap there in different ways.
    fn window(&self) -> (usize, usize) {
        let (columns, rows) = (self.window)().unwrap_or((80, 24));
        (usize::from(columns).saturating_sub(1).max(4), usize::from(rows).max(3))
    }
}
