//! Ollama `/api/chat` → Open Responses. One JSON object per line, no ids on the wire, calls always complete.

use alloc::format;
use alloc::string::ToString;

use super::builder::{ErrorType, ItemStatus, ResponseBuilder, TokenCounts};
use super::{count, non_null, text, unix_seconds, DialectDecoder, LogProbs, TextPiece, TokenBytes, TokenLogProb};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Value, ValueKind, ValueRef};

/// The state of one answer: all of it is in the builder.
#[derive(Default)]
pub(crate) struct OllamaDecoder;

impl DialectDecoder for OllamaDecoder {
    fn message(&mut self, _: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if !builder.is_started() {
            builder.learn_model(root.get("model"))?;
            builder.facts.created_at = text(root.get("created_at")).and_then(|time| unix_seconds(&time));
            builder.start()?;
        }
        builder.learn_model(root.get("model"))?;
        if let Some(error) = non_null(root.get("error")) {
            let message = error.as_str().or_else(|| text(error.get("message"))).unwrap_or_default();
            return builder.fail(ErrorType::ServerError, Some("ollama_error"), &message, None);
        }
        builder.keep_others("ollama", "", Some(root), MEMBERS, DETAILS)?;
        if let Some(message) = non_null(root.get("message")) {
            builder.report_others(message, &["role", "content", "thinking", "images", "tool_calls"])?;
            take(message, &logprobs(root), builder)?;
        }
        let (read, written) = (count(root.get("prompt_eval_count")), count(root.get("eval_count")));
        if read.is_some() || written.is_some() {
            let (input, output) = (read.unwrap_or(0), written.unwrap_or(0));
            builder.usage = Some(TokenCounts { input, output, ..TokenCounts::default() });
        }
        if root.get("done").and_then(|done| done.as_bool()) != Some(true) {
            return Ok(());
        }
        let reason = text(root.get("done_reason"));
        match reason.as_deref() {
            Some("length") => return builder.incomplete("max_output_tokens"),
            Some("stop") => {}
            Some(other) => builder.set_finish_reason("ollama", other, Value::Null, Value::Null),
            None => builder.report(AdapterCode::MissingFinishReason, ""),
        }
        builder.complete()
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        builder.fail_truncated()
    }
}

/// Members of a line that are read.
const MEMBERS: &[&str] =
    &["model", "created_at", "message", "logprobs", "done", "done_reason", "prompt_eval_count", "eval_count", "error"];
const DETAILS: &[&str] = &["total_duration", "load_duration", "prompt_eval_duration", "eval_duration"];

fn take(message: ValueRef<'_>, logprobs: &LogProbs, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let piece = |key: &str| message.get(key).and_then(TextPiece::from_json).filter(|piece| !piece.is_empty());
    if let Some(thinking) = piece("thinking") {
        let slot = builder.ensure_reasoning()?;
        builder.append_thinking(slot, &thinking)?;
    }
    if let Some(content) = piece("content") {
        let slot = builder.ensure_message()?;
        builder.add_logprobs(slot, logprobs)?;
        builder.append_text(slot, &content)?;
    }
    for image in message.get("images").into_iter().flat_map(|images| images.elements()) {
        let data = image.as_str().unwrap_or_default();
        let media_type = guess_media_type(&data);
        builder.add_media("ollama", media_type, format!("data:{media_type};base64,{data}"))?;
    }
    for call in message.get("tool_calls").into_iter().flat_map(|calls| calls.elements()) {
        let name = text(call.pointer("/function/name")).unwrap_or_default();
        if name.is_empty() {
            builder.report(AdapterCode::ToolCallDropped, "");
            continue;
        }
        let slot = builder.start_call(&text(call.get("id")).unwrap_or_default(), &name)?;
        if let Some(arguments) = non_null(call.pointer("/function/arguments")) {
            let piece = match arguments.kind() {
                ValueKind::String => TextPiece::from_json(arguments).unwrap_or(TextPiece::from_text("")),
                _ => TextPiece::from_text(arguments.to_value().to_string()),
            };
            builder.append_arguments(slot, &piece)?;
        }
        builder.close_last_item(ItemStatus::Completed)?;
    }
    Ok(())
}

/// The log probabilities of a line, which have the form that Open Responses gives them. Some builds leave the bytes out.
fn logprobs(root: ValueRef<'_>) -> LogProbs {
    let mut logprobs = LogProbs::default();
    for value in root.get("logprobs").into_iter().flat_map(|list| list.elements()) {
        let others = value.get("top_logprobs").into_iter().flat_map(|list| list.elements());
        if let Some(token) = logprob(value) {
            logprobs.push(token, others.filter_map(logprob));
        }
    }
    logprobs
}

fn logprob(value: ValueRef<'_>) -> Option<TokenLogProb<'_>> {
    let [token, logprob, bytes] = value.members(["token", "logprob", "bytes"]);
    let listed = bytes.filter(|bytes| bytes.kind() == ValueKind::Array);
    TokenLogProb::new(token, logprob, listed.map_or(TokenBytes::OfToken, |list| TokenBytes::Listed(Some(list))))
}

/// The type of an image, by the first characters of its base64 text: no other data on the wire identifies it.
fn guess_media_type(data: &str) -> &'static str {
    let known = [("iVBORw", "image/png"), ("/9j/", "image/jpeg"), ("R0lG", "image/gif"), ("UklG", "image/webp")];
    known.iter().find(|(start, _)| data.starts_with(start)).map_or("image/*", |(_, media_type)| media_type)
}
