//! Gemini `streamGenerateContent` → Open Responses.
//!
//! - *Takes*: `GenerateContentResponse` objects.
//! - *Gives*: calls of the `ResponseBuilder`.
//! - *Promises*: those of [`adapter`](crate::adapter).
//! - *Costs*: linear in each message; partial arguments are found by an index of their paths.
//!
//! Each message is a slice of the answer: its parts are deltas, not blocks. There is no sentinel, so the end of input
//! ends the answer. A signature belongs to a part of any type but can only be stored on a reasoning item; its kind
//! identifies its part: `self` the item's own, `next` the following, `prev` the message before.

mod grounding;
mod partial_arguments;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

use super::builder::{ErrorType, ItemStatus, LastItem, OutputSlot, ResponseBuilder, TokenCounts};
use super::{
    count, encrypted_content, extension_type, non_null, text, unix_seconds, DialectDecoder, LogProbs, TextPiece,
    TokenBytes, TokenLogProb,
};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Value, ValueKind, ValueRef};
use grounding::CitedText;
use partial_arguments::PartialArguments;

/// The state of one answer.
#[derive(Default)]
pub(crate) struct GeminiDecoder {
    /// The open text part, for offsets into it.
    cited: CitedText,
    /// True if the open reasoning item has its signature.
    sealed: bool,
    /// The call whose arguments arrive in pieces.
    streamed: Option<(OutputSlot, PartialArguments)>,
    /// The code that waits for its result.
    code: Option<OutputSlot>,
    /// Calls of tools that the server runs, until their responses arrive; `None` if extensions are left out.
    server_calls: BTreeMap<String, Option<OutputSlot>>,
    /// The value that a caller sends to continue an interrupted answer.
    continuation: Option<String>,
    /// A signature that arrived on or after text that was already being written.
    late_signature: Option<String>,
    logprobs: LogProbs,
    finish: Option<(String, Option<String>)>,
    blocked: Option<Value>,
    /// Whether an earlier message had text: then `partIndex` is not about the parts of this one.
    has_earlier_text: bool,
}

impl DialectDecoder for GeminiDecoder {
    fn message(&mut self, _: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let message = MessageMembers::of(root);
        if !builder.is_started() {
            builder.facts.set_id(&text(message.id).unwrap_or_default());
            builder.learn_model(message.model)?;
            builder.facts.created_at = text(message.created).and_then(|time| unix_seconds(&time));
            builder.start()?;
        }
        builder.learn_model(message.model)?;
        if let Some(usage) = message.usage {
            builder.usage = counts(usage).or(builder.usage);
            builder.keep_others("google", "usage", Some(usage), USAGE_MEMBERS, &[])?;
        }
        if let Some(error) = non_null(message.error) {
            return fail(error, builder);
        }
        if message.has_more(builder) {
            builder.keep_others("google", "", Some(root), MessageMembers::KNOWN, MessageMembers::DETAILS)?;
        }
        if let Some(feedback) = non_null(message.feedback) {
            if text(feedback.get("blockReason")).is_some() {
                self.blocked = Some(feedback.to_value());
            } else {
                note_ratings(feedback.get("safetyRatings"), builder)?;
            }
        }
        for candidate in message.candidates.into_iter().flat_map(|list| list.elements()) {
            let members = CandidateMembers::of(candidate);
            if count(members.index).is_some_and(|index| index > 0) {
                builder.report_once(AdapterCode::MultipleChoices, "candidates after the first")?;
                continue;
            }
            self.candidate(candidate, &members, builder)?;
        }
        Ok(())
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some((reason, message)) = self.finish.take() else {
            return match self.blocked.take() {
                Some(feedback) => self.end_blocked(feedback, builder),
                None => builder.fail_truncated(),
            };
        };
        if !matches!(reason.as_str(), "STOP" | "MAX_TOKENS") {
            let mut details = Object::new();
            if let (Some(message), true) = (&message, is_model_error(&reason)) {
                details.push("message", message.as_str());
            }
            if let Some(token) = self.continuation.take() {
                details.push("continuation_token", token);
            }
            let details = if details.is_empty() { Value::Null } else { details.into() };
            builder.set_finish_reason("google", &reason, Value::Null, details);
        }
        match reason.as_str() {
            "STOP" => {
                self.close(ItemStatus::Completed, builder)?;
                if let Some(signature) = self.late_signature.take() {
                    builder.start_reasoning(Some(&encrypted_content::wrap("google", "prev", &signature)))?;
                }
                builder.complete()
            }
            model if is_model_error(model) => {
                let message = message.unwrap_or_else(|| format!("The model stopped with {model}."));
                builder.fail(ErrorType::ModelError, Some(&model.to_lowercase()), &message, None)
            }
            "MAX_TOKENS" => self.end_truncated("max_output_tokens", builder),
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "MODEL_ARMOR" => self.end_truncated("content_filter", builder),
            other => self.end_truncated(&other.to_lowercase(), builder),
        }
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.late_signature.is_some() {
            builder.report(AdapterCode::SignatureDropped, "a truncated message must be the last item");
        }
        self.end_streamed(ItemStatus::Incomplete, builder)
    }
}

