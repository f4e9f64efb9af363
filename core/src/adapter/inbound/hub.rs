//! [`Hub`]: the Open Responses side of a reading adapter.
//!
//! A decoder says what its source means; the hub turns that into intents of the [`Writer`], and adds what no source knows:
//! when the response starts, halves of characters, the last item that waits for its end, limits, findings. Nothing that
//! a source sends makes the writer refuse; a refusal that comes through is a limit or a template of the caller's.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::piece::{Carry, Piece};
pub(crate) use super::usage::Counts;
use crate::adapter::{AdapterCode, AdapterFindings, InboundOptions, ReasoningEvents, ThinkingAs};
use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::write::{response_id, ApiError, Dialect, ItemHandle, Writer, WriterOptions};
pub(crate) use crate::write::{ErrorType, ItemStatus as Status, PartKind};

/// An item by its place in the output.
pub(crate) type Slot = usize;

pub(crate) struct Hub {
    pub(crate) options: InboundOptions,
    pub(crate) limits: Limits,
    pub(crate) findings: AdapterFindings,
    pub(crate) facts: Facts,
    /// The last usage that the source reported.
    pub(crate) usage: Option<Counts>,
    writer: Writer,
    started: bool,
    over: bool,
    items: Vec<Open>,
    /// The item that the next one will close.
    last: Option<(Slot, Last)>,
    /// Items that are cut: they are done when the response is, since nothing may follow a cut item.
    cut: BTreeSet<Slot>,
    finish: Option<Object>,
    /// Bytes that are kept.
    held: usize,
}

/// What the source says about the response as a whole.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) created_at: Option<i64>,
    pub(crate) service_tier: Option<String>,
}

/// What the last item is, if it is still open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Nothing,
    Message,
    Reasoning,
    Call,
    Other,
}

/// What the hub knows about an item.
#[derive(Default)]
struct Open {
    part: Option<PartKind>,
    parts: usize,
    call: bool,
    done: bool,
    carry: Carry,
    /// Characters of the open part.
    length: u64,
}

impl Facts {
    pub(crate) fn set_id(&mut self, id: &str) {
        if !id.is_empty() {
            self.id = Some(id.to_string());
        }
    }

    /// Takes the model's name; an empty one says nothing.
    pub(crate) fn set_model(&mut self, model: Option<impl AsRef<str>>) {
        if let Some(model) = model.filter(|model| !model.as_ref().is_empty()) {
            self.model = Some(model.as_ref().to_string());
        }
    }
}

impl Hub {
    pub(crate) fn new(options: InboundOptions, limits: Limits) -> Self {
        Self {
            findings: AdapterFindings::new(limits.findings),
            options,
            limits,
            facts: Facts::default(),
            usage: None,
            writer: Writer::new(WriterOptions::default()),
            started: false,
            over: false,
            items: Vec::new(),
            last: None,
            cut: BTreeSet::new(),
            finish: None,
            held: 0,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    pub(crate) fn is_started(&self) -> bool {
        self.started
    }

    pub(crate) fn report(&mut self, code: AdapterCode, detail: &str) {
        self.findings.report(code, || detail.to_string());
    }

    /// Counts bytes that are kept until the end.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.limits.response_bytes {
            return Err(Error::new(Code::ResponseLimit, 0, format!("limit {}", self.limits.response_bytes)));
        }
        Ok(())
    }

