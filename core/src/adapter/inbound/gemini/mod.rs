//! Gemini `streamGenerateContent` → Open Responses.
//!
//! Each message is a slice of the answer: its parts are deltas, not blocks. There is no sentinel, so the end of input is
//! the end of the answer. A signature belongs to a part of any type but can only travel on a reasoning item; its kind
//! says which part it came with: `self` the item's own, `next` the following, `prev` the message before.

mod args;
mod grounding;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::hub::{Counts, ErrorType, Hub, Last, Slot, Status};
use super::{count, envelope, given, seconds, text, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Tag, Value, View};
use args::Arguments;
use grounding::Cited;

/// The state of one answer.
#[derive(Default)]
pub(crate) struct Gemini {
    /// The open text part, for offsets into it.
    cited: Cited,
    /// Whether the open reasoning item has its signature.
    sealed: bool,
    /// The call whose arguments arrive in pieces.
    streamed: Option<(Slot, Arguments)>,
    /// The code that waits for its result.
    code: Option<Slot>,
    /// A signature that came on or behind text that was already being written.
    late_signature: Option<String>,
    logprobs: Vec<Value>,
    finish: Option<(String, Option<String>)>,
    blocked: Option<Value>,
    /// Losses that are reported once for the whole stream.
    reported: Vec<&'static str>,
}

impl Decode for Gemini {
    fn message(&mut self, _: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        if !hub.is_started() {
            hub.facts.set_id(&text(root.get("responseId")).unwrap_or_default());
            hub.facts.set_model(text(root.get("modelVersion")));
            hub.facts.created_at = text(root.get("createTime")).and_then(|time| seconds(&time));
            hub.start()?;
        }
        if let Some(usage) = root.get("usageMetadata") {
            hub.usage = counts(usage).or(hub.usage);
        }
        if let Some(error) = given(root.get("error")) {
            return fail(error, hub);
        }
        if let Some(feedback) = given(root.get("promptFeedback")) {
            if text(feedback.get("blockReason")).is_some() {
                self.blocked = Some(feedback.to_value());
            } else {
                self.note_ratings(feedback, hub);
            }
        }
        for candidate in root.get("candidates").into_iter().flat_map(|list| list.elements()) {
            if count(candidate.get("index")).is_some_and(|index| index > 0) {
                self.report_once(AdapterCode::MultipleChoices, "candidates behind the first", hub);
                continue;
            }
            self.candidate(candidate, hub)?;
        }
        Ok(())
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let Some((reason, message)) = self.finish.take() else {
            return match self.blocked.take() {
                Some(feedback) => self.end_blocked(feedback, hub),
                None => hub.fail_truncated(),
            };
        };
        if !matches!(reason.as_str(), "STOP" | "MAX_TOKENS") {
            let mut details = Object::new();
            if let (Some(message), true) = (&message, is_model_error(&reason)) {
                details.push("message", message.as_str());
            }
            let details = if details.is_empty() { Value::Null } else { details.into() };
            hub.note_finish("google", &reason, Value::Null, details);
        }
        match reason.as_str() {
            "STOP" => {
                self.close(Status::Completed, hub)?;
                if let Some(signature) = self.late_signature.take() {
                    hub.next_reasoning(Some(&envelope::wrap("google", "prev", &signature)))?;
                }
                hub.complete()
            }
            model if is_model_error(model) => {
                let message = message.unwrap_or_else(|| format!("The model stopped with {model}."));
                hub.fail(ErrorType::ModelError, Some(&model.to_lowercase()), &message, None)
            }
            "MAX_TOKENS" => self.end_cut("max_output_tokens", hub),
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => self.end_cut("content_filter", hub),
            other => self.end_cut(&other.to_lowercase(), hub),
        }
    }

    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        if self.late_signature.is_some() {
            hub.report(AdapterCode::SignatureDropped, "a cut message stays last");
        }
        self.end_streamed(Status::Incomplete, hub)
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

impl Gemini {
    fn report_once(&mut self, code: AdapterCode, what: &'static str, hub: &mut Hub) {
        if !self.reported.contains(&what) {
            self.reported.push(what);
            hub.report(code, what);
        }
    }

