//! Amazon Bedrock `ConverseStream` → Open Responses.
//!
//! Works like Anthropic Messages with two differences: texts and reasoning have no start, and the usage follows the stop
//! reason, so the response ends with the input. Read from the binary event stream, or from lines `{"<type>": payload}`.
//!
//! A `chunk` of `InvokeModelWithResponseStream` holds an event of the model's own dialect, which the decoder of that dialect reads.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::builder::{ErrorType, ItemStatus, OutputSlot, ResponseBuilder, TokenCounts};
use super::citations::{close_text, Citation};
use super::encrypted_content::{self, SignedThinking};
use super::{count, decoder, extension_type, fail_with_body, is_error_body, non_null, text, DialectDecoder, TextPiece};
use crate::adapter::detect::detect_message;
use crate::adapter::{base64, AdapterCode, Dialect};
use crate::error::Error;
use crate::json::{Object, Tape, Value, ValueKind, ValueRef};

/// The state of one message.
#[derive(Default)]
pub(crate) struct BedrockDecoder {
    block: Option<BedrockBlock>,
    stop: Option<String>,
    /// Calls of tools that the server runs, until their results arrive; `None` if extensions are left out.
    server_calls: BTreeMap<String, Option<OutputSlot>>,
    /// The decoder of the model's own dialect, once a `chunk` has shown it.
    invoked: Option<Box<dyn DialectDecoder>>,
    tape: Tape,
}

/// The open block; there is never more than one.
struct BedrockBlock {
    index: Option<u64>,
    kind: BedrockBlockKind,
}

enum BedrockBlockKind {
    Text {
        citations: Vec<Citation>,
        message: Option<OutputSlot>,
    },
    Reasoning {
        slot: OutputSlot,
        thinking: SignedThinking,
    },
    Call {
        slot: OutputSlot,
    },
    /// A call that the server runs itself. `slot` is `None` if extensions are left out.
    ServerCall {
        slot: Option<OutputSlot>,
        input: String,
    },
    /// The result of a call.
    ServerResult {
        call_id: String,
        failed: bool,
        content: Vec<Value>,
    },
    /// An image whose format is in the start of its block. `data` is base64.
    Image {
        format: String,
        data: String,
    },
}

