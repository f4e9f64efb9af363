//! Agent thread events, as VT Code writes them → Open Responses.
//!
//! One turn is one response. Each update of an item has its whole text, so only the new part is a delta; an update that
//! rewrites earlier text cannot be a delta, and only the done events have the new text.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::builder::{ErrorType, ItemStatus, OutputSlot, PartKind, ResponseBuilder, TokenCounts};
use super::{count, extension_type, fail_with_body, is_error_body, non_null, text, DialectDecoder, TextPiece};
use crate::accumulate::held_bytes::NAME_BYTES;
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Tape, Value, ValueKind, ValueRef};

/// The state of one turn.
#[derive(Default)]
pub(crate) struct ThreadEventsDecoder {
    items: BTreeMap<String, ThreadItem>,
    /// The ids of calls by the ids of their items.
    calls: BTreeMap<String, String>,
    call_ids: BTreeSet<String>,
    /// The agent's name in extension types and in the names of its own tools.
    agent: String,
    /// The id of the response of the first turn.
    thread_id: String,
    turns: u64,
    /// The counts of Codex up to the last turn: its usage covers the whole thread.
    counted: TokenCounts,
}

/// An open item of the source.
struct ThreadItem {
    /// `None` if extensions are left out.
    slot: Option<OutputSlot>,
    /// The text that deltas have written.
    written_text: String,
    /// The last text, if it does not continue `written_text`.
    rewritten: Option<String>,
    /// The last fields of an extension item.
    latest: Option<Object>,
    /// The last JSON text of a call that the agent runs.
    running: Option<String>,
    length: usize,
}

impl ThreadItem {
    fn new(slot: Option<OutputSlot>) -> Self {
        Self { slot, written_text: String::new(), rewritten: None, latest: None, running: None, length: 0 }
    }

    /// Writes data that only the done events have.
    fn write_pending(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(slot) = self.slot else { return Ok(()) };
        if let Some(text) = self.rewritten.take() {
            builder.replace_text(slot, &text)?;
        }
        match self.latest.take() {
            Some(fields) => builder.replace_fields(slot, fields),
            None => Ok(()),
        }
    }
}

/// The progress of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemStage {
    Started,
    Updated,
    Completed,
}

impl DialectDecoder for ThreadEventsDecoder {
    fn message(&mut self, _: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let event = unwrap(root);
        if event.get("type").is_none() && is_error_body(event, builder) {
            return fail_with_body(event, builder);
        }
        if !builder.is_started() {
            self.start_turn(root, event, builder)?;
        }
        let kind = text(event.get("type")).unwrap_or_default();
        match kind.as_ref() {
            "thread.started" | "turn.started" => Ok(()),
            "turn.completed" => {
                self.note_usage(event, builder)?;
                builder.keep_others(&self.agent, "", Some(event), &["type", "usage"], &[])?;
                self.close_items(builder)?;
                builder.complete()
            }
            "turn.failed" => {
                self.note_usage(event, builder)?;
                builder.fail(ErrorType::ModelError, Some("turn_failed"), &error_message(event), None)
            }
            "error" => builder.fail(ErrorType::ServerError, Some("thread_error"), &error_message(event), None),
            "thread.completed" => self.end_thread(event, builder),
            "item.started" => self.item(event, ItemStage::Started, builder),
            "item.updated" => self.item(event, ItemStage::Updated, builder),
            "item.completed" => self.item(event, ItemStage::Completed, builder),
            other => {
                let name = extension_type(&self.agent, &other.replace('.', "_"), "");
                builder.write_extension_event(&name, members(event, &["type"]))
            }
        }
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        builder.fail_truncated()
    }

    fn starts_response(&self, root: ValueRef<'_>) -> bool {
        unwrap(root).get("type").is_some_and(|kind| kind.is_str("turn.started"))
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.write_all_pending(builder)
    }
}

