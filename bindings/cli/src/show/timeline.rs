//! `show --timeline`: one line per event.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Instant;

use deltafold::json::{write_string, Object, Value};
use deltafold::{Event, Reader};

use super::live_reader::LiveReader;
use crate::color::{Color, CODE, DIM, PENDING, PLAIN, TITLE};
use crate::output::Output;
use crate::styled_line::StyledLine;
use crate::Failure;

/// Prints a line for each event as it arrives.
pub(super) fn run(
    live: LiveReader<'_>,
    json: bool,
    with_time: bool,
    color: Color,
    output: Output<'_>,
) -> Result<Option<&'static str>, Failure> {
    let started = Instant::now();
    let mut reader = Reader::new();
    let output = RefCell::new(output);
    let mut failed = None;
    if !json {
        output.borrow_mut().styled(&head(with_time), color)?;
    }
    let unread = live.run(
        &mut reader,
        |event| {
            let seconds = with_time.then(|| started.elapsed().as_secs_f64());
            let mut output = output.borrow_mut();
            let written =
                if json { output.line(&object(event, seconds)) } else { output.styled(&row(event, seconds), color) };
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => {
                    failed = Some(failure);
                    ControlFlow::Break(())
                }
            }
        },
        |_, _| output.borrow_mut().flush().map(ControlFlow::Continue),
    )?;
    failed.map_or(Ok(unread), Err)
}

fn head(with_time: bool) -> StyledLine {
    let time = if with_time { "     time" } else { "" };
    let columns = format!(
        "{:>6} {:>6} {:>9} {:>7}{time}  {:<42} {:>5}  delta",
        "event", "number", "offset", "bytes", "type", "place"
    );
    StyledLine::new(DIM, columns)
}

fn row(event: &Event<'_>, seconds: Option<f64>) -> StyledLine {
    let number = event.sequence_number().map_or_else(|| "-".to_owned(), |number| number.to_string());
    let time = seconds.map_or_else(String::new, |seconds| format!(" {seconds:>8.3}"));
    let lead = format!("{:>6} {number:>6} {:>9} {:>7}{time}  ", event.index(), event.offset(), event.raw().len());
    let kind = event.kind();
    let style = match kind {
        kind if kind.is_terminal() => TITLE,
        kind if !kind.is_known() => PENDING,
        kind if kind.is_delta() => PLAIN,
        _ => CODE,
    };
    let place = format!(" {:>5}", place(event));
    let mut delta = String::new();
    if event.kind().is_delta() {
        delta.push_str("  ");
        write_string(event.delta(), &mut delta);
    }
    let place = if delta.is_empty() { place.trim_end().to_owned() } else { place };
    StyledLine::new(DIM, lead).with(style, format!("{:<42}", event.wire_type())).with(DIM, place).with(PLAIN, delta)
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
    object.push("delta", event.kind().is_delta().then(|| event.delta().to_owned()));
    object.to_string()
}
