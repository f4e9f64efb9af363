//! Chat Completions → Open Responses: OpenAI, and the dialects of DeepSeek, vLLM, OpenRouter, Groq, Azure, Mistral, xAI.
//!
//! - *Takes*: chunks of a chat completion, as JSON.
//! - *Gives*: calls of the `ResponseBuilder`.
//! - *Promises*: those of [`adapter`](crate::adapter).
//! - *Costs*: linear in each chunk; interleaved calls are found by their index.
//!
//! A chunk may have any combination of members, so each is read in a fixed order: usage, reasoning, content, refusal,
//! annotations, images, tool calls, finish. Fragments of calls may interleave until the finish reason, so calls stay open
//! until then. The terminal event waits for the sentinel, because usage comes after the finish reason.

mod delta_members;
mod tool_calls;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

use super::builder::{ErrorType, ItemStatus, OutputSlot, ResponseBuilder, TokenCounts};
use super::{count, non_null, text, DialectDecoder, LogProbs};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Value, ValueKind, ValueRef};
use tool_calls::ToolCallTable;

/// The state of one completion.
pub(crate) struct ChatDecoder {
    provider: String,
    calls: ToolCallTable,
    finish: Option<ChatFinish>,
    /// Log probabilities that arrived without text.
    logprobs: LogProbs,
    reasoning: OpenReasoning,
    /// Tools that the provider ran, by their index; `None` if extensions are left out.
    executed: BTreeMap<u64, Option<OutputSlot>>,
}

/// The open reasoning item.
#[derive(Default)]
struct OpenReasoning {
    slot: Option<OutputSlot>,
    /// True if its encrypted content is set.
    sealed: bool,
    /// The index that OpenRouter gives the detail.
    index: Option<u64>,
}

/// The effect of the finish reason; written at the sentinel.
enum ChatFinish {
    Completed,
    Incomplete(&'static str),
    Failed { kind: ErrorType, code: String, message: String, param: Option<String> },
}

impl ChatDecoder {
    pub(crate) fn new(provider: &str) -> Self {
        Self {
            provider: provider.to_string(),
            calls: ToolCallTable::default(),
            finish: None,
            logprobs: LogProbs::default(),
            reasoning: OpenReasoning::default(),
            executed: BTreeMap::new(),
        }
    }
}

impl DialectDecoder for ChatDecoder {
    fn message(&mut self, _: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let chunk = ChunkMembers::of(root);
        let mut choices = chunk.choices.into_iter().flat_map(|choices| choices.elements()).peekable();
        let error = error_among(root, chunk.object, chunk.error);
        if !builder.is_started() {
            let id = text(chunk.id).unwrap_or_default();
            if id.is_empty() && choices.peek().is_none() && error.is_none() {
                return Ok(());
            }
            builder.facts.set_id(&id);
            builder.facts.created_at = whole_seconds(chunk.created);
            builder.learn_service_tier(chunk.service_tier)?;
            builder.learn_model(chunk.model)?;
            builder.start()?;
        }
        builder.learn_model(chunk.model)?;
        builder.learn_service_tier(chunk.service_tier)?;
        let usage = non_null(chunk.usage).or_else(|| non_null(chunk.x_groq.and_then(|groq| groq.get("usage"))));
        if let Some(usage) = usage.filter(|usage| usage.kind() == ValueKind::Object) {
            builder.usage = Some(counts(usage));
            let (read, written) = (usage.get("prompt_tokens_details"), usage.get("completion_tokens_details"));
            let known = ["cached_tokens", "cache_write_tokens"];
            builder.keep_others(&self.provider, "input_tokens_details", read, &known, &[])?;
            builder.keep_others(&self.provider, "output_tokens_details", written, &["reasoning_tokens"], &[])?;
            builder.keep_others(&self.provider, "usage", Some(usage), USAGE_MEMBERS, USAGE_DETAILS)?;
        }
        // The error of some servers is a whole chunk, whose members are those of the error.
        if error.is_none() {
            if chunk.has_more(builder) {
                builder.keep_others(&self.provider, "", Some(root), ChunkMembers::KNOWN, ChunkMembers::DETAILS)?;
            }
            builder.keep_others(&self.provider, "x_groq", chunk.x_groq, &["usage"], &[])?;
        }
        let mut finish = None;
        for choice in choices {
            let members = ChoiceMembers::of(choice);
            if count(members.index).is_some_and(|index| index > 0) {
                builder.report_once(AdapterCode::MultipleChoices, "choices after the first")?;
                continue;
            }
            self.choice(choice, &members, builder)?;
            if let Some(reason) = text(members.finish_reason).filter(|reason| !reason.is_empty()) {
                finish = Some((reason, choice));
            }
        }
        if let Some(error) = error {
            return fail(error, builder);
        }
        match finish {
            Some((reason, choice)) if self.finish.is_none() => self.finish(&reason, choice, builder),
            _ => Ok(()),
        }
    }

