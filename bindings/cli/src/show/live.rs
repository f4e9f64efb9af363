//! The live view: what is done scrolls up for good, what still grows is redrawn below it, with a status line.
//!
//! Each drawing is one write that begins where the last one began and ends at the start of a line in plain colour. So
//! whatever ends the program leaves a terminal as it was; there is no mode to take back.

use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

use deltafold::Reader;

use super::pump::{Pump, Seen};
use super::{done_lines, render};
use crate::paint::Paint;
use crate::progress::size;
use crate::term::{Line, Style};
use crate::Failure;

/// How often the view is drawn.
const FRAME: Duration = Duration::from_millis(50);

/// Shows the stream until it ends.
pub(super) fn run(
    pump: Pump<'_>,
    mut reader: Reader,
    paint: Paint,
    window: fn() -> Option<(u16, u16)>,
    output: &mut (dyn Write + Send),
    name: &str,
) -> Result<u8, Failure> {
    let mut view = View {
        output,
        paint,
        window,
        drawn: Vec::new(),
        headed: false,
        items: 0,
        bytes: 0,
        started: Instant::now(),
        last: None,
    };
    let read = pump.run(&mut reader, None, |reader, bytes| {
        view.bytes += bytes as u64;
        if view.last.is_none_or(|last| last.elapsed() >= FRAME) {
            view.draw(reader, name)?;
        }
        Ok(Seen::More)
    });
    if matches!(read, Err(Failure::Closed)) {
        return Err(Failure::Closed);
    }
    reader.finish();
    view.close(&reader)?;
    read.map(|()| 0)
}

struct View<'a> {
    output: &'a mut (dyn Write + Send),
    paint: Paint,
    window: fn() -> Option<(u16, u16)>,
    /// The widths of the rows that are redrawn.
    drawn: Vec<usize>,
    headed: bool,
    /// How many items are printed for good.
    items: usize,
    bytes: u64,
    started: Instant,
    last: Option<Instant>,
}

impl View<'_> {
    fn draw(&mut self, reader: &Reader, name: &str) -> Result<(), Failure> {
        self.last = Some(Instant::now());
        let (columns, height) = self.window();
        let done = done_lines(reader, &mut self.headed, &mut self.items);
        let mut growing = Vec::new();
        let response = reader.response();
        for (at, item) in response.items().enumerate().skip(self.items) {
            growing.push(Line::default());
            growing.extend(render::item(at, &item, Some(columns * height)));
        }
        growing.push(Line::default());
        let mut rows: Vec<_> = growing.iter().flat_map(|line| line.rows(columns, self.paint)).collect();
        // The status line and the line that the cursor is left in take two.
        let room = height.saturating_sub(2).max(1);
        if rows.len() > room {
            rows.drain(..rows.len() - room);
        }
        rows.extend(self.status(reader, name).rows(columns, self.paint).into_iter().take(1));
        self.write(&done, rows, columns)
    }

    fn close(&mut self, reader: &Reader) -> Result<(), Failure> {
        let (columns, _) = self.window();
        let mut lines = done_lines(reader, &mut self.headed, &mut self.items);
        if !self.headed {
            lines.push(render::heading(&reader.response()));
        }
        for (at, item) in reader.response().items().enumerate().skip(self.items) {
            lines.push(Line::default());
            lines.extend(render::item(at, &item, None));
        }
        lines.push(Line::default());
        lines.extend(render::footer(reader, reader.outcome(), &format!(", {}", self.pace(reader))));
        self.write(&lines, Vec::new(), columns)
    }

    /// Replaces what was redrawn last by lines that stay and rows that will be redrawn.
    fn write(&mut self, stay: &[Line], rows: Vec<(String, usize)>, columns: usize) -> Result<(), Failure> {
        // After the window got narrower the terminal itself has broken the rows of before.
        let up: usize = self.drawn.iter().map(|width| width.div_ceil(columns + 1).max(1)).sum();
        let mut text = String::from("\r");
        if up > 0 {
            text.push_str(&format!("\x1b[{up}A"));
        }
        let stay = stay.iter().flat_map(|line| line.rows(columns, self.paint));
        self.drawn = rows.iter().map(|(_, width)| *width).collect();
        for (row, _) in stay.chain(rows) {
            text.push_str(&row);
            // What was longer before ends here.
            text.push_str("\x1b[K\n");
        }
        text.push_str("\x1b[J");
        let written = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
        written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::Closed,
            // The terminal is gone.
            _ if error.raw_os_error() == Some(5) => Failure::Closed,
            _ => Failure::Work(format!("cannot write to stdout: {error}")),
        })
    }

    fn status(&self, reader: &Reader, name: &str) -> Line {
        let status = reader.response().status();
        let (word, style) = match status {
            "" => ("waiting", Style::Busy),
            status => (status, render::status_style(status)),
        };
        let mut line = Line::new(style, format!("● {word}"))
            .and(Style::Dim, format!(" · {} events, {}", reader.event_count(), self.pace(reader)));
        if let Some(usage) = reader.usage().and_then(|usage| usage.get("total_tokens")) {
            line = line.and(Style::Dim, format!(" · {usage} tokens"));
        }
        match reader.all_findings().total() {
            0 => {}
            1 => line = line.and(Style::Busy, " · 1 finding"),
            count => line = line.and(Style::Busy, format!(" · {count} findings")),
        }
        line.and(Style::Dim, format!(" · {name}"))
    }

    /// Bytes, time and rate.
    fn pace(&self, reader: &Reader) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = reader.event_count() as f64 / seconds.max(0.001);
        format!("{} in {seconds:.1} s, {rate:.0} events/s", size(self.bytes))
    }

    /// Columns that can be used and rows. The last column stays free: what a terminal does there differs.
    fn window(&self) -> (usize, usize) {
        let (columns, rows) = (self.window)().unwrap_or((80, 24));
        (usize::from(columns).saturating_sub(1).max(4), usize::from(rows).max(3))
    }
}