impl ThreadEventsDecoder {
    /// Starts the response of a turn. The caller's id takes precedence: a thread has many turns, and each is a response.
    fn start_turn(
        &mut self,
        root: ValueRef<'_>,
        event: ValueRef<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        self.turns += 1;
        if self.turns == 1 {
            let thread = text(event.get("thread_id")).unwrap_or_default();
            let wrapped = root.get("schema_version").is_some();
            let detected = if !wrapped && is_uuid(&thread) { "codex" } else { "vtcode" };
            self.agent = builder.options.provider.clone().unwrap_or_else(|| detected.to_string());
            self.thread_id = builder.options.response_id.clone().unwrap_or_else(|| thread.into_owned());
            builder.facts.set_id(&self.thread_id);
        } else {
            let (agent, thread_id, turns, counted) =
                (core::mem::take(&mut self.agent), core::mem::take(&mut self.thread_id), self.turns, self.counted);
            *self = Self { agent, thread_id, turns, counted, ..Self::default() };
            builder.facts.set_id(&format!("{}_turn{turns}", self.thread_id));
        }
        builder.start()
    }

    fn note_usage(&mut self, event: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(usage) = non_null(event.get("usage")).filter(|usage| usage.kind() == ValueKind::Object) else {
            return Ok(());
        };
        let read = |key: &str| count(usage.get(key));
        let total = TokenCounts {
            input: read("input_tokens").unwrap_or(0),
            output: read("output_tokens").unwrap_or(0),
            cached: read("cached_input_tokens").unwrap_or(0),
            cache_write: read("cache_creation_tokens"),
            reasoning: read("reasoning_output_tokens").unwrap_or(0),
            total: None,
        };
        builder.usage = Some(if self.agent == "codex" { total.since(&self.counted) } else { total });
        self.counted = total;
        builder.keep_others(&self.agent, "usage", Some(usage), USAGE_MEMBERS, &[])
    }

