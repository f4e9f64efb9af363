//! Chat Completions → Open Responses: OpenAI, and the dialects of DeepSeek, vLLM, OpenRouter, Groq, Azure, Mistral, xAI.
//!
//! A chunk may hold anything in any mix, so each is taken apart in a fixed order: usage, reasoning, content, refusal,
//! annotations, images, tool calls, finish. Fragments of calls may interleave until the finish reason, so calls stay open
//! until then. The terminal event waits for the sentinel, because usage comes behind the finish reason.

mod calls;
mod parts;

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::hub::{Counts, ErrorType, Hub, Slot, Status};
use super::{count, given, text, Decode};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Tag, Value, View};
use calls::Calls;

/// The state of one completion.
pub(crate) struct Chat {
    provider: String,
    calls: Calls,
    finish: Option<Finish>,
    /// Log probabilities that came without text.
    logprobs: Vec<Value>,
    reasoning: Reasoning,
    /// Losses that are reported once for the whole stream.
    reported: Vec<&'static str>,
}

/// The reasoning item that is open.
#[derive(Default)]
struct Reasoning {
    slot: Option<Slot>,
    /// Whether its encrypted content is set.
    sealed: bool,
    /// The index that OpenRouter gives the detail.
    index: Option<u64>,
}

/// What the finish reason decided; written at the sentinel.
enum Finish {
    Completed,
    Incomplete(&'static str),
    Failed { kind: ErrorType, code: String, message: String, param: Option<String> },
}

impl Chat {
    pub(crate) fn new(provider: &str) -> Self {
        Self {
            provider: provider.to_string(),
            calls: Calls::default(),
            finish: None,
            logprobs: Vec::new(),
            reasoning: Reasoning::default(),
            reported: Vec::new(),
        }
    }

    fn report_once(&mut self, code: AdapterCode, what: &'static str, hub: &mut Hub) {
        if !self.reported.contains(&what) {
            self.reported.push(what);
            hub.report(code, what);
        }
    }
}

impl Decode for Chat {
    fn message(&mut self, _: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let id = text(root.get("id")).unwrap_or_default();
        let mut choices = root.get("choices").into_iter().flat_map(|choices| choices.elements()).peekable();
        let error = error_of(root);
        if !hub.is_started() {
            if id.is_empty() && choices.peek().is_none() && error.is_none() {
                return Ok(());
            }
            hub.facts.set_id(&id);
            hub.facts.set_model(text(root.get("model")));
            hub.facts.created_at = whole_seconds(root.get("created"));
            hub.facts.service_tier = text(root.get("service_tier")).map(Cow::into_owned);
            hub.start()?;
        }
        let usage = given(root.get("usage")).or_else(|| given(root.pointer("/x_groq/usage")));
        if let Some(usage) = usage.filter(|usage| usage.tag() == Tag::Object) {
            hub.usage = Some(counts(usage));
        }
        for list in ["citations", "search_results"] {
            if root.get(list).is_some_and(|list| list.elements().next().is_some()) {
                self.report_once(AdapterCode::AnnotationDropped, "citations beside the choices", hub);
            }
        }
        let mut finish = None;
        for choice in choices {
            if count(choice.get("index")).is_some_and(|index| index > 0) {
                self.report_once(AdapterCode::MultipleChoices, "choices behind the first", hub);
                continue;
            }
            self.choice(choice, hub)?;
            if let Some(reason) = text(choice.get("finish_reason")).filter(|reason| !reason.is_empty()) {
                finish = Some((reason, choice));
            }
        }
        if let Some(error) = error {
            return fail(error, hub);
        }
        match finish {
            Some((reason, choice)) if self.finish.is_none() => self.finish(&reason, choice, hub),
            _ => Ok(()),
        }
    }

    fn sentinel(&mut self, hub: &mut Hub) -> Result<(), Error> {
        if self.finish.is_none() {
            hub.report(AdapterCode::MissingFinishReason, "");
            self.close(Status::Completed, hub)?;
            self.finish = Some(Finish::Completed);
        }
        self.conclude(hub)
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        if self.finish.is_some() {
            self.conclude(hub)
        } else {
            hub.fail_truncated()
        }
    }

    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.flush_logprobs(hub)
    }
}

impl Chat {
    fn choice(&mut self, choice: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        // A server that puts a whole message where a delta belongs means the same.
        let delta = given(choice.get("delta")).or_else(|| given(choice.get("message")));
        let logprobs = given(choice.get("logprobs"));
        if let Some(refused) = logprobs.and_then(|logprobs| logprobs.get("refusal")) {
            if refused.elements().next().is_some() {
                hub.report(AdapterCode::RefusalLogprobsDropped, "");
            }
        }
        let Some(delta) = delta else { return Ok(()) };
        if self.finish.is_some() {
            if parts::has_content(delta) {
                hub.report(AdapterCode::ContentAfterFinish, "");
            }
            return Ok(());
        }
        let tokens = logprobs.and_then(|logprobs| logprobs.get("content"));
        self.logprobs.extend(tokens.into_iter().flat_map(|list| list.elements()).filter_map(parts::logprob));
        self.reason(delta, hub)?;
        self.content(delta.get("content"), hub)?;
        self.refuse(delta.get("refusal"), hub)?;
        self.annotate(delta.get("annotations"), hub)?;
        self.images(delta.get("images"), hub)?;
        self.note_unmapped(delta, hub);
        self.call_tools(delta, hub)
    }