    fn note_ratings(&mut self, holder: View<'_>, hub: &mut Hub) {
        if holder.get("safetyRatings").is_some_and(|ratings| ratings.elements().next().is_some()) {
            self.report_once(AdapterCode::SafetyRatingsDropped, "safety ratings", hub);
        }
    }

    fn candidate(&mut self, candidate: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        self.logprobs = logprobs(candidate);
        for part in candidate.pointer("/content/parts").into_iter().flat_map(|parts| parts.elements()) {
            self.part(part, hub)?;
        }
        if let Some(metadata) = given(candidate.get("groundingMetadata")) {
            self.ground(metadata, hub)?;
        }
        if let Some(metadata) = given(candidate.get("citationMetadata")) {
            self.cite(metadata, hub)?;
        }
        self.note_ratings(candidate, hub);
        if given(candidate.get("urlContextMetadata")).is_some() {
            self.report_once(AdapterCode::EventDropped, "urlContextMetadata", hub);
        }
        if let Some(reason) = text(candidate.get("finishReason")).filter(|reason| !reason.is_empty()) {
            self.finish = Some((reason.into_owned(), text(candidate.get("finishMessage")).map(Cow::into_owned)));
        }
        Ok(())
    }

    fn part(&mut self, part: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let signature = text(part.get("thoughtSignature")).filter(|signature| !signature.is_empty());
        if let Some(piece) = part.get("text").and_then(Piece::of) {
            let thought = part.get("thought").and_then(|flag| flag.as_bool()).unwrap_or(false);
            return if thought {
                self.think(&piece, signature.as_deref(), hub)
            } else {
                self.say(&piece, signature.as_deref(), hub)
            };
        }
        if let Some(call) = given(part.get("functionCall")) {
            return self.call(call, signature.as_deref(), hub);
        }
        let inline = given(part.get("inlineData"));
        if let Some(data) = inline.or_else(|| given(part.get("fileData"))) {
            self.sign_next(signature.as_deref(), hub)?;
            let media_type = text(data.get("mimeType")).unwrap_or_default();
            let url = match inline {
                Some(_) => format!("data:{media_type};base64,{}", text(data.get("data")).unwrap_or_default()),
                None => text(data.get("fileUri")).unwrap_or_default().into_owned(),
            };
            self.sealed = false;
            return hub.media("google", &media_type, &url);
        }
        if let Some(code) = given(part.get("executableCode")) {
            self.sign_next(signature.as_deref(), hub)?;
            return self.run(code, hub);
        }
        if signature.is_some() {
            hub.report(AdapterCode::SignatureDropped, "the signature of a part that is no item of its own");
        }
        if let Some(result) = given(part.get("codeExecutionResult")) {
            return self.ran(result, hub);
        }
        let name = part
            .entries()
            .find_map(|(key, _)| key.as_str().filter(|key| key != "thoughtSignature" && key != "thought"));
        if let Some(name) = name {
            hub.report(AdapterCode::PartDropped, &name);
        }
        Ok(())
    }

    fn think(&mut self, piece: &Piece<'_>, signature: Option<&str>, hub: &mut Hub) -> Result<(), Error> {
        if piece.is_empty() && signature.is_none() {
            return Ok(());
        }
        if hub.last() != Last::Reasoning {
            self.sealed = false;
        }
        let slot = hub.in_reasoning()?;
        hub.summary(slot, piece)?;
        match signature {
            Some(signature) => {
                self.sealed = true;
                hub.set(slot, "encrypted_content", envelope::wrap("google", "self", signature).into())
            }
            None => Ok(()),
        }
    }