    fn end_thread(&mut self, event: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.note_usage(event, builder)?;
        let subtype = member(event, "subtype");
        builder.keep_others(&self.agent, "", Some(event), &["type", "thread_id", "subtype", "usage"], &[])?;
        match subtype.as_str() {
            "success" => {
                self.close_items(builder)?;
                builder.complete()
            }
            "cancelled" => {
                self.write_all_pending(builder)?;
                builder.cancel()
            }
            "error_max_turns" | "error_max_budget_usd" => {
                self.write_all_pending(builder)?;
                builder.incomplete(if subtype == "error_max_turns" { "max_turns" } else { "max_budget" })
            }
            _ => {
                let messages = ["result", "outcome_code"].into_iter().map(|key| member(event, key));
                let message = messages.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| subtype.clone());
                builder.fail(ErrorType::ServerError, Some(&subtype), &message, None)
            }
        }
    }

    fn item(&mut self, event: ValueRef<'_>, stage: ItemStage, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(item) = non_null(event.get("item")) else {
            builder.report(AdapterCode::UnknownEvent, "an item event without an item");
            return Ok(());
        };
        let kind = text(item.get("type")).unwrap_or_default();
        // A repeated id with another type is another item.
        let key = format!("{kind}/{}", member(item, "id"));
        match kind.as_ref() {
            "agent_message" => self.apply_text(&key, item, stage, PartKind::Text, builder),
            "reasoning" if !builder.options.include_reasoning => {
                if stage == ItemStage::Completed {
                    builder.report(AdapterCode::ReasoningDropped, "include_reasoning is off");
                }
                Ok(())
            }
            "command_execution" if builder.options.map_tool_calls => self.apply_command(&key, item, stage, builder),
            "reasoning" => self.apply_text(&key, item, stage, PartKind::Reasoning, builder),
            "tool_invocation" | "mcp_tool_call" => self.invoke(&key, item, stage, builder),
            "tool_output" => self.apply_tool_output(&key, item, stage, builder),
            other => self.apply_extension(&key, other, item, stage, builder),
        }
    }

    /// A message or reasoning: its text grows by the new part of each update.
    fn apply_text(
        &mut self,
        key: &str,
        item: ValueRef<'_>,
        stage: ItemStage,
        kind: PartKind,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if !self.items.contains_key(key) {
            let slot = match kind {
                PartKind::Text => builder.add_message()?,
                _ => builder.add_reasoning(None)?,
            };
            if kind == PartKind::Text {
                builder.open_part(slot, kind)?;
            }
            builder.account_bytes(NAME_BYTES + key.len())?;
            self.items.insert(key.to_string(), ThreadItem::new(Some(slot)));
        }
        let Some(ThreadItem { slot: Some(slot), written_text, rewritten, .. }) = self.items.get_mut(key) else {
            return Ok(());
        };
        let slot = *slot;
        if let Some(piece) = item.get("text").and_then(TextPiece::from_json) {
            // Half a character at the end belongs to the next update.
            let whole = if stage == ItemStage::Completed { piece.as_str() } else { piece.without_trailing_surrogate() };
            match whole.strip_prefix(written_text.as_str()).filter(|_| rewritten.is_none()) {
                Some(more) => {
                    let more = TextPiece::from_text(more);
                    match kind {
                        PartKind::Text => builder.append_text(slot, &more)?,
                        _ => builder.append_thinking(slot, &more)?,
                    }
                    written_text.clear();
                    written_text.push_str(whole);
                }
                None => {
                    if rewritten.is_none() {
                        builder.report(AdapterCode::NonAppendUpdate, "");
                    }
                    let known = rewritten.as_ref().map_or(0, String::len);
                    builder.account_bytes(whole.len().saturating_sub(known))?;
                    *rewritten = Some(whole.to_string());
                }
            }
        }
        if let (Some(stage), PartKind::Reasoning) = (non_null(item.get("stage")), kind) {
            builder.set_field(slot, &format!("{}:stage", self.agent), stage.to_value())?;
        }
        if stage == ItemStage::Completed {
            self.write_pending(key, builder)?;
            self.items.remove(key);
            builder.close_item(slot, ItemStatus::Completed)?;
        }
        Ok(())
    }

    /// A call of a tool, MCP or not. The result of its execution is in the output, not in the call.
    fn invoke(
        &mut self,
        key: &str,
        item: ValueRef<'_>,
        stage: ItemStage,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let id = member(item, "id");
        if !self.items.contains_key(key) {
            let given_id = member(item, "tool_call_id");
            let call_id = if given_id.is_empty() || self.call_ids.contains(&given_id) { &id } else { &given_id };
            let name = [member(item, "tool_name"), member(item, "tool")].into_iter().find(|name| !name.is_empty());
            let slot = builder.add_call(call_id, &name.unwrap_or_default())?;
            self.call_ids.insert(call_id.to_string());
            self.calls.insert(id.clone(), call_id.to_string());
            builder.account_bytes(call_id.len() + id.len())?;
            builder.account_bytes(NAME_BYTES + key.len())?;
            self.items.insert(key.to_string(), ThreadItem::new(Some(slot)));
        }
        let is_mcp = item.get("type").is_some_and(|kind| kind.is_str("mcp_tool_call"));
        if stage != ItemStage::Completed {
            return if is_mcp { self.remember(key, item, builder) } else { Ok(()) };
        }
        let Some(slot) = self.items.remove(key).and_then(|item| item.slot) else { return Ok(()) };
        if let Some(arguments) = non_null(item.get("arguments")) {
            builder.append_arguments(slot, &TextPiece::from_text(plain_text(arguments)))?;
        }
        builder.keep_item_fields(&self.agent, slot, item, CALL_MEMBERS, &["status", "outcome"])?;
        builder.close_item(slot, ItemStatus::Completed)?;
        // The agent ran the tool, also where it failed: together with its output, no client runs it again.
        let status = text(item.get("status")).filter(|status| status != "completed");
        let error = non_null(item.get("error")).map(|error| non_null(error.get("message")).unwrap_or(error));
        let without_result = || match status {
            Some(status) => Some(format!("status: {status}")),
            None => (self.agent == "codex").then(String::new),
        };
        match non_null(item.get("result")).or(error).map(plain_text).or_else(without_result) {
            Some(output) if is_mcp => {
                let call_id = self.calls.get(&id).cloned().unwrap_or_default();
                write_output(&call_id, output, builder)
            }
            _ => Ok(()),
        }
    }

    /// Remembers the members of a call that the agent runs, which are written when the call is done or the turn ends.
    fn remember(&mut self, key: &str, item: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(known) = self.items.get_mut(key) else { return Ok(()) };
        let length = item.raw().len();
        builder.account_bytes(length.saturating_sub(known.length))?;
        known.length = known.length.max(length);
        known.running = Some(item.raw().to_string());
        Ok(())
    }

    /// A command: a call together with its output, so that no client runs the command again.
    fn apply_command(
        &mut self,
        key: &str,
        item: ValueRef<'_>,
        stage: ItemStage,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let call_id = member(item, "id");
        if !self.items.contains_key(key) {
            let slot = builder.add_call(&call_id, &format!("{}.run_command", self.agent))?;
            self.call_ids.insert(call_id.clone());
            builder.account_bytes(NAME_BYTES + key.len())?;
            self.items.insert(key.to_string(), ThreadItem::new(Some(slot)));
        }
        if stage != ItemStage::Completed {
            return self.remember(key, item, builder);
        }
        let Some(slot) = self.items.remove(key).and_then(|item| item.slot) else { return Ok(()) };
        let mut arguments = Object::new();
        arguments.push("command", item.get("command").map(Value::from).unwrap_or_default());
        if let Some(more) = non_null(item.get("arguments")) {
            arguments.push("arguments", more.to_value());
        }
        builder.append_arguments(slot, &TextPiece::from_text(Value::from(arguments).to_string()))?;
        builder.close_item(slot, ItemStatus::Completed)?;
        let mut output = non_null(item.get("aggregated_output")).map(plain_text).unwrap_or_default();
        if let Some(code) = non_null(item.get("exit_code")).filter(|code| code.as_i64() != Some(0)) {
            if !output.is_empty() && !output.ends_with('\n') {
                output.push('\n');
            }
            output.push_str(&format!("exit code: {}", code.raw()));
        }
        let status = text(item.get("status")).filter(|status| status != "completed");
        if let (Some(status), true) = (status, output.is_empty()) {
            // Such as `declined`: the command never ran.
            output = format!("status: {status}");
        }
        write_output(&call_id, output, builder)
    }

    fn apply_tool_output(
        &mut self,
        key: &str,
        item: ValueRef<'_>,
        stage: ItemStage,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        if !self.items.contains_key(key) {
            let named = member(item, "call_id");
            let call_id = match self.calls.get(&named) {
                Some(call_id) => call_id.clone(),
                None => text(item.get("tool_call_id")).filter(|id| !id.is_empty()).map_or(named, |id| id.into_owned()),
            };
            let slot = builder.add_call_output(&call_id)?;
            builder.account_bytes(NAME_BYTES + key.len())?;
            self.items.insert(key.to_string(), ThreadItem::new(Some(slot)));
        }
        let Some(ThreadItem { slot: Some(slot), .. }) = self.items.get(key).filter(|_| stage == ItemStage::Completed)
        else {
            return Ok(());
        };
        let slot = *slot;
        self.items.remove(key);
        let mut output = non_null(item.get("output")).map(plain_text).unwrap_or_default();
        if let (true, Some(path)) = (output.is_empty(), text(item.get("spool_path"))) {
            output = format!("Output saved to {path}");
        }
        builder.set_field(slot, "output", output.into())?;
        builder.keep_item_fields(&self.agent, slot, item, OUTPUT_MEMBERS, &["status", "exit_code"])?;
        builder.close_item(slot, ItemStatus::Completed)
    }

    /// Everything else is an extension item with the source's own fields.
    fn apply_extension(
        &mut self,
        key: &str,
        kind: &str,
        item: ValueRef<'_>,
        stage: ItemStage,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let fields = members(item, &["id", "type", "status"]);
        let known = match self.items.get_mut(key) {
            Some(known) => {
                known.latest = Some(fields);
                known
            }
            None => {
                let name = if kind == "harness" { "harness_event" } else { kind };
                let slot = builder.add_extension(&extension_type(&self.agent, name, ""), fields)?;
                self.items.entry(key.to_string()).or_insert(ThreadItem::new(slot))
            }
        };
        // Every update has the whole item, so only its growth is new.
        let length = item.raw().len();
        builder.account_bytes(length.saturating_sub(known.length))?;
        known.length = known.length.max(length);
        if stage != ItemStage::Completed {
            return Ok(());
        }
        let failed = kind == "error" || item.get("status").is_some_and(|status| status.is_str("failed"));
        self.write_pending(key, builder)?;
        match self.items.remove(key).and_then(|item| item.slot) {
            Some(slot) => builder.close_item(slot, if failed { ItemStatus::Failed } else { ItemStatus::Completed }),
            None => Ok(()),
        }
    }

    /// Closes the items that the source left open, in order. A call that the agent still runs gets an output, so that no client runs it.
    fn close_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let running: Vec<(String, String)> =
            self.items.iter_mut().filter_map(|(key, item)| Some((key.clone(), item.running.take()?))).collect();
        for (key, raw) in running {
            let mut tape = Tape::default();
            if tape.parse(&raw, builder.limits.depth).is_err() {
                continue;
            }
            match key.starts_with("command_execution/") {
                true => self.apply_command(&key, tape.root(&raw), ItemStage::Completed, builder)?,
                false => self.invoke(&key, tape.root(&raw), ItemStage::Completed, builder)?,
            }
        }
        self.write_all_pending(builder)?;
        self.items.clear();
        Ok(())
    }

    /// Writes the withheld data of every open item.
    fn write_all_pending(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.items.values_mut().try_for_each(|item| item.write_pending(builder))
    }

    fn write_pending(&mut self, key: &str, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.items.get_mut(key).map_or(Ok(()), |item| item.write_pending(builder))
    }
}