fn is_model_error(reason: &str) -> bool {
    matches!(
        reason,
        "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE"
            | "MALFORMED_RESPONSE"
    )
}

impl GeminiDecoder {
    fn candidate(
        &mut self,
        candidate: ValueRef<'_>,
        members: &CandidateMembers<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        self.take_logprobs(members.logprobs);
        self.cited.start_message(self.has_earlier_text);
        let parts = members.content.and_then(|content| content.get("parts"));
        for (at, part) in parts.into_iter().flat_map(|parts| parts.elements()).enumerate() {
            self.cited.start_part(at);
            self.part(part, builder)?;
        }
        if let Some(metadata) = non_null(members.grounding) {
            self.apply_grounding(metadata, builder)?;
        }
        if let Some(metadata) = non_null(members.citations) {
            self.cite(metadata, builder)?;
        }
        self.has_earlier_text |= parts.is_some_and(|parts| parts.elements().next().is_some());
        note_ratings(members.ratings, builder)?;
        builder.keep("google", "url_context_metadata", members.url_context)?;
        if members.has_more(builder) {
            builder.keep_others("google", "", Some(candidate), CandidateMembers::KNOWN, CandidateMembers::DETAILS)?;
        }
        if let Some(token) = text(members.continuation).filter(|token| !token.is_empty()) {
            let reason = text(members.finish_reason);
            if matches!(reason.as_deref(), Some("STOP" | "MAX_TOKENS")) {
                // Of other reasons `deltafold:finish` has the token.
                builder.keep("google", "continuation_token", members.continuation)?;
            }
            builder.account_bytes(token.len())?;
            self.continuation = Some(token.into_owned());
        }
        if let Some(reason) = text(members.finish_reason).filter(|reason| !reason.is_empty()) {
            self.finish = Some((reason.into_owned(), text(members.finish_message).map(Cow::into_owned)));
        }
        Ok(())
    }

    /// Takes the log probabilities of a message's text; those of the message before it are dropped if it had no text.
    fn take_logprobs(&mut self, result: Option<ValueRef<'_>>) {
        self.logprobs.clear();
        let Some(result) = non_null(result) else { return };
        let mut others = result.get("topCandidates").into_iter().flat_map(|list| list.elements());
        for token in result.get("chosenCandidates").into_iter().flat_map(|list| list.elements()) {
            let others = others.next().and_then(|other| other.get("candidates"));
            let others = others.into_iter().flat_map(|list| list.elements());
            if let Some(token) = token_logprob(token) {
                self.logprobs.push(token, others.filter_map(token_logprob));
            }
        }
    }