    fn say(&mut self, piece: &Piece<'_>, signature: Option<&str>, hub: &mut Hub) -> Result<(), Error> {
        if piece.is_empty() || hub.last() == Last::Message {
            if let Some(signature) = signature {
                self.late_signature = Some(signature.to_string());
            }
        } else {
            self.sign_next(signature, hub)?;
        }
        if piece.is_empty() {
            return Ok(());
        }
        let slot = hub.in_message()?;
        hub.text(slot, piece, &core::mem::take(&mut self.logprobs))?;
        self.cited.grow(slot, piece, hub)
    }

    /// Puts a signature where it precedes the item that comes next.
    fn sign_next(&mut self, signature: Option<&str>, hub: &mut Hub) -> Result<(), Error> {
        let Some(signature) = signature else { return Ok(()) };
        let envelope = envelope::wrap("google", "next", signature);
        match hub.last_slot().filter(|_| hub.last() == Last::Reasoning && !self.sealed) {
            Some(slot) => hub.set(slot, "encrypted_content", envelope.into())?,
            None => {
                hub.next_reasoning(Some(&envelope))?;
            }
        }
        self.sealed = false;
        hub.settle(Status::Completed)
    }

    fn call(&mut self, call: View<'_>, signature: Option<&str>, hub: &mut Hub) -> Result<(), Error> {
        let name = text(call.get("name")).filter(|name| !name.is_empty());
        let goes_on = call.get("willContinue").and_then(|flag| flag.as_bool()).unwrap_or(false);
        if let Some(name) = name {
            self.end_streamed(Status::Completed, hub)?;
            self.sign_next(signature, hub)?;
            hub.settle(Status::Completed)?;
            let slot = hub.call(&text(call.get("id")).unwrap_or_default(), &name)?;
            self.streamed = Some((slot, Arguments::default()));
        } else if signature.is_some() {
            hub.report(AdapterCode::SignatureDropped, "the signature of a piece of a call");
        }
        let Some((_, arguments)) = &mut self.streamed else {
            hub.report(AdapterCode::ToolCallWithoutName, "");
            return Ok(());
        };
        if let Some(args) = given(call.get("args")) {
            hub.hold(args.raw().len())?;
            arguments.replace(args.to_value());
        }
        for piece in call.get("partialArgs").into_iter().flat_map(|pieces| pieces.elements()) {
            hub.hold(piece.raw().len())?;
            if !arguments.take(piece, &hub.limits) {
                hub.report(AdapterCode::OrphanDelta, "a piece of arguments that fits nowhere");
            }
        }
        if goes_on {
            return Ok(());
        }
        self.end_streamed(Status::Completed, hub)
    }

    /// Writes the arguments of the call that is open and closes it. Cut arguments are written as far as they came.
    fn end_streamed(&mut self, status: Status, hub: &mut Hub) -> Result<(), Error> {
        let Some((slot, arguments)) = self.streamed.take() else { return Ok(()) };
        let arguments = arguments.into_value();
        let empty = arguments.as_object().is_some_and(Object::is_empty);
        if !empty {
            hub.arguments(slot, &Piece::plain(arguments.to_string()))?;
        }
        hub.done(slot, status)
    }

    fn run(&mut self, code: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        self.end_code(Status::Completed, hub)?;
        hub.settle(Status::Completed)?;
        let mut fields = Object::new();
        for key in ["language", "code"] {
            fields.push(key, code.get(key).map(Value::from).unwrap_or_default());
        }
        fields.push("outcome", Value::Null);
        fields.push("output", Value::Null);
        hub.hold(code.raw().len())?;
        self.code = hub.extension("google:code_execution_call", fields)?;
        Ok(())
    }

    fn ran(&mut self, result: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let Some(slot) = self.code.take() else {
            if hub.options.include_extensions {
                hub.report(AdapterCode::OrphanCodeResult, "");
            }
            return Ok(());
        };
        for key in ["outcome", "output"] {
            hub.set(slot, key, result.get(key).map(Value::from).unwrap_or_default())?;
        }
        let fine = result.get("outcome").is_some_and(|outcome| outcome.is_str("OUTCOME_OK"));
        hub.done(slot, if fine { Status::Completed } else { Status::Failed })
    }

