//! Logs: a JSON object per line, with the body of a response in one of its fields.

use std::sync::Arc;

use deltafold::json::Value;
use deltafold::Limits;

use super::Capture;
use crate::input::Input;
use crate::progress::Progress;
use crate::Failure;

/// The longest line that is searched for a field.
pub(super) const MAX_LINE: usize = 256 << 20;

/// Fields by which a log is recognized.
const FIELDS: [&str; 2] = ["body", "response_body"];

/// Returns `true` if the first line is an object with a body.
pub(super) fn is_start(start: &[u8]) -> bool {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // The first bytes of most captures rule it out without parsing.
    line.trim_ascii_start().starts_with(b"{")
        && object(line).is_some_and(|line| FIELDS.iter().any(|field| line.get(field).is_some_and(is_body)))
}

/// Reads a body from each line.
pub(super) fn read(
    file: &Arc<str>,
    field: Option<&str>,
    start: Vec<u8>,
    input: &mut Input<'_>,
    progress: &Progress<'_>,
    push: &mut dyn FnMut(Capture) -> Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    let (mut number, mut without) = (0, Without::default());
    let mut each = |line: &[u8]| {
        number += 1;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let body = object(line).and_then(|line| find(&line, field));
        if body.is_none() {
            without.count(number);
        }
        push(Capture { file: file.clone(), entry: Some(number), body })
    };
    // Only the new bytes are searched for the end of a line, so that a long line takes linear time.
    let end = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let mut buffer = start;
    let mut complete = end(&buffer).unwrap_or(0);
    loop {
        buffer[..complete].split_inclusive(|byte| *byte == b'\n').try_for_each(&mut each)?;
        buffer.drain(..complete);
        if buffer.len() > MAX_LINE {
            return Err(Failure::Work(format!("{file}: a line is longer than {} MiB", MAX_LINE >> 20)));
        }
        let Some(chunk) = input.chunk()? else { break };
        progress.bytes(chunk.len());
        complete = end(chunk).map_or(0, |at| buffer.len() + at);
        buffer.extend_from_slice(chunk);
    }
    if !buffer.is_empty() {
        each(&buffer)?;
    }
    Ok(without.message(file, ("line", "lines"), &format!("field {}", field.unwrap_or(&FIELDS.join(" or ")))))
}

/// Lines or entries without a body.
#[derive(Default)]
pub(super) struct Without {
    count: u64,
    first: u64,
}

impl Without {
    pub(super) fn count(&mut self, number: u64) {
        self.count += 1;
        self.first = if self.count == 1 { number } else { self.first };
    }

    /// A message with their number, `None` if there are none; `units` is the word for one and for several.
    pub(super) fn message(&self, file: &str, units: (&str, &str), what: &str) -> Option<String> {
        let (one, several) = units;
        match self.count {
            0 => None,
            1 => Some(format!("{file}: {one} {} has no {what}", self.first)),
            count => Some(format!("{file}: {count} {several} have no {what}, the first is {one} {}", self.first)),
        }
    }
}

fn object(line: &[u8]) -> Option<Value> {
    let line = std::str::from_utf8(line).ok()?;
    Value::parse(line.trim(), Limits::default().depth).ok().filter(|value| value.as_object().is_some())
}

fn find(line: &Value, field: Option<&str>) -> Option<Vec<u8>> {
    let found = match field {
        Some(pointer) if pointer.starts_with('/') => line.pointer(pointer),
        Some(name) => line.get(name),
        None => FIELDS.iter().find_map(|field| line.get(field)),
    };
    found.and_then(bytes)
}

fn is_body(value: &Value) -> bool {
    value.as_str().is_some()
        || value.as_array().is_some_and(|chunks| chunks.iter().all(|chunk| chunk.as_str().is_some()))
}

/// The bytes of a body: a text, or a list of chunks. An object is a body that the log has parsed, such as an error.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    if let Some(text) = value.as_str() {
        return Some(text.as_bytes().to_vec());
    }
    if let Some(chunks) = value.as_array().filter(|_| is_body(value)) {
        return Some(chunks.iter().filter_map(Value::as_str).collect::<String>().into_bytes());
    }
    value.as_object().map(|_| value.to_string().into_bytes())
}
