//! Agent thread events, as VT Code writes them → Open Responses.
//!
//! One turn is one response. Items carry their whole text in every update, so an update is worth what it adds; one that
//! rewrites what was written cannot be a delta, and only the done events tell it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::hub::{Counts, ErrorType, Hub, PartKind, Slot, Status};
use super::{count, extension, given, text, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Tag, Value, View};

/// The state of one turn.
#[derive(Default)]
pub(crate) struct ThreadEvents {
    items: BTreeMap<String, Item>,
    /// The ids of calls by the ids of their items.
    calls: BTreeMap<String, String>,
    call_ids: BTreeSet<String>,
}

/// An item of the source that is open.
struct Item {
    /// `None` if extensions are left out.
    slot: Option<Slot>,
    /// What deltas have told.
    told: String,
    /// The last text, if it does not continue what was told.
    rewritten: Option<String>,
    /// The last fields of an extension item.
    latest: Option<Object>,
    length: usize,
}

impl Item {
    fn new(slot: Option<Slot>) -> Self {
        Self { slot, told: String::new(), rewritten: None, latest: None, length: 0 }
    }

    /// Writes what the done events must tell and no event before them could.
    fn settle(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let Some(slot) = self.slot else { return Ok(()) };
        if let Some(text) = self.rewritten.take() {
            hub.rewrite(slot, &text)?;
        }
        match self.latest.take() {
            Some(fields) => hub.replace_fields(slot, fields),
            None => Ok(()),
        }
    }
}

/// How far an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Started,
    Updated,
    Completed,
}

impl Decode for ThreadEvents {
    fn message(&mut self, _: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let event = unwrap(root);
        if !hub.is_started() {
            // The caller's id first: a thread has many turns, and each is a response.
            let thread = text(event.get("thread_id")).unwrap_or_default();
            hub.facts.set_id(hub.options.response_id.clone().as_deref().unwrap_or(&thread));
            hub.start()?;
        }
        let kind = text(event.get("type")).unwrap_or_default();
        match kind.as_ref() {
            "thread.started" | "turn.started" => Ok(()),
            "turn.completed" => {
                self.note_usage(event, hub);
                self.close_items(hub)?;
                hub.complete()
            }
            "turn.failed" => {
                self.note_usage(event, hub);
                hub.fail(ErrorType::ModelError, Some("turn_failed"), &member(event, "message"), None)
            }
            "error" => hub.fail(ErrorType::ServerError, Some("thread_error"), &member(event, "message"), None),
            "thread.completed" => self.end_thread(event, hub),
            "item.started" => self.item(event, Stage::Started, hub),
            "item.updated" => self.item(event, Stage::Updated, hub),
            "item.completed" => self.item(event, Stage::Completed, hub),
            other => {
                let name = extension("vtcode", &other.replace('.', "_"), "");
                hub.event(&name, members(event, &["type"]))
            }
        }
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        hub.fail_truncated()
    }

    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.settle_all(hub)
    }
}

impl ThreadEvents {
    fn note_usage(&mut self, event: View<'_>, hub: &mut Hub) {
        let Some(usage) = given(event.get("usage")).filter(|usage| usage.tag() == Tag::Object) else { return };
        let read = |key: &str| count(usage.get(key));
        hub.usage = Some(Counts {
            input: read("input_tokens").unwrap_or(0),
            output: read("output_tokens").unwrap_or(0),
            cached: read("cached_input_tokens").unwrap_or(0),
            cache_write: read("cache_creation_tokens"),
            reasoning: 0,
            total: None,
        });
    }