    fn end_code(&mut self, status: Status, hub: &mut Hub) -> Result<(), Error> {
        match self.code.take() {
            Some(slot) => hub.done(slot, status),
            None => Ok(()),
        }
    }

    /// Closes what is open. An incomplete end cuts a call or code that is under way, else the last item.
    fn close(&mut self, status: Status, hub: &mut Hub) -> Result<(), Error> {
        let under_way = self.code.max(self.streamed.as_ref().map(|(slot, _)| *slot));
        let last = if under_way > hub.last_slot() { Status::Completed } else { status };
        self.end_code(status, hub)?;
        self.end_streamed(status, hub)?;
        hub.settle(last)
    }

    fn end_cut(&mut self, reason: &str, hub: &mut Hub) -> Result<(), Error> {
        if self.late_signature.is_some() {
            hub.report(AdapterCode::SignatureDropped, "a cut message stays last");
        }
        self.close(Status::Incomplete, hub)?;
        hub.incomplete(reason)
    }

    fn end_blocked(&mut self, feedback: Value, hub: &mut Hub) -> Result<(), Error> {
        self.close(Status::Completed, hub)?;
        if let Some(message) = feedback.str_at("blockReasonMessage").filter(|message| !message.is_empty()) {
            let slot = hub.in_message()?;
            hub.refusal(slot, &Piece::plain(message.to_string()))?;
            hub.settle(Status::Incomplete)?;
        }
        hub.note_finish("google", "PROMPT_BLOCKED", Value::Null, feedback);
        hub.incomplete("content_filter")
    }
}

fn fail(error: View<'_>, hub: &mut Hub) -> Result<(), Error> {
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
    let code = status.or_else(|| number.filter(|number| number.tag() == Tag::Number).map(|number| number.raw().into()));
    let message = text(error.get("message")).unwrap_or_default();
    hub.fail(kind, code.as_deref(), &message, None)
}

fn counts(usage: View<'_>) -> Option<Counts> {
    let read = |key: &str| count(usage.get(key));
    let (prompt, candidates) = (read("promptTokenCount"), read("candidatesTokenCount"));
    if prompt.is_none() && candidates.is_none() {
        return None;
    }
    let thoughts = read("thoughtsTokenCount").unwrap_or(0);
    Some(Counts {
        input: prompt.unwrap_or(0).saturating_add(read("toolUsePromptTokenCount").unwrap_or(0)),
        output: candidates.unwrap_or(0).saturating_add(thoughts),
        cached: read("cachedContentTokenCount").unwrap_or(0),
        cache_write: None,
        reasoning: thoughts,
        total: read("totalTokenCount"),
    })
}

fn logprobs(candidate: View<'_>) -> Vec<Value> {
    let Some(result) = given(candidate.get("logprobsResult")) else { return Vec::new() };
    let mut others = result.get("topCandidates").into_iter().flat_map(|list| list.elements());
    let chosen = result.get("chosenCandidates").into_iter().flat_map(|list| list.elements());
    let mut all = Vec::new();
    for token in chosen {
        let others = others.next().and_then(|other| other.get("candidates"));
        let Some(mut whole) = logprob(token) else { continue };
        let others: Vec<Value> =
            others.into_iter().flat_map(|list| list.elements()).filter_map(logprob).map(Value::from).collect();
        whole.push("top_logprobs", others);
        all.push(whole.into());
    }
    all
}

fn logprob(token: View<'_>) -> Option<Object> {
    let word = text(token.get("token"))?;
    let mut object = Object::with_capacity(4);
    object.push("token", word.as_ref());
    object.push("logprob", token.get("logProbability").filter(|number| number.tag() == Tag::Number)?.to_value());
    object.push("bytes", word.bytes().map(|byte| Value::from(u32::from(byte))).collect::<Vec<_>>());
    Some(object)
}
