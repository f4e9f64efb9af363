//! Amazon Bedrock `ConverseStream` → Open Responses.
//!
//! Works like Anthropic Messages with two differences: texts and reasoning have no start, and the usage follows the stop
//! reason, so the response ends with the input. Read from the binary event stream, or from lines `{"<type>": payload}`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::citations::{close_text, Citation};
use super::envelope::{self, Thinking};
use super::hub::{Counts, ErrorType, Hub, Slot};
use super::{count, given, text, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Tag, Value, View};

/// The state of one message.
#[derive(Default)]
pub(crate) struct Bedrock {
    block: Option<Block>,
    stop: Option<String>,
}

/// The block that is open; there is never more than one.
struct Block {
    index: Option<u64>,
    kind: BlockKind,
}

enum BlockKind {
    Text { citations: Vec<Citation>, message: Option<Slot> },
    Reasoning { slot: Slot, thinking: Thinking },
    Call { slot: Slot },
}

impl Decode for Bedrock {
    fn message(&mut self, name: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        // In the binary form the type is a header and the payload stands alone.
        let (kind, payload) = match name {
            Some(name) => (name.to_string(), root),
            None => match root.entries().next() {
                Some((key, value)) => (key.as_str().unwrap_or_default().into_owned(), value),
                None => return Ok(()),
            },
        };
        hub.start()?;
        match kind.as_str() {
            "messageStart" => Ok(()),
            "contentBlockStart" => self.start(payload, hub),
            "contentBlockDelta" => self.delta(payload, hub),
            "contentBlockStop" => {
                let index = count(payload.get("contentBlockIndex"));
                // A block without a start and without a delta has left no trace.
                if self.block.as_ref().is_some_and(|block| block.index == index) {
                    return self.stop_block(hub);
                }
                Ok(())
            }
            "messageStop" => {
                self.stop = text(payload.get("stopReason")).map(|reason| reason.into_owned());
                Ok(())
            }
            "metadata" => {
                hub.usage = given(payload.get("usage")).map(counts).or(hub.usage);
                Ok(())
            }
            exception if exception.ends_with("Exception") => fail(exception, payload, hub),
            other => {
                hub.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let Some(reason) = self.stop.take() else { return hub.fail_truncated() };
        if self.block.is_some() {
            hub.report(AdapterCode::MissingBlockStop, "");
            self.stop_block(hub)?;
        }
        if !matches!(reason.as_str(), "end_turn" | "tool_use" | "max_tokens") {
            hub.note_finish("bedrock", &reason, Value::Null, Value::Null);
        }
        match reason.as_str() {
            "end_turn" | "tool_use" | "stop_sequence" => hub.complete(),
            "max_tokens" | "model_context_window_exceeded" => hub.incomplete("max_output_tokens"),
            "content_filtered" | "guardrail_intervened" => hub.incomplete("content_filter"),
            other => hub.incomplete(&other.to_lowercase()),
        }
    }

    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.stop_block(hub)
    }
}

impl Bedrock {
    fn start(&mut self, payload: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        self.stop_unstopped(hub)?;
        let index = count(payload.get("contentBlockIndex"));
        let Some(call) = given(payload.pointer("/start/toolUse")) else {
            let name = payload.get("start").and_then(|start| start.entries().next()).and_then(|(key, _)| key.as_str());
            if let Some(name) = name {
                hub.report(AdapterCode::PartDropped, &name);
            }
            return Ok(());
        };
        let member = |key: &str| text(call.get(key)).unwrap_or_default();
        let slot = hub.next_call(&member("toolUseId"), &member("name"))?;
        self.block = Some(Block { index, kind: BlockKind::Call { slot } });
        Ok(())
    }

    fn delta(&mut self, payload: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let index = count(payload.get("contentBlockIndex"));
        let Some((key, value)) = payload.get("delta").and_then(|delta| delta.entries().next()) else {
            hub.report(AdapterCode::UnknownDelta, "");
            return Ok(());
        };
        if self.block.as_ref().is_some_and(|block| block.index != index) {
            self.stop_unstopped(hub)?;
        }
        let name = key.as_str().unwrap_or_default();
        match name.as_ref() {
            "text" => self.grow_text(index, value, hub),
            "citation" => self.cite(index, value, hub),
            "reasoningContent" => self.reason(index, value, hub),
            "toolUse" => match (&self.block, value.get("input").and_then(Piece::of)) {
                (Some(Block { kind: BlockKind::Call { slot }, .. }), Some(piece)) => hub.arguments(*slot, &piece),
                (Some(_), _) => {
                    hub.report(AdapterCode::DeltaTypeMismatch, "toolUse");
                    Ok(())
                }
                (None, _) => {
                    hub.report(AdapterCode::OrphanDelta, "toolUse");
                    Ok(())
                }
            },
            "image" => {
                self.stop_unstopped(hub)?;
                let format = text(value.get("format")).unwrap_or_default();
                let data = text(value.pointer("/source/bytes")).unwrap_or_default();
                let media_type = if format.is_empty() { "image/*".to_string() } else { format!("image/{format}") };
                hub.media("bedrock", &media_type, &format!("data:{media_type};base64,{data}"))
            }
            other => {
                hub.report(AdapterCode::UnknownDelta, other);
                Ok(())
            }
        }
    }

