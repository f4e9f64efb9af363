//! Ollama `/api/chat` → Open Responses. One JSON object a line, no ids on the wire, calls always whole.

use alloc::format;
use alloc::string::ToString;

use super::hub::{Counts, ErrorType, Hub, Status};
use super::{count, given, seconds, text, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Tag, Value, View};

/// The state of one answer: all of it is in the hub.
#[derive(Default)]
pub(crate) struct Ollama;

impl Decode for Ollama {
    fn message(&mut self, _: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        if !hub.is_started() {
            hub.facts.set_model(text(root.get("model")));
            hub.facts.created_at = text(root.get("created_at")).and_then(|time| seconds(&time));
            hub.start()?;
        }
        if let Some(error) = given(root.get("error")) {
            let message = error.as_str().or_else(|| text(error.get("message"))).unwrap_or_default();
            return hub.fail(ErrorType::ServerError, Some("ollama_error"), &message, None);
        }
        if let Some(message) = given(root.get("message")) {
            take(message, hub)?;
        }
        let (read, written) = (count(root.get("prompt_eval_count")), count(root.get("eval_count")));
        if read.is_some() || written.is_some() {
            let (input, output) = (read.unwrap_or(0), written.unwrap_or(0));
            hub.usage = Some(Counts { input, output, ..Counts::default() });
        }
        if root.get("done").and_then(|done| done.as_bool()) != Some(true) {
            return Ok(());
        }
        let reason = text(root.get("done_reason"));
        match reason.as_deref() {
            Some("length") => return hub.incomplete("max_output_tokens"),
            Some("stop") => {}
            Some(other) => hub.note_finish("ollama", other, Value::Null, Value::Null),
            None => hub.report(AdapterCode::MissingFinishReason, ""),
        }
        hub.complete()
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        hub.fail_truncated()
    }
}

fn take(message: View<'_>, hub: &mut Hub) -> Result<(), Error> {
    let piece = |key: &str| message.get(key).and_then(Piece::of).filter(|piece| !piece.is_empty());
    if let Some(thinking) = piece("thinking") {
        let slot = hub.in_reasoning()?;
        hub.thinking(slot, &thinking)?;
    }
    if let Some(content) = piece("content") {
        let slot = hub.in_message()?;
        hub.text(slot, &content, &[])?;
    }
    for image in message.get("images").into_iter().flat_map(|images| images.elements()) {
        let data = image.as_str().unwrap_or_default();
        let media_type = sniff(&data);
        hub.media("ollama", media_type, &format!("data:{media_type};base64,{data}"))?;
    }
    for call in message.get("tool_calls").into_iter().flat_map(|calls| calls.elements()) {
        let name = text(call.pointer("/function/name")).unwrap_or_default();
        if name.is_empty() {
            hub.report(AdapterCode::ToolCallWithoutName, "");
            continue;
        }
        let slot = hub.next_call(&text(call.get("id")).unwrap_or_default(), &name)?;
        if let Some(arguments) = given(call.pointer("/function/arguments")) {
            let piece = match arguments.tag() {
                Tag::String => Piece::of(arguments).unwrap_or(Piece::plain("")),
                _ => Piece::plain(arguments.to_value().to_string()),
            };
            hub.arguments(slot, &piece)?;
        }
        hub.settle(Status::Completed)?;
    }
    Ok(())
}

/// The type of an image by the first characters of its base64: nothing else on the wire tells it.
fn sniff(data: &str) -> &'static str {
    let known = [("iVBORw", "image/png"), ("/9j/", "image/jpeg"), ("R0lG", "image/gif"), ("UklG", "image/webp")];
    known.iter().find(|(start, _)| data.starts_with(start)).map_or("image/*", |(_, media_type)| media_type)
}
