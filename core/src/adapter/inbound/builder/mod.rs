//! [`ResponseBuilder`]: the Open Responses side of a reading adapter.
//!
//! - *Takes*: items, parts, texts and ends, in the order of a source.
//! - *Gives*: a valid stream through the [`Writer`], and findings.
//! - *Promises*: the writer refuses none of its intents, whatever the source sends.
//! - *Costs*: those of the writer.
//!
//! A decoder interprets its source; the builder turns that into intents of the [`Writer`], and adds what no source has:
//! the start of the response, joined halves of characters, the delayed end of the last item, limits, findings. No data of
//! a source makes the writer refuse an intent; a refusal that is returned is a limit or an invalid template of the caller.

mod content;
mod end;
mod items;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(crate) use super::token_counts::TokenCounts;
use crate::accumulate::held_bytes::{view_bytes, NAME_BYTES};
use crate::adapter::{AdapterCode, AdapterFindings, InboundOptions, ReasoningEvents};
use crate::clock::Clock;
use crate::error::{Code, Error};
use crate::json::SurrogateCarry;
use crate::json::{Object, Value, ValueRef};
use crate::limits::Limits;
use crate::write::{response_id, ItemHandle, ReasoningNames, Writer, WriterOptions};
pub(crate) use crate::write::{ErrorType, ItemStatus, PartKind};

/// An item by its place in the output.
pub(crate) type OutputSlot = usize;

pub(crate) struct ResponseBuilder {
    pub(crate) options: InboundOptions,
    pub(crate) limits: Limits,
    /// The clock of the caller, if it has one: otherwise times are those of the option `now`.
    pub(crate) clock: Option<Clock>,
    pub(crate) findings: AdapterFindings,
    pub(crate) facts: ResponseFacts,
    /// The last usage that the source reported.
    pub(crate) usage: Option<TokenCounts>,
    writer: Writer,
    started: bool,
    ended: bool,
    items: Vec<BuiltItem>,
    /// The last item, which the next one will close.
    last: Option<(OutputSlot, LastItem)>,
    /// Truncated items: they are done when the response is, because no item may follow a truncated one.
    incomplete_items: BTreeSet<OutputSlot>,
    finish: Option<Object>,
    /// Members of the source about the whole response, for the last snapshot.
    kept: KeptMembers,
    /// Losses that are reported once for the whole stream.
    reported: BTreeSet<(AdapterCode, String)>,
    /// Extension events for the last snapshot.
    extension_events: Vec<Value>,
    /// Bytes that are stored.
    held_bytes: usize,
    has_reported_dropped_events: bool,
}

/// Kept members by name, and by member of their own where the last snapshot has an object of members; else under an empty name.
type KeptMembers = BTreeMap<String, BTreeMap<String, KeptMember>>;

/// A member of the source that the last snapshot will have.
struct KeptMember {
    /// Its name in the snapshot.
    key: String,
    /// Its last value as JSON text; empty if extensions are left out.
    raw: String,
    /// Bytes that are accounted for the value.
    accounted_bytes: usize,
}

/// The facts of the source about the whole response.
#[derive(Default)]
pub(crate) struct ResponseFacts {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) created_at: Option<i64>,
    pub(crate) service_tier: Option<String>,
}

/// The kind of the last item, if it is still open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastItem {
    Nothing,
    Message,
    Reasoning,
    Call,
    Other,
}

/// The facts about an item.
#[derive(Default)]
struct BuiltItem {
    part: Option<PartKind>,
    parts: usize,
    call: bool,
    /// A `custom_tool_call`: its input is plain text.
    custom: bool,
    done: bool,
    carry: SurrogateCarry,
    /// The input so far of a custom call that is written as an extension item.
    custom_input: Option<String>,
    /// Characters of the open part.
    length: u64,
}

impl ResponseFacts {
    pub(crate) fn set_id(&mut self, id: &str) {
        if !id.is_empty() {
            self.id = Some(id.to_string());
        }
    }

    /// Takes the model's name, if it is not empty.
    pub(crate) fn set_model(&mut self, model: Option<impl AsRef<str>>) {
        if let Some(model) = model.filter(|model| !model.as_ref().is_empty()) {
            self.model = Some(model.as_ref().to_string());
        }
    }
}