    fn done_sentinel(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.finish.is_none() {
            builder.report(AdapterCode::MissingFinishReason, "");
            self.close(ItemStatus::Completed, builder)?;
            self.finish = Some(ChatFinish::Completed);
        }
        self.conclude(builder)
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.finish.is_some() {
            self.conclude(builder)
        } else {
            builder.fail_truncated()
        }
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.flush_logprobs(builder)
    }
}

impl ChatDecoder {
    fn choice(
        &mut self,
        choice: ValueRef<'_>,
        members: &ChoiceMembers<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        // Some servers send a whole message instead of a delta.
        let holder = non_null(members.delta).or_else(|| non_null(members.message));
        let logprobs = non_null(members.logprobs);
        if let Some(refused) = logprobs.and_then(|logprobs| logprobs.get("refusal")) {
            if refused.elements().next().is_some() {
                builder.report(AdapterCode::RefusalLogprobsDropped, "");
            }
        }
        if members.has_more(builder) {
            builder.keep_others(&self.provider, "", Some(choice), ChoiceMembers::KNOWN, ChoiceMembers::DETAILS)?;
        }
        if members.token_ids.is_some_and(|ids| ids.elements().next().is_some()) {
            builder.report_once(AdapterCode::ContentPartDropped, "token_ids")?;
        }
        let Some(holder) = holder else { return Ok(()) };
        let delta = DeltaMembers::of(holder);
        if self.finish.is_some() {
            if delta.has_content() {
                builder.report(AdapterCode::ContentAfterFinish, "");
            }
            return Ok(());
        }
        let tokens = logprobs.and_then(|logprobs| logprobs.get("content"));
        for token in tokens.into_iter().flat_map(|list| list.elements()) {
            let others = token.get("top_logprobs").into_iter().flat_map(|list| list.elements());
            if let Some(token) = delta_members::logprob(token) {
                // They wait for a text, which may never arrive.
                builder.account_bytes(self.logprobs.push(token, others.filter_map(delta_members::logprob)))?;
            }
        }
        self.reason(&delta, builder)?;
        self.content(delta.content, builder)?;
        self.refuse(delta.refusal, builder)?;
        self.annotate(delta.annotations, builder)?;
        self.images(delta.images, builder)?;
        self.audio(delta.audio, builder)?;
        self.execute_tools(delta.executed_tools, builder)?;
        if delta.has_others {
            builder.report_others(holder, DeltaMembers::KNOWN)?;
        }
        self.call_tools(&delta, builder)
    }

    fn finish(&mut self, reason: &str, choice: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let canonical = matches!(reason, "stop" | "tool_calls" | "function_call" | "length" | "content_filter");
        if !canonical {
            builder.set_finish_reason(&self.provider, reason, Value::Null, Value::Null);
        }
        let finish = match reason {
            "stop" | "tool_calls" | "function_call" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => {
                ChatFinish::Completed
            }
            "length" | "model_length" => ChatFinish::Incomplete("max_output_tokens"),
            "content_filter" => ChatFinish::Incomplete("content_filter"),
            "abort" => ChatFinish::Incomplete("cancelled"),
            "insufficient_system_resource" | "error" => {
                match error_among(choice, choice.get("object"), choice.get("error")) {
                    Some(error) => failure(error),
                    None => ChatFinish::Failed {
                        kind: ErrorType::ServerError,
                        code: reason.to_string(),
                        message: alloc::format!("The upstream stopped with finish_reason {reason}."),
                        param: None,
                    },
                }
            }
            other => {
                builder.report(AdapterCode::UnknownFinishReason, other);
                ChatFinish::Completed
            }
        };
        match finish {
            ChatFinish::Completed => self.close(ItemStatus::Completed, builder)?,
            // The caller truncated every open item, not only the last one.
            ChatFinish::Incomplete("cancelled") => self.close_all_incomplete(builder)?,
            ChatFinish::Incomplete(_) => self.close(ItemStatus::Incomplete, builder)?,
            ChatFinish::Failed { .. } => {}
        }
        self.finish = Some(finish);
        Ok(())
    }