    fn end_thread(&mut self, event: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        self.note_usage(event, hub);
        let subtype = member(event, "subtype");
        match subtype.as_str() {
            "success" => {
                self.close_items(hub)?;
                hub.complete()
            }
            "cancelled" => {
                self.settle_all(hub)?;
                hub.cancel()
            }
            "error_max_turns" | "error_max_budget_usd" => {
                self.settle_all(hub)?;
                hub.incomplete(if subtype == "error_max_turns" { "max_turns" } else { "max_budget" })
            }
            _ => {
                let said = ["result", "outcome_code"].into_iter().map(|key| member(event, key));
                let message = said.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| subtype.clone());
                hub.fail(ErrorType::ServerError, Some(&subtype), &message, None)
            }
        }
    }

    fn item(&mut self, event: View<'_>, stage: Stage, hub: &mut Hub) -> Result<(), Error> {
        let Some(item) = given(event.get("item")) else {
            hub.report(AdapterCode::UnknownEvent, "an item event without an item");
            return Ok(());
        };
        let kind = text(item.get("type")).unwrap_or_default();
        // An id that comes again with another type is another item.
        let key = format!("{kind}/{}", member(item, "id"));
        match kind.as_ref() {
            "agent_message" => self.speak(&key, item, stage, PartKind::Text, hub),
            "reasoning" => self.speak(&key, item, stage, PartKind::Reasoning, hub),
            "tool_invocation" | "mcp_tool_call" => self.invoke(&key, item, stage, hub),
            "tool_output" => self.put_out(&key, item, stage, hub),
            other => self.extend(&key, other, item, stage, hub),
        }
    }

    /// A message or reasoning: its text grows by what each update adds.
    fn speak(&mut self, key: &str, item: View<'_>, stage: Stage, kind: PartKind, hub: &mut Hub) -> Result<(), Error> {
        if !self.items.contains_key(key) {
            let slot = match kind {
                PartKind::Text => hub.message()?,
                _ => hub.reasoning(None)?,
            };
            if kind == PartKind::Text {
                hub.part(slot, kind)?;
            }
            self.items.insert(key.to_string(), Item::new(Some(slot)));
        }
        let Some(Item { slot: Some(slot), told, rewritten, .. }) = self.items.get_mut(key) else { return Ok(()) };
        let slot = *slot;
        if let Some(piece) = item.get("text").and_then(Piece::of) {
            // Half a character at the end is the next update's business.
            let whole = if stage == Stage::Completed { piece.as_str() } else { piece.without_half() };
            match whole.strip_prefix(told.as_str()).filter(|_| rewritten.is_none()) {
                Some(more) => {
                    let more = Piece::plain(more);
                    match kind {
                        PartKind::Text => hub.text(slot, &more, &[])?,
                        _ => hub.thinking(slot, &more)?,
                    }
                    told.clear();
                    told.push_str(whole);
                }
                None => {
                    if rewritten.is_none() {
                        hub.report(AdapterCode::NonAppendUpdate, "");
                    }
                    let known = rewritten.as_ref().map_or(0, String::len);
                    hub.hold(whole.len().saturating_sub(known))?;
                    *rewritten = Some(whole.to_string());
                }
            }
        }
        if let (Some(stage), PartKind::Reasoning) = (given(item.get("stage")), kind) {
            hub.set(slot, "vtcode:stage", stage.to_value())?;
        }
        if stage == Stage::Completed {
            self.settle(key, hub)?;
            self.items.remove(key);
            hub.done(slot, Status::Completed)?;
        }
        Ok(())
    }

    /// A call of a tool, MCP or not. How its execution went shows in the output, not in the call.
    fn invoke(&mut self, key: &str, item: View<'_>, stage: Stage, hub: &mut Hub) -> Result<(), Error> {
        let id = member(item, "id");
        if !self.items.contains_key(key) {
            let given_id = member(item, "tool_call_id");
            let call_id = if given_id.is_empty() || self.call_ids.contains(&given_id) { &id } else { &given_id };
            let slot = hub.call(call_id, &member(item, "tool_name"))?;
            self.call_ids.insert(call_id.to_string());
            self.calls.insert(id.clone(), call_id.to_string());
            hub.hold(call_id.len() + id.len())?;
            self.items.insert(key.to_string(), Item::new(Some(slot)));
        }
        let Some(Item { slot: Some(slot), .. }) = self.items.get(key).filter(|_| stage == Stage::Completed) else {
            return Ok(());
        };
        let slot = *slot;
        self.items.remove(key);
        if let Some(arguments) = given(item.get("arguments")) {
            hub.arguments(slot, &Piece::plain(plain_text(arguments)))?;
        }
        hub.done(slot, Status::Completed)?;
        match given(item.get("result")).filter(|_| item.get("type").is_some_and(|kind| kind.is_str("mcp_tool_call"))) {
            Some(result) => {
                let call_id = self.calls.get(&id).cloned().unwrap_or_default();
                let slot = hub.output(&call_id)?;
                hub.set(slot, "output", plain_text(result).into())?;
                hub.done(slot, Status::Completed)
            }
            None => Ok(()),
        }
    }

    fn put_out(&mut self, key: &str, item: View<'_>, stage: Stage, hub: &mut Hub) -> Result<(), Error> {
        if !self.items.contains_key(key) {
            let named = member(item, "call_id");
            let call_id = match self.calls.get(&named) {
                Some(call_id) => call_id.clone(),
                None => text(item.get("tool_call_id")).filter(|id| !id.is_empty()).map_or(named, |id| id.into_owned()),
            };
            let slot = hub.output(&call_id)?;
            self.items.insert(key.to_string(), Item::new(Some(slot)));
        }
        let Some(Item { slot: Some(slot), .. }) = self.items.get(key).filter(|_| stage == Stage::Completed) else {
            return Ok(());
        };
        let slot = *slot;
        self.items.remove(key);
        let mut output = given(item.get("output")).map(plain_text).unwrap_or_default();
        if let (true, Some(path)) = (output.is_empty(), text(item.get("spool_path"))) {
            output = format!("Output saved to {path}");
        }
        hub.set(slot, "output", output.into())?;
        hub.done(slot, Status::Completed)
    }

    /// Everything else is an extension item with the source's own fields.
    fn extend(&mut self, key: &str, kind: &str, item: View<'_>, stage: Stage, hub: &mut Hub) -> Result<(), Error> {
        let fields = members(item, &["id", "type", "status"]);
        let known = match self.items.get_mut(key) {
            Some(known) => {
                known.latest = Some(fields);
                known
            }
            None => {
                let name = if kind == "harness" { "harness_event" } else { kind };
                let slot = hub.extension(&extension("vtcode", name, ""), fields)?;
                self.items.entry(key.to_string()).or_insert(Item::new(slot))
            }
        };
        // Every update tells the whole item, so only what it has grown by is new.
        let length = item.raw().len();
        hub.hold(length.saturating_sub(known.length))?;
        known.length = known.length.max(length);
        if stage != Stage::Completed {
            return Ok(());
        }
        let failed = kind == "error" || item.get("status").is_some_and(|status| status.is_str("failed"));
        self.settle(key, hub)?;
        match self.items.remove(key).and_then(|item| item.slot) {
            Some(slot) => hub.done(slot, if failed { Status::Failed } else { Status::Completed }),
            None => Ok(()),
        }
    }

    /// Closes what the source left open, in order.
    fn close_items(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.settle_all(hub)?;
        self.items.clear();
        Ok(())
    }

    /// Writes what was held back of every open item.
    fn settle_all(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.items.values_mut().try_for_each(|item| item.settle(hub))
    }

    fn settle(&mut self, key: &str, hub: &mut Hub) -> Result<(), Error> {
        self.items.get_mut(key).map_or(Ok(()), |item| item.settle(hub))
    }
}