    /// Starts the response with what is known by now, if it has not started.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        if self.started {
            return Ok(());
        }
        self.started = true;
        let Self { options, facts, .. } = self;
        let model = facts.model.as_deref().or(options.model.as_deref());
        let model = model.or_else(|| options.template.get("model")?.as_str()).unwrap_or("unknown");
        let mut template = options.template.clone();
        if let Some(tier) = &facts.service_tier {
            template.insert("service_tier", tier.as_str());
        }
        let id = facts.id.as_deref().or(options.response_id.as_deref()).unwrap_or("unknown");
        let created = u64::try_from(facts.created_at.unwrap_or(options.now)).unwrap_or(0);
        let mut writer = WriterOptions::new(response_id(id), model, created);
        writer.template = template;
        if options.reasoning_events == ReasoningEvents::OpenAi {
            writer.dialect = Dialect::OpenAi;
        }
        self.writer = Writer::new(writer);
        self.writer.set_now(u64::try_from(options.now).unwrap_or(0));
        self.writer.start()
    }

    /// Says that later snapshots name another model.
    pub(crate) fn model_changed(&mut self) -> Result<(), Error> {
        match &self.facts.model {
            Some(model) => self.writer.set_model(model),
            None => Ok(()),
        }
    }

    // Items.

    /// Adds a message.
    pub(crate) fn message(&mut self) -> Result<Slot, Error> {
        self.add("message", Object::new(), false)
    }

    /// Adds a reasoning item, with encrypted content if that is known already.
    pub(crate) fn reasoning(&mut self, encrypted: Option<&str>) -> Result<Slot, Error> {
        let mut fields = Object::new();
        if let Some(encrypted) = encrypted {
            self.hold(encrypted.len())?;
            fields.push("encrypted_content", encrypted);
        }
        self.add("reasoning", fields, false)
    }

    /// Adds a function call. An empty id is replaced by one made from the response's; an empty name is told.
    pub(crate) fn call(&mut self, call_id: &str, name: &str) -> Result<Slot, Error> {
        let mut fields = Object::new();
        if name.is_empty() {
            self.report(AdapterCode::ToolCallWithoutName, "");
        }
        let name = if name.is_empty() { "unknown" } else { name };
        fields.push("call_id", call_id);
        fields.push("name", name);
        self.add("function_call", fields, true)
    }

    /// Adds the output of a call; the output itself is set before it is done.
    pub(crate) fn output(&mut self, call_id: &str) -> Result<Slot, Error> {
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("output", "");
        self.add("function_call_output", fields, false)
    }

    /// Adds an extension item; `None` if extensions are left out.
    pub(crate) fn extension(&mut self, kind: &str, fields: Object) -> Result<Option<Slot>, Error> {
        if !self.options.include_extensions {
            self.report(AdapterCode::ItemDropped, kind);
            return Ok(None);
        }
        self.add(kind, fields, false).map(Some)
    }

    /// Writes media as one item, added and done at once.
    pub(crate) fn media(&mut self, provider: &str, media_type: &str, url: &str) -> Result<(), Error> {
        self.settle(Status::Completed)?;
        self.hold(url.len())?;
        let mut fields = Object::new();
        fields.push("media_type", media_type);
        fields.push("url", url);
        match self.extension(&extension(provider, "media", ""), fields)? {
            Some(slot) => self.done(slot, Status::Completed),
            None => Ok(()),
        }
    }

    fn add(&mut self, kind: &str, fields: Object, call: bool) -> Result<Slot, Error> {
        self.start()?;
        if self.items.len() >= self.limits.items {
            return Err(Error::new(Code::ItemLimit, 0, format!("limit {}", self.limits.items)));
        }
        let handle = self.writer.open(kind, fields)?;
        self.items.push(Open { call, ..Open::default() });
        Ok(handle.output_index() as usize)
    }

    /// Sets a field of an item, shown when it is done.
    pub(crate) fn set(&mut self, slot: Slot, key: &str, value: Value) -> Result<(), Error> {
        if let Value::String(text) = &value {
            self.hold(text.len())?;
        }
        self.writer.set(handle(slot), key, value)
    }

    /// Closes an item. What is cut waits for the end of the response, since nothing may follow it.
    pub(crate) fn done(&mut self, slot: Slot, status: Status) -> Result<(), Error> {
        if self.items.get(slot).is_none_or(|item| item.done) {
            return Ok(());
        }
        self.end_part(slot)?;
        if self.last.is_some_and(|(last, _)| last == slot) {
            self.last = None;
        }
        if let Some(item) = self.items.get_mut(slot) {
            item.done = true;
        }
        if status == Status::Incomplete {
            self.cut.insert(slot);
            return Ok(());
        }
        self.writer.close_honestly(handle(slot), status)
    }

    // The last item of sources that have one at a time.

    /// What the last item is, if it is open.
    pub(crate) fn last(&self) -> Last {
        self.last.map_or(Last::Nothing, |(_, last)| last)
    }

    /// The last item, if it is open.
    pub(crate) fn last_slot(&self) -> Option<Slot> {
        self.last.map(|(slot, _)| slot)
    }

    /// Closes the last item, if it is open.
    pub(crate) fn settle(&mut self, status: Status) -> Result<(), Error> {
        match self.last.take() {
            Some((slot, _)) => self.done(slot, status),
            None => Ok(()),
        }
    }

    /// The message that is open, or a new one behind the last item.
    pub(crate) fn in_message(&mut self) -> Result<Slot, Error> {
        if let Some((slot, Last::Message)) = self.last {
            return Ok(slot);
        }
        self.settle(Status::Completed)?;
        let slot = self.message()?;
        self.last = Some((slot, Last::Message));
        Ok(slot)
    }

    /// The reasoning item that is open, or a new one behind the last item.
    pub(crate) fn in_reasoning(&mut self) -> Result<Slot, Error> {
        match self.last {
            Some((slot, Last::Reasoning)) => Ok(slot),
            _ => self.next_reasoning(None),
        }
    }

    /// A new reasoning item behind the last item.
    pub(crate) fn next_reasoning(&mut self, encrypted: Option<&str>) -> Result<Slot, Error> {
        self.settle(Status::Completed)?;
        let slot = self.reasoning(encrypted)?;
        self.last = Some((slot, Last::Reasoning));
        Ok(slot)
    }

    /// A new call behind the last item.
    pub(crate) fn next_call(&mut self, call_id: &str, name: &str) -> Result<Slot, Error> {
        self.settle(Status::Completed)?;
        let slot = self.call(call_id, name)?;
        self.last = Some((slot, Last::Call));
        Ok(slot)
    }

    /// A new compaction behind the last item.
    pub(crate) fn next_compaction(&mut self) -> Result<Slot, Error> {
        self.settle(Status::Completed)?;
        let mut fields = Object::new();
        fields.push("encrypted_content", "");
        let slot = self.add("compaction", fields, false)?;
        self.last = Some((slot, Last::Other));
        Ok(slot)
    }

    /// A new extension item behind the last item.
    pub(crate) fn next_extension(&mut self, kind: &str, fields: Object) -> Result<Option<Slot>, Error> {
        self.settle(Status::Completed)?;
        let slot = self.extension(kind, fields)?;
        self.last = slot.map(|slot| (slot, Last::Other));
        Ok(slot)
    }

    // What is inside items.

    /// Opens a part, and closes the one before it.
    pub(crate) fn part(&mut self, slot: Slot, kind: PartKind) -> Result<(), Error> {
        self.end_part(slot)?;
        let limit = self.limits.parts;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        item.parts += 1;
        if item.parts > limit {
            return Err(Error::new(Code::PartLimit, 0, format!("limit {limit}")));
        }
        item.part = Some(kind);
        self.writer.part(handle(slot), kind)
    }

    /// Appends text to a message, with its log probabilities.
    pub(crate) fn text(&mut self, slot: Slot, piece: &Piece<'_>, logprobs: &[Value]) -> Result<(), Error> {
        if !piece.is_empty() || !logprobs.is_empty() {
            self.open_part(slot, PartKind::Text)?;
        }
        if !logprobs.is_empty() {
            self.hold(logprobs.len().saturating_mul(64))?;
            self.writer.logprobs(handle(slot), logprobs.to_vec())?;
        }
        self.grow(slot, PartKind::Text, piece)
    }

    /// Appends to a message's refusal.
    pub(crate) fn refusal(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        self.grow(slot, PartKind::Refusal, piece)
    }

    /// Appends raw reasoning, which the options may send to the summary.
    pub(crate) fn thinking(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        let kind = match self.options.thinking_as {
            ThinkingAs::Content => PartKind::Reasoning,
            ThinkingAs::Summary => PartKind::Summary,
        };
        self.grow(slot, kind, piece)
    }

    /// Appends to the summary of a reasoning item.
    pub(crate) fn summary(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        self.grow(slot, PartKind::Summary, piece)
    }

    /// Replaces the text of the open part without an event: the done events carry it.
    pub(crate) fn rewrite(&mut self, slot: Slot, text: &str) -> Result<(), Error> {
        self.hold(text.len())?;
        self.writer.rewrite(handle(slot), text)
    }

    /// Appends to the arguments of a call.
    pub(crate) fn arguments(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        let text = item.carry.join(piece);
        self.hold(text.len())?;
        self.writer.arguments(handle(slot), &text)
    }

    /// Appends arguments that were held back, with the half of a character that waits behind them.
    pub(crate) fn arguments_with(&mut self, slot: Slot, text: &str, carry: Carry) -> Result<(), Error> {
        if let Some(item) = self.items.get_mut(slot) {
            item.carry = carry;
        }
        self.writer.arguments(handle(slot), text)
    }

    /// Characters of the open part so far.
    pub(crate) fn length(&mut self, slot: Slot) -> Result<u64, Error> {
        self.flush(slot)?;
        Ok(self.items.get(slot).map_or(0, |item| item.length))
    }

    /// Says whether a text part is open in an item.
    pub(crate) fn has_text_open(&self, slot: Slot) -> bool {
        self.items.get(slot).is_some_and(|item| item.part == Some(PartKind::Text))
    }

    /// Says whether an item has had a part.
    pub(crate) fn has_parts(&self, slot: Slot) -> bool {
        self.items.get(slot).is_some_and(|item| item.parts > 0)
    }

    /// A citation in the standard form, for [`annotate`](Self::annotate).
    pub(crate) fn citation(&self, url: &str, title: &str, start: u64, end: u64) -> Object {
        let mut annotation = Object::with_capacity(6);
        annotation.push("type", "url_citation");
        annotation.push("url", url);
        annotation.push("title", title);
        annotation.push("start_index", start);
        annotation.push("end_index", end);
        annotation
    }

    /// Adds an annotation to the open text part. Offsets beyond the text so far are drawn to its end.
    pub(crate) fn annotate(&mut self, slot: Slot, mut annotation: Object) -> Result<(), Error> {
        let length = self.length(slot)?;
        let end = annotation.get("end_index").and_then(Value::as_u64).unwrap_or(0).min(length);
        let start = annotation.get("start_index").and_then(Value::as_u64).unwrap_or(0).min(end);
        annotation.insert("start_index", start);
        annotation.insert("end_index", end);
        self.hold(128)?;
        self.writer.annotation(handle(slot), annotation)
    }

    /// Sets a property of the open part, shown when it is done.
    pub(crate) fn set_in_part(&mut self, slot: Slot, key: &str, value: Value) -> Result<(), Error> {
        self.writer.set_on_part(handle(slot), key, value)
    }

    /// Closes the open part of an item, if there is one.
    pub(crate) fn end_part(&mut self, slot: Slot) -> Result<(), Error> {
        self.flush(slot)?;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        item.length = 0;
        match item.part.take() {
            Some(_) => self.writer.close_part(handle(slot)),
            None => Ok(()),
        }
    }

    /// Writes an extension event. A field named `error` would be taken for a failure.
    pub(crate) fn event(&mut self, kind: &str, mut fields: Object) -> Result<(), Error> {
        self.start()?;
        if !self.options.include_extensions {
            self.report(AdapterCode::EventDropped, kind);
            return Ok(());
        }
        for key in ["type", "sequence_number", "error"] {
            if fields.remove(key).is_some() && key == "error" {
                self.report(AdapterCode::EventDropped, "the field error of an extension event");
            }
        }
        self.writer.extension_event(kind, &fields)
    }

    fn open_part(&mut self, slot: Slot, kind: PartKind) -> Result<(), Error> {
        match self.items.get(slot) {
            Some(item) if item.part == Some(kind) => Ok(()),
            _ => self.part(slot, kind),
        }
    }

    fn grow(&mut self, slot: Slot, kind: PartKind, piece: &Piece<'_>) -> Result<(), Error> {
        if piece.is_empty() {
            return Ok(());
        }
        self.open_part(slot, kind)?;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        let text = item.carry.join(piece);
        item.length += text.chars().count() as u64;
        self.hold(text.len())?;
        self.writer.append(handle(slot), kind, &text)
    }

    /// Gives up waiting for the other half of a character.
    fn flush(&mut self, slot: Slot) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        if !item.carry.drop_half() {
            return Ok(());
        }
        match item.part {
            Some(kind) => {
                item.length += 1;
                self.writer.append(handle(slot), kind, "\u{FFFD}")
            }
            None if item.call => self.writer.arguments(handle(slot), "\u{FFFD}"),
            None => Ok(()),
        }
    }

    // The end.

    /// Remembers a stop reason that the standard fields do not tell.
    pub(crate) fn note_finish(&mut self, provider: &str, reason: &str, stop_sequence: Value, details: Value) {
        let mut finish = Object::new();
        finish.push("provider", provider);
        finish.push("reason", reason);
        for (key, value) in [("stop_sequence", stop_sequence), ("details", details)] {
            if !value.is_null() {
                finish.push(key, value);
            }
        }
        self.finish = Some(finish);
    }

    /// Ends the response well. What is open is closed; a completed response has no cut items.
    pub(crate) fn complete(&mut self) -> Result<(), Error> {
        self.cut.clear();
        self.close_all(|_| Status::Completed)?;
        self.conclude()?;
        self.writer.complete(None)
    }

    /// Ends the response early, for this reason: the last of the open items is cut, the others are whole.
    pub(crate) fn incomplete(&mut self, reason: &str) -> Result<(), Error> {
        let last = self.items.iter().rposition(|item| !item.done);
        self.spare_cut();
        self.close_all(|slot| if Some(slot) == last { Status::Incomplete } else { Status::Completed })?;
        self.conclude()?;
        self.writer.incomplete_honestly(if reason.is_empty() { "other" } else { reason })
    }

    /// Ends the response because its caller wants no more: all that is open is cut.
    pub(crate) fn cancel(&mut self) -> Result<(), Error> {
        self.close_all(|_| Status::Incomplete)?;
        self.conclude()?;
        self.writer.incomplete_honestly("cancelled")
    }

    /// Ends the response with an error; nothing is closed. Without a code the error's type stands for it.
    pub(crate) fn fail(
        &mut self,
        kind: ErrorType,
        code: Option<&str>,
        message: &str,
        param: Option<&str>,
    ) -> Result<(), Error> {
        self.conclude()?;
        let code = code.filter(|code| !code.is_empty()).unwrap_or(kind.name());
        let mut error = ApiError::new(kind, code, message);
        error.param = param.map(String::from);
        self.writer.fail(&error)
    }

    /// Ends the response as failed without an `error` event, because the source reported none.
    pub(crate) fn fail_quietly(&mut self, code: &str, message: &str) -> Result<(), Error> {
        self.conclude()?;
        self.writer.fail_quietly(&ApiError::new(ErrorType::ServerError, code, message))
    }

    /// Ends the response because the source ended too early.
    pub(crate) fn fail_truncated(&mut self) -> Result<(), Error> {
        let message = "The upstream stream ended before the message was finished.";
        self.fail(ErrorType::ServerError, Some("stream_truncated"), message, None)
    }

    /// Says whether an item's arguments are JSON.
    pub(crate) fn has_whole_arguments(&self, slot: Slot) -> bool {
        self.writer.has_whole_input(handle(slot))
    }

    pub(crate) fn write_into(&mut self, out: &mut Vec<u8>) {
        if self.started {
            self.writer.write_into(out);
        }
    }

    /// Only the last item of a response may be cut, so what others follow counts as whole. A call whose arguments are cut
    /// does not, because somebody might run it.
    fn spare_cut(&mut self) {
        let Some(run) = (0..self.items.len()).rev().find(|slot| !self.cut.contains(slot)) else { return };
        for slot in core::mem::take(&mut self.cut) {
            let half = self.items.get(slot).is_some_and(|item| item.call) && !self.has_whole_arguments(slot);
            if slot > run || half {
                self.cut.insert(slot);
            }
            if slot < run && half {
                self.report(AdapterCode::TruncatedParallelCall, "");
            }
        }
    }

    /// Closes what is open, in order, and what was cut before with it.
    fn close_all(&mut self, status: impl Fn(Slot) -> Status) -> Result<(), Error> {
        for slot in 0..self.items.len() {
            self.end_part(slot)?;
            let status = if self.cut.contains(&slot) { Status::Incomplete } else { status(slot) };
            if self.writer.is_open(handle(slot)) {
                self.writer.close_honestly(handle(slot), status)?;
            }
        }
        Ok(())
    }

    fn conclude(&mut self) -> Result<(), Error> {
        self.start()?;
        self.over = true;
        if let Some(usage) = self.usage.take() {
            self.writer.usage(usage.settle(&mut self.findings))?;
        }
        match self.finish.take() {
            Some(finish) => self.writer.set_field("deltafold:finish", finish),
            None => Ok(()),
        }
    }
}

/// An extension's type: what an upstream calls a thing may hold characters that a type must not.
pub(crate) fn extension(slug: &str, name: &str, tail: &str) -> String {
    let safe = |text: &str| -> String {
        let safe =
            |char: char| if char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.') { char } else { '_' };
        text.chars().map(safe).collect()
    };
    let name = if name.is_empty() { "unknown" } else { name };
    format!("{}:{}{tail}", safe(slug), safe(name))
}

fn handle(slot: Slot) -> ItemHandle {
    ItemHandle::at(slot as u32)
}