/// The event inside its versioned wrapper, or the event itself.
fn unwrap(root: ValueRef<'_>) -> ValueRef<'_> {
    match non_null(root.get("event")) {
        Some(event) if root.get("schema_version").is_some() && event.kind() == ValueKind::Object => event,
        _ => root,
    }
}

/// The message of an error: in the event, or in the object that Codex puts around it.
fn error_message(event: ValueRef<'_>) -> String {
    let message = member(event, "message");
    if message.is_empty() {
        text(event.pointer("/error/message")).or_else(|| text(event.get("error"))).unwrap_or_default().into_owned()
    } else {
        message
    }
}

/// Writes the output of a call that the agent has run.
fn write_output(call_id: &str, output: String, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let slot = builder.add_call_output(call_id)?;
    builder.set_field(slot, "output", output.into())?;
    builder.close_item(slot, ItemStatus::Completed)
}

const USAGE_MEMBERS: &[&str] =
    &["input_tokens", "output_tokens", "cached_input_tokens", "cache_creation_tokens", "reasoning_output_tokens"];
/// Members of calls that are read.
const CALL_MEMBERS: &[&str] = &["id", "type", "tool", "tool_name", "tool_call_id", "arguments", "result", "error"];
/// Members of outputs that are read.
const OUTPUT_MEMBERS: &[&str] = &["id", "type", "call_id", "tool_call_id", "output", "spool_path"];

/// Returns whether a thread id has the form of a UUID, as Codex writes it.
fn is_uuid(id: &str) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| if is_dash(at) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

fn member(holder: ValueRef<'_>, key: &str) -> String {
    text(holder.get(key)).unwrap_or_default().into_owned()
}

/// The members of an object except some; the last one of repeated members.
fn members(object: ValueRef<'_>, without: &[&str]) -> Object {
    let entries: Vec<(String, ValueRef<'_>)> = object
        .entries()
        .filter_map(|(key, value)| Some((key.as_str()?.into_owned(), value)))
        .filter(|(key, _)| !without.contains(&key.as_str()))
        .collect();
    let last: BTreeMap<&str, usize> = entries.iter().enumerate().map(|(at, (key, _))| (key.as_str(), at)).collect();
    let kept = entries.iter().enumerate().filter(|(at, (key, _))| last.get(key.as_str()) == Some(at));
    kept.map(|(_, (key, value))| (key.clone(), Value::from(*value))).collect()
}

/// A text unchanged, any other value as compact JSON.
fn plain_text(value: ValueRef<'_>) -> String {
    match value.as_str() {
        Some(text) => text.into_owned(),
        None => value.to_value().to_string(),
    }
}