impl ResponseBuilder {
    pub(crate) fn new(options: InboundOptions, limits: Limits) -> Self {
        Self {
            findings: AdapterFindings::new(limits.findings),
            options,
            limits,
            clock: None,
            facts: ResponseFacts::default(),
            usage: None,
            writer: Writer::new(WriterOptions::default()),
            started: false,
            ended: false,
            items: Vec::new(),
            last: None,
            incomplete_items: BTreeSet::new(),
            finish: None,
            kept: KeptMembers::new(),
            reported: BTreeSet::new(),
            extension_events: Vec::new(),
            held_bytes: 0,
            has_reported_dropped_events: false,
        }
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn is_started(&self) -> bool {
        self.started
    }

    pub(crate) fn report(&mut self, code: AdapterCode, detail: &str) {
        self.findings.report(code, || detail.to_string());
    }

    /// Reports a value of the source that the writer rejects, such as one nested too deep, and returns `None` for it.
    pub(crate) fn drop_invalid<T>(
        &mut self,
        result: Result<T, Error>,
        code: AdapterCode,
        detail: &str,
    ) -> Result<Option<T>, Error> {
        match result {
            Err(error) if error.code() == Code::BadArgument => {
                self.report(code, detail);
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Stores a member of the source that Open Responses has no member for: the last snapshot has its last value.
    /// Empty values are ignored.
    pub(crate) fn keep(&mut self, slug: &str, name: &str, value: Option<ValueRef<'_>>) -> Result<(), Error> {
        match value.filter(|value| !is_empty(*value)) {
            Some(value) => self.keep_value(slug, name, "", value),
            None => Ok(()),
        }
    }

    /// As [`keep`](Self::keep), for every member of an object that the adapter does not read itself.
    ///
    /// `known` lists the members that it reads. `details` lists members about the provider's work, such as its timing and its
    /// price: they are kept with the option `provider_details` only. With a `name` the members become one object.
    pub(crate) fn keep_others(
        &mut self,
        slug: &str,
        name: &str,
        holder: Option<ValueRef<'_>>,
        known: &[&str],
        details: &[&str],
    ) -> Result<(), Error> {
        for (key, value) in holder.into_iter().flat_map(|holder| holder.entries()) {
            let Some(key) = key.as_str() else { continue };
            let is_left_out = !self.options.provider_details && details.contains(&key.as_ref());
            if value.is_null() || is_left_out || known.contains(&key.as_ref()) {
                continue;
            }
            match name {
                "" => self.keep(slug, &key, Some(value))?,
                name => self.keep_value(slug, name, &key, value)?,
            }
        }
        Ok(())
    }

    /// As [`keep_others`](Self::keep_others), on an item.
    pub(crate) fn keep_item_fields(
        &mut self,
        slug: &str,
        slot: OutputSlot,
        holder: ValueRef<'_>,
        known: &[&str],
        details: &[&str],
    ) -> Result<(), Error> {
        for (key, value) in holder.entries() {
            let Some(key) = key.as_str() else { continue };
            let is_left_out = !self.options.provider_details && details.contains(&key.as_ref());
            if value.is_null() || is_left_out || known.contains(&key.as_ref()) {
                continue;
            }
            let key = extension_type(slug, &key, "");
            if self.options.include_extensions {
                self.set_field(slot, &key, value.to_value())?;
            } else {
                self.report_once(AdapterCode::ContentPartDropped, &key)?;
            }
        }
        Ok(())
    }

    /// Reports members of an object that neither the adapter reads nor Open Responses has a place for: pieces of the answer, of which
    /// the last one alone would be wrong.
    pub(crate) fn report_others(&mut self, holder: ValueRef<'_>, known: &[&str]) -> Result<(), Error> {
        for (key, value) in holder.entries() {
            let Some(key) = key.as_str() else { continue };
            if !is_empty(value) && !known.contains(&key.as_ref()) {
                self.report_once(AdapterCode::ContentPartDropped, &key)?;
            }
        }
        Ok(())
    }

    /// Reports a loss that a stream may repeat in every message.
    pub(crate) fn report_once(&mut self, code: AdapterCode, detail: &str) -> Result<(), Error> {
        let place = (code, detail.to_string());
        if self.reported.contains(&place) {
            return Ok(());
        }
        self.account_bytes(NAME_BYTES + detail.len())?;
        self.report(code, detail);
        self.reported.insert(place);
        Ok(())
    }

    fn keep_value(&mut self, slug: &str, name: &str, member: &str, value: ValueRef<'_>) -> Result<(), Error> {
        let raw = value.raw();
        // The text is held now, and the value in the last snapshot.
        let held = || raw.len() + view_bytes(value);
        if let Some(kept) = self.kept.get_mut(name).and_then(|members| members.get_mut(member)) {
            // Some sources repeat these members in every message.
            if kept.raw == raw || !self.options.include_extensions {
                return Ok(());
            }
            // The value replaces the previous one, so only growth counts.
            let growth = held().saturating_sub(kept.accounted_bytes);
            kept.raw.clear();
            kept.raw.push_str(raw);
            kept.accounted_bytes += growth;
            return self.account_bytes(growth);
        }
        let key = extension_type(slug, name, "");
        let (mut text, mut accounted_bytes) = (String::new(), 0);
        if self.options.include_extensions {
            accounted_bytes = held();
            self.account_bytes(2 * NAME_BYTES + key.len() + name.len() + member.len() + accounted_bytes)?;
            text.push_str(raw);
        } else {
            self.report(AdapterCode::ContentPartDropped, &key);
        }
        let members = self.kept.entry(name.to_string()).or_default();
        members.insert(member.to_string(), KeptMember { key, raw: text, accounted_bytes });
        Ok(())
    }

    /// Counts bytes that are stored until the end.
    pub(crate) fn account_bytes(&mut self, bytes: usize) -> Result<(), Error> {
        self.held_bytes = self.held_bytes.saturating_add(bytes);
        if self.held_bytes > self.limits.response_bytes {
            return Err(Error::new(Code::ResponseLimit, 0, format!("limit {}", self.limits.response_bytes)));
        }
        Ok(())
    }

    /// Starts the response with the facts so far, if it has not started.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        if self.started {
            return Ok(());
        }
        self.started = true;
        let Self { options, facts, clock, .. } = self;
        let model = facts.model.as_deref().or(options.model.as_deref());
        let model = model.or_else(|| options.template.get("model")?.as_str()).unwrap_or("unknown");
        let mut template = options.template.clone();
        if facts.service_tier.is_some() {
            template.remove("service_tier");
        }
        let id = facts.id.as_deref().or(options.response_id.as_deref()).unwrap_or("unknown");
        let seconds = |seconds: i64| u64::try_from(seconds).unwrap_or(0);
        let clock = clock.unwrap_or(Clock::fixed(seconds(options.now)));
        let created = facts.created_at.map_or_else(|| clock.now(), seconds);
        let mut writer = WriterOptions::new(response_id(id), model, created);
        writer.template = template;
        writer.edition = options.edition;
        writer.clock = Some(clock);
        if options.reasoning_events == ReasoningEvents::OpenAi {
            writer.reasoning_names = ReasoningNames::OpenAi;
        }
        self.writer = Writer::new(writer).after(&mut self.writer);
        if let Some(tier) = &facts.service_tier {
            self.writer.set_service_tier(tier);
        }
        self.writer.start()
    }

    /// Takes the model's name from any message, if no message has named a model yet.
    pub(crate) fn learn_model(&mut self, model: Option<ValueRef<'_>>) -> Result<(), Error> {
        if self.facts.model.is_some() {
            return Ok(());
        }
        self.facts.set_model(model.and_then(|model| model.as_str()));
        if self.started {
            self.update_model()?;
        }
        Ok(())
    }

    /// Takes the service tier from any message; the last one counts.
    pub(crate) fn learn_service_tier(&mut self, tier: Option<ValueRef<'_>>) -> Result<(), Error> {
        let Some(tier) = tier.and_then(|tier| tier.as_str()).filter(|tier| !tier.is_empty()) else { return Ok(()) };
        if self.facts.service_tier.as_deref() == Some(&*tier) {
            return Ok(());
        }
        self.facts.service_tier = Some(tier.clone().into_owned());
        if self.started {
            self.writer.set_service_tier(&tier);
        }
        Ok(())
    }

    /// Sets the model's name for later snapshots.
    pub(crate) fn update_model(&mut self) -> Result<(), Error> {
        match &self.facts.model {
            Some(model) => self.writer.set_model(model),
            None => Ok(()),
        }
    }

    /// Resets the builder for the next response of the stream. Findings are kept.
    pub(crate) fn restart(&mut self) {
        self.apply_emit_events();
        let findings = core::mem::take(&mut self.findings);
        let writer = Writer::new(WriterOptions::default()).after(&mut self.writer);
        *self = Self { findings, writer, clock: self.clock, ..Self::new(self.options.clone(), self.limits) };
    }

    /// The number of events of all responses so far, taken or not.
    pub(crate) fn event_count(&self) -> u64 {
        self.writer.event_count()
    }

    /// From now on, the events between the first and the last snapshot are counted and not kept, except errors.
    pub(crate) fn keep_snapshots_only(&mut self) {
        self.writer.keep_snapshots_only();
    }

    /// Takes the next event as JSON text.
    pub(crate) fn poll_event(&mut self) -> Option<&str> {
        self.apply_emit_events();
        self.writer.poll_event()
    }

    /// Without `emit_events` only the last event of a response is written: it has the whole response.
    fn apply_emit_events(&mut self) {
        if self.options.emit_events || !self.started {
            return;
        }
        self.writer.drop_events(self.ended);
        if self.ended && !self.has_reported_dropped_events {
            self.has_reported_dropped_events = true;
            self.report(AdapterCode::EventDropped, "emit_events is off");
        }
    }

    /// Takes the output as the bytes of a stream.
    pub(crate) fn write_into(&mut self, out: &mut Vec<u8>) {
        self.apply_emit_events();
        self.writer.write_into(out);
    }
}

/// True for null and for empty values.
fn is_empty(value: ValueRef<'_>) -> bool {
    value.is_null() || matches!(value.raw(), "{}" | "[]" | "\"\"")
}

/// An extension's type: the name at the source may have characters that a type must not have.
pub(crate) fn extension_type(slug: &str, name: &str, tail: &str) -> String {
    let safe = |text: &str| -> String {
        let safe =
            |char: char| if char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.') { char } else { '_' };
        text.chars().map(safe).collect()
    };
    let name = if name.is_empty() { "unknown" } else { name };
    format!("{}:{}{tail}", safe(slug), safe(name))
}

fn handle(slot: OutputSlot) -> ItemHandle {
    ItemHandle::at(slot as u32)
}
