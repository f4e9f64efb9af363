//! Cohere v2 chat → Open Responses.
//!
//! Blocks come one after another; a citation may come after the end of the text that it cites, so a text part stays open
//! until another block begins.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::builder::{ErrorType, LastItem, ResponseBuilder, TokenCounts};
use super::{
    count, fail_with_body, is_error_body, non_null, text, DialectDecoder, LogProbs, TextPiece, TokenBytes, TokenLogProb,
};
use crate::accumulate::held_bytes::view_bytes;
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Value, ValueKind, ValueRef};

/// The state of one answer.
#[derive(Default)]
pub(crate) struct CohereDecoder {
    /// Citations without a URL of the message whose text is open; its part gets them when it closes.
    homeless: Vec<Value>,
}

impl DialectDecoder for CohereDecoder {
    fn message(&mut self, name: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let kind = text(root.get("type"));
        let kind = kind.as_deref().or(name).unwrap_or("");
        if !kind.contains('-') && is_error_body(root, builder) {
            return fail_with_body(root, builder);
        }
        if kind == "message-start" && !builder.is_started() {
            builder.facts.set_id(&text(root.get("id")).unwrap_or_default());
        }
        builder.start()?;
        let inside = |path: &str| root.pointer(path);
        match kind {
            "message-start" | "content-end" | "tool-call-end" | "citation-end" => Ok(()),
            "content-start" => {
                self.flush_citations(builder)?;
                // Consecutive texts are parts of one message.
                if let Some(slot) = builder
                    .last_slot()
                    .filter(|_| matches!(builder.last_item(), LastItem::Message | LastItem::Reasoning))
                {
                    builder.close_part(slot)?;
                }
                append_content(inside("/delta/message/content"), None, builder)
            }
            "content-delta" => append_content(inside("/delta/message/content"), root.get("logprobs"), builder),
            "tool-plan-delta" => {
                self.flush_citations(builder)?;
                append_thinking(inside("/delta/message/tool_plan"), builder)
            }
            "tool-call-start" => {
                self.flush_citations(builder)?;
                let call = inside("/delta/message/tool_calls");
                let member = |path: &str| text(call.and_then(|call| call.pointer(path))).unwrap_or_default();
                builder.start_call(&member("/id"), &member("/function/name"))?;
                arguments(call, builder)
            }
            "tool-call-delta" => arguments(inside("/delta/message/tool_calls"), builder),
            "citation-start" => self.cite(inside("/delta/message/citations"), builder),
            "message-end" => {
                self.flush_citations(builder)?;
                builder.keep_others("cohere", "", root.get("delta"), &["finish_reason", "usage", "error"], &[])?;
                end(root.get("delta"), builder)
            }
            other => {
                builder.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        builder.fail_truncated()
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.flush_citations(builder)
    }
}

impl CohereDecoder {
    fn cite(&mut self, citation: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(citation) = non_null(citation) else { return Ok(()) };
        let open = builder.last_slot().filter(|slot| builder.has_text_open(*slot));
        let mut cited = false;
        for source in citation.get("sources").into_iter().flat_map(|sources| sources.elements()) {
            let member = |path: &str| text(source.pointer(path)).filter(|text| !text.is_empty());
            let Some(url) = member("/document/url") else { continue };
            cited = true;
            let Some(slot) = open else {
                builder.report(AdapterCode::AnnotationDropped, "no text is open");
                continue;
            };
            let border = |key: &str| count(citation.get(key)).unwrap_or(0);
            let title = member("/document/title").unwrap_or_default();
            let mut annotation = builder.url_citation(&url, &title, border("start"), border("end"));
            annotation.push("cohere:citation", citation.to_value());
            builder.add_annotation(slot, annotation)?;
        }
        if !cited {
            builder.report(AdapterCode::CitationWithoutUrl, "");
            if open.is_some() {
                builder.account_bytes(view_bytes(citation))?;
                self.homeless.push(citation.to_value());
            }
        }
        Ok(())
    }

    /// Puts citations without a URL on the part that they are about.
    fn flush_citations(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let citations = core::mem::take(&mut self.homeless);
        match builder.last_slot().filter(|slot| builder.has_text_open(*slot)) {
            Some(slot) if !citations.is_empty() => builder.set_part_field(slot, "cohere:citations", citations.into()),
            _ => Ok(()),
        }
    }
}

fn append_content(
    content: Option<ValueRef<'_>>,
    logprobs: Option<ValueRef<'_>>,
    builder: &mut ResponseBuilder,
) -> Result<(), Error> {
    let Some(content) = content else { return Ok(()) };
    append_thinking(content.get("thinking"), builder)?;
    let Some(piece) = content.get("text").and_then(TextPiece::from_json).filter(|piece| !piece.is_empty()) else {
        return Ok(());
    };
    let slot = builder.ensure_message()?;
    let logprob = logprob(logprobs, builder)?;
    builder.add_logprobs(slot, &logprob)?;
    builder.append_text(slot, &piece)
}

/// The log probability of the text of a delta. Several tokens in one delta cannot be told apart.
fn logprob(logprobs: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<LogProbs, Error> {
    let mut found = LogProbs::default();
    let Some(logprobs) = non_null(logprobs) else { return Ok(found) };
    let mut values = logprobs.get("logprobs").into_iter().flat_map(|list| list.elements());
    let token = logprobs.get("text").filter(|token| token.kind() == ValueKind::String);
    let (Some(value), None, Some(token)) = (values.next(), values.next(), token) else {
        builder.report_once(AdapterCode::ContentPartDropped, "logprobs of several tokens")?;
        return Ok(found);
    };
    if let Some(token) = TokenLogProb::new(Some(token), Some(value), TokenBytes::OfToken) {
        found.push(token, core::iter::empty());
    }
    Ok(found)
}

fn append_thinking(value: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let Some(piece) = value.and_then(TextPiece::from_json).filter(|piece| !piece.is_empty()) else { return Ok(()) };
    let slot = builder.ensure_reasoning()?;
    builder.append_thinking(slot, &piece)
}

fn arguments(call: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let piece = call.and_then(|call| call.pointer("/function/arguments")).and_then(TextPiece::from_json);
    match (piece, builder.last_slot().filter(|_| builder.last_item() == LastItem::Call)) {
        (Some(piece), Some(slot)) => builder.append_arguments(slot, &piece),
        (Some(_), None) => {
            builder.report(AdapterCode::OrphanDelta, "tool-call-delta");
            Ok(())
        }
        (None, _) => Ok(()),
    }
}

fn end(delta: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let member = |path: &str| delta.and_then(|delta| delta.pointer(path));
    if let Some(tokens) = member("/usage/tokens").filter(|tokens| tokens.kind() == ValueKind::Object) {
        let read = |key: &str| count(tokens.get(key)).unwrap_or(0);
        let (input, output) = (read("input_tokens"), read("output_tokens"));
        let cached = count(member("/usage/cached_tokens")).unwrap_or(0);
        builder.usage = Some(TokenCounts { input, output, cached, ..TokenCounts::default() });
        builder.keep_others("cohere", "usage", Some(tokens), &["input_tokens", "output_tokens"], &[])?;
    }
    builder.keep_others("cohere", "usage", member("/usage"), &["tokens", "cached_tokens"], &["billed_units"])?;
    let reason = text(member("/finish_reason")).unwrap_or_default();
    match reason.as_ref() {
        "COMPLETE" | "TOOL_CALL" => builder.complete(),
        "STOP_SEQUENCE" => {
            builder.set_finish_reason("cohere", &reason, Value::Null, Value::Null);
            builder.complete()
        }
        "" => {
            builder.report(AdapterCode::MissingFinishReason, "");
            builder.complete()
        }
        "MAX_TOKENS" => builder.incomplete("max_output_tokens"),
        "ERROR" | "TIMEOUT" => {
            let reported = text(member("/error")).or_else(|| text(member("/error/message")));
            let message =
                reported.map_or_else(|| format!("The upstream stopped with {reason}."), |message| message.to_string());
            builder.fail(ErrorType::ServerError, Some(&reason.to_lowercase()), &message, None)
        }
        other => {
            builder.set_finish_reason("cohere", other, Value::Null, Value::Null);
            builder.incomplete(&other.to_lowercase())
        }
    }
}