    fn part(&mut self, part: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let members = PartMembers::of(part);
        let signature = text(members.signature).filter(|signature| !signature.is_empty());
        if members.has_others && members.has_kind() {
            builder.report_others(part, PartMembers::KNOWN)?;
        }
        if let Some(piece) = members.text.and_then(TextPiece::from_json) {
            let thought = members.thought.and_then(|flag| flag.as_bool()).unwrap_or(false);
            return if thought {
                self.append_thought(&piece, signature.as_deref(), builder)
            } else {
                self.append_text(&piece, signature.as_deref(), builder)
            };
        }
        if let Some(call) = non_null(members.function_call) {
            return self.call(call, signature.as_deref(), builder);
        }
        let inline = non_null(members.inline_data);
        if let Some(data) = inline.or_else(|| non_null(members.file_data)) {
            self.sign_next(signature.as_deref(), builder)?;
            let media_type = text(data.get("mimeType")).unwrap_or_default();
            let url = match inline {
                Some(_) => format!("data:{media_type};base64,{}", text(data.get("data")).unwrap_or_default()),
                None => text(data.get("fileUri")).unwrap_or_default().into_owned(),
            };
            self.sealed = false;
            return builder.add_media("google", &media_type, url);
        }
        if let Some(code) = non_null(members.executable_code) {
            self.sign_next(signature.as_deref(), builder)?;
            return self.code_execution(code, builder);
        }
        if let Some(call) = non_null(members.tool_call) {
            self.sign_next(signature.as_deref(), builder)?;
            return self.server_call(call, builder);
        }
        if signature.is_some() {
            builder.report(AdapterCode::SignatureDropped, "the signature of a part that is not a separate item");
        }
        if let Some(response) = non_null(members.tool_response) {
            return self.server_response(response, builder);
        }
        if let Some(result) = non_null(members.code_result) {
            return self.code_execution_result(result, builder);
        }
        let name = part
            .entries()
            .find_map(|(key, _)| key.as_str().filter(|key| key != "thoughtSignature" && key != "thought"));
        if let Some(name) = name {
            builder.report(AdapterCode::PartDropped, &name);
        }
        Ok(())
    }

    fn append_thought(
        &mut self,
        piece: &TextPiece<'_>,
        signature: Option<&str>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if piece.is_empty() && signature.is_none() {
            return Ok(());
        }
        if builder.last_item() != LastItem::Reasoning {
            self.sealed = false;
        }
        let slot = builder.ensure_reasoning()?;
        builder.append_summary(slot, piece)?;
        match signature {
            Some(signature) => {
                self.sealed = true;
                builder.set_field(
                    slot,
                    "encrypted_content",
                    encrypted_content::wrap("google", "self", signature).into(),
                )
            }
            None => Ok(()),
        }
    }

    fn append_text(
        &mut self,
        piece: &TextPiece<'_>,
        signature: Option<&str>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if piece.is_empty() || builder.last_item() == LastItem::Message {
            if let Some(signature) = signature {
                self.late_signature = Some(signature.to_string());
            }
        } else {
            self.sign_next(signature, builder)?;
        }
        if piece.is_empty() {
            return Ok(());
        }
        let slot = builder.ensure_message()?;
        builder.add_logprobs(slot, &self.logprobs)?;
        self.logprobs.clear();
        builder.append_text(slot, piece)?;
        self.cited.grow(slot, piece, builder)
    }

    /// Stores a signature so that it precedes the next item.
    fn sign_next(&mut self, signature: Option<&str>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(signature) = signature else { return Ok(()) };
        let envelope = encrypted_content::wrap("google", "next", signature);
        match builder.last_slot().filter(|_| builder.last_item() == LastItem::Reasoning && !self.sealed) {
            Some(slot) => builder.set_field(slot, "encrypted_content", envelope.into())?,
            None => {
                builder.start_reasoning(Some(&envelope))?;
            }
        }
        self.sealed = false;
        builder.close_last_item(ItemStatus::Completed)
    }

    fn call(
        &mut self,
        call: ValueRef<'_>,
        signature: Option<&str>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let name = text(call.get("name")).filter(|name| !name.is_empty());
        let goes_on = call.get("willContinue").and_then(|flag| flag.as_bool()).unwrap_or(false);
        if let Some(name) = name {
            self.end_streamed(ItemStatus::Completed, builder)?;
            self.sign_next(signature, builder)?;
            builder.close_last_item(ItemStatus::Completed)?;
            let slot = builder.add_call(&text(call.get("id")).unwrap_or_default(), &name)?;
            self.streamed = Some((slot, PartialArguments::default()));
        } else if signature.is_some() {
            builder.report(AdapterCode::SignatureDropped, "the signature of a piece of a call");
        }
        let Some((_, arguments)) = &mut self.streamed else {
            builder.report(AdapterCode::ToolCallDropped, "");
            return Ok(());
        };
        if let Some(args) = non_null(call.get("args")) {
            builder.account_bytes(args.raw().len())?;
            arguments.replace(args.to_value());
        }
        for piece in call.get("partialArgs").into_iter().flat_map(|pieces| pieces.elements()) {
            builder.account_bytes(piece.raw().len())?;
            if !arguments.take(piece, &builder.limits) {
                builder.report(AdapterCode::OrphanDelta, "a piece of arguments with an unusable path");
            }
        }
        if goes_on {
            return Ok(());
        }
        self.end_streamed(ItemStatus::Completed, builder)
    }