impl DialectDecoder for BedrockDecoder {
    fn message(&mut self, name: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        // In the binary form the type is a header and the payload has no wrapper.
        let (kind, payload) = match name {
            Some(name) => (name.to_string(), root),
            None => match root.entries().next() {
                Some((key, value)) => (key.as_str().unwrap_or_default().into_owned(), value),
                None => return Ok(()),
            },
        };
        if kind == "chunk" {
            return self.chunk(payload, builder);
        }
        let is_known = matches!(kind.as_str(), "messageStart" | "messageStop" | "metadata")
            || kind.starts_with("contentBlock")
            || kind.ends_with("Exception");
        if name.is_none() && !is_known && is_error_body(root, builder) {
            return fail_with_body(root, builder);
        }
        builder.start()?;
        match kind.as_str() {
            "messageStart" => Ok(()),
            "contentBlockStart" => self.start(payload, builder),
            "contentBlockDelta" => self.delta(payload, builder),
            "contentBlockStop" => {
                let index = count(payload.get("contentBlockIndex"));
                // A block without a start and without a delta left no data.
                if self.block.as_ref().is_some_and(|block| block.index == index) {
                    return self.stop_block(builder);
                }
                Ok(())
            }
            "messageStop" => {
                self.stop = text(payload.get("stopReason")).map(|reason| reason.into_owned());
                builder.keep("bedrock", "additional_response_fields", payload.get("additionalModelResponseFields"))?;
                let known = ["stopReason", "additionalModelResponseFields", "p"];
                builder.keep_others("bedrock", "", Some(payload), &known, &[])
            }
            "metadata" => {
                builder.learn_model(payload.pointer("/trace/promptRouter/invokedModelId"))?;
                builder.usage = non_null(payload.get("usage")).map(counts).or(builder.usage);
                builder.keep("bedrock", "service_tier", payload.get("serviceTier"))?;
                builder.keep("bedrock", "performance_config", payload.get("performanceConfig"))?;
                builder.keep("bedrock", "guardrail", payload.pointer("/trace/guardrail"))?;
                builder.keep_others("bedrock", "", Some(payload), METADATA_MEMBERS, &["metrics"])?;
                let trace = payload.get("trace");
                builder.keep_others("bedrock", "trace", trace, &["guardrail", "promptRouter"], &[])?;
                builder.keep_others("bedrock", "usage", payload.get("usage"), USAGE_MEMBERS, &[])
            }
            exception if exception.ends_with("Exception") => fail(exception, payload, builder),
            other => {
                builder.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if let Some(invoked) = &mut self.invoked {
            return invoked.end_of_input(builder);
        }
        let Some(reason) = self.stop.take() else { return builder.fail_truncated() };
        if self.block.is_some() {
            builder.report(AdapterCode::MissingBlockStop, "");
            self.stop_block(builder)?;
        }
        if !matches!(reason.as_str(), "end_turn" | "tool_use" | "max_tokens") {
            builder.set_finish_reason("bedrock", &reason, Value::Null, Value::Null);
        }
        match reason.as_str() {
            "end_turn" | "tool_use" | "stop_sequence" => builder.complete(),
            "max_tokens" | "model_context_window_exceeded" => builder.incomplete("max_output_tokens"),
            "content_filtered" | "guardrail_intervened" => builder.incomplete("content_filter"),
            other => builder.incomplete(&other.to_lowercase()),
        }
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match &mut self.invoked {
            Some(invoked) => invoked.flush_open_items(builder),
            None => self.stop_block(builder),
        }
    }
}

impl BedrockDecoder {
    /// Reads the event inside a chunk: base64 of JSON in the dialect of the model.
    fn chunk(&mut self, payload: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let bytes = text(payload.get("bytes")).and_then(|bytes| base64::decode(&bytes));
        let Some(Ok(json)) = bytes.map(String::from_utf8) else {
            builder.report(AdapterCode::EventDropped, "expected base64 of JSON in `bytes`");
            return Ok(());
        };
        let mut tape = core::mem::take(&mut self.tape);
        let result = match tape.parse(&json, builder.limits.depth) {
            Ok(()) => self.chunk_event(tape.root(&json), builder),
            Err(error) => {
                builder.report(AdapterCode::EventDropped, &format!("expected JSON in a chunk, found {error}"));
                Ok(())
            }
        };
        self.tape = tape;
        result
    }

    fn chunk_event(&mut self, event: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.invoked.is_none() {
            self.invoked = match detect_message(event) {
                // Models of Amazon send the events of ConverseStream.
                Some(Dialect::Bedrock) => return self.message(None, event, builder),
                Some(dialect) => decoder(dialect, &builder.options),
                None => None,
            };
        }
        builder.keep("bedrock", "guardrail_action", event.get("amazon-bedrock-guardrailAction"))?;
        builder.keep("bedrock", "trace", event.get("amazon-bedrock-trace"))?;
        if builder.options.provider_details {
            builder.keep("bedrock", "invocation_metrics", event.get("amazon-bedrock-invocationMetrics"))?;
        }
        match &mut self.invoked {
            Some(invoked) => invoked.message(None, event, builder),
            None => {
                builder.report(AdapterCode::UnknownEvent, "a chunk of a model whose dialect is not known");
                Ok(())
            }
        }
    }

    fn start(&mut self, payload: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.stop_unstopped(builder)?;
        let index = count(payload.get("contentBlockIndex"));
        if let Some(image) = non_null(payload.pointer("/start/image")) {
            let format = text(image.get("format")).unwrap_or_default().into_owned();
            self.block = Some(BedrockBlock { index, kind: BedrockBlockKind::Image { format, data: String::new() } });
            return Ok(());
        }
        if let Some(result) = non_null(payload.pointer("/start/toolResult")) {
            let call_id = text(result.get("toolUseId")).unwrap_or_default().into_owned();
            let failed = result.get("status").is_some_and(|status| status.is_str("error"));
            let kind = BedrockBlockKind::ServerResult { call_id, failed, content: Vec::new() };
            self.block = Some(BedrockBlock { index, kind });
            return Ok(());
        }
        let Some(call) = non_null(payload.pointer("/start/toolUse")) else {
            let name = payload.get("start").and_then(|start| start.entries().next()).and_then(|(key, _)| key.as_str());
            if let Some(name) = name {
                builder.report(AdapterCode::PartDropped, &name);
            }
            return Ok(());
        };
        let member = |key: &str| text(call.get(key)).unwrap_or_default();
        if call.get("type").is_some_and(|kind| kind.is_str("server_tool_use")) {
            return self.start_server_call(index, &member("toolUseId"), &member("name"), builder);
        }
        let slot = builder.start_call(&member("toolUseId"), &member("name"))?;
        self.block = Some(BedrockBlock { index, kind: BedrockBlockKind::Call { slot } });
        Ok(())
    }

    fn delta(&mut self, payload: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let index = count(payload.get("contentBlockIndex"));
        let Some((key, value)) = payload.get("delta").and_then(|delta| delta.entries().next()) else {
            builder.report(AdapterCode::UnknownDelta, "");
            return Ok(());
        };
        if self.block.as_ref().is_some_and(|block| block.index != index) {
            self.stop_unstopped(builder)?;
        }
        let name = key.as_str().unwrap_or_default();
        match name.as_ref() {
            "text" => self.grow_text(index, value, builder),
            "citation" => self.cite(index, value, builder),
            "reasoningContent" => self.reason(index, value, builder),
            "toolUse"
                if matches!(&self.block, Some(BedrockBlock { kind: BedrockBlockKind::ServerCall { .. }, .. })) =>
            {
                self.grow_server_input(&text(value.get("input")).unwrap_or_default(), builder)
            }
            "toolResult" => self.grow_server_result(value, builder),
            "toolUse" => match (&self.block, value.get("input").and_then(TextPiece::from_json)) {
                (Some(BedrockBlock { kind: BedrockBlockKind::Call { slot }, .. }), Some(piece)) => {
                    builder.append_arguments(*slot, &piece)
                }
                (Some(_), _) => {
                    builder.report(AdapterCode::DeltaTypeMismatch, "toolUse");
                    Ok(())
                }
                (None, _) => {
                    builder.report(AdapterCode::OrphanDelta, "toolUse");
                    Ok(())
                }
            },
            "image" => self.grow_image(index, value, builder),
            other => {
                builder.report(AdapterCode::UnknownDelta, other);
                Ok(())
            }
        }
    }

    /// Opens the item of a call that the server runs: one item that its result completes, so that no client runs it.
    fn start_server_call(
        &mut self,
        index: Option<u64>,
        call_id: &str,
        name: &str,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        builder.close_last_item(ItemStatus::Completed)?;
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("name", name);
        fields.push("input", Value::Null);
        fields.push("result", Value::Null);
        builder.account_bytes(call_id.len())?;
        let slot = builder.add_extension(&extension_type("bedrock", name, "_call"), fields)?;
        self.server_calls.insert(call_id.to_string(), slot);
        self.block = Some(BedrockBlock { index, kind: BedrockBlockKind::ServerCall { slot, input: String::new() } });
        Ok(())
    }

    fn grow_server_input(&mut self, more: &str, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(BedrockBlock { kind: BedrockBlockKind::ServerCall { input, .. }, .. }) = &mut self.block else {
            return Ok(());
        };
        builder.account_bytes(more.len())?;
        input.push_str(more);
        Ok(())
    }

    fn grow_server_result(&mut self, value: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(BedrockBlock { kind: BedrockBlockKind::ServerResult { content, .. }, .. }) = &mut self.block else {
            builder.report(AdapterCode::OrphanDelta, "toolResult");
            return Ok(());
        };
        builder.account_bytes(value.raw().len())?;
        content.extend(value.elements().map(Value::from));
        Ok(())
    }

    /// Takes the bytes or the location of an image. The start of the block has its format; without a start, the delta may.
    fn grow_image(
        &mut self,
        index: Option<u64>,
        value: ValueRef<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if !matches!(&self.block, Some(BedrockBlock { kind: BedrockBlockKind::Image { .. }, .. })) {
            self.stop_unstopped(builder)?;
            let format = text(value.get("format")).unwrap_or_default().into_owned();
            self.block = Some(BedrockBlock { index, kind: BedrockBlockKind::Image { format, data: String::new() } });
        }
        let Some(BedrockBlock { kind: BedrockBlockKind::Image { format, data }, .. }) = &mut self.block else {
            return Ok(());
        };
        if let Some(error) = non_null(value.get("error")) {
            builder.report(AdapterCode::MediaDropped, &text(error.get("message")).unwrap_or_default());
        }
        if let Some(uri) = text(value.pointer("/source/s3Location/uri")) {
            builder.add_media("bedrock", &image_type(format), uri.into_owned())?;
        }
        if let Some(more) = text(value.pointer("/source/bytes")) {
            // Base64 text can be continued only after a whole group without padding.
            if data.ends_with('=') || data.len() % 4 != 0 {
                write_image(format, core::mem::take(data), builder)?;
            }
            builder.account_bytes(more.len())?;
            data.push_str(&more);
        }
        Ok(())
    }

    /// The citations and the message of the text block, opened if no block is open.
    fn in_text(
        &mut self,
        index: Option<u64>,
        builder: &mut ResponseBuilder,
    ) -> Option<(&mut Vec<Citation>, &mut Option<OutputSlot>)> {
        let block = self.block.get_or_insert_with(|| BedrockBlock {
            index,
            kind: BedrockBlockKind::Text { citations: Vec::new(), message: None },
        });
        match &mut block.kind {
            BedrockBlockKind::Text { citations, message } => Some((citations, message)),
            _ => {
                builder.report(AdapterCode::DeltaTypeMismatch, "text");
                None
            }
        }
    }

    fn grow_text(
        &mut self,
        index: Option<u64>,
        value: ValueRef<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let Some(piece) = TextPiece::from_json(value).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let Some((_, message)) = self.in_text(index, builder) else { return Ok(()) };
        let slot = match message {
            Some(slot) => *slot,
            None => *message.insert(builder.ensure_message()?),
        };
        builder.append_text(slot, &piece)
    }

    fn cite(&mut self, index: Option<u64>, value: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        builder.account_bytes(value.raw().len())?;
        let Some((citations, _)) = self.in_text(index, builder) else { return Ok(()) };
        citations.push(Citation {
            url: text(value.pointer("/location/web/url")).map(|url| url.into_owned()),
            title: text(value.get("title")).unwrap_or_default().into_owned(),
            raw: value.to_value(),
        });
        Ok(())
    }

    fn reason(&mut self, index: Option<u64>, value: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let redacted = text(value.get("redactedContent"));
        if self.block.is_none() {
            let envelope = redacted.as_deref().map(|data| encrypted_content::wrap("bedrock", "redacted", data));
            let slot = builder.start_reasoning(envelope.as_deref())?;
            self.block = Some(BedrockBlock {
                index,
                kind: BedrockBlockKind::Reasoning { slot, thinking: SignedThinking::default() },
            });
            if redacted.is_some() {
                return Ok(());
            }
        }
        let Some(BedrockBlock { kind: BedrockBlockKind::Reasoning { slot, thinking }, .. }) = &mut self.block else {
            builder.report(AdapterCode::DeltaTypeMismatch, "reasoningContent");
            return Ok(());
        };
        thinking.sign(text(value.get("signature")));
        if let Some(data) = redacted {
            builder.set_field(
                *slot,
                "encrypted_content",
                encrypted_content::wrap("bedrock", "redacted", &data).into(),
            )?;
        }
        match value.get("text").and_then(TextPiece::from_json).filter(|piece| !piece.is_empty()) {
            Some(piece) => {
                thinking.grow(&piece, builder)?;
                builder.append_thinking(*slot, &piece)
            }
            None => Ok(()),
        }
    }

    fn stop_unstopped(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.block.is_some() {
            builder.report(AdapterCode::MissingBlockStop, "");
        }
        self.stop_block(builder)
    }

    fn stop_block(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match self.block.take().map(|block| block.kind) {
            Some(BedrockBlockKind::Text { citations, message }) => close_text("bedrock", citations, message, builder),
            Some(BedrockBlockKind::Reasoning { slot, thinking }) => {
                builder.close_part(slot)?;
                match thinking.wrap("bedrock", builder) {
                    Some(envelope) => builder.set_field(slot, "encrypted_content", envelope.into()),
                    None => Ok(()),
                }
            }
            Some(BedrockBlockKind::ServerCall { slot: Some(slot), input }) if !input.is_empty() => {
                let parsed = Value::parse(&input, builder.limits.depth).unwrap_or(Value::String(input));
                builder.set_field(slot, "input", parsed)
            }
            Some(BedrockBlockKind::ServerResult { call_id, failed, content }) => {
                self.close_server_call(&call_id, failed, content, builder)
            }
            Some(BedrockBlockKind::Image { format, data }) if !data.is_empty() => write_image(&format, data, builder),
            Some(
                BedrockBlockKind::Call { .. } | BedrockBlockKind::ServerCall { .. } | BedrockBlockKind::Image { .. },
            )
            | None => Ok(()),
        }
    }

    /// Completes the item of a call that the server has run; a result without a call is an item of its own.
    fn close_server_call(
        &mut self,
        call_id: &str,
        failed: bool,
        content: Vec<Value>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let slot = match self.server_calls.remove(call_id) {
            Some(slot) => slot,
            None => {
                builder.close_last_item(ItemStatus::Completed)?;
                let mut fields = Object::new();
                fields.push("call_id", call_id);
                fields.push("result", Value::Null);
                builder.add_extension("bedrock:tool_result", fields)?
            }
        };
        let Some(slot) = slot else { return Ok(()) };
        builder.set_field(slot, "result", content.into())?;
        builder.close_item(slot, if failed { ItemStatus::Failed } else { ItemStatus::Completed })
    }
}

fn write_image(format: &str, data: String, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let media_type = image_type(format);
    builder.add_media("bedrock", &media_type, format!("data:{media_type};base64,{data}"))
}

fn image_type(format: &str) -> String {
    if format.is_empty() {
        "image/*".to_string()
    } else {
        format!("image/{format}")
    }
}

fn fail(exception: &str, payload: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let kind = match exception {
        "modelStreamErrorException" => ErrorType::ModelError,
        "throttlingException" => ErrorType::TooManyRequests,
        "validationException" => ErrorType::InvalidRequest,
        _ => ErrorType::ServerError,
    };
    let message: Option<String> = text(payload.get("message")).map(|message| message.into_owned());
    builder.fail(kind, Some(exception), &message.unwrap_or_default(), None)
}

/// Members of `metadata` that are read.
const METADATA_MEMBERS: &[&str] = &["usage", "trace", "serviceTier", "performanceConfig", "p"];
const USAGE_MEMBERS: &[&str] =
    &["inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokens", "cacheWriteInputTokens"];

fn counts(usage: ValueRef<'_>) -> TokenCounts {
    let read = |key: &str| count(usage.get(key)).filter(|_| usage.kind() == ValueKind::Object);
    let (cached, written) = (read("cacheReadInputTokens"), read("cacheWriteInputTokens"));
    let parts = [read("inputTokens"), cached, written];
    TokenCounts {
        input: parts.into_iter().flatten().fold(0, u64::saturating_add),
        output: read("outputTokens").unwrap_or(0),
        cached: cached.unwrap_or(0),
        cache_write: written,
        reasoning: 0,
        total: None,
    }
}