/// The event inside its versioned wrapper, or the event itself.
fn unwrap(root: View<'_>) -> View<'_> {
    match given(root.get("event")) {
        Some(event) if root.get("schema_version").is_some() && event.tag() == Tag::Object => event,
        _ => root,
    }
}

fn member(holder: View<'_>, key: &str) -> String {
    text(holder.get(key)).unwrap_or_default().into_owned()
}

/// The members of an object but for some; of repeated ones the last.
fn members(object: View<'_>, without: &[&str]) -> Object {
    let entries: Vec<(String, View<'_>)> = object
        .entries()
        .filter_map(|(key, value)| Some((key.as_str()?.into_owned(), value)))
        .filter(|(key, _)| !without.contains(&key.as_str()))
        .collect();
    let last: BTreeMap<&str, usize> = entries.iter().enumerate().map(|(at, (key, _))| (key.as_str(), at)).collect();
    let kept = entries.iter().enumerate().filter(|(at, (key, _))| last.get(key.as_str()) == Some(at));
    kept.map(|(_, (key, value))| (key.clone(), Value::from(*value))).collect()
}

/// A text as it is, anything else as compact JSON.
fn plain_text(value: View<'_>) -> String {
    match value.as_str() {
        Some(text) => text.into_owned(),
        None => value.to_value().to_string(),
    }
}