    fn conclude(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match self.finish.take() {
            None | Some(ChatFinish::Completed) => builder.complete(),
            Some(ChatFinish::Incomplete(reason)) => builder.incomplete(reason),
            Some(ChatFinish::Failed { kind, code, message, param }) => {
                builder.fail(kind, Some(&code), &message, param.as_deref())
            }
        }
    }

    /// Closes open items. An incomplete end truncates the last item; an open message with calls after it is not the last one.
    fn close(&mut self, status: ItemStatus, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.flush_logprobs(builder)?;
        let calls_last = self.calls.last_slot() > builder.last_slot();
        let open = builder.last_slot().is_some();
        builder.close_last_item(if open && calls_last { ItemStatus::Completed } else { status })?;
        self.reasoning = OpenReasoning::default();
        let status = if open && !calls_last { ItemStatus::Completed } else { status };
        self.close_calls(status, builder)
    }
}

members! {
    /// The members of a chunk.
    ChunkMembers {
        id: "id",
        object: "object",
        created: "created",
        model: "model",
        choices: "choices",
        usage: "usage",
        service_tier: "service_tier",
        error: "error",
        x_groq: "x_groq",
    }
    ignored { "obfuscation" }
    details { "system_fingerprint", "provider", "native_finish_reason" }
}

members! {
    /// The members of a choice.
    ChoiceMembers {
        index: "index",
        delta: "delta",
        message: "message",
        finish_reason: "finish_reason",
        logprobs: "logprobs",
        token_ids: "token_ids",
    }
    ignored { "error" }
    details { "system_fingerprint", "provider", "native_finish_reason" }
}

members! {
    /// The members of a delta.
    DeltaMembers {
        content: "content",
        refusal: "refusal",
        reasoning: "reasoning",
        reasoning_content: "reasoning_content",
        reasoning_details: "reasoning_details",
        thinking_blocks: "thinking_blocks",
        annotations: "annotations",
        images: "images",
        audio: "audio",
        executed_tools: "executed_tools",
        tool_calls: "tool_calls",
        function_call: "function_call",
    }
    ignored { "role", "name", "obfuscation" }
}

const USAGE_MEMBERS: &[&str] = &[
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "prompt_tokens_details",
    "completion_tokens_details",
    "prompt_cache_hit_tokens",
    "prompt_cache_miss_tokens",
    "num_cached_tokens",
];
const USAGE_DETAILS: &[&str] =
    &["cost", "cost_details", "is_byok", "queue_time", "prompt_time", "completion_time", "total_time"];
/// The error object of a chunk or choice; vLLM sends one as a whole chunk.
fn error_among<'a>(
    holder: ValueRef<'a>,
    object: Option<ValueRef<'a>>,
    error: Option<ValueRef<'a>>,
) -> Option<ValueRef<'a>> {
    let is_error = object.is_some_and(|object| object.is_str("error"));
    non_null(error).or_else(|| is_error.then_some(holder))
}

fn fail(error: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    match failure(error) {
        ChatFinish::Failed { kind, code, message, param } => {
            builder.fail(kind, Some(&code), &message, param.as_deref())
        }
        _ => Ok(()),
    }
}

fn failure(error: ValueRef<'_>) -> ChatFinish {
    if let Some(message) = error.as_str() {
        let kind = ErrorType::ServerError;
        return ChatFinish::Failed { kind, code: kind.name().to_string(), message: message.into_owned(), param: None };
    }
    let code = non_null(error.get("code")).map(|code| match code.as_str() {
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
    ChatFinish::Failed {
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

fn counts(usage: ValueRef<'_>) -> TokenCounts {
    let read = |path: &str| count(usage.pointer(path));
    let cached = read("/prompt_tokens_details/cached_tokens")
        .or_else(|| read("/prompt_cache_hit_tokens"))
        .or_else(|| read("/num_cached_tokens"));
    TokenCounts {
        input: read("/prompt_tokens").unwrap_or(0),
        output: read("/completion_tokens").unwrap_or(0),
        cached: cached.unwrap_or(0),
        cache_write: read("/prompt_tokens_details/cache_write_tokens"),
        reasoning: read("/completion_tokens_details/reasoning_tokens").unwrap_or(0),
        total: read("/total_tokens"),
    }
}

/// A time in seconds, without its fraction. Servers without a time write zero.
fn whole_seconds(value: Option<ValueRef<'_>>) -> Option<i64> {
    let value = value.filter(|value| value.kind() == ValueKind::Number)?;
    let whole = value.raw().split(['.', 'e', 'E']).next()?;
    let seconds = value.as_i64().or_else(|| whole.parse().ok())?;
    (seconds > 0).then_some(seconds)
}