    /// The citations and the message of the text block, opened if no block is open.
    fn in_text(&mut self, index: Option<u64>, hub: &mut Hub) -> Option<(&mut Vec<Citation>, &mut Option<Slot>)> {
        let block = self
            .block
            .get_or_insert_with(|| Block { index, kind: BlockKind::Text { citations: Vec::new(), message: None } });
        match &mut block.kind {
            BlockKind::Text { citations, message } => Some((citations, message)),
            _ => {
                hub.report(AdapterCode::DeltaTypeMismatch, "text");
                None
            }
        }
    }

    fn grow_text(&mut self, index: Option<u64>, value: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let Some(piece) = Piece::of(value).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let Some((_, message)) = self.in_text(index, hub) else { return Ok(()) };
        let slot = match message {
            Some(slot) => *slot,
            None => *message.insert(hub.in_message()?),
        };
        hub.text(slot, &piece, &[])
    }

    fn cite(&mut self, index: Option<u64>, value: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        hub.hold(value.raw().len())?;
        let Some((citations, _)) = self.in_text(index, hub) else { return Ok(()) };
        citations.push(Citation {
            url: text(value.pointer("/location/web/url")).map(|url| url.into_owned()),
            title: text(value.get("title")).unwrap_or_default().into_owned(),
            raw: value.to_value(),
        });
        Ok(())
    }

    fn reason(&mut self, index: Option<u64>, value: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let redacted = text(value.get("redactedContent"));
        if self.block.is_none() {
            let envelope = redacted.as_deref().map(|data| envelope::wrap("bedrock", "redacted", data));
            let slot = hub.next_reasoning(envelope.as_deref())?;
            self.block = Some(Block { index, kind: BlockKind::Reasoning { slot, thinking: Thinking::default() } });
            if redacted.is_some() {
                return Ok(());
            }
        }
        let Some(Block { kind: BlockKind::Reasoning { slot, thinking }, .. }) = &mut self.block else {
            hub.report(AdapterCode::DeltaTypeMismatch, "reasoningContent");
            return Ok(());
        };
        thinking.sign(text(value.get("signature")));
        if let Some(data) = redacted {
            hub.set(*slot, "encrypted_content", envelope::wrap("bedrock", "redacted", &data).into())?;
        }
        match value.get("text").and_then(Piece::of).filter(|piece| !piece.is_empty()) {
            Some(piece) => {
                thinking.grow(&piece, hub)?;
                hub.thinking(*slot, &piece)
            }
            None => Ok(()),
        }
    }

    fn stop_unstopped(&mut self, hub: &mut Hub) -> Result<(), Error> {
        if self.block.is_some() {
            hub.report(AdapterCode::MissingBlockStop, "");
        }
        self.stop_block(hub)
    }

    fn stop_block(&mut self, hub: &mut Hub) -> Result<(), Error> {
        match self.block.take().map(|block| block.kind) {
            Some(BlockKind::Text { citations, message }) => close_text("bedrock", citations, message, hub),
            Some(BlockKind::Reasoning { slot, thinking }) => {
                hub.end_part(slot)?;
                match thinking.wrap("bedrock", hub) {
                    Some(envelope) => hub.set(slot, "encrypted_content", envelope.into()),
                    None => Ok(()),
                }
            }
            Some(BlockKind::Call { .. }) | None => Ok(()),
        }
    }
}

fn fail(exception: &str, payload: View<'_>, hub: &mut Hub) -> Result<(), Error> {
    let kind = match exception {
        "modelStreamErrorException" => ErrorType::ModelError,
        "throttlingException" => ErrorType::TooManyRequests,
        "validationException" => ErrorType::InvalidRequest,
        _ => ErrorType::ServerError,
    };
    let message: Option<String> = text(payload.get("message")).map(|message| message.into_owned());
    hub.fail(kind, Some(exception), &message.unwrap_or_default(), None)
}

fn counts(usage: View<'_>) -> Counts {
    let read = |key: &str| count(usage.get(key)).filter(|_| usage.tag() == Tag::Object);
    let (cached, written) = (read("cacheReadInputTokens"), read("cacheWriteInputTokens"));
    let parts = [read("inputTokens"), cached, written];
    Counts {
        input: parts.into_iter().flatten().fold(0, u64::saturating_add),
        output: read("outputTokens").unwrap_or(0),
        cached: cached.unwrap_or(0),
        cache_write: written,
        reasoning: 0,
        total: None,
    }
}
