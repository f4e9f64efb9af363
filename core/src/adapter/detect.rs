//! [`detect`]: identifies the dialect of a stream by its first bytes.

use alloc::string::String;

use super::Dialect;
use crate::json::{Tape, ValueKind, ValueRef};
use crate::limits::Limits;
use crate::sse::{FrameDecoder, Signal};

/// Returns the dialect of a stream by its first bytes; `None` while they do not identify it.
///
/// Uses whole messages only; a ping or an empty message identifies nothing. Mistral and plain Chat Completions look
/// the same and are read by the same rules, so both are [`Dialect::ChatCompletions`] here.
///
/// ```
/// use deltafold::adapter::{detect, Dialect};
/// assert_eq!(detect(b"event: ping\ndata: {\"type\":\"ping\"}\n\n"), None);
/// assert_eq!(detect(b"data: {\"choices\":[],\"id\":\"x\"}\n\n"), Some(Dialect::ChatCompletions));
/// assert_eq!(detect(b"{\"model\":\"m\",\"message\":{},\"done\":false}\n"), Some(Dialect::Ollama));
/// ```
pub fn detect(start: &[u8]) -> Option<Dialect> {
    let limits = Limits::default();
    let mut tape = Tape::default();
    let first = start.iter().position(|byte| !byte.is_ascii_whitespace())?;
    match start.get(first) {
        // A message of an AWS event stream starts with its length in four bytes, of which the first is 0 because no message is that
        // long. It has twelve bytes at least before its headers, and no more headers than it is long.
        Some(0) => {
            let number = |at: usize| start.get(first + at..first + at + 4)?.try_into().ok().map(u32::from_be_bytes);
            let (length, headers) = (number(0)?, number(4)?);
            return (length >= 16 && headers <= length - 16).then_some(Dialect::Bedrock);
        }
        Some(b'{' | b'[') => {
            let mut scratch = String::new();
            for line in start.get(first..)?.split(|byte| matches!(byte, b'\n' | b'\r')) {
                let (text, _) = crate::sse::decode_text(line, &mut scratch);
                let text = text.trim().trim_start_matches(['[', ',']).trim_end_matches([',', ']']);
                if let Some(dialect) = detect_object(text, &limits, &mut tape) {
                    return Some(dialect);
                }
            }
            return None;
        }
        _ => {}
    }
    let mut decoder = FrameDecoder::new(&limits);
    let mut at = 0;
    while let Ok(Some(signal)) = decoder.next(start, &mut at) {
        if let Signal::Frame(frame) = signal {
            if let Some(dialect) = detect_object(frame.data, &limits, &mut tape) {
                return Some(dialect);
            }
        }
    }
    None
}

fn detect_object(text: &str, limits: &Limits, tape: &mut Tape) -> Option<Dialect> {
    tape.parse(text, limits.depth).ok()?;
    let root = tape.root(text);
    (root.kind() == ValueKind::Object).then(|| by_members(root)).flatten()
}

/// The dialect of one message; `None` if it is not recognizable.
#[cfg(feature = "adapter-bedrock")]
pub(crate) fn detect_message(root: ValueRef<'_>) -> Option<Dialect> {
    by_members(root)
}

fn by_members(root: ValueRef<'_>) -> Option<Dialect> {
    if let Some(kind) = root.get("type").and_then(|kind| kind.as_str()) {
        if let Some(dialect) = by_type(&kind, root) {
            return Some(dialect);
        }
    }
    let has = |name: &str| root.get(name).is_some();
    if has("choices") || root.get("object").is_some_and(|object| object.is_str("chat.completion.chunk")) {
        return Some(Dialect::ChatCompletions);
    }
    if has("candidates") || has("promptFeedback") || has("usageMetadata") {
        return Some(Dialect::Gemini);
    }
    if has("schema_version") && has("event") {
        return Some(Dialect::ThreadEvents);
    }
    if has("done") && (has("message") || has("model")) {
        return Some(Dialect::Ollama);
    }
    if let Some(error) = root.get("error") {
        return Some(match error.kind() {
            ValueKind::String => Dialect::Ollama,
            _ if error.get("status").is_some_and(|status| status.kind() == ValueKind::String) => Dialect::Gemini,
            _ => Dialect::ChatCompletions,
        });
    }
    let mut entries = root.entries();
    let (key, _) = entries.next()?;
    let key = key.as_str()?;
    if entries.next().is_some() {
        return None;
    }
    match key.as_ref() {
        "Status" | "Usage" | "Error" | "UnhandledSse" | "BlockStart" | "BlockDelta" | "BlockStop" | "BlockAbort"
        | "ReasoningItem" | "Ping" => Some(Dialect::Blocks),
        "messageStart" | "contentBlockStart" | "contentBlockDelta" | "contentBlockStop" | "messageStop"
        | "metadata" => Some(Dialect::Bedrock),
        "chunk" if root.pointer("/chunk/bytes").is_some() => Some(Dialect::Bedrock),
        other if other.ends_with("Exception") => Some(Dialect::Bedrock),
        _ => None,
    }
}

fn by_type(kind: &str, root: ValueRef<'_>) -> Option<Dialect> {
    match kind {
        "message_start"
        | "content_block_start"
        | "content_block_delta"
        | "content_block_stop"
        | "message_delta"
        | "message_stop" => Some(Dialect::Anthropic),
        "message-start" | "content-start" | "content-delta" | "content-end" | "tool-plan-delta" | "tool-call-start"
        | "tool-call-delta" | "tool-call-end" | "citation-start" | "citation-end" | "message-end" => {
            Some(Dialect::Cohere)
        }
        "ping" | "keepalive" => None,
        // Both dialects have such an event: Anthropic's error types end in `_error` and its events have no numbers.
        "error" if root.get("error").is_some() => {
            let named = root.pointer("/error/type").and_then(|name| name.as_str());
            let foreign = named.is_some_and(|name| name.ends_with("_error") && name != "server_error");
            let numbered = root.get("sequence_number").is_some();
            Some(if foreign && !numbered { Dialect::Anthropic } else { Dialect::OpenResponses })
        }
        "error" if root.get("sequence_number").is_some() || root.get("code").is_some() => Some(Dialect::OpenResponses),
        "error" => Some(Dialect::ThreadEvents),
        _ if kind.starts_with("response.") || kind.contains(':') => Some(Dialect::OpenResponses),
        _ if ["thread.", "turn.", "item."].iter().any(|start| kind.starts_with(start)) => Some(Dialect::ThreadEvents),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_decides_whether_bytes_are_an_event_stream_of_aws() {
        let start = |length: u32, headers: u32| [length.to_be_bytes(), headers.to_be_bytes()].concat();
        assert_eq!(detect(&start(100, 84)), Some(Dialect::Bedrock));
        assert_eq!(detect(&start(100, 85)), None);
        assert_eq!(detect(&start(15, 0)), None);
        assert_eq!(detect(&[0, 1, 2, 0xFF]), None);
        assert_eq!(detect(&start(100, 84)[..7]), None);
    }

    #[test]
    fn a_chunk_of_an_invoked_model_is_of_bedrock() {
        assert_eq!(detect(b"{\"chunk\":{\"bytes\":\"e30=\"}}\n"), Some(Dialect::Bedrock));
    }
}
