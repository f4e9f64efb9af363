//! `show --timeline`: one line per event.

use std::time::Instant;

use deltafold::json::{write_string, Object, Value};
use deltafold::{Event, Reader};

use super::pump::{Pump, Seen};
use crate::output::Output;
use crate::paint::Paint;
use crate::term::{Line, Style};
use crate::Failure;

/// Prints a line for each event as it comes.
pub(super) fn run(
    pump: Pump<'_>,
    json: bool,
    timed: bool,
    paint: Paint,
    mut output: Output<'_>,
) -> Result<u8, Failure> {
    let started = Instant::now();
    let mut reader = Reader::new();
    let (mut lines, mut trouble) = (Vec::new(), None);
    if !json {
        output.line(&head(timed).whole(paint))?;
    }
    // Events borrow from the reader, and the output is flushed once a chunk: lines wait in between.
    let lines = std::cell::RefCell::new(&mut lines);
    pump.run(
        &mut reader,
        Some(&mut |event| {
            let seconds = timed.then(|| started.elapsed().as_secs_f64());
            let line = if json { object(event, seconds) } else { row(event, seconds).whole(paint) };
            lines.borrow_mut().push(line);
            Seen::More
        }),
        |_, _| {
            let mut waiting = lines.borrow_mut();
            let written = waiting.drain(..).try_for_each(|line| output.line(&line)).and_then(|()| output.flush());
            if let Err(failure) = written {
                trouble = Some(failure);
                return Ok(Seen::Enough);
            }
            Ok(Seen::More)
        },
    )?;
    trouble.map_or(Ok(0), Err)
}

fn head(timed: bool) -> Line {
    let time = if timed { "     time" } else { "" };
    Line::new(
        Style::Dim,
        format!(
            "{:>6} {:>6} {:>9} {:>7}{time}  {:<42} {:>5}  delta",
            "event", "number", "offset", "bytes", "type", "place"
        ),
    )
}

fn row(event: &Event<'_>, seconds: Option<f64>) -> Line {
    let number = event.sequence_number().map_or_else(|| "-".to_owned(), |number| number.to_string());
    let time = seconds.map_or_else(String::new, |seconds| format!(" {seconds:>8.3}"));
    let lead = format!("{:>6} {number:>6} {:>9} {:>7}{time}  ", event.index(), event.offset(), event.raw().len());
    let kind = event.kind();
    let style = match kind {
        kind if kind.is_terminal() => Style::Title,
        kind if !kind.is_known() => Style::Busy,
        kind if kind.is_delta() => Style::Plain,
        _ => Style::Code,
    };
    let place = place(event);
    let delta = delta(event).map(|delta| {
        let mut text = String::from("  ");
        write_string(&delta, &mut text);
        text
    });
    Line::new(Style::Dim, lead)
        .and(style, format!("{:<42}", event.wire_type()))
        .and(
            Style::Dim,
            if delta.is_some() { format!(" {place:>5}") } else { format!(" {place:>5}").trim_end().to_owned() },
        )
        .and(Style::Plain, delta.unwrap_or_default())
}

/// `output.content`, or `output.s0` for a summary.
fn place(event: &Event<'_>) -> String {
    let Some(output) = event.output_index() else { return String::new() };
    match (event.content_index(), event.summary_index()) {
        (Some(part), _) => format!("{output}.{part}"),
        (None, Some(part)) => format!("{output}.s{part}"),
        _ => output.to_string(),
    }
}

fn delta(event: &Event<'_>) -> Option<String> {
    event.kind().is_delta().then(|| event.delta().to_owned())
}

fn object(event: &Event<'_>, seconds: Option<f64>) -> String {
    let mut object = Object::new();
    object.push("index", event.index());
    object.push("sequence_number", event.sequence_number());
    object.push("offset", event.offset());
    object.push("bytes", event.raw().len());
    if let Some(seconds) = seconds {
        object.push("seconds", Value::from((seconds * 1e6).round() / 1e6));
    }
    object.push("type", event.wire_type());
    object.push("place", place(event));
    object.push("delta", delta(event));
    object.to_string()
}