    /// Writes the arguments of the open call and closes it. Truncated arguments are written as far as they arrived.
    fn end_streamed(&mut self, status: ItemStatus, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some((slot, arguments)) = self.streamed.take() else { return Ok(()) };
        let arguments = arguments.into_value();
        let empty = arguments.as_object().is_some_and(Object::is_empty);
        if !empty {
            builder.append_arguments(slot, &TextPiece::from_text(arguments.to_string()))?;
        }
        builder.close_item(slot, status)
    }

    fn code_execution(&mut self, code: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.end_code(ItemStatus::Completed, builder)?;
        builder.close_last_item(ItemStatus::Completed)?;
        let mut fields = Object::new();
        if let Some(id) = text(code.get("id")).filter(|id| !id.is_empty()) {
            fields.push("call_id", id.as_ref());
        }
        for key in ["language", "code"] {
            fields.push(key, code.get(key).map(Value::from).unwrap_or_default());
        }
        fields.push("outcome", Value::Null);
        fields.push("output", Value::Null);
        builder.account_bytes(code.raw().len())?;
        self.code = builder.add_extension("google:code_execution_call", fields)?;
        Ok(())
    }

    fn code_execution_result(&mut self, result: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(slot) = self.code.take() else {
            if builder.options.include_extensions {
                builder.report(AdapterCode::OrphanCodeResult, "");
            }
            return Ok(());
        };
        for key in ["outcome", "output"] {
            builder.set_field(slot, key, result.get(key).map(Value::from).unwrap_or_default())?;
        }
        let fine = result.get("outcome").is_some_and(|outcome| outcome.is_str("OUTCOME_OK"));
        builder.close_item(slot, if fine { ItemStatus::Completed } else { ItemStatus::Failed })
    }

    /// A call of a tool that the server runs: one item that its response completes.
    fn server_call(&mut self, call: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.end_streamed(ItemStatus::Completed, builder)?;
        builder.close_last_item(ItemStatus::Completed)?;
        let kind = text(call.get("toolType")).unwrap_or_default().to_lowercase();
        let id = text(call.get("id")).unwrap_or_default();
        let mut fields = Object::new();
        fields.push("call_id", id.as_ref());
        fields.push("tool_type", call.get("toolType").map(Value::from).unwrap_or_default());
        fields.push("args", call.get("args").map(Value::from).unwrap_or_default());
        fields.push("response", Value::Null);
        builder.account_bytes(call.raw().len() + id.len())?;
        let slot = builder.add_extension(&extension_type("google", &kind, "_call"), fields)?;
        self.server_calls.insert(id.into_owned(), slot);
        Ok(())
    }

    fn server_response(&mut self, response: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let id = text(response.get("id")).unwrap_or_default();
        match self.server_calls.remove(id.as_ref()) {
            Some(Some(slot)) => {
                builder.account_bytes(response.raw().len())?;
                let value = response.get("response").map(Value::from).unwrap_or_default();
                builder.set_field(slot, "response", value)?;
                builder.close_item(slot, ItemStatus::Completed)
            }
            // The finding about its call reports that extensions are left out.
            Some(None) => Ok(()),
            None => {
                self.end_streamed(ItemStatus::Completed, builder)?;
                builder.close_last_item(ItemStatus::Completed)?;
                let kind = text(response.get("toolType")).unwrap_or_default().to_lowercase();
                let mut fields = Object::new();
                fields.push("call_id", id.as_ref());
                fields.push("tool_type", response.get("toolType").map(Value::from).unwrap_or_default());
                fields.push("response", response.get("response").map(Value::from).unwrap_or_default());
                match builder.add_extension(&extension_type("google", &kind, "_response"), fields)? {
                    Some(slot) => builder.close_item(slot, ItemStatus::Completed),
                    None => Ok(()),
                }
            }
        }
    }

    fn end_code(&mut self, status: ItemStatus, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match self.code.take() {
            Some(slot) => builder.close_item(slot, status),
            None => Ok(()),
        }
    }

    /// Closes open items. An incomplete end truncates an open call or code, otherwise the last item.
    fn close(&mut self, status: ItemStatus, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let under_way = self.code.max(self.streamed.as_ref().map(|(slot, _)| *slot));
        let last = if under_way > builder.last_slot() { ItemStatus::Completed } else { status };
        self.end_code(status, builder)?;
        self.end_streamed(status, builder)?;
        builder.close_last_item(last)
    }

