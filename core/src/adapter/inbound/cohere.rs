//! Cohere v2 chat → Open Responses.
//!
//! Blocks come one after another; a citation may come behind the end of the text that it cites, so a text part stays open
//! until something else begins.

use alloc::format;
use alloc::string::ToString;

use super::hub::{Counts, ErrorType, Hub, Last};
use super::{count, given, text, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Tag, Value, View};

/// The state of one answer.
#[derive(Default)]
pub(crate) struct Cohere;

impl Decode for Cohere {
    fn message(&mut self, name: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let kind = text(root.get("type"));
        let kind = kind.as_deref().or(name).unwrap_or("");
        if kind == "message-start" && !hub.is_started() {
            hub.facts.set_id(&text(root.get("id")).unwrap_or_default());
        }
        hub.start()?;
        let inside = |path: &str| root.pointer(path);
        match kind {
            "message-start" | "content-end" | "tool-call-end" | "citation-end" => Ok(()),
            "content-start" => {
                // Texts in a row are parts of one message.
                if let Some(slot) = hub.last_slot().filter(|_| matches!(hub.last(), Last::Message | Last::Reasoning)) {
                    hub.end_part(slot)?;
                }
                grow(inside("/delta/message/content"), hub)
            }
            "content-delta" => grow(inside("/delta/message/content"), hub),
            "tool-plan-delta" => think(inside("/delta/message/tool_plan"), hub),
            "tool-call-start" => {
                let call = inside("/delta/message/tool_calls");
                let member = |path: &str| text(call.and_then(|call| call.pointer(path))).unwrap_or_default();
                hub.next_call(&member("/id"), &member("/function/name"))?;
                arguments(call, hub)
            }
            "tool-call-delta" => arguments(inside("/delta/message/tool_calls"), hub),
            "citation-start" => cite(inside("/delta/message/citations"), hub),
            "message-end" => end(root.get("delta"), hub),
            other => {
                hub.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        hub.fail_truncated()
    }
}

fn grow(content: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
    let Some(content) = content else { return Ok(()) };
    think(content.get("thinking"), hub)?;
    let Some(piece) = content.get("text").and_then(Piece::of).filter(|piece| !piece.is_empty()) else { return Ok(()) };
    let slot = hub.in_message()?;
    hub.text(slot, &piece, &[])
}

fn think(value: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
    let Some(piece) = value.and_then(Piece::of).filter(|piece| !piece.is_empty()) else { return Ok(()) };
    let slot = hub.in_reasoning()?;
    hub.thinking(slot, &piece)
}

fn arguments(call: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
    let piece = call.and_then(|call| call.pointer("/function/arguments")).and_then(Piece::of);
    match (piece, hub.last_slot().filter(|_| hub.last() == Last::Call)) {
        (Some(piece), Some(slot)) => hub.arguments(slot, &piece),
        (Some(_), None) => {
            hub.report(AdapterCode::OrphanDelta, "tool-call-delta");
            Ok(())
        }
        (None, _) => Ok(()),
    }
}

fn cite(citation: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
    let Some(citation) = given(citation) else { return Ok(()) };
    let mut cited = false;
    for source in citation.get("sources").into_iter().flat_map(|sources| sources.elements()) {
        let member = |path: &str| text(source.pointer(path)).filter(|text| !text.is_empty());
        let Some(url) = member("/document/url") else { continue };
        cited = true;
        let Some(slot) = hub.last_slot().filter(|slot| hub.has_text_open(*slot)) else {
            hub.report(AdapterCode::AnnotationDropped, "no text is open");
            continue;
        };
        let border = |key: &str| count(citation.get(key)).unwrap_or(0);
        let title = member("/document/title").unwrap_or_default();
        let mut annotation = hub.citation(&url, &title, border("start"), border("end"));
        annotation.push("cohere:citation", citation.to_value());
        hub.annotate(slot, annotation)?;
    }
    if !cited {
        hub.report(AdapterCode::CitationWithoutUrl, "");
    }
    Ok(())
}

fn end(delta: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
    let member = |path: &str| delta.and_then(|delta| delta.pointer(path));
    if let Some(tokens) = member("/usage/tokens").filter(|tokens| tokens.tag() == Tag::Object) {
        let read = |key: &str| count(tokens.get(key)).unwrap_or(0);
        let (input, output) = (read("input_tokens"), read("output_tokens"));
        hub.usage = Some(Counts { input, output, ..Counts::default() });
    }
    let reason = text(member("/finish_reason")).unwrap_or_default();
    match reason.as_ref() {
        "COMPLETE" | "TOOL_CALL" => hub.complete(),
        "STOP_SEQUENCE" => {
            hub.note_finish("cohere", &reason, Value::Null, Value::Null);
            hub.complete()
        }
        "" => {
            hub.report(AdapterCode::MissingFinishReason, "");
            hub.complete()
        }
        "MAX_TOKENS" => hub.incomplete("max_output_tokens"),
        "ERROR" | "TIMEOUT" => {
            let said = text(member("/error")).or_else(|| text(member("/error/message")));
            let message = said.map_or_else(|| format!("The upstream stopped with {reason}."), |said| said.to_string());
            hub.fail(ErrorType::ServerError, Some(&reason.to_lowercase()), &message, None)
        }
        other => {
            hub.note_finish("cohere", other, Value::Null, Value::Null);
            hub.incomplete(&other.to_lowercase())
        }
    }
}
