//! [`Hub`]: the Open Responses side of a reading adapter.
//!
//! A decoder says what its source means; the hub turns that into intents of the [`Writer`], and adds what no source knows:
//! when the response starts, halves of characters, the last item that waits for its end, limits, findings. Nothing that
//! a source sends makes the writer refuse; a refusal that comes through is a limit or a template of the caller's.

mod content;
mod end;
mod items;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::piece::Carry;
pub(crate) use super::usage::Counts;
use crate::adapter::{AdapterCode, AdapterFindings, InboundOptions, ReasoningEvents};
use crate::error::{Code, Error};
use crate::json::Object;
use crate::limits::Limits;
use crate::write::{response_id, Dialect, ItemHandle, Writer, WriterOptions};
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

    pub(crate) fn write_into(&mut self, out: &mut Vec<u8>) {
        if self.started {
            self.writer.write_into(out);
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