    fn finish(&mut self, reason: &str, choice: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let canonical = matches!(reason, "stop" | "tool_calls" | "function_call" | "length" | "content_filter");
        if !canonical {
            hub.note_finish(&self.provider, reason, Value::Null, Value::Null);
        }
        let finish = match reason {
            "stop" | "tool_calls" | "function_call" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => {
                Finish::Completed
            }
            "length" | "model_length" => Finish::Incomplete("max_output_tokens"),
            "content_filter" => Finish::Incomplete("content_filter"),
            "abort" => Finish::Incomplete("cancelled"),
            "insufficient_system_resource" | "error" => match error_of(choice) {
                Some(error) => failure(error),
                None => Finish::Failed {
                    kind: ErrorType::ServerError,
                    code: reason.to_string(),
                    message: alloc::format!("The upstream stopped with finish_reason {reason}."),
                    param: None,
                },
            },
            other => {
                hub.report(AdapterCode::UnknownFinishReason, other);
                Finish::Completed
            }
        };
        match finish {
            Finish::Completed => self.close(Status::Completed, hub)?,
            // The caller cut everything that was open, not only the last item.
            Finish::Incomplete("cancelled") => self.cut_all(hub)?,
            Finish::Incomplete(_) => self.close(Status::Incomplete, hub)?,
            Finish::Failed { .. } => {}
        }
        self.finish = Some(finish);
        Ok(())
    }

    fn conclude(&mut self, hub: &mut Hub) -> Result<(), Error> {
        match self.finish.take() {
            None | Some(Finish::Completed) => hub.complete(),
            Some(Finish::Incomplete(reason)) => hub.incomplete(reason),
            Some(Finish::Failed { kind, code, message, param }) => {
                hub.fail(kind, Some(&code), &message, param.as_deref())
            }
        }
    }

    /// Closes what is open. An incomplete end cuts the last item; a message that is open with calls behind it is not last.
    fn close(&mut self, status: Status, hub: &mut Hub) -> Result<(), Error> {
        self.flush_logprobs(hub)?;
        let calls_last = self.calls.last_slot() > hub.last_slot();
        let open = hub.last_slot().is_some();
        hub.settle(if open && calls_last { Status::Completed } else { status })?;
        self.reasoning = Reasoning::default();
        let status = if open && !calls_last { Status::Completed } else { status };
        self.close_calls(status, hub)
    }
}

/// The error object of a chunk or choice; vLLM sends one as a whole chunk.
fn error_of(holder: View<'_>) -> Option<View<'_>> {
    if holder.get("object").is_some_and(|object| object.is_str("error")) {
        return Some(given(holder.get("error")).unwrap_or(holder));
    }
    given(holder.get("error"))
}

fn fail(error: View<'_>, hub: &mut Hub) -> Result<(), Error> {
    match failure(error) {
        Finish::Failed { kind, code, message, param } => hub.fail(kind, Some(&code), &message, param.as_deref()),
        _ => Ok(()),
    }
}

fn failure(error: View<'_>) -> Finish {
    if let Some(message) = error.as_str() {
        let kind = ErrorType::ServerError;
        return Finish::Failed { kind, code: kind.name().to_string(), message: message.into_owned(), param: None };
    }
    let code = given(error.get("code")).map(|code| match code.as_str() {
        Some(text) => text,
        None => Cow::Borrowed(code.raw()),
    });
    let code = code.filter(|code| !code.is_empty());
    let word = text(error.get("type")).filter(|word| !word.is_empty());
    let number = code.as_deref().and_then(|code| code.parse().ok());
    let kind = match number {
        Some(number) => ErrorType::from_http_status(number),
        None => [word.as_deref(), code.as_deref()].into_iter().flatten().find_map(class).unwrap_or_default(),
    };
    let code = code.or(word).unwrap_or(Cow::Borrowed(kind.name()));
    Finish::Failed {
        kind,
        code: code.into_owned(),
        message: text(error.get("message")).unwrap_or_default().into_owned(),
        param: text(error.get("param")).map(Cow::into_owned),
    }
}

fn class(word: &str) -> Option<ErrorType> {
    match word {
        "invalid_request_error" | "authentication_error" | "permission_error" | "BadRequestError" => {
            Some(ErrorType::InvalidRequest)
        }
        "insufficient_quota" | "rate_limit_error" | "rate_limit_exceeded" | "requests" | "tokens" => {
            Some(ErrorType::TooManyRequests)
        }
        "not_found_error" | "NotFoundError" => Some(ErrorType::NotFound),
        _ => None,
    }
}

fn counts(usage: View<'_>) -> Counts {
    let read = |path: &str| count(usage.pointer(path));
    let cached = read("/prompt_tokens_details/cached_tokens")
        .or_else(|| read("/prompt_cache_hit_tokens"))
        .or_else(|| read("/num_cached_tokens"));
    Counts {
        input: read("/prompt_tokens").unwrap_or(0),
        output: read("/completion_tokens").unwrap_or(0),
        cached: cached.unwrap_or(0),
        cache_write: read("/prompt_tokens_details/cache_write_tokens"),
        reasoning: read("/completion_tokens_details/reasoning_tokens").unwrap_or(0),
        total: read("/total_tokens"),
    }
}

/// A time in seconds, its fraction cut off. Zero is what servers write that have none.
fn whole_seconds(value: Option<View<'_>>) -> Option<i64> {
    let value = value.filter(|value| value.tag() == Tag::Number)?;
    let whole = value.raw().split(['.', 'e', 'E']).next()?;
    let seconds = value.as_i64().or_else(|| whole.parse().ok())?;
    (seconds > 0).then_some(seconds)
}
