//! HAR files, as browsers and proxies save them: the responses of an archive that are streams.

use std::sync::Arc;

use deltafold::adapter::detect;
use deltafold::json::Value;

use super::log::Without;
use super::Capture;
use crate::Failure;

/// Content types of streams.
const STREAMS: [&str; 5] = [
    "text/event-stream",
    "application/x-ndjson",
    "application/jsonl",
    "application/stream+json",
    "application/vnd.amazon.eventstream",
];

/// The maximum nesting of an archive.
const DEPTH: usize = 128;

/// Returns `true` if a file begins as an archive: an object whose first key is `log`.
pub(super) fn is_start(start: &[u8]) -> bool {
    let after = |bytes: &[u8], token: &[u8]| bytes.trim_ascii_start().strip_prefix(token).map(<[u8]>::to_vec);
    let value = after(start, b"{").and_then(|rest| after(&rest, b"\"log\"")).and_then(|rest| after(&rest, b":"));
    value.is_some_and(|value| value.trim_ascii_start().starts_with(b"{"))
}

/// Reads the body of each entry that is a stream, by its content type or its content.
pub(super) fn read(
    file: &Arc<str>,
    bytes: &[u8],
    push: &mut dyn FnMut(Capture) -> Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    let failure = |reason: &str| Failure::Work(format!("{file}: not a HAR file: {reason}"));
    let text = std::str::from_utf8(bytes).map_err(|_| failure("it is not UTF-8"))?;
    // Some programs write a byte order mark.
    let archive =
        Value::parse(text.trim_start_matches('\u{feff}').trim(), DEPTH).map_err(|error| failure(&error.to_string()))?;
    let entries =
        archive.pointer("/log/entries").and_then(Value::as_array).ok_or_else(|| failure("it has no log.entries"))?;
    let mut without = Without::default();
    for (number, entry) in (1..).zip(entries) {
        let content = entry.pointer("/response/content");
        let kind = content.and_then(|content| content.str_at("mimeType")).unwrap_or_default().to_ascii_lowercase();
        let is_declared = STREAMS.iter().any(|stream| kind.starts_with(stream));
        let body = content.and_then(body);
        match body {
            Some(body) if is_declared || is_stream(&body) => {
                push(Capture { file: file.clone(), entry: Some(number), body: Some(body) })?;
            }
            None if is_declared => {
                without.count(number);
                push(Capture { file: file.clone(), entry: Some(number), body: None })?;
            }
            _ => {}
        }
    }
    Ok(without.message(file, ("entry", "entries"), "content; browsers save it only while their tools are open"))
}

/// Returns `true` for a body in a known dialect, unless it is a single JSON value: every API returns such values.
fn is_stream(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    !start.starts_with(b"{") && !start.starts_with(b"[") && detect(body).is_some()
}

fn body(content: &Value) -> Option<Vec<u8>> {
    let text = content.str_at("text")?;
    match content.str_at("encoding") {
        Some("base64") => base64(text),
        _ => Some(text.as_bytes().to_vec()),
    }
}

/// Decodes base64 with or without padding; `None` for anything else.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{base64, is_start};

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, bytes) in
            [("", &b""[..]), ("Zg==", b"f"), ("Zm8", b"fo"), ("Zm9v\nYmFy", b"foobar"), ("/+8=", b"\xff\xef")]
        {
            assert_eq!(base64(text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(base64("a-b"), None);
    }

    #[test]
    fn an_archive_is_recognized_by_its_first_key() {
        assert!(is_start(b" {\r\n  \"log\" : {\"version\""));
        for other in ["{\"log\":\"text\"}", "{\"logs\":{", "data: {\"log\":{", "", "{"] {
            assert!(!is_start(other.as_bytes()), "{other}");
        }
    }
}