    fn end_truncated(&mut self, reason: &str, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.late_signature.is_some() {
            builder.report(AdapterCode::SignatureDropped, "a truncated message must be the last item");
        }
        self.close(ItemStatus::Incomplete, builder)?;
        builder.incomplete(reason)
    }

    fn end_blocked(&mut self, feedback: Value, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.close(ItemStatus::Completed, builder)?;
        if let Some(message) = feedback.str_at("blockReasonMessage").filter(|message| !message.is_empty()) {
            let slot = builder.ensure_message()?;
            builder.append_refusal(slot, &TextPiece::from_text(message.to_string()))?;
            builder.close_last_item(ItemStatus::Incomplete)?;
        }
        builder.set_finish_reason("google", "PROMPT_BLOCKED", Value::Null, feedback);
        builder.incomplete("content_filter")
    }
}

members! {
    /// The members of a message.
    MessageMembers {
        candidates: "candidates",
        feedback: "promptFeedback",
        usage: "usageMetadata",
        model: "modelVersion",
        id: "responseId",
        created: "createTime",
        error: "error",
    }
}

members! {
    /// The members of a candidate.
    CandidateMembers {
        index: "index",
        content: "content",
        finish_reason: "finishReason",
        finish_message: "finishMessage",
        grounding: "groundingMetadata",
        citations: "citationMetadata",
        ratings: "safetyRatings",
        logprobs: "logprobsResult",
        url_context: "urlContextMetadata",
        continuation: "continuationToken",
    }
}

members! {
    /// The members of a part.
    PartMembers {
        text: "text",
        thought: "thought",
        signature: "thoughtSignature",
        function_call: "functionCall",
        inline_data: "inlineData",
        file_data: "fileData",
        executable_code: "executableCode",
        code_result: "codeExecutionResult",
        tool_call: "toolCall",
        tool_response: "toolResponse",
    }
}

impl PartMembers<'_> {
    /// Returns `true` if the part has one of the members that say what it is.
    fn has_kind(&self) -> bool {
        [
            self.text,
            self.function_call,
            self.inline_data,
            self.file_data,
            self.executable_code,
            self.code_result,
            self.tool_call,
            self.tool_response,
        ]
        .into_iter()
        .any(|member| non_null(member).is_some())
    }
}

const USAGE_MEMBERS: &[&str] = &[
    "promptTokenCount",
    "candidatesTokenCount",
    "totalTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
];
fn note_ratings(ratings: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    match ratings.is_some_and(|ratings| ratings.elements().next().is_some()) {
        true => builder.report_once(AdapterCode::SafetyRatingsDropped, "safety ratings"),
        false => Ok(()),
    }
}

fn fail(error: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let status = text(error.get("status")).filter(|status| !status.is_empty());
    let number = error.get("code");
    let kind = match status.as_deref() {
        Some("INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" | "UNAUTHENTICATED" | "PERMISSION_DENIED") => {
            ErrorType::InvalidRequest
        }
        Some("NOT_FOUND") => ErrorType::NotFound,
        Some("RESOURCE_EXHAUSTED") => ErrorType::TooManyRequests,
        _ => count(number).map(ErrorType::from_http_status).unwrap_or_default(),
    };
    let code =
        status.or_else(|| number.filter(|number| number.kind() == ValueKind::Number).map(|number| number.raw().into()));
    let message = text(error.get("message")).unwrap_or_default();
    builder.fail(kind, code.as_deref(), &message, None)
}

fn counts(usage: ValueRef<'_>) -> Option<TokenCounts> {
    let read = |key: &str| count(usage.get(key));
    let (prompt, candidates) = (read("promptTokenCount"), read("candidatesTokenCount"));
    if prompt.is_none() && candidates.is_none() {
        return None;
    }
    let thoughts = read("thoughtsTokenCount").unwrap_or(0);
    Some(TokenCounts {
        input: prompt.unwrap_or(0).saturating_add(read("toolUsePromptTokenCount").unwrap_or(0)),
        output: candidates.unwrap_or(0).saturating_add(thoughts),
        cached: read("cachedContentTokenCount").unwrap_or(0),
        cache_write: None,
        reasoning: thoughts,
        total: read("totalTokenCount"),
    })
}

fn token_logprob(token: ValueRef<'_>) -> Option<TokenLogProb<'_>> {
    TokenLogProb::new(token.get("token"), token.get("logProbability"), TokenBytes::OfToken)
}
