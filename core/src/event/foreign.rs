//! Identifies input that is not a Responses stream, so that one finding can name its format.

use super::payload::Event;
use crate::contract::Kind;

/// Returns the name of the format that an event seems to belong to, if it is one that users confuse with Responses streams.
pub(crate) fn identify_event(event: &Event<'_>) -> Option<&'static str> {
    if event.kind() != Kind::Unknown {
        return None;
    }
    let root = event.root()?;
    let has = |key: &str| root.get(key).is_some();
    let kind = event.wire_type();
    Some(match kind {
        "message_start"
        | "content_block_start"
        | "content_block_delta"
        | "content_block_stop"
        | "message_delta"
        | "message_stop" => "an Anthropic Messages stream",
        "message-start" | "content-start" | "content-delta" | "message-end" | "tool-plan-delta" => "a Cohere stream",
        "start" | "start-step" | "text-start" | "text-delta" | "tool-input-start" | "finish" => "a UI message stream",
        "RUN_STARTED" | "TEXT_MESSAGE_START" | "TEXT_MESSAGE_CONTENT" | "RUN_FINISHED" => "an AG-UI stream",
        _ if has("choices") => "a Chat Completions stream",
        _ if has("candidates") || has("usageMetadata") => "a Gemini stream",
        _ if has("message") && has("done") => "an Ollama stream",
        _ if has("output") && has("status") && root.get("object").is_some_and(|object| object.is_str("response")) => {
            "a whole response object, not an event"
        }
        _ => return None,
    })
}

/// Returns the name of the format that the first bytes of a stream without any frame seem to have.
pub(crate) fn identify_bytes(head: &[u8]) -> Option<&'static str> {
    let at = head.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let head = &head[at..];
    Some(match head[0] {
        b'<' => "an HTML or XML page",
        b'{' | b'[' => "a plain JSON body",
        0x1F if head.get(1) == Some(&0x8B) => "gzip data",
        0x28 if head.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) => "zstd data",
        // A final WebSocket frame with text or bytes; neither byte can begin UTF-8 text.
        0x81 | 0x82 => "WebSocket frames",
        _ => return None,
    })
}
